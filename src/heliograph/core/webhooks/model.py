"""Webhooks, deliveries, attempts, and the values that delivery workers exchange."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from uuid import UUID

import msgspec

from heliograph.core.cluster.model import Lease
from heliograph.core.secrets.model import OldSecret
from heliograph.core.tenants.model import Tenant
from heliograph.platform.database.floors import START, Floor


class DeliveryStatus(StrEnum):
    """The status of a delivery. `DELIVERING` exists only in the API's description: a delivery in
    progress is `PENDING`."""

    PENDING = "pending"
    DELIVERING = "delivering"
    DELIVERED = "delivered"
    FAILED = "failed"
    CANCELED = "canceled"


class WebhookFilter(msgspec.Struct, frozen=True):
    """Which events a webhook takes, among the types it subscribes to; None means any.

    An event without an account belongs to none. `chat_type` applies only to messages.
    """

    chat_account_ids: tuple[UUID, ...] | None = None
    chat_type: str | None = None


class Batching(msgspec.Struct, frozen=True):
    """The most events that are posted together, and how long the first waits for others."""

    max_events: int
    max_wait_ms: int = 0


class Webhook(msgspec.Struct, frozen=True):
    """One row of `webhooks`, without its secrets and the values of its headers.

    `failing_since` is the first failure after the last success; `old_secrets_expire_at` is when
    each secret before the last rotation ends or has ended, the newest first.
    """

    tenant: Tenant
    id: UUID
    url: str
    description: str
    events: tuple[str, ...]
    enabled: bool
    created_at: datetime
    updated_at: datetime
    disabled_reason: str | None = None
    disabled_at: datetime | None = None
    failing_since: datetime | None = None
    old_secrets_expire_at: tuple[datetime, ...] = ()
    header_names: tuple[str, ...] = ()
    filter: WebhookFilter = WebhookFilter()
    batch: Batching | None = None


@dataclass(frozen=True, slots=True)
class CreatedWebhook:
    """A webhook with its new secret, which is shown now."""

    webhook: Webhook
    secret: str = field(repr=False)


class Delivery(msgspec.Struct, frozen=True):
    """One row of `deliveries`: the delivery of one event to one webhook.

    `retry_count` counts the attempts after the first; `seq` is its position among all. A pending
    one without `next_attempt_at` has never been attempted: it waits for earlier ones in its lane.
    `delivery_batch_id` is the id of the first delivery of its batch, or None.
    """

    tenant: Tenant
    id: UUID
    webhook_id: UUID
    webhook_url: str
    event_id: UUID
    event_type: str
    status: DeliveryStatus
    retry_count: int
    attempt_count: int
    next_attempt_at: datetime | None
    response_code: int | None
    error_message: str | None
    delivered_at: datetime | None
    created_at: datetime
    seq: int
    delivery_batch_id: UUID | None = None


class DeliveryFilter(msgspec.Struct, frozen=True):
    """A search for deliveries created from `since` to before `until`; None means any. An unknown
    word matches nothing."""

    webhook_id: UUID | None = None
    event_type: str | None = None
    status: str | None = None
    since: datetime | None = None
    until: datetime | None = None


class DeliveryAttempt(msgspec.Struct, frozen=True):
    """One POST. `response_body` is the first 1 KiB; `address` is the one dialed."""

    delivery_id: UUID
    number: int
    started_at: datetime
    duration_ms: int
    response_code: int | None
    response_body: str | None
    error_message: str | None
    address: str | None


class SealedSecrets(msgspec.Struct, frozen=True):
    """A webhook's encrypted secrets; each old one continues to sign until it expires."""

    current: bytes
    old: tuple[OldSecret, ...] = ()


class Subscription(msgspec.Struct, frozen=True):
    """An enabled webhook, and the types and patterns that it takes (`events.model.matches`)."""

    tenant: Tenant
    webhook_id: UUID
    url: str
    events: tuple[str, ...]
    filter: WebhookFilter = WebhookFilter()


class Destination(msgspec.Struct, frozen=True):
    """The columns of a webhook that an attempt needs. `headers` are its custom headers,
    encrypted."""

    webhook_id: UUID
    url: str
    enabled: bool
    secrets: SealedSecrets
    updated_at: datetime
    headers: bytes | None = None
    batch: Batching | None = None


class NewDelivery(msgspec.Struct, frozen=True):
    """An event that is to be posted to a webhook, due at once."""

    tenant: Tenant
    id: UUID
    webhook_id: UUID
    event_id: UUID
    event_type: str
    order_key: UUID
    created_at: datetime
    trace_context: str | None = None


class DeliveryCount(msgspec.Struct, frozen=True):
    """How many deliveries were ever created, and how many of them are still kept."""

    made: int
    kept: int


class ClaimRequest(msgspec.Struct, frozen=True):
    """At most `room` first attempts and as many retries of one webhook.

    `busy` are order keys with enough deliveries in memory, `held` the `seq` of all deliveries
    there. First attempts are scanned from `floor` on.
    """

    lease: Lease
    room: int
    busy: Sequence[UUID] = ()
    held: Sequence[int] = ()
    floor: Floor = START


class ClaimedDelivery(msgspec.Struct, frozen=True):
    """A delivery to attempt now, after `attempt_count` earlier attempts; `payload` is the body.

    `is_recorded` says whether `deliveries` has a row for it. `webhook_updated_at` shows whether the
    cached destination is up to date.

    A batch is its first delivery with all `members`, in order and including the first. The batch's
    body is made when it is attempted.
    """

    tenant: Tenant
    id: UUID
    seq: int
    webhook_id: UUID
    event_id: UUID
    event_type: str
    order_key: UUID
    created_at: datetime
    attempt_count: int
    is_recorded: bool
    payload: bytes
    webhook_updated_at: datetime | None = None
    trace_context: str | None = None
    members: "tuple[ClaimedDelivery, ...]" = ()

    @property
    def each(self) -> "tuple[ClaimedDelivery, ...]":
        """All deliveries that are posted with it."""
        return self.members or (self,)

    @property
    def order_keys(self) -> Sequence[UUID]:
        if not self.members:
            return (self.order_key,)
        return list(dict.fromkeys(member.order_key for member in self.members))

    @property
    def delivery_ids(self) -> Sequence[UUID]:
        return [delivery.id for delivery in self.each]

    @property
    def webhook_request_id(self) -> UUID:
        """The `webhook-id` of each attempt: the event's, or a batch's own."""
        return self.id if self.members else self.event_id


class Outcome(msgspec.Struct, frozen=True):
    """A finished attempt, and its result for the delivery or for all deliveries of its batch.

    `number` counts from 1. `next_attempt_at` is set if `status` is pending.
    """

    lease: Lease
    delivery: ClaimedDelivery
    webhook_url: str
    number: int
    started_at: datetime
    ended_at: datetime
    duration_ms: int
    status: DeliveryStatus
    next_attempt_at: datetime | None
    response_code: int | None
    response_body: str | None
    error_message: str | None
    address: str | None

    @property
    def delivery_id(self) -> UUID:
        return self.delivery.id


class HealthChange(msgspec.Struct, frozen=True):
    """A change of a webhook's health. `failing_since` None means that it works again;
    `disabled_reason` also disables it, at `at`."""

    lease: Lease
    failing_since: datetime | None
    disabled_reason: str | None
    at: datetime
