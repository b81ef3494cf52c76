"""A client of Heliograph, the messaging gateway: its API, its events, its webhooks."""

from .async_client import AsyncHeliograph
from .client import Heliograph
from .errors import ApiError
from .events import Event, EventsPage
from .retries import Retries
from .webhooks import WebhookVerificationError, verify_webhook

__all__ = [
    "ApiError",
    "AsyncHeliograph",
    "Event",
    "EventsPage",
    "Heliograph",
    "Retries",
    "WebhookVerificationError",
    "verify_webhook",
]
