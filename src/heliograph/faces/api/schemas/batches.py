"""The body of a batch: several events in one request."""

from typing import Any

from heliograph.core.webhooks.queue.batching import BATCH_TYPE, MAX_BATCH_EVENTS
from heliograph.faces.api.schemas.events import EVENTS

_EVENT: dict[str, Any] = {"id": "01939b1e-8100-7d11-a6f0-1c5e8b9d3f42", **EVENTS[0].example}
BATCH_EXAMPLE: dict[str, Any] = {
    "type": BATCH_TYPE,
    "timestamp": _EVENT["timestamp"],
    "data": {"events": [_EVENT]},
}
BATCH_SCHEMA: dict[str, Any] = {
    "title": "BatchBody",
    "description": "Several events in one request of at most 1 MiB, the same in every attempt.",
    "type": "object",
    "required": ["type", "timestamp", "data"],
    "properties": {
        "type": {"type": "string", "const": BATCH_TYPE},
        "timestamp": {
            "description": "The timestamp of the last event.",
            "type": "string",
            "format": "date-time",
        },
        "data": {
            "title": "BatchedEvents",
            "description": "The events of a batch, in order within each conversation.",
            "type": "object",
            "required": ["events"],
            "properties": {
                "events": {
                    "type": "array",
                    "items": {"$ref": "#/components/schemas/LoggedEvent"},
                    "minItems": 1,
                    "maxItems": MAX_BATCH_EVENTS,
                }
            },
        },
    },
}
"""It is described in the webhook and has no name among the schemas: oapi-codegen drops schemas to
which only webhooks refer, and then refers to them itself."""
