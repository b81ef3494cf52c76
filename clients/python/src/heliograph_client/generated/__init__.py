"""Made by `make clients` from the description of the API. Change that, or the templates, not this."""

from .models import (
    ContactsSyncedEvent,
    ContactUpdatedEvent,
    ConversationUpdatedEvent,
    DeviceConnectedEvent,
    DeviceDisconnectedEvent,
    DeviceLoggedOutEvent,
    DevicePairingEvent,
    DeviceRestrictedEvent,
    DeviceUnrestrictedEvent,
    MessageCanceledEvent,
    MessageDeletedEvent,
    MessageDeliveredEvent,
    MessageEditedEvent,
    MessageFailedEvent,
    MessageReactionEvent,
    MessageReadEvent,
    MessageReceivedEvent,
    MessageSentEvent,
    WebhookPingEvent,
)

EventBody = (
    ContactUpdatedEvent
    | ContactsSyncedEvent
    | ConversationUpdatedEvent
    | DeviceConnectedEvent
    | DeviceDisconnectedEvent
    | DeviceLoggedOutEvent
    | DevicePairingEvent
    | DeviceRestrictedEvent
    | DeviceUnrestrictedEvent
    | MessageCanceledEvent
    | MessageDeletedEvent
    | MessageDeliveredEvent
    | MessageEditedEvent
    | MessageFailedEvent
    | MessageReactionEvent
    | MessageReadEvent
    | MessageReceivedEvent
    | MessageSentEvent
    | WebhookPingEvent
)

EVENT_CLASSES: dict[str, type[EventBody]] = {
    "contact.updated": ContactUpdatedEvent,
    "contacts.synced": ContactsSyncedEvent,
    "conversation.updated": ConversationUpdatedEvent,
    "device.connected": DeviceConnectedEvent,
    "device.disconnected": DeviceDisconnectedEvent,
    "device.logged_out": DeviceLoggedOutEvent,
    "device.pairing": DevicePairingEvent,
    "device.restricted": DeviceRestrictedEvent,
    "device.unrestricted": DeviceUnrestrictedEvent,
    "message.canceled": MessageCanceledEvent,
    "message.deleted": MessageDeletedEvent,
    "message.delivered": MessageDeliveredEvent,
    "message.edited": MessageEditedEvent,
    "message.failed": MessageFailedEvent,
    "message.reaction": MessageReactionEvent,
    "message.read": MessageReadEvent,
    "message.received": MessageReceivedEvent,
    "message.sent": MessageSentEvent,
    "webhook.ping": WebhookPingEvent,
}
