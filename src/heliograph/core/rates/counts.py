"""How many requests there were, counted by all API nodes together, or by each alone.

With a storage, such as Redis, the requests that come while others are being counted there are
counted in one go. A process that has lost its storage counts in its memory until that answers
again: nobody is refused for it, and nobody gets more than the full rate from each node.

Requests are counted in fixed windows of a minute, each of which begins with the first request after
the one before it has ended.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, Protocol

import structlog
from cachetools import TLRUCache
from limits import RateLimitItemPerMinute
from limits.aio.storage import Storage
from limits.errors import ConfigurationError as LimitsConfigurationError
from limits.errors import StorageError
from limits.storage import storage_from_string

from heliograph.errors import ConfigurationError, UnavailableError
from heliograph.platform.aio.group_commit import GroupCommit
from heliograph.platform.extras import how_to_install, is_installed
from heliograph.platform.telemetry.metrics import RATE_STORAGE_LOST

STORAGE_TIMEOUT = 0.5
"""Seconds that the shared storage has to answer before requests are counted in memory."""
ASK_AGAIN_AFTER = 1.0
"""Seconds for which a storage that did not answer is left alone, until one request tries it
again."""

MAX_CONCURRENT = 16
"""How many quotas are counted in the shared storage at once: each takes a connection, and a burst
that opens hundreds waits longer for these than for the counting."""

WINDOW = 60
"""Seconds after which a quota is full again."""

_REMEMBERED = 10_000

log = structlog.get_logger()


class Quota(NamedTuple):
    """A number of requests a minute, counted under `name`."""

    name: str
    requests: int


class Charge(NamedTuple):
    """A number of requests to count against a quota."""

    quota: Quota
    requests: int


class Count(NamedTuple):
    """The requests in a window so far, including the present one, and its end (Unix time)."""

    so_far: int
    ends_at: float


class Windows(Protocol):
    async def add(self, quota: Quota, requests: int) -> Count: ...


class MemoryWindows:
    """The windows of this process."""

    # not `MemoryStorage` of limits: with each request it scans all windows, 160 µs for 2,000 keys

    def __init__(self) -> None:
        self._open: dict[Quota, Count] = {}  # all have one length: the oldest is the first to end

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
    """The windows of all processes that share a storage: one command counts any number of requests,
    and one per window sets its end."""

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
    """Add up the requests against each quota."""
    amounts: Counter[Quota] = Counter()
    for quota, requests in charges:
        amounts[quota] += requests
    return amounts


def split_counts(charges: Sequence[Charge], counts: dict[Quota, Count]) -> list[Count]:
    """Return the count that each charge found, in order, of charges that were counted together."""
    behind: Counter[Quota] = Counter()
    found = []
    for quota, requests in reversed(charges):
        count = counts[quota]
        found.append(Count(count.so_far - behind[quota], count.ends_at))
        behind[quota] += requests
    return found[::-1]


@lru_cache(_REMEMBERED)
def _key(quota: Quota) -> str:
    return RateLimitItemPerMinute(quota.requests, namespace="heliograph").key_for(quota.name)


class RequestCounts:
    """`storage_url` None counts in this process alone.

    Raises `ConfigurationError` for a storage that can't be used.
    """

    def __init__(self, storage_url: str | None = None) -> None:
        self._alone = MemoryWindows()
        self._shared = None if storage_url is None else StorageWindows(_open_storage(storage_url))
        self._together: GroupCommit[None, Charge, Count] = GroupCommit(
            lambda _, charges: self._add_together(charges)
        )
        self._slots = asyncio.Semaphore(MAX_CONCURRENT)
        self._is_lost = False
        self._ask_again_at = 0.0

    async def add(self, quota: Quota, requests: int = 1) -> Count:
        """Count something as this many requests against the quota."""
        if self._shared is None or self._leaves_storage_alone():
            return await self._alone.add(quota, requests)
        return await self._together.submit(None, Charge(quota, requests))

    async def require_storage(self) -> None:
        """Raise `UnavailableError` while the shared storage does not answer: for what must not
        exceed the shared limit."""
        if await self.has_lost_storage():
            lost = ConnectionError("the shared storage of request rates does not answer")
            raise UnavailableError(maybe_stored=False) from lost

    async def has_lost_storage(self) -> bool:
        """Whether there is a shared storage, and it does not answer."""
        if self._shared is not None and self._may_ask():
            try:
                async with asyncio.timeout(STORAGE_TIMEOUT), self._slots:
                    await self._shared.storage.get("heliograph/readiness")
            except (StorageError, OSError) as error:
                self._lose(error)
            else:
                self._regain()
        return self._is_lost

    async def _add_together(self, charges: Sequence[Charge]) -> list[Count]:
        amounts = add_up(charges)
        if self._shared is not None and self._may_ask():
            try:
                async with asyncio.timeout(STORAGE_TIMEOUT):
                    counts = await self._add_all(self._shared, amounts)
            except (StorageError, OSError) as error:
                self._lose(error)
            else:
                self._regain()
                return split_counts(charges, counts)
        return split_counts(charges, await self._add_all(self._alone, amounts))

    async def _add_all(self, windows: Windows, amounts: Mapping[Quota, int]) -> dict[Quota, Count]:
        async def add(quota: Quota, requests: int) -> Count:
            async with self._slots:
                return await windows.add(quota, requests)

        counts = await asyncio.gather(*(add(quota, n) for quota, n in amounts.items()))
        return dict(zip(amounts, counts, strict=True))

    def _may_ask(self) -> bool:
        """Whether to ask the storage. After it was lost, one request now and then does."""
        if self._leaves_storage_alone():
            return False
        self._ask_again_at = time.monotonic() + ASK_AGAIN_AFTER
        return True

    def _leaves_storage_alone(self) -> bool:
        """Whether others are waiting for the lost storage already, or were a moment ago."""
        return self._is_lost and time.monotonic() < self._ask_again_at

    def _lose(self, error: Exception) -> None:
        self._ask_again_at = time.monotonic() + ASK_AGAIN_AFTER
        if not self._is_lost:
            reason = str(error) or f"no answer within {STORAGE_TIMEOUT:g} s"
            log.warning("request rates are counted in this node's memory", error=reason)
        self._is_lost = True
        RATE_STORAGE_LOST.set(1)

    def _regain(self) -> None:
        if self._is_lost:
            log.info("request rates are counted together again")
        self._is_lost = False
        RATE_STORAGE_LOST.set(0)


def _open_storage(url: str) -> Storage:
    """Open the storage. Raises `ConfigurationError` for an unknown address or a missing library.

    The address may hold a password, so it is not shown.
    """
    address = url if url.startswith("async+") else f"async+{url}"
    # of the libraries for Redis, the one with which counting and expiry are one command: a node
    # that dies between two would leave a key whose window never ends
    options = {"implementation": "redispy"} if address.startswith("async+redis") else {}
    if options and not is_installed("redis"):
        raise ConfigurationError(
            "HELIOGRAPH_RATE_LIMIT_URL leads to Redis, and the library for it is not installed.",
            remedy=f"Install it: {how_to_install('redis')}. Or unset the address to count in each "
            "node's memory.",
            setting="HELIOGRAPH_RATE_LIMIT_URL",
        )
    try:
        storage = storage_from_string(address, wrap_exceptions=True, **options)
    except (LimitsConfigurationError, ValueError) as error:
        raise ConfigurationError(
            "Request rates can't be counted at the address in HELIOGRAPH_RATE_LIMIT_URL.",
            remedy="Set an address such as redis://host:6379/0, or unset it to count in each "
            "node's memory.",
            setting="HELIOGRAPH_RATE_LIMIT_URL",
        ) from error
    if not isinstance(storage, Storage):
        raise TypeError(f"{type(storage).__name__} is not an asynchronous storage")
    return storage
