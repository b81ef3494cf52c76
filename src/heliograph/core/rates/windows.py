"""Fixed windows of a minute in which requests are counted: in this process, or in a storage.

A window begins with the first request after the one before it has ended.
"""

import time
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple, Protocol

from cachetools import TLRUCache
from limits import RateLimitItemPerMinute
from limits.aio.storage import Storage

WINDOW = 60
"""Seconds after which a quota is full again."""

_REMEMBERED = 10_000


class Quota(NamedTuple):
    """So many requests a minute, counted under `name`."""

    name: str
    requests: int


class Charge(NamedTuple):
    """What is to be counted as so many requests against a quota."""

    quota: Quota
    requests: int


class Count(NamedTuple):
    """The requests so far in a window, the last of those that asked included, and its end (Unix
    time)."""

    so_far: int
    ends_at: float


class Windows(Protocol):
    async def add(self, quota: Quota, requests: int) -> Count: ...


class MemoryWindows:
    """Of this process. Our own, because `limits.aio.storage.MemoryStorage` looks at all windows
    there are with each request: 160 µs of it with 2,000 keys."""

    def __init__(self) -> None:
        self._open: dict[Quota, Count] = {}  # all as long, so that the first is the first to end

    async def add(self, quota: Quota, requests: int) -> Count:
        now = time.time()
        found = self._open.get(quota)
        if found is not None and found.ends_at > now:
            count = Count(found.so_far + requests, found.ends_at)
        else:
            self._close(now)
            count = Count(requests, now + WINDOW)
        self._open[quota] = count
        return count

    def _close(self, now: float) -> None:
        ended = []
        for quota, count in self._open.items():
            if count.ends_at > now:
                break
            ended.append(quota)
        for quota in ended:
            del self._open[quota]


class StorageWindows:
    """Of all who count in one storage: one command for any number of requests. When a window ends
    is asked once."""

    def __init__(self, storage: Storage) -> None:
        self.storage = storage
        self._ends: TLRUCache[Quota, float] = TLRUCache(
            _REMEMBERED, lambda _quota, ends_at, _now: ends_at, time.time
        )

    async def add(self, quota: Quota, requests: int) -> Count:
        key = _key(quota)
        so_far = await self.storage.incr(key, WINDOW, requests)
        return Count(so_far, await self._end(quota, key, is_new=so_far == requests))

    async def _end(self, quota: Quota, key: str, *, is_new: bool) -> float:
        ends_at = self._ends.get(quota)
        if is_new:
            ends_at = time.time() + WINDOW
        elif ends_at is None:
            ends_at = await self.storage.get_expiry(key)
        else:
            return ends_at
        self._ends[quota] = ends_at
        return ends_at


def add_up(charges: Sequence[Charge]) -> dict[Quota, int]:
    """The requests against each quota."""
    amounts: dict[Quota, int] = {}
    for quota, requests in charges:
        amounts[quota] = amounts.get(quota, 0) + requests
    return amounts


def place_each(charges: Sequence[Charge], counts: dict[Quota, Count]) -> list[Count]:
    """What each of several requests found that were counted together, in their order."""
    behind: dict[Quota, int] = {}
    found = []
    for quota, requests in reversed(charges):
        count = counts[quota]
        found.append(Count(count.so_far - behind.get(quota, 0), count.ends_at))
        behind[quota] = behind.get(quota, 0) + requests
    return found[::-1]


@lru_cache(_REMEMBERED)
def _key(quota: Quota) -> str:
    return RateLimitItemPerMinute(quota.requests, namespace="heliograph").key_for(quota.name)
