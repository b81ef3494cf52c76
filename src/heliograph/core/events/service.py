"""Events: who may read them, how they are made, and a feed of those that come in."""

import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec

from heliograph.core.events.model import Event, EventType, matches
from heliograph.core.events.sql import StoredEvent, get_last_seq, list_events_after
from heliograph.core.tenants.model import Principal, Tenant
from heliograph.platform.database.pool import Clock, Database

_SCOPE = "messages:read"
"""What it takes beside the scope of webhooks."""

_OF_MESSAGES = tuple(each for each in EventType if each.startswith("message."))


def require_events(principal: Principal, types: Iterable[str]) -> None:
    """Raise `MissingScopeError` unless events of these types and patterns may be shown to this
    caller, or posted to where this caller says."""
    named = tuple(types)
    if any(matches(named, message) for message in _OF_MESSAGES):
        principal.require(_SCOPE)


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


SETTLED = 10.0
PAGE = 500


@dataclass(frozen=True, slots=True)
class _Seen:
    at: float
    seq: int
    event_id: UUID


class EventFeed:
    """Begins with what happens after `start`. `types` may hold patterns."""

    def __init__(
        self,
        database: Database,
        tenant: Tenant,
        types: Sequence[str],
        *,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._database = database
        self._tenant = tenant
        self._types = tuple(types)
        self._now = now
        self._after = 0
        self._seen: deque[_Seen] = deque()

    async def start(self) -> None:
        self._after = await self._database.read(
            lambda connection: get_last_seq(connection, self._tenant)
        )

    async def read(self, *, deadline: float | None = None) -> list[Event]:
        """What is new since the last call, oldest first; at most some hundreds at once.

        Raises `UnavailableError` when the database could not be read within `deadline` seconds;
        nothing is missed by that. None waits for as long as it takes.
        """
        self._settle()
        known = [each.event_id for each in self._seen]
        found = await self._database.read(
            lambda connection: list_events_after(
                connection, self._tenant, self._after, known=known, limit=PAGE
            ),
            deadline=deadline,
        )
        self._remember(found)
        return [each.event for each in found if matches(self._types, each.event.type)]

    def _remember(self, found: Sequence[StoredEvent]) -> None:
        now = self._now()
        self._seen.extend(_Seen(now, each.seq, each.event.id) for each in found)

    def _settle(self) -> None:
        """Begin later from now on: no transaction is open for so long."""
        settled_before = self._now() - SETTLED
        while self._seen and self._seen[0].at < settled_before:
            self._after = max(self._after, self._seen.popleft().seq)
        self._seen = deque(each for each in self._seen if each.seq > self._after)
