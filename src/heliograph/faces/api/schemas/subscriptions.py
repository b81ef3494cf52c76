"""Webhook subscriptions and their deliveries: what is asked and what is answered."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Any
from uuid import UUID

from pydantic import BaseModel, Field, StrictBool, StringConstraints, WithJsonSchema
from typing_extensions import TypeAliasType

from heliograph.core.events.model import EventType
from heliograph.core.messages.model import ChatType
from heliograph.core.pages import MAX_CURSOR
from heliograph.core.secrets.model import DEFAULT_GRACE, MAX_GRACE
from heliograph.core.webhooks.deliveries.replays import ReplayRecord
from heliograph.core.webhooks.headers import RESERVED_HEADERS, RESERVED_PREFIXES
from heliograph.core.webhooks.model import Batching, DeliveryStatus, WebhookFilter
from heliograph.core.webhooks.queue.batching import MAX_BATCH_EVENTS, MAX_BATCH_WAIT_MS
from heliograph.core.webhooks.serializers import (
    BatchingRecord,
    CreatedSubscriptionRecord,
    DeliveryAttemptRecord,
    DeliveryDetailsRecord,
    EventFilterRecord,
    SubscriptionDeliveryRecord,
    SubscriptionRecord,
)
from heliograph.core.webhooks.subscriptions.options import (
    MAX_FILTER_ACCOUNTS,
    MAX_HEADER_NAME,
    MAX_HEADER_VALUE,
    MAX_HEADERS,
)
from heliograph.core.webhooks.subscriptions.service import MAX_DESCRIPTION_LENGTH, SUBSCRIBABLE
from heliograph.faces.api.schemas.events import EVENTS, PostedEvent
from heliograph.faces.api.schemas.extensible_enums import WORDS
from heliograph.faces.api.schemas.fields import NO_NUL, StrictBody, Time, with_example
from heliograph.faces.api.schemas.records import describe_part, describes
from heliograph.platform.json_numbers import Integer

_ACCOUNT = "01939b1a-0f00-7d11-8c22-93a1b2c3d4e5"
_SUBSCRIPTION: dict[str, Any] = {
    "id": "01939b1a-2000-7aaa-8bbb-ccccddddeeee",
    "url": "https://backend.example/hooks",
    "description": "Orders",
    "events": ["message.*"],
    "enabled": True,
    "disabled_reason": None,
    "disabled_at": None,
    "failing_since": None,
    "header_names": ["X-Team"],
    "filter": {"chat_account_ids": [_ACCOUNT], "chat_type": "individual"},
    "batch": {"max_events": 100, "max_wait_ms": 1000},
    "old_secrets_expire_at": [],
    "created_at": "2025-12-06T09:00:00.000000Z",
    "updated_at": "2025-12-06T09:00:00.000000Z",
}
_SECRET = {"secret": "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="}
_DELIVERY: dict[str, Any] = {
    "id": "01939b1e-9000-7aaa-8bbb-ccccddddeeee",
    "webhook_id": _SUBSCRIPTION["id"],
    "webhook_url": _SUBSCRIPTION["url"],
    "event_type": "message.received",
    "status": "delivered",
    "retry_count": 0,
    "created_at": "2025-12-06T10:00:05.100000Z",
    "response_code": 204,
    "error_message": None,
    "delivered_at": "2025-12-06T10:00:05.130000Z",
    "event_id": "01939b1e-8100-7d11-a6f0-1c5e8b9d3f42",
    "attempt_count": 1,
    "next_attempt_at": None,
    "delivery_batch_id": None,
}
_ATTEMPT: dict[str, Any] = {
    "number": 1,
    "started_at": "2025-12-06T10:00:05.101000Z",
    "duration_ms": 29,
    "response_code": 204,
    "response_body": "",
    "error_message": None,
    "address": "203.0.113.7",
}

# --- what is asked ---------------------------------------------------------------------------

_PATTERN_SCHEMA: dict[str, Any] = {
    "type": "string",
    "enum": list(SUBSCRIBABLE),
    "description": "An event type, or a pattern of several.",
}
EventPattern = TypeAliasType("EventPattern", Annotated[str, WithJsonSchema(_PATTERN_SCHEMA)])
Url = Annotated[
    str,
    Field(
        min_length=1,
        max_length=2048,
        description="An http or https URL without user name and password.",
        json_schema_extra=NO_NUL,
    ),
]
Events = Annotated[
    list[EventPattern],
    Field(
        min_length=1,
        max_length=50,
        description="Event types, or the patterns `*`, `message.*`, `device.*`.",
    ),
]
Description = Annotated[
    str,
    Field(
        max_length=MAX_DESCRIPTION_LENGTH,
        description="What it is for.",
        json_schema_extra=NO_NUL,
    ),
]
_NAME = r"^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$"
_VALUE = r"^[!-~]([ -~]*[!-~])?$"


def _quote(names: Sequence[str]) -> str:
    *others, last = (f"`{name}`" for name in names)
    return f"{', '.join(others)} or {last}"


_HEADERS_SCHEMA: dict[str, Any] = {
    "type": "object",
    "maxProperties": MAX_HEADERS,
    "propertyNames": {"type": "string", "pattern": _NAME, "maxLength": MAX_HEADER_NAME},
    "additionalProperties": {"type": "string", "pattern": _VALUE, "maxLength": MAX_HEADER_VALUE},
    "description": "Your own headers, sent with each attempt and never shown again. Not "
    + _quote(RESERVED_HEADERS)
    + ", and none that begins with "
    + _quote(RESERVED_PREFIXES)
    + ".",
}
WebhookHeaders = TypeAliasType(
    "WebhookHeaders",
    Annotated[
        dict[
            Annotated[str, StringConstraints(max_length=MAX_HEADER_NAME, pattern=_NAME)],
            Annotated[str, StringConstraints(max_length=MAX_HEADER_VALUE, pattern=_VALUE)],
        ],
        Field(max_length=MAX_HEADERS),
        WithJsonSchema(_HEADERS_SCHEMA),
    ],
)


class FilteredChatType(StrEnum):
    """With one person or with a group."""

    INDIVIDUAL = "individual"
    GROUP = "group"


class SubscriptionFilter(StrictBody):
    """A filter on the events of the subscribed types."""

    chat_account_ids: list[UUID] | None = Field(
        default=None,
        min_length=1,
        max_length=MAX_FILTER_ACCOUNTS,
        description="Only events of these accounts; null for any that the key may use.",
    )
    chat_type: FilteredChatType | None = Field(
        default=None,
        description="Only messages of this kind of chat. Other events are not filtered.",
    )

    def values(self) -> WebhookFilter:
        accounts = self.chat_account_ids
        return WebhookFilter(
            None if accounts is None else tuple(accounts),
            None if self.chat_type is None else self.chat_type.value,
        )


class BatchOptions(StrictBody):
    """Post events together, as a `batch`."""

    max_events: Integer = Field(ge=1, le=MAX_BATCH_EVENTS, description="Maximum number of events.")
    max_wait_ms: Integer = Field(
        default=0,
        ge=0,
        le=MAX_BATCH_WAIT_MS,
        description="How long the first event waits for others.",
    )

    def values(self) -> Batching:
        return Batching(self.max_events, self.max_wait_ms)


class CreateSubscription(StrictBody):
    """The URL and the events to post to it."""

    model_config = with_example(
        {
            "url": _SUBSCRIPTION["url"],
            "events": _SUBSCRIPTION["events"],
            "description": "Orders",
            "headers": {"X-Team": "orders"},
            "filter": _SUBSCRIPTION["filter"],
            "batch": _SUBSCRIPTION["batch"],
        }
    )

    url: Url
    events: Events
    description: Description = ""
    enabled: StrictBool = Field(default=True, description="Whether to post at once.")
    headers: WebhookHeaders | None = None
    filter: SubscriptionFilter | None = None
    batch: BatchOptions | None = Field(
        default=None, description="Without it, each event has its own request."
    )


class ChangeSubscription(StrictBody):
    """The fields to change; those absent stay. `headers` replaces all of them; null removes them;
    it also removes a filter and turns off batches."""

    model_config = with_example({"enabled": True, "batch": None})

    # absent, not null: generated clients would send a default
    url: Url = None  # type: ignore[assignment]
    events: Events = None  # type: ignore[assignment]
    description: Description = None  # type: ignore[assignment]
    enabled: StrictBool = None  # type: ignore[assignment]
    headers: WebhookHeaders | None = None
    filter: SubscriptionFilter | None = None
    batch: BatchOptions | None = None


class RotateSecret(StrictBody):
    """How long the replaced secret continues to sign."""

    model_config = with_example({"grace_seconds": 86400})

    grace_seconds: Integer = Field(
        default=int(DEFAULT_GRACE.total_seconds()),
        ge=0,
        le=int(MAX_GRACE.total_seconds()),
        description="How long requests also carry the old secret's signature.",
    )


class ReplayStatus(StrEnum):
    """The status of deliveries to repeat."""

    FAILED = "failed"
    CANCELED = "canceled"
    DELIVERED = "delivered"


ReplayCursor = Annotated[str, Field(min_length=1, max_length=MAX_CURSOR, json_schema_extra=NO_NUL)]


class ReplayEvents(StrictBody):
    """Which events to post again."""

    model_config = with_example(
        {"since": "2025-12-06T09:00:00Z", "until": "2025-12-06T11:00:00Z", "status": "failed"}
    )

    since: Time = Field(description="Events from that time on.")
    until: Time = Field(description="Events before that time.")
    status: ReplayStatus | None = Field(
        default=None,
        description="Only events whose delivery to this webhook was made in that time and has "
        "this status. Without it, all events of that time that the webhook takes.",
    )
    cursor: ReplayCursor | None = Field(
        default=None, description="The `next_cursor` of the previous call."
    )

    @property
    def delivery_status(self) -> DeliveryStatus | None:
        return None if self.status is None else DeliveryStatus(self.status.value)


# --- what is answered ------------------------------------------------------------------------


describe_part(EventFilterRecord, "SubscriptionFilterRecord", {"chat_type": WORDS[ChatType]})
describe_part(BatchingRecord, "BatchRecord")


@describes(SubscriptionRecord)
class Subscription(BaseModel):
    model_config = with_example(_SUBSCRIPTION)


@describes(CreatedSubscriptionRecord)
class CreatedSubscription(BaseModel):
    model_config = with_example(_SUBSCRIPTION | _SECRET)


class SubscriptionList(BaseModel):
    """One page of webhooks, oldest first, and their total number."""

    model_config = with_example(
        {"subscriptions": [_SUBSCRIPTION], "total": 1, "limit": 50, "offset": 0}
    )

    subscriptions: list[Subscription]
    total: int
    limit: int
    offset: int


@describes(SubscriptionDeliveryRecord, {"event_type": WORDS[EventType]})
class Delivery(BaseModel):
    model_config = with_example(_DELIVERY)


class DeliveryList(BaseModel):
    """One page of deliveries, newest first."""

    model_config = with_example({"deliveries": [_DELIVERY], "next_cursor": None})

    deliveries: list[Delivery]
    next_cursor: str | None = Field(
        default=None, description="Send it as `cursor` for the next page; null on the last."
    )


describe_part(DeliveryAttemptRecord, "DeliveryAttempt")


@describes(DeliveryDetailsRecord, {"event_type": WORDS[EventType], "payload": PostedEvent})
class DeliveryDetails(BaseModel):
    model_config = with_example(_DELIVERY | {"payload": EVENTS[0].example, "attempts": [_ATTEMPT]})


class PingSent(BaseModel):
    """The delivery of the ping; read it to see the endpoint's answer."""

    model_config = with_example({"delivery_id": _DELIVERY["id"]})

    delivery_id: UUID


@describes(ReplayRecord)
class ReplayProgress(BaseModel):
    model_config = with_example({"queued": 412, "next_cursor": None})
