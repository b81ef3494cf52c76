"""Webhooks, the deliveries to them, and each delivery's attempts."""

from datetime import datetime
from enum import StrEnum
from uuid import UUID

import msgspec

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
    disabled_reason: str | None
    disabled_at: datetime | None
    failing_since: datetime | None
    created_at: datetime
    updated_at: datetime
    old_secrets_expire_at: tuple[datetime, ...] = ()


class Delivery(msgspec.Struct, frozen=True):
    """One row of `deliveries`: one event on its way to one webhook.

    `retry_count` counts the attempts after the first; `seq` is its place among all.
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
