"""The bodies that are posted to webhooks: for each event type its schema and an example.

The subjects' own serializers make them: `core.messages.events`, `core.inbox.events`,
`core.contacts.events`, `core.accounts.serializers`.
"""

from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import AwareDatetime, BaseModel, Field, WithJsonSchema, create_model

from heliograph.core.accounts.serializers import ReportedDeviceRecord
from heliograph.core.contacts.events import UpdatedContactRecord
from heliograph.core.events.model import EventType
from heliograph.core.inbox.events import UpdatedConversationRecord
from heliograph.core.messages.events import (
    ButtonRecord,
    ChangedMessageRecord,
    FailedChangeRecord,
    InboundMessageRecord,
    OutboundMessageRecord,
)
from heliograph.core.webhooks.deliveries.service import DeliveryRecord
from heliograph.faces.api.schemas.contacts import Contact, SyncState
from heliograph.faces.api.schemas.conversations import Conversation
from heliograph.faces.api.schemas.devices import Device
from heliograph.faces.api.schemas.extensible_enums import WORDS
from heliograph.faces.api.schemas.fields import example_of, with_example
from heliograph.faces.api.schemas.messages import Message
from heliograph.faces.api.schemas.records import describe_part, describes

Example = dict[str, Any]


_MESSAGE = example_of(Message) | {
    "conversation_id": "01939b1e-8000-7aaa-8bbb-0c0d0e0f1011",
    "run_id": "run_01939b1e7c3a7b6e9d5f2f7a3c1e8b41",
}
_NOT_YET = {"delivered_at": None, "read_at": None}
_SENT = _MESSAGE | _NOT_YET | {"status": "sent", "updated_at": _MESSAGE["sent_at"]}
_DELIVERED = _MESSAGE | {
    "status": "delivered",
    "read_at": None,
    "updated_at": _MESSAGE["delivered_at"],
}
_FAILED = (
    _MESSAGE
    | _NOT_YET
    | {
        "status": "failed",
        "sent_at": None,
        "chat_message_id": None,
        "failed_at": "2025-12-06T10:00:00.200000Z",
        "updated_at": "2025-12-06T10:00:00.200000Z",
        "failure_reason": "This number is not on the network.",
    }
)
_CANCELED = (
    _MESSAGE
    | _NOT_YET
    | {
        "status": "canceled",
        "sent_at": None,
        "updated_at": "2025-12-06T10:00:00.150000Z",
    }
)
_RECEIVED = {
    "id": "01939b1e-a000-7b6e-9d5f-2f7a3c1e8b42",
    "phone_number": "+5511999990000",
    "content": "Yes",
    "status": "received",
    "direction": "inbound",
    "retry_count": 0,
    "chat_account_id": _MESSAGE["chat_account_id"],
    "created_at": "2025-12-06T10:00:05.000000Z",
    "updated_at": "2025-12-06T10:00:05.000000Z",
    "chat_type": "individual",
    "message_type": "button_reply",
    "chat_message_id": "3EB0B1B2C3D4E5F60719",
    "contact_id": "01939b1e-7fff-7111-8222-333344445555",
    "contact_name": "Ana",
    "conversation_id": _MESSAGE["conversation_id"],
    "button": {"id": "yes", "title": "Yes"},
    "reply_to_message_id": _MESSAGE["id"],
}
_TEXT = {key: _RECEIVED[key] for key in _RECEIVED if key not in ("button", "reply_to_message_id")}
_CHANGED = _TEXT | {
    "content": "At eight, please",
    "message_type": "text",
    "changed_by": "5511999990000@sandbox",
    "changed_at": "2025-12-06T10:01:00.000000Z",
}
_BY_USER = {
    "kind": "user",
    "id": "01939b1a-3000-7aaa-8bbb-ccccddddeeee",
    "name": "Bo",
}
_CONVERSATION = example_of(Conversation) | {
    "status": "closed",
    "last_message_preview": None,
    "changed": ["status"],
    "changed_by": _BY_USER,
}
_CONTACT = example_of(Contact) | {"changed": ["name", "display_name"], "changed_by": _BY_USER}
_RESTRICTION = example_of(Device)["restriction"]
_DEVICE = example_of(Device) | {"reason": None, "restriction": None}


describe_part(FailedChangeRecord, "FailedChange")


@describes(OutboundMessageRecord)
class OutboundMessage(Message):
    model_config = with_example(_MESSAGE)


describe_part(ButtonRecord, "PressedButton")


@describes(InboundMessageRecord)
class InboundMessage(Message):
    model_config = with_example(_RECEIVED)


@describes(ChangedMessageRecord)
class ChangedMessage(Message):
    model_config = with_example(_CHANGED)


@describes(UpdatedConversationRecord)
class UpdatedConversation(Conversation):
    model_config = with_example(_CONVERSATION)


@describes(UpdatedContactRecord)
class UpdatedContact(Contact):
    model_config = with_example(_CONTACT)


@describes(ReportedDeviceRecord)
class ReportedDevice(Device):
    model_config = with_example(_DEVICE)


class Ping(BaseModel):
    """Empty: a test that was requested."""


class PostedEvent(BaseModel):
    """The body of a webhook's request about one event, of whatever type."""

    type: WORDS[EventType]  # type: ignore[valid-type]  # made from the enum
    timestamp: AwareDatetime = Field(description="When the gateway recorded it.")
    data: dict[str, Any] = Field(description="What it is about.")


