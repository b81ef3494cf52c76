"""Events, as posted to webhooks and shown to readers of the log. The payload is stored once and
never changes."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated
from uuid import UUID

import msgspec

from heliograph.core.tenants.model import Tenant


class EventType(StrEnum):
    MESSAGE_RECEIVED = "message.received"
    MESSAGE_SENT = "message.sent"
    MESSAGE_DELIVERED = "message.delivered"
    MESSAGE_READ = "message.read"
    MESSAGE_FAILED = "message.failed"
    MESSAGE_CANCELED = "message.canceled"
    MESSAGE_EDITED = "message.edited"
    MESSAGE_DELETED = "message.deleted"
    MESSAGE_REACTION = "message.reaction"
    CONVERSATION_UPDATED = "conversation.updated"
    CONTACT_UPDATED = "contact.updated"
    CONTACTS_SYNCED = "contacts.synced"
    DEVICE_PAIRING = "device.pairing"
    DEVICE_CONNECTED = "device.connected"
    DEVICE_DISCONNECTED = "device.disconnected"
    DEVICE_LOGGED_OUT = "device.logged_out"
    DEVICE_RESTRICTED = "device.restricted"
    DEVICE_UNRESTRICTED = "device.unrestricted"
    WEBHOOK_PING = "webhook.ping"


PATTERNS = ("*", "message.*", "device.*")
"""The patterns that a subscription may contain besides single types."""


def matches(subscribed: tuple[str, ...] | list[str], event_type: str) -> bool:
    """Whether a subscription to these types and patterns takes an event of this type."""
    category = event_type.split(".", 1)[0] + ".*"
    return any(kind in ("*", category, event_type) for kind in subscribed)


class Event(msgspec.Struct, frozen=True):
    """`payload` is the body as posted: `{"type", "timestamp", "data"}` in JSON.

    `trace_context` is passed on to its deliveries and not stored: it is None for a stored event.
    """

    tenant: Tenant
    id: UUID
    type: str
    payload: bytes
    created_at: datetime
    account_id: UUID | None = None
    conversation_id: UUID | None = None
    message_id: UUID | None = None
    trace_context: str | None = None

    @property
    def order_key(self) -> UUID:
        """Events with the same key reach a webhook in order: those of one conversation, else of one
        account."""
        return self.conversation_id or self.account_id or self.id


class StoredEvent(msgspec.Struct, frozen=True):
    event: Event
    seq: int


class EventPosition(msgspec.Struct, frozen=True, array_like=True):
    """A position in an organization's event log: right after the event with this `seq`.

    `event_id` is that event's id; None at the beginning of the log.
    """

    seq: Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
    event_id: UUID | None = None


class LoggedEvent(msgspec.Struct, frozen=True):
    """An event of the log. `payload` is empty once it has been deleted, before the event is."""

    seq: int
    id: UUID
    type: str
    account_id: UUID | None
    payload: bytes

    @property
    def position(self) -> EventPosition:
        """The position after the event."""
        return EventPosition(self.seq, self.id)


class EventSpan(msgspec.Struct, frozen=True):
    """The events of a time range: `count` of them, between these `seq`, both included."""

    first: int
    last: int
    count: int
