"""The webhook delivery event and its list."""

from pydantic import BaseModel

from heliograph.core.webhooks.serializers import DeliveryRecord
from heliograph.faces.api.schemas.extensible_enums import EventType
from heliograph.faces.api.schemas.fields import with_example
from heliograph.faces.api.schemas.records import describes


@describes(DeliveryRecord, {"event_type": EventType})
class WebhookEvent(BaseModel):
    pass


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