@dataclass(frozen=True, slots=True)
class DescribedEvent:
    """`schema` is the body's; `example` fits it."""

    event_type: EventType
    summary: str
    schema: type[PostedEvent]
    example: Example


def _describe(
    event_type: EventType, summary: str, data: type[BaseModel], example: Example
) -> DescribedEvent:
    name = "".join(part.capitalize() for part in event_type.replace(".", "_").split("_"))
    constant = WithJsonSchema({"type": "string", "const": event_type.value})
    schema = create_model(
        f"{name}Event",
        __base__=PostedEvent,
        __doc__=f"{summary}.",
        type=(Annotated[str, constant], ...),
        data=(data, ...),
    )
    at = example.get("changed_at") or example.get("updated_at") or "2025-12-06T10:00:00.000000Z"
    body = {"type": event_type.value, "timestamp": at, "data": example}
    return DescribedEvent(event_type, summary, schema, body)


def _device(event_type: EventType, summary: str, **state: object) -> DescribedEvent:
    status = event_type.partition(".")[2]
    return _describe(event_type, summary, ReportedDevice, _DEVICE | {"status": status} | state)


EVENTS = (
    _describe(
        EventType.MESSAGE_RECEIVED,
        "Somebody wrote to one of your accounts, or pressed a button",
        InboundMessage,
        _RECEIVED,
    ),
    _describe(
        EventType.MESSAGE_SENT, "The chat network has accepted the message", OutboundMessage, _SENT
    ),
    _describe(
        EventType.MESSAGE_DELIVERED,
        "It has reached the recipient's device",
        OutboundMessage,
        _DELIVERED,
    ),
    _describe(EventType.MESSAGE_READ, "The recipient has read it", OutboundMessage, _MESSAGE),
    _describe(
        EventType.MESSAGE_FAILED,
        "The gateway gave up on it, or the network refused it later",
        OutboundMessage,
        _FAILED,
    ),
    _describe(
        EventType.MESSAGE_CANCELED,
        "Somebody canceled it, or removed its device, before it was sent",
        OutboundMessage,
        _CANCELED,
    ),
    _describe(EventType.MESSAGE_EDITED, "Somebody changed a message", ChangedMessage, _CHANGED),
    _describe(
        EventType.MESSAGE_DELETED,
        "Somebody deleted a message for everybody",
        ChangedMessage,
        _CHANGED,
    ),
    _describe(
        EventType.MESSAGE_REACTION,
        "Somebody reacted to a message, with an emoji for example",
        ChangedMessage,
        _CHANGED | {"emoji": "👍"},
    ),
    _describe(
        EventType.CONVERSATION_UPDATED,
        "Somebody changed a conversation, its group's subject or one of its labels, or its snooze "
        "has ended",
        UpdatedConversation,
        _CONVERSATION,
    ),
    _describe(
        EventType.CONTACT_UPDATED,
        "Somebody changed a contact, or the network reported another name or number",
        UpdatedContact,
        _CONTACT,
    ),
    _describe(
        EventType.CONTACTS_SYNCED,
        "A contact synchronization has ended",
        SyncState,
        example_of(SyncState),
    ),
    _device(
        EventType.DEVICE_PAIRING, "The account waits for somebody to pair it (a QR code, a code)"
    ),
    _device(
        EventType.DEVICE_CONNECTED,
        "The account is connected: queued messages go out now",
    ),
    _device(
        EventType.DEVICE_DISCONNECTED,
        "The connection is lost",
        reason="The connection to the network broke.",
    ),
    _device(
        EventType.DEVICE_LOGGED_OUT,
        "The network has ended the registration (logged out, banned, replaced)",
        reason="Logged out on the phone.",
    ),
    _device(
        EventType.DEVICE_RESTRICTED,
        "For a time, the network lets the account write to no new people: such messages wait",
        status="connected",
        restriction=_RESTRICTION,
        reason=_RESTRICTION["reason"],
    ),
    _device(
        EventType.DEVICE_UNRESTRICTED,
        "The restriction has ended: messages that waited for that go out now",
        status="connected",
        reason="The restriction's time has passed.",
    ),
    _describe(
        EventType.WEBHOOK_PING,
        "A test event, sent on request to a single webhook, whatever it subscribes to",
        Ping,
        {},
    ),
)
"""In the order of `docs/events.md`."""


@describes(DeliveryRecord, {"event_type": WORDS[EventType]})
class WebhookEvent(BaseModel):
    pass


class WebhookEventList(BaseModel):
    """One page of deliveries, newest first, and the number that can be listed."""

    model_config = with_example(
        {
            "events": [
                {
                    "id": "01939b1e-9000-7aaa-8bbb-ccccddddeeee",
                    "webhook_id": "01939b1a-2000-7aaa-8bbb-ccccddddeeee",
                    "webhook_url": "https://backend.example/hooks",
                    "event_type": "message.delivered",
                    "status": "delivered",
                    "retry_count": 0,
                    "created_at": "2025-12-06T10:00:01.100000Z",
                    "response_code": 204,
                    "error_message": None,
                    "delivered_at": "2025-12-06T10:00:01.130000Z",
                }
            ],
            "total": 1,
        }
    )

    events: list[WebhookEvent]
    total: int
