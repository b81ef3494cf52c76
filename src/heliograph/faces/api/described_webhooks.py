"""The `webhooks` section of the API's description: what the gateway posts to its customers."""

from typing import Any

from heliograph.faces.api.schemas.events import EVENTS, DescribedEvent

EVENTS_TAG = "Events"
"""None of an operation: generators put what has one tag into one file, calls or events."""
_HEADERS = {
    "webhook-id": "The event's id: the same in every attempt, so that a double is known by it.",
    "webhook-timestamp": "When this attempt was made, in seconds since 1970.",
    "webhook-signature": "`v1,` and the Base64 of HMAC-SHA256 over `id.timestamp.body`; several "
    "with a space between them while a secret is being rotated.",
}
_RESPONSES = {
    "2XX": {"description": "Taken. After any other answer the event is posted again."},
    "410": {"description": "The endpoint is gone: the webhook is disabled."},
}


def describe_webhooks() -> dict[str, Any]:
    """A path item for each event type; its schema is to be in the components."""
    return {event.event_type.value: {"post": _describe(event)} for event in EVENTS}


def _describe(event: DescribedEvent) -> dict[str, Any]:
    name = event.schema.__name__
    return {
        "tags": [EVENTS_TAG],
        "summary": event.summary,
        "description": f"{event.summary}. Signed by the Standard Webhooks specification 1.0.0.",
        "operationId": f"on{name.removesuffix('Event')}",
        "security": [],
        "parameters": [
            {
                "name": header,
                "in": "header",
                "required": True,
                "description": text,
                "schema": {"type": "string"},
            }
            for header, text in _HEADERS.items()
        ],
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {
                    "schema": {"$ref": f"#/components/schemas/{name}"},
                    "example": event.example,
                }
            },
        },
        "responses": _RESPONSES,
    }
