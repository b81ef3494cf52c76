"""From something that happened to an event: its payload is made here, and stored as it is."""

from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec

from heliograph.core.events.model import Event, EventType
from heliograph.core.tenants.organization import Tenant
from heliograph.platform.database.pool import Clock

_encoder = msgspec.json.Encoder()


def encode_payload(event_type: str, at: datetime, data: dict[str, Any]) -> bytes:
    """Encode the body of a webhook request."""
    return _encoder.encode({"type": event_type, "timestamp": at, "data": data})


class EventMaker:
    """Makes the events of one transaction, in order."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.events: list[Event] = []

    def add(
        self,
        event_type: EventType,
        data: dict[str, Any],
        tenant: Tenant,
        **about: UUID | None,
    ) -> None:
        """Add an event `about` an account and, by their ids, a conversation and a message."""
        now = self._clock.now()
        self.events.append(
            Event(
                tenant=tenant,
                id=self._clock.new_id(),
                type=event_type,
                payload=encode_payload(event_type, now, data),
                created_at=now,
                **about,
            )
        )
