"""The webhook delivery event and its list."""

from uuid import UUID

from pydantic import AwareDatetime, BaseModel

from heliograph.faces.api.schemas.extensible_enums import DeliveryStatus, EventType
from heliograph.faces.api.schemas.fields import with_example


class WebhookEvent(BaseModel):
    """One delivery of one event to one webhook."""

    id: UUID
    webhook_id: UUID
    webhook_url: str
    event_type: EventType
    status: DeliveryStatus
    retry_count: int
    created_at: AwareDatetime
    response_code: int | None = None
    error_message: str | None = None
    delivered_at: AwareDatetime | None = None


class WebhookEventList(BaseModel):
    """One page of deliveries, newest first, and how many can be listed."""

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
