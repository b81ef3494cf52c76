"""The members of an organization."""

from pydantic import BaseModel

from heliograph.core.members.model import MemberListRecord, MemberRecord
from heliograph.faces.api.schemas.fields import with_example
from heliograph.faces.api.schemas.records import describes

_MEMBER = {"id": "01939b1f-2222-7333-8444-555566667777", "name": "Ada Santos", "role": "agent"}


@describes(MemberRecord)
class Member(BaseModel):
    model_config = with_example(_MEMBER)


@describes(MemberListRecord)
class MemberList(BaseModel):
    model_config = with_example({"members": [_MEMBER], "total": 1, "limit": 50, "offset": 0})
