"""The log of events: a page of it in JSON, and the same events as a stream."""

from typing import Any

from pydantic import AwareDatetime, BaseModel, Field

from heliograph.core.events.model import EventType
from heliograph.faces.api.schemas.events import EVENTS
from heliograph.faces.api.schemas.extensible_enums import WORDS
from heliograph.faces.api.schemas.fields import with_example

_CURSOR = "WzEwNDIsIjAxOTM5YjFlLTdjM2EtN2I2ZS05ZDVmLTJmN2EzYzFlOGI0MCJd"
_EXAMPLE = {"id": "01939b1e-7c3a-7b6e-9d5f-2f7a3c1e8b40"} | next(
    event.example for event in EVENTS if event.event_type is EventType.MESSAGE_RECEIVED
)


class LoggedEvent(BaseModel):
    """An event: the body that is posted to webhooks, and its id."""

    id: str = Field(
        description="The event's id, a UUID: the `webhook-id` of its deliveries.",
        json_schema_extra={"format": "uuid"},
    )
    type: WORDS[EventType]  # type: ignore[valid-type]  # made from the enum
    timestamp: AwareDatetime = Field(description="When the gateway recorded it.")
    data: dict[str, Any] = Field(
        description="The event's data, as described for its type under `webhooks`."
    )


class EventPage(BaseModel):
    """Events, oldest first, and where to continue."""

    model_config = with_example({"events": [_EXAMPLE], "next_cursor": _CURSOR})

    events: list[LoggedEvent]
    next_cursor: str = Field(
        description="Send it as `after` to continue, even if there were no events."
    )


STREAM: dict[str, Any] = {
    "schema": {
        "type": "string",
        "description": "Server-sent events. The data of each is a `LoggedEvent`, its id a cursor.",
    },
    "example": (
        f"id: {_CURSOR}\n"
        'data: {"id":"01939b1e-7c3a-7b6e-9d5f-2f7a3c1e8b40","type":"message.received",…}\n\n'
    ),
}
"""The media type `text/event-stream` of the same answer."""
