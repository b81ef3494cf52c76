from typing import Literal

EventPattern = Literal[
    "*",
    "contact.updated",
    "contacts.synced",
    "conversation.updated",
    "device.*",
    "device.connected",
    "device.disconnected",
    "device.logged_out",
    "device.pairing",
    "device.restricted",
    "device.unrestricted",
    "message.*",
    "message.canceled",
    "message.deleted",
    "message.delivered",
    "message.edited",
    "message.failed",
    "message.reaction",
    "message.read",
    "message.received",
    "message.sent",
    "webhook.ping",
]

EVENT_PATTERN_VALUES: set[EventPattern] = {
    "*",
    "contact.updated",
    "contacts.synced",
    "conversation.updated",
    "device.*",
    "device.connected",
    "device.disconnected",
    "device.logged_out",
    "device.pairing",
    "device.restricted",
    "device.unrestricted",
    "message.*",
    "message.canceled",
    "message.deleted",
    "message.delivered",
    "message.edited",
    "message.failed",
    "message.reaction",
    "message.read",
    "message.received",
    "message.sent",
    "webhook.ping",
}


def check_event_pattern(value: str) -> EventPattern:
    if value in EVENT_PATTERN_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {EVENT_PATTERN_VALUES!r}")
