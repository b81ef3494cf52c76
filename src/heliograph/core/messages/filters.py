"""Which messages a list shows."""

from datetime import datetime
from uuid import UUID

import msgspec


class MessageFilter(msgspec.Struct, frozen=True):
    """What a list shows; None is everything. `phone_number` is a number as people write it, or a
    JID, also a group's; `person`, which replaces it and the contact's id, is that or a part of a
    contact's name or number. `since` is the first moment, `until` the first one after the last. A
    search fits messages with all its words; the last may be the beginning of one. `reason` is a
    part of why a message failed, whatever the case.
    """

    conversation_id: UUID | None = None
    chat_account_id: UUID | None = None
    contact_id: UUID | None = None
    phone_number: str | None = None
    person: str | None = None
    direction: str | None = None
    status: str | None = None
    message_type: str | None = None
    batch_id: UUID | None = None
    since: datetime | None = None
    until: datetime | None = None
    search: str | None = None
    reason: str | None = None


EVERYTHING = MessageFilter()
LONGEST_SEARCH = 200
"""Characters."""
