"""The records of webhooks and deliveries, as the API answers them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, TypedDict
from uuid import UUID

import msgspec
from typing_extensions import Doc

from heliograph.core.records import make_record
from heliograph.core.webhooks.deliveries.service import DeliveryRecord
from heliograph.core.webhooks.model import CreatedWebhook, Delivery, DeliveryAttempt, Webhook
from heliograph.untrusted import UntrustedText


class EventFilterRecord(TypedDict):
    """A webhook's filter on the events of its types."""

    chat_account_ids: Annotated[
        list[UUID] | None, Doc("Only events of these accounts; null for any.")
    ]
    chat_type: Annotated[
        str | None,
        Doc("Only messages of this kind of chat: `individual` or `group`; null for both."),
    ]


class BatchingRecord(TypedDict):
    """How events are posted together."""

    max_events: int
    max_wait_ms: int


class SubscriptionRecord(TypedDict):
    """A URL to which events are posted."""

    id: UUID
    url: str
    description: str
    events: Annotated[list[str], Doc("Types, and the patterns `*`, `message.*`, `device.*`.")]
    enabled: bool
    disabled_reason: str | None
    disabled_at: datetime | None
    failing_since: Annotated[datetime | None, Doc("The first failure after the last success.")]
    header_names: Annotated[
        list[str], Doc("The names of its custom headers; their values are never shown.")
    ]
    filter: Annotated[EventFilterRecord | None, Doc("Null if it takes every event of its types.")]
    batch: Annotated[BatchingRecord | None, Doc("Null if each event has its own request.")]
    old_secrets_expire_at: Annotated[
        list[datetime], Doc("When each secret before the last rotation expires, the newest first.")
    ]
    created_at: datetime
    updated_at: datetime


class CreatedSubscriptionRecord(SubscriptionRecord):
    """A webhook with its secret, which the API shows only now, and the dashboard later, too."""

    secret: Annotated[str, Doc("Signs every request: `whsec_` and 32 bytes in base64.")]


class SubscriptionDeliveryRecord(DeliveryRecord):
    """The delivery of one event to one webhook."""

    event_id: Annotated[UUID, Doc("The `webhook-id` of its requests, unless it is in a batch.")]
    attempt_count: int
    next_attempt_at: datetime | None
    delivery_batch_id: Annotated[
        UUID | None, Doc("The `webhook-id` of the batch that it is posted in; null outside of one.")
    ]


class DeliveryAttemptRecord(TypedDict):
    """One POST and its outcome."""

    number: int
    started_at: datetime
    duration_ms: int
    response_code: int | None
    response_body: Annotated[UntrustedText | None, Doc("The first 1 KiB of the answer.")]
    error_message: UntrustedText | None
    address: Annotated[str | None, Doc("The IP address of the connection.")]


class DeliveryDetailsRecord(SubscriptionDeliveryRecord):
    """A delivery with its event and each of its attempts."""

    payload: Annotated[
        dict[str, Any] | None,
        Doc("`{type, timestamp, data}` as posted; null when it is no longer kept."),
    ]
    attempts: list[DeliveryAttemptRecord]


def subscription_record(webhook: Webhook) -> SubscriptionRecord:
    wanted, batch = webhook.filter, webhook.batch
    accounts = None if wanted.chat_account_ids is None else list(wanted.chat_account_ids)
    is_filtered = accounts is not None or wanted.chat_type is not None
    return make_record(
        SubscriptionRecord,
        webhook,
        events=list(webhook.events),
        header_names=list(webhook.header_names),
        filter={"chat_account_ids": accounts, "chat_type": wanted.chat_type}
        if is_filtered
        else None,
        batch=None if batch is None else make_record(BatchingRecord, batch),
        old_secrets_expire_at=list(webhook.old_secrets_expire_at),
    )


def created_subscription_record(created: CreatedWebhook) -> CreatedSubscriptionRecord:
    return {**subscription_record(created.webhook), "secret": created.secret}


def subscription_delivery_record(delivery: Delivery) -> SubscriptionDeliveryRecord:
    return make_record(SubscriptionDeliveryRecord, delivery)


def delivery_details_record(
    delivery: Delivery, attempts: Sequence[DeliveryAttempt], payload: bytes | None
) -> DeliveryDetailsRecord:
    return {
        **subscription_delivery_record(delivery),
        "payload": None if payload is None else msgspec.json.decode(payload),
        "attempts": [attempt_record(attempt) for attempt in attempts],
    }


def attempt_record(attempt: DeliveryAttempt) -> DeliveryAttemptRecord:
    return make_record(DeliveryAttemptRecord, attempt)
