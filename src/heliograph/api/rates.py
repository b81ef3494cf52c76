"""How often a key and its organization may call, counted with the `limits` library, and the headers
that tell it.

Both limits are the plan's; of the two the headers tell the one that is nearer to its end:
draft-ietf-httpapi-ratelimit-headers-09, `RateLimit: "default";r=50;t=30` and
`RateLimit-Policy: "default";q=600;w=60`.
"""

import asyncio
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import structlog
from limits import RateLimitItem, RateLimitItemPerMinute
from limits.aio.storage import MemoryStorage, Storage
from limits.aio.strategies import FixedWindowRateLimiter
from limits.errors import ConfigurationError as LimitsConfigurationError
from limits.errors import StorageError
from limits.storage import storage_from_string

from heliograph.errors import ConfigurationError, RateLimitedError, UnavailableError
from heliograph.metrics import RATE_STORAGE_LOST
from heliograph.services.principals import Principal
from heliograph.settings import RateLimitSettings

UNLIMITED = 999_999_999_999_999
"""The largest integer of a structured field (RFC 9651, 3.3.1): a quota that nobody can reach."""

WINDOW = 60
"""Seconds after which a quota is full again."""

PATIENCE = 0.5
"""Seconds that a request waits for the shared storage before it is counted in memory."""
ASK_AGAIN_AFTER = 1.0
"""Seconds for which a storage that did not answer is left alone: then one request tries it."""

SIDE_BY_SIDE = 16
"""Requests that are counted in the shared storage at once: each has a connection of its own, and a
burst that opens hundreds of them waits longer for these than for the counting."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one request found: seconds `t` until the window ends, `r` requests left in it."""

    allowed: bool
    quota: int
    window: int
    remaining: int
    reset: int

    def require(self) -> None:
        """Raise `RateLimitedError` when the quota was used up before this request."""
        if not self.allowed:
            raise RateLimitedError(retry_after=self.reset)

    def headers(self) -> list[tuple[bytes, bytes]]:
        state = f'"default";r={self.remaining};t={self.reset}'
        policy = f'"default";q={self.quota};w={self.window}'
        return [(b"ratelimit", state.encode()), (b"ratelimit-policy", policy.encode())]


class RateLimiter:
    """Counts requests against their plan; `storage_url` None counts in this process alone.

    So does a process that has lost its storage, until it answers again: nobody is refused for
    that, and nobody gets more than the full rate from each node.

    Raises `ConfigurationError` for a storage that can't be used.
    """

    def __init__(self, storage_url: str | None = None) -> None:
        self._alone = FixedWindowRateLimiter(MemoryStorage())
        self._shared = None
        if storage_url is not None:
            self._shared = FixedWindowRateLimiter(_open_storage(storage_url))
        self._places = asyncio.Semaphore(SIDE_BY_SIDE)
        self._is_lost = False
        self._ask_again_at = 0.0

    async def hit(self, principal: Principal) -> Verdict:
        """Count one request. Callers without a limit are not counted, and told a quota so high
        that it is none.
        """
        quotas = _quotas(principal)
        if not quotas:
            return Verdict(True, UNLIMITED, WINDOW, UNLIMITED, WINDOW)
        verdicts = await self._count(quotas)
        refused = [verdict for verdict in verdicts if not verdict.allowed]
        return min(refused or verdicts, key=lambda verdict: verdict.remaining)

    async def require_storage(self) -> None:
        """Raise `UnavailableError` while there is a shared storage that does not answer: for what
        must not be tried more often than is counted."""
        if await self.has_lost_storage():
            raise UnavailableError(maybe_stored=False)

    async def has_lost_storage(self) -> bool:
        """Whether there is a shared storage, and it does not answer."""
        if self._shared is not None and self._may_ask():
            try:
                async with asyncio.timeout(PATIENCE), self._places:
                    await self._shared.storage.get("heliograph/readiness")
            except (StorageError, OSError) as error:
                self._lose(error)
            else:
                self._find()
        return self._is_lost

    async def _count(self, quotas: Sequence["_Quota"]) -> list[Verdict]:
        if self._shared is not None and self._may_ask():
            try:
                async with asyncio.timeout(PATIENCE), self._places:
                    counted = [await _count_in(self._shared, quota) for quota in quotas]
            except (StorageError, OSError) as error:
                self._lose(error)
            else:
                self._find()
                return counted
        return [await _count_in(self._alone, quota) for quota in quotas]

    def _may_ask(self) -> bool:
        """Yes, while the storage answers; of those who ask after it was lost, one now and then."""
        now = time.monotonic()
        if self._is_lost and now < self._ask_again_at:
            return False
        self._ask_again_at = now + ASK_AGAIN_AFTER
        return True

    def _lose(self, error: Exception) -> None:
        self._ask_again_at = time.monotonic() + ASK_AGAIN_AFTER
        if not self._is_lost:
            reason = str(error) or f"no answer within {PATIENCE:g} s"
            log.warning("request rates are counted in this node's memory", error=reason)
        self._is_lost = True
        RATE_STORAGE_LOST.set(1)

    def _find(self) -> None:
        if self._is_lost:
            log.info("request rates are counted together again")
        self._is_lost = False
        RATE_STORAGE_LOST.set(0)


class _Quota(NamedTuple):
    """So many requests a minute, counted under `name`."""

    name: str
    requests: int


def _quotas(principal: Principal) -> list[_Quota]:
    plan, found = principal.plan, []
    if principal.key_id is not None and plan.key_requests_per_minute is not None:
        found.append(_Quota(f"key/{principal.key_id}", plan.key_requests_per_minute))
    if principal.key_id is not None and plan.requests_per_minute is not None:
        found.append(_Quota(f"organization/{principal.organization_id}", plan.requests_per_minute))
    return found


@cache
def _item(requests: int) -> RateLimitItem:
    return RateLimitItemPerMinute(requests, namespace="heliograph")


async def _count_in(limiter: FixedWindowRateLimiter, quota: _Quota) -> Verdict:
    item = _item(quota.requests)
    allowed = await limiter.hit(item, quota.name)
    stats = await limiter.get_window_stats(item, quota.name)
    reset = min(max(1, math.ceil(stats.reset_time - time.time())), WINDOW)
    return Verdict(allowed, quota.requests, WINDOW, max(0, stats.remaining), reset)


def make_limiter(settings: RateLimitSettings) -> RateLimiter:
    """Raises `ConfigurationError` for a storage that can't be used."""
    url = None if settings.url is None else settings.url.get_secret_value()
    return RateLimiter(url)


def _open_storage(url: str) -> Storage:
    """Raises `ConfigurationError` for an address that no storage has, or one without its library.

    The address may hold a password, so it is not shown.
    """
    address = url if url.startswith("async+") else f"async+{url}"
    # of the libraries for Redis, the one with which counting and expiry are one command: a node
    # that dies between two would leave a key whose window never ends
    options = {"implementation": "redispy"} if address.startswith("async+redis") else {}
    try:
        storage = storage_from_string(address, wrap_exceptions=True, **options)
    except (LimitsConfigurationError, ValueError) as error:
        raise ConfigurationError(
            "Request rates can't be counted where HELIOGRAPH_RATE_LIMIT_URL says.",
            remedy="Set an address such as redis://host:6379/0 and install heliograph[redis], or "
            "unset it to count in each node's memory.",
            setting="HELIOGRAPH_RATE_LIMIT_URL",
        ) from error
    if not isinstance(storage, Storage):
        raise TypeError(f"{type(storage).__name__} is no asynchronous storage")
    return storage
