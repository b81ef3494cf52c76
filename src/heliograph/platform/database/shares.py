"""Limits concurrent reads and writes by requests, in total and for each organization, so that one
organization leaves connections for the others and for the gateway's own work. No I/O.

Each read also takes a part of the node's processor, as what it finds is prepared for the answer. So
while the gateway works, an organization that reads without end rests between its reads.
"""

import asyncio
import math
import time
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from contextvars import ContextVar
from typing import NamedTuple
from uuid import UUID

from heliograph.errors import TooManyReadsError, UnavailableError
from heliograph.platform.aio.limits import FairSemaphore

RESTS = 3
"""How many times as long as a read took its organization's slot rests after it, while the gateway
works."""
MAX_REST = 0.25
"""The longest rest, in seconds: who waits for several slow reads would be refused otherwise."""
AT_WORK = 0.1
"""Seconds for which the gateway counts as working after it has begun a transaction of its own."""


class Requester(NamedTuple):
    """The organization of a request, and whether the request only reads."""

    organization_id: UUID
    only_reads: bool


_requester: ContextVar[Requester | None] = ContextVar("requester", default=None)


def serve(requester: Requester | None) -> None:
    """Attribute this task's use of the database to this requester from now on. Tasks that it starts
    are included, unless they get a context of their own: statements that accept messages for many
    organizations at once are attributed to nobody."""
    _requester.set(requester)


@contextmanager
def serving(requester: Requester | None) -> Iterator[None]:
    """Attribute the block's use of the database to this requester; None for nobody."""
    token = _requester.set(requester)
    try:
        yield
    finally:
        _requester.reset(token)


def find_requester() -> Requester | None:
    """Return the requester that this task serves, or None."""
    return _requester.get()


class Bounds(NamedTuple):
    """How many may run at once: for `all` organizations together, and for `each`."""

    all: int
    each: int


def bounds_of_reads(connections: int) -> Bounds:
    """Return half of a pool's connections; one organization gets only a part of these."""
    reads = max(1, connections // 2)
    return Bounds(reads, (reads + 1) // 2)


def bounds_of_writes(connections: int) -> Bounds:
    """Return all but one of the connections that reads leave; one organization gets half of these.
    Its requests may wait for one another while each holds a connection."""
    writes = max(1, connections - bounds_of_reads(connections).all - 1)
    return Bounds(writes, (writes + 1) // 2)


def bounds_of_searches(connections: int) -> Bounds:
    """Return a fifth of a pool's connections, which are among those for reads; one organization
    gets half of these."""
    searches = max(1, connections // 5)
    return Bounds(searches, (searches + 1) // 2)


class Shares:
    """One pool's slots for requests: for reads, for searches among them, and for writes."""

    def __init__(self, connections: int) -> None:
        self.reads = FairSemaphore(*bounds_of_reads(connections))
        self.searches = FairSemaphore(*bounds_of_searches(connections))
        self._writes = FairSemaphore(*bounds_of_writes(connections))
        self._answered_at = 0.0
        self._worked_at = -math.inf

    def place_of(self, requester: Requester) -> AbstractAsyncContextManager[None]:
        """Return a block that waits for a slot when it is entered, and keeps it until it ends."""
        if requester.only_reads:
            return _ReadingPlace(self, requester.organization_id)
        return self._writes.hold(requester.organization_id)

    def note_work(self) -> None:
        """Record that a transaction begins that no single request waits for: messages are accepted,
        sent or told."""
        self._worked_at = time.monotonic()

    def rest_after(self, seconds: float) -> float:
        """Return how long the slot of a read that took so long rests now."""
        is_working = time.monotonic() < self._worked_at + AT_WORK
        return min(RESTS * seconds, MAX_REST) if is_working else 0.0

    def note_answer(self) -> None:
        """Record that the database has just answered a request, no matter whose."""
        self._answered_at = time.monotonic()

    def refusal(self, began: float) -> Exception:
        """Return the error for a caller that has waited for a slot since `began`: others hold all
        slots for reads, or the database is unavailable."""
        requester = find_requester()
        only_reads = requester is None or requester.only_reads
        is_busy = only_reads and self._answered_at >= began
        return TooManyReadsError() if is_busy else UnavailableError(maybe_stored=False)

    async def await_search(self, organization_id: UUID, seconds: float) -> None:
        """Wait for a slot for a search, which `searches.release` gives back. Raises what `refusal`
        returns."""
        began = time.monotonic()
        try:
            async with asyncio.timeout(seconds):
                await self.searches.acquire(organization_id)
        except TimeoutError:
            raise self.refusal(began) from None


class _ReadingPlace:
    """A slot for one read, which rests after it while the gateway works."""

    __slots__ = ("_began", "_organization_id", "_shares")

    def __init__(self, shares: Shares, organization_id: UUID) -> None:
        self._shares = shares
        self._organization_id = organization_id
        self._began = 0.0

    async def __aenter__(self) -> None:
        await self._shares.reads.acquire(self._organization_id)
        self._began = time.monotonic()

    async def __aexit__(self, *_: object) -> None:
        rest = self._shares.rest_after(time.monotonic() - self._began)
        self._shares.reads.release(self._organization_id, rest=rest)
