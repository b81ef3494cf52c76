"""Groups that an account is in, numbers on a network, and typing indicators."""

from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, Field, StrictBool

from heliograph.core.contacts.checks import MAX_NUMBERS, NumberCheckList, NumberCheckRecord
from heliograph.core.groups.management import (
    AddedRecord,
    GroupRecord,
    InviteLinkRecord,
    LeftGroupRecord,
    ParticipantRecord,
    RefusedParticipantRecord,
)
from heliograph.core.inbox.signals import TypingRecord
from heliograph.faces.api.schemas.conversations import Participant
from heliograph.faces.api.schemas.fields import (
    ADDRESS_RULE,
    NO_NUL,
    UNCHANGED,
    StrictBody,
    with_example,
)
from heliograph.faces.api.schemas.records import describe_part, describes

_GROUP = "120363025246125486@g.sandbox"
_ANA = "5511999990000@sandbox"


describe_part(ParticipantRecord, "GroupParticipant")


@describes(GroupRecord)
class Group(BaseModel):
    model_config = with_example(
        {
            "conversation_id": "01939b1e-8000-7aaa-8bbb-0c0d0e0f1011",
            "chat_account_id": "01939b1a-0f00-7d11-8c22-93a1b2c3d4e5",
            "group_jid": _GROUP,
            "subject": "Trip to Lisbon",
            "description": "Tickets, and who brings what",
            "owner_jid": _ANA,
            "created_at": "2025-12-06T10:00:00Z",
            "participants": [
                {"jid": _ANA, "role": "owner", "phone_number": "+5511999990000", "name": "Ana"}
            ],
        }
    )


class AddParticipants(StrictBody):
    """People to add to a group."""

    model_config = with_example({"participants": ["+351912345678"]})

    participants: list[Participant] = Field(
        min_length=1,
        max_length=1024,
        description=f"Each is {ADDRESS_RULE}; a person named twice is added once.",
    )


describe_part(RefusedParticipantRecord, "RefusedParticipant")


@describes(AddedRecord)
class AddedParticipants(BaseModel):
    model_config = with_example(
        {
            "added": ["351912345678@sandbox"],
            "refused": [{"jid": _ANA, "reason": "They are in the group already."}],
        }
    )


class ChangeGroup(StrictBody):
    """The fields of a group to change; those not given stay."""

    model_config = with_example({"subject": "Trip to Porto"})

    subject: Annotated[str, Field(min_length=1, max_length=255, json_schema_extra=NO_NUL)] = Field(
        default=UNCHANGED, description="The group's name."
    )
    description: Annotated[str, Field(max_length=2048, json_schema_extra=NO_NUL)] = Field(
        default=UNCHANGED, description="The group's description; empty removes it."
    )


@describes(InviteLinkRecord)
class GroupInviteLink(BaseModel):
    model_config = with_example({"invite_link": "https://sandbox.example/join/7Q2mX9pKc4vT1sB8"})


@describes(LeftGroupRecord)
class LeftGroup(BaseModel):
    model_config = with_example({"success": True})


class CheckNumbers(StrictBody):
    """Phone numbers to look for on a chat network."""

    model_config = with_example({"phone_numbers": ["+5511999990000", "+351 912 345 678"]})

    phone_numbers: list[Annotated[str, Field(max_length=50)]] = Field(
        min_length=1,
        max_length=MAX_NUMBERS,
        description="Each as people write it, with its country code.",
    )
    chat_account_id: UUID | None = Field(
        default=None,
        description="The account that asks; default: the organization's primary account.",
    )


describe_part(NumberCheckRecord, "CheckedNumber")


@describes(NumberCheckList)
class CheckedNumbers(BaseModel):
    model_config = with_example(
        {
            "contacts": [
                {"phone_number": "+5511999990000", "exists": True, "jid": _ANA},
                {"phone_number": "+351912345678", "exists": False, "jid": None},
            ]
        }
    )


class ShowTyping(StrictBody):
    """Whether to show that somebody is typing."""

    model_config = with_example({"is_typing": True})

    is_typing: StrictBool = Field(default=True, description="False withdraws the indicator.")


@describes(TypingRecord)
class TypingShown(BaseModel):
    model_config = with_example({"success": True})
