"""Events: the scopes to read them, building them, and a feed of new ones."""

import time
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

import msgspec

from heliograph.core.events.model import PATTERNS, Event, EventType, matches
from heliograph.core.events.sql import get_last_seq, list_events_after
from heliograph.core.tenants.model import Principal, Tenant
from heliograph.platform.database.clock import Clock
from heliograph.platform.database.pool import Database

_SCOPES = {
    "message": "messages:read",
    "conversation": "conversations:read",
    "contact": "contacts:read",
    "contacts": "contacts:read",
    "device": None,
    "webhook": None,
}
"""The scope to read events, by the first word of their type; None where any will do."""
READ_ALL = "admin:read"
_encoder = msgspec.json.Encoder()


def scope_of(event_type: str) -> str | None:
    """Return the scope that is required to read events of this type, or None. A word that a later
    release added takes the scope that grants all reading."""
    return _SCOPES.get(event_type.split(".", 1)[0], READ_ALL)


def may_read(principal: Principal, event_type: str) -> bool:
    """Return whether this caller may read events of this type."""
    scope = scope_of(event_type)
    return scope is None or principal.may(scope)


def require_events(principal: Principal, types: Iterable[str]) -> None:
    """Raise `MissingScopeError` unless this caller may read or subscribe to events of these types
    and patterns."""
    named = tuple(types)
    single = [name for name in named if name not in PATTERNS]
    for kind in (*filter(partial(matches, named), EventType), *single):
        scope = scope_of(kind)
        if scope is not None:
            principal.require(scope)


def encode_payload(event_type: str, at: datetime, data: Mapping[str, Any]) -> bytes:
    """Encode the body of a webhook request."""
    return _encoder.encode({"type": event_type, "timestamp": at, "data": data})


class EventBuilder:
    """Builds the events of one transaction, in order."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.events: list[Event] = []

    def add(
        self,
        event_type: EventType,
        data: Mapping[str, Any],
        tenant: Tenant,
        *,
        trace_context: str | None = None,
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
                trace_context=trace_context,
                **about,
            )
        )


OVERLAP = 10.0
"""Seconds by which reads overlap: a transaction may commit after one with a later `seq`. None stays
open for this long."""
PAGE = 500


@dataclass(frozen=True, slots=True)
class _SeenEvent:
    at: float
    seq: int
    id: UUID


class EventFeed:
    """The events that come in after `start`, read from the table: it works wherever the database
    can be reached. `types` may hold patterns."""

    def __init__(self, database: Database, tenant: Tenant, types: Sequence[str]) -> None:
        self._database = database
        self._tenant = tenant
        self._types = tuple(types)
        self._after = 0
        self._seen: deque[_SeenEvent] = deque()

    async def start(self) -> None:
        self._after = await self._database.read(get_last_seq, self._tenant)

    async def read(self, *, timeout: float | None = None) -> list[Event]:
        """Return the new events since the last call, oldest first; at most `PAGE` at once.

        Raises `UnavailableError` when the database could not be read within `timeout` seconds;
        nothing is missed by that. None waits for as long as it takes.
        """
        self._advance()
        known = [seen.id for seen in self._seen]
        found = await self._database.within(timeout).read(
            list_events_after, self._tenant, self._after, known=known, limit=PAGE
        )
        now = time.monotonic()
        self._seen.extend(_SeenEvent(now, stored.seq, stored.event.id) for stored in found)
        return [stored.event for stored in found if matches(self._types, stored.event.type)]

    def _advance(self) -> None:
        """Move the start of the next read behind events so old that no earlier one can still be
        committed."""
        overlap_starts_at = time.monotonic() - OVERLAP
        while self._seen and self._seen[0].at < overlap_starts_at:
            self._after = max(self._after, self._seen.popleft().seq)
        self._seen = deque(seen for seen in self._seen if seen.seq > self._after)
