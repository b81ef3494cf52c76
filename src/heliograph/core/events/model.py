"""Events: what happened, as it is told to webhooks. The payload is stored once, as it was."""

from datetime import datetime
from enum import StrEnum
from uuid import UUID

import msgspec

from heliograph.core.tenants.model import Tenant


class EventType(StrEnum):
    MESSAGE_RECEIVED = "message.received"
    MESSAGE_SENT = "message.sent"
    MESSAGE_DELIVERED = "message.delivered"
    MESSAGE_READ = "message.read"
    MESSAGE_FAILED = "message.failed"
    MESSAGE_EDITED = "message.edited"
    MESSAGE_DELETED = "message.deleted"
    MESSAGE_REACTION = "message.reaction"
    DEVICE_PAIRING = "device.pairing"
    DEVICE_CONNECTED = "device.connected"
    DEVICE_DISCONNECTED = "device.disconnected"
    DEVICE_LOGGED_OUT = "device.logged_out"
    DEVICE_RESTRICTED = "device.restricted"
    DEVICE_UNRESTRICTED = "device.unrestricted"
    WEBHOOK_PING = "webhook.ping"


PATTERNS = ("*", "message.*", "device.*")
"""What a subscription may name besides single types."""


def matches(subscribed: tuple[str, ...] | list[str], event_type: str) -> bool:
    """Whether a subscription to these types and patterns takes an event of this type."""
    category = event_type.split(".", 1)[0] + ".*"
    return any(kind in ("*", category, event_type) for kind in subscribed)


class Event(msgspec.Struct, frozen=True):
    """`payload` is the body as posted: `{"type", "timestamp", "data"}` in JSON."""

    tenant: Tenant
    id: UUID
    type: str
    payload: bytes
    created_at: datetime
    account_id: UUID | None = None
    conversation_id: UUID | None = None
    message_id: UUID | None = None

    @property
    def order_key(self) -> UUID:
        """Events with the same key reach a webhook in order: of one conversation, else account."""
        return self.conversation_id or self.account_id or self.id


class StoredEvent(msgspec.Struct, frozen=True):
    event: Event
    seq: int


class EventSpan(msgspec.Struct, frozen=True):
    """The events of a time range: `count` of them, between these `seq`, both included."""

    first: int
    last: int
    count: int
