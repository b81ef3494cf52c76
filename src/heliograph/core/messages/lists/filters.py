"""Filters of message lists."""

from datetime import datetime
from uuid import UUID

import msgspec


class MessageFilter(msgspec.Struct, frozen=True):
    """Which messages a list shows; None does not filter. `phone_number` is a number as people write
    it, or a JID, also a group's; `person`, which replaces it and the contact's id, may also be a
    part of a contact's name or number. `since` is inclusive, `until` exclusive. A search matches
    messages with all its words; the last may be the beginning of one. `reason` is a part of a
    failure reason, in any case. `chat_message_id` is the network's id of a message, `run_id` the
    correlation id of one send.
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
    chat_message_id: str | None = None
    run_id: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    search: str | None = None
    reason: str | None = None

    @property
    def has_reference(self) -> bool:
        """Whether messages are looked up by an external id."""
        return self.chat_message_id is not None or self.run_id is not None


EVERYTHING = MessageFilter()
MAX_SEARCH_LENGTH = 200
"""Characters."""
MAX_ID_LENGTH = 500
"""Characters of an id that is looked up."""
