"""The body of a batch: several events in one request."""

from typing import Annotated, Any

from pydantic import AwareDatetime, BaseModel, Field, WithJsonSchema

from heliograph.core.webhooks.batching import BATCH_TYPE, MAX_BATCH_EVENTS
from heliograph.faces.api.schemas.event_log import LoggedEvent
from heliograph.faces.api.schemas.events import EVENTS
from heliograph.faces.api.schemas.fields import with_example

_EVENT: dict[str, Any] = {"id": "01939b1e-8100-7d11-a6f0-1c5e8b9d3f42", **EVENTS[0].example}
BATCH_EXAMPLE: dict[str, Any] = {
    "type": BATCH_TYPE,
    "timestamp": _EVENT["timestamp"],
    "data": {"events": [_EVENT]},
}


class BatchedEvents(BaseModel):
    """The events of a batch, in order within each conversation."""

    events: list[LoggedEvent] = Field(min_length=1, max_length=MAX_BATCH_EVENTS)


class BatchBody(BaseModel):
    """Several events in one request of at most 1 MiB, the same in every attempt."""

    model_config = with_example(BATCH_EXAMPLE)

    type: Annotated[str, WithJsonSchema({"type": "string", "const": BATCH_TYPE})]
    timestamp: AwareDatetime = Field(description="That of the last event.")
    data: BatchedEvents
