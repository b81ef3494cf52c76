"""The newest events of organizations with waiting readers, in memory.

All waiting readers of a process share one loop. It reads the last assigned `seq` every
`POLL_INTERVAL` seconds, and at once when its own process reports something; if there are new
events, it reads them for all waiting readers, with one statement per shard. Without waiting readers
nothing runs, and writers never have to notify anybody.

Each organization's newest events are kept for its readers, within bounds: a reader that falls
behind reads from the table, at its own pace.
"""

import asyncio
from collections import defaultdict, deque
from collections.abc import Callable, Iterable
from contextvars import Context
from datetime import datetime
from itertools import takewhile

import structlog

from heliograph.core import topics
from heliograph.core.events.horizon import SOON, EventHorizon
from heliograph.core.events.log_sql import Head, list_new_events
from heliograph.core.events.model import LoggedEvent
from heliograph.core.tenants.model import Tenant
from heliograph.errors import UnavailableError
from heliograph.platform.aio.periodic import wait_until_set
from heliograph.platform.database.notify import Notifications
from heliograph.platform.database.pool import Database

POLL_INTERVAL = 0.015
"""Seconds. With this process's own wake-ups, most readers get an event within 10 ms."""
PAUSE_WHEN_AWAY = 0.5
"""Seconds until the next try if the database is unavailable."""
PAGE, MIN_PAGE = 1000, 20
"""Events that are read at once, of all organizations together; at least so many of each."""
KEPT_BYTES, MIN_KEPT_BYTES = 32 * 1024 * 1024, 64 * 1024
"""Payloads that a process keeps, of all organizations together; at least so much of each."""

log = structlog.get_logger()


class TailClosedError(Exception):
    """The database server has changed: positions have to be checked against the new one."""


class Tail:
    """The events of one organization after the `seq` `start`, up to `end`."""

    def __init__(self, tenant: Tenant, start: int, end_watch: Callable[[], None]) -> None:
        self.tenant = tenant
        self.start = self.end = start
        self.readers = 0
        self._unsubscribe = end_watch
        self._events: deque[LoggedEvent] = deque()
        self._bytes = 0
        self._grown = asyncio.Event()
        self._is_closed = False

    @property
    def head(self) -> Head:
        return Head(self.tenant, self.end)

    def list_after(self, seq: int) -> list[LoggedEvent] | None:
        """List newer events, oldest first; None if not all of them are kept.

        Raises `TailClosedError`.
        """
        if self._is_closed:
            raise TailClosedError
        if seq < self.start:
            return None
        newer = list(takewhile(lambda event: event.seq > seq, reversed(self._events)))
        newer.reverse()
        return newer

    async def wait(self, seq: int, seconds: float) -> None:
        """Wait for newer events, at most this many seconds."""
        if not self._is_closed and (not self._events or self._events[-1].seq <= seq):
            await wait_until_set(self._grown, seconds)

    def extend(self, events: Iterable[LoggedEvent], end: int, most_bytes: int) -> None:
        """Add the events read up to `end`, and drop the oldest beyond `most_bytes` of payloads."""
        size = len(self._events)
        for event in events:
            self._events.append(event)
            self._bytes += len(event.payload)
        self.end = end
        if len(self._events) > size:
            self._wake()
        while self._bytes > most_bytes or len(self._events) > PAGE:
            oldest = self._events.popleft()
            self._bytes -= len(oldest.payload)
            self.start = oldest.seq

    def close(self) -> None:
        self._is_closed = True
        self._unsubscribe()
        self._wake()

    def _wake(self) -> None:
        grown, self._grown = self._grown, asyncio.Event()
        grown.set()


class Tails:
    """The tails of one process, and the loop that reads them while there are some."""

    def __init__(
        self, database: Database, notifications: Notifications, horizon: EventHorizon
    ) -> None:
        self._database = database
        self._notifications = notifications
        self._horizon = horizon
        self._tails: dict[Tenant, Tail] = {}
        self._server: datetime | None = None
        self._woken = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def join(self, tenant: Tenant, seq: int) -> Tail:
        """Return the organization's tail, for a reader who has read up to the settled `seq`."""
        tail = self._tails.get(tenant)
        if not self._tails:
            self._server = self._horizon.server
        if tail is None:
            watched = self._notifications.subscribe(topics.live(tenant), self._woken.set)
            tail = Tail(tenant, max(seq, self._horizon.seq), watched)
            self._tails[tenant] = tail
        tail.readers += 1
        if self._task is None or self._task.done():
            # it reads for all organizations
            self._task = asyncio.create_task(self._run(), context=Context())
        return tail

    def leave(self, tail: Tail) -> None:
        tail.readers -= 1
        if not tail.readers and self._tails.get(tail.tenant) is tail:
            self._tails.pop(tail.tenant).close()

    async def _run(self) -> None:
        pause = 0.0
        while self._tails:
            await wait_until_set(self._woken, pause)
            self._woken.clear()
            try:
                is_behind = await self._read_on()
                pause = 0.0 if is_behind else POLL_INTERVAL if self._horizon.is_settled else SOON
            except UnavailableError:
                pause = PAUSE_WHEN_AWAY
            except Exception:
                log.warning("reading the newest events failed, and is tried again", exc_info=True)
                pause = PAUSE_WHEN_AWAY

    async def _read_on(self) -> bool:
        """Read new events. Returns whether there were more than are read at once."""
        await self._horizon.look()
        if self._horizon.server != self._server:
            self._close_all()
            return False
        up_to = self._horizon.seq
        tails = [tail for tail in self._tails.values() if tail.end < up_to]
        limit = max(MIN_PAGE, PAGE // max(1, len(tails)))
        most_bytes = max(MIN_KEPT_BYTES, KEPT_BYTES // max(1, len(self._tails)))
        new = await self._list_new([tail.head for tail in tails], up_to, limit)
        for tail in tails:
            events = new[tail.tenant]
            tail.extend(events, events[-1].seq if len(events) == limit else up_to, most_bytes)
        return any(len(events) == limit for events in new.values())

    async def _list_new(
        self, heads: list[Head], up_to: int, limit: int
    ) -> defaultdict[Tenant, list[LoggedEvent]]:
        of_shards: defaultdict[int, list[Head]] = defaultdict(list)
        for head in heads:
            of_shards[head.tenant.shard].append(head)
        found: defaultdict[Tenant, list[LoggedEvent]] = defaultdict(list)
        for shard, theirs in of_shards.items():
            for tenant, event in await self._database.read(
                list_new_events,
                shard,
                theirs,
                up_to=up_to,
                limit=limit,
                server=self._server,
            ):
                found[tenant].append(event)
        return found

    def _close_all(self) -> None:
        tails, self._tails = self._tails, {}
        for tail in tails.values():
            tail.close()
