"""Deliveries as clients see them."""

from datetime import datetime
from typing import TypedDict
from uuid import UUID

from heliograph.core.webhooks.model import Delivery, DeliveryStatus


class DeliveryRecord(TypedDict):
    """One delivery of one event to one webhook."""

    id: UUID
    webhook_id: UUID
    webhook_url: str
    event_type: str
    status: DeliveryStatus
    retry_count: int
    created_at: datetime
    response_code: int | None
    error_message: str | None
    delivered_at: datetime | None


def delivery_record(delivery: Delivery) -> DeliveryRecord:
    return {
        "id": delivery.id,
        "webhook_id": delivery.webhook_id,
        "webhook_url": delivery.webhook_url,
        "event_type": delivery.event_type,
        "status": delivery.status,
        "retry_count": delivery.retry_count,
        "created_at": delivery.created_at,
        "response_code": delivery.response_code,
        "error_message": delivery.error_message,
        "delivered_at": delivery.delivered_at,
    }
