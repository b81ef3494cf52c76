"""TTL caches and single flight: concurrent reads of a key share one call.

`SingleFlight` shares, `TtlCache` and `CachedValue` also keep. What they keep is in cachetools'
storage, as is everything in the gateway that is bounded in age or in number.
"""

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Coroutine, Hashable
from contextvars import Context
from typing import Any, Generic, NamedTuple, TypeVar

from cachetools import TTLCache

from heliograph.errors import UnavailableError
from heliograph.platform.aio.futures import retrieve
from heliograph.platform.boot_time import boot_time

MAX_AGE = 0.9
MAX_ENTRIES = 10_000

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class SingleFlight(Generic[Key, Value]):
    """Runs `work` once for all who ask for the same key while it is under way.

    What it raises reaches all of them. It goes on when those who ask for it go away. Serves one
    event loop.
    """

    def __init__(
        self,
        work: Callable[[Key], Coroutine[Any, Any, Value]],
        *,
        clock: Callable[[], float] = boot_time,
    ) -> None:
        self._work = work
        self._clock = clock
        self._running: dict[Key, tuple[float, asyncio.Task[Value]]] = {}

    async def join(self, key: Key, *, begun_since: float = -math.inf) -> Value:
        """Return the outcome of the run under way, or of a new one if that began too early."""
        # shielded: one asker that goes away must not take the outcome from the others
        return await asyncio.shield(self.begin(key, begun_since=begun_since))

    def begin(self, key: Key, *, begun_since: float = -math.inf) -> "asyncio.Task[Value]":
        """Do the same without waiting for it."""
        running = self._running.get(key)
        if running is None or running[0] < begun_since:
            # it serves many requests: its log lines must not carry the first one's id
            task = asyncio.create_task(self._work(key), context=Context())
            self._running[key] = running = (self._clock(), task)
            task.add_done_callback(lambda done: self._end(key, done))
        return running[1]

    def forget(self) -> None:
        """Let nobody join what is under way; those who have joined get its outcome."""
        self._running.clear()

    async def cancel(self) -> None:
        """End what is under way."""
        tasks = [task for _, task in self._running.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _end(self, key: Key, task: "asyncio.Task[Value]") -> None:
        running = self._running.get(key)
        if running is not None and running[1] is task:
            del self._running[key]
        retrieve(task)


class _Entry(NamedTuple, Generic[Value]):
    started: float
    value: Value


class TtlCache(Generic[Key, Value]):
    """Values of `read`, None too, each kept for `ttl` seconds from the start of its read.

    Those who ask for the same key at the same time share one read; what it raises reaches them all
    and is not kept. The oldest entry is evicted first, so that made-up keys can't fill the memory.
    """

    def __init__(
        self,
        read: Callable[[Key], Awaitable[Value]],
        *,
        ttl: float = MAX_AGE,
        max_entries: int = MAX_ENTRIES,
        clock: Callable[[], float] = boot_time,
    ) -> None:
        self._read = read
        self._ttl = ttl
        self._clock = clock
        self._max_entries = max_entries
        self._reads = SingleFlight(self._read_and_keep, clock=clock)
        self.clear()

    def __len__(self) -> int:
        return len(self._entries)

    def clear(self) -> None:
        """Drop all entries. Reads under way still answer their callers, but are not cached."""
        # a read under way goes on with the storage that it began with; a plain dict, since each
        # request looks up two values, and cachetools' caches take up to 5 us for one
        self._entries: dict[Key, _Entry[Value]] = {}
        self._reads.forget()

    async def find(self, key: Key) -> Value:
        """Return the value as it is, or was at most `ttl` seconds ago. Raises what `read`
        raises."""
        oldest = self._clock() - self._ttl
        entry = self._entries.get(key)
        if entry is not None and entry.started >= oldest:
            return entry.value
        return await self._reads.join(key, begun_since=oldest)

    async def _read_and_keep(self, key: Key) -> Value:
        entries, started = self._entries, self._clock()
        value = await self._read(key)
        entries.pop(key, None)  # so that the order of the keys is that of the reads
        if len(entries) >= self._max_entries:
            del entries[next(iter(entries))]
        entries[key] = _Entry(started, value)
        return value


class CachedValue(Generic[Value]):
    """What `read` returned, kept for `ttl` seconds from the end of the read.

    A failure is not kept. A read that takes too long goes on behind those who gave up waiting, so
    that a database that hangs is asked once and not once for each probe.
    """

    def __init__(
        self,
        read: Callable[[], Awaitable[Value]],
        *,
        ttl: float,
        timeout: float,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._read = read
        self._timeout = timeout
        self._kept: TTLCache[None, Value] = TTLCache(1, ttl, now)
        self._reads = SingleFlight(self._read_and_keep)

    async def get(self) -> Value:
        """Return the value. Raises what `read` raises, and `UnavailableError` after `timeout`
        seconds."""
        try:
            return self._kept[None]
        except KeyError:
            pass
        try:
            async with asyncio.timeout(self._timeout):
                return await self._reads.join(None)
        except TimeoutError as error:
            late = TimeoutError(f"no answer within {self._timeout:g} s")
            raise UnavailableError from (error if str(error) else late)

    async def _read_and_keep(self, key: None) -> Value:
        self._kept[key] = value = await self._read()
        return value
