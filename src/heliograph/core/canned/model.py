"""Canned replies: texts that people of an organization send again and again."""

from datetime import datetime
from uuid import UUID

import msgspec


class CannedReply(msgspec.Struct, frozen=True):
    """`shortcut` is what people type after `/` to get the text `body`."""

    id: UUID
    organization_id: UUID
    shortcut: str
    body: str
    created_at: datetime
    updated_at: datetime
