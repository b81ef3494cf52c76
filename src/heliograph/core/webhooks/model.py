"""Webhooks, the deliveries to them, each delivery's attempts, and what workers pass on of them."""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from uuid import UUID

import msgspec

from heliograph.core.cluster.model import Lease
from heliograph.core.secrets.model import OldSecret
from heliograph.core.tenants.model import Tenant


class DeliveryStatus(StrEnum):
    PENDING = "pending"
    DELIVERING = "delivering"
    DELIVERED = "delivered"
    FAILED = "failed"
    CANCELED = "canceled"


class Webhook(msgspec.Struct, frozen=True):
    """One row of `webhooks`, without its secrets. `failing_since` is the first failure after the
    last success; `old_secrets_expire_at` is when each secret before the last rotation ends or has
    ended, the newest first.
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


class Delivery(msgspec.Struct, frozen=True):
    """One row of `deliveries`: one event on its way to one webhook.

    `retry_count` counts the attempts after the first; `seq` is its place among all. A pending one
    without `next_attempt_at` has never been attempted: it waits for those before it in its order.
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


class DeliveryFilter(msgspec.Struct, frozen=True):
    """Which deliveries are looked for; None is any."""

    webhook_id: UUID | None = None
    event_type: str | None = None
    status: DeliveryStatus | None = None


class DeliveryAttempt(msgspec.Struct, frozen=True):
    """One POST. `response_body` is the first 1 KiB; `address` is the one dialled."""

    delivery_id: UUID
    number: int
    started_at: datetime
    duration_ms: int
    response_code: int | None
    response_body: str | None
    error_message: str | None
    address: str | None


class SealedSecrets(msgspec.Struct, frozen=True):
    """A webhook's secrets as they are stored; each of the old ones signs too until it expires."""

    current: bytes
    old: tuple[OldSecret, ...] = ()


class Subscription(msgspec.Struct, frozen=True):
    """An enabled webhook and the types and patterns it takes (`events.model.matches`)."""

    tenant: Tenant
    webhook_id: UUID
    url: str
    events: tuple[str, ...]


class Destination(msgspec.Struct, frozen=True):
    """What an attempt needs to know of a webhook."""

    webhook_id: UUID
    url: str
    enabled: bool
    secrets: SealedSecrets
    updated_at: datetime


class NewDelivery(msgspec.Struct, frozen=True):
    """An event that is to be posted to a webhook, due at once."""

    tenant: Tenant
    id: UUID
    webhook_id: UUID
    webhook_url: str
    event_id: UUID
    event_type: str
    order_key: UUID
    created_at: datetime


class DeliveryCount(msgspec.Struct, frozen=True):
    """How many deliveries were ever made, and how many of them retention has kept."""

    made: int
    kept: int


class ClaimRequest(msgspec.Struct, frozen=True):
    """At most `room` first attempts and as many retries of one webhook.

    `busy` are order keys of which there are enough in memory. `known` is given after a claim whose
    answer was lost: what else the epoch has claimed is then returned again.
    """

    lease: Lease
    room: int
    busy: Sequence[UUID] = ()
    known: Sequence[UUID] | None = None


class ClaimedDelivery(msgspec.Struct, frozen=True):
    """A delivery to attempt now. `attempt_count` attempts came before; `payload` is the body.

    `webhook_updated_at` shows whether what is known of the webhook is still true.
    """

    tenant: Tenant
    id: UUID
    seq: int
    webhook_id: UUID
    event_id: UUID
    order_key: UUID
    attempt_count: int
    payload: bytes
    webhook_updated_at: datetime | None = None


class Outcome(msgspec.Struct, frozen=True):
    """One attempt that has ended, and what follows from it for its delivery.

    `number` counts from 1. `next_attempt_at` is set when `status` is pending.
    """

    lease: Lease
    delivery_id: UUID
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


class HealthChange(msgspec.Struct, frozen=True):
    """`failing_since` None: it works again. `disabled_reason` also disables it, at `at`."""

    lease: Lease
    failing_since: datetime | None
    disabled_reason: str | None
    at: datetime
