"""How often a key may call, counted with the `limits` library, and the headers that tell it.

Headers: draft-ietf-httpapi-ratelimit-headers-09, `RateLimit: "default";r=50;t=30` and
`RateLimit-Policy: "default";q=600;w=60`.
"""

import math
import time
from dataclasses import dataclass

import structlog
from limits import RateLimitItemPerSecond
from limits.aio.storage import MemoryStorage, Storage
from limits.aio.strategies import FixedWindowRateLimiter
from limits.errors import ConfigurationError as LimitsConfigurationError
from limits.errors import StorageError
from limits.storage import storage_from_string

from heliograph.errors import ConfigurationError, RateLimitedError
from heliograph.services.principals import Principal

UNLIMITED = 999_999_999_999_999
"""The largest integer of a structured field (RFC 9651, 3.3.1): a quota that nobody can reach."""

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
    """`requests` per `window` seconds and key; `storage_url` None counts in this process alone.

    Raises `ConfigurationError` for a storage that can't be used.
    """

    def __init__(self, requests: int, window: int, storage_url: str | None = None) -> None:
        self._requests = requests
        self._window = window
        self._item = RateLimitItemPerSecond(requests, window, namespace="heliograph")
        self._limiter = FixedWindowRateLimiter(_open_storage(storage_url))

    async def hit(self, principal: Principal) -> Verdict:
        """Count one request. Callers without a limit are not counted, and told a quota so high
        that it is none. When the storage can't be reached, everybody passes.
        """
        if principal.unlimited or principal.key_id is None:
            return Verdict(True, UNLIMITED, self._window, UNLIMITED, self._window)
        try:
            allowed = await self._limiter.hit(self._item, principal.key_id)
            stats = await self._limiter.get_window_stats(self._item, principal.key_id)
        except StorageError as error:
            log.warning("request rates are not counted", error=str(error))
            return Verdict(True, self._requests, self._window, self._requests, self._window)
        reset = min(max(1, math.ceil(stats.reset_time - time.time())), self._window)
        return Verdict(allowed, self._requests, self._window, max(0, stats.remaining), reset)


def _open_storage(url: str | None) -> Storage:
    """Raises `ConfigurationError` for an address that no storage has, or one without its library.

    The address may hold a password, so it is not shown.
    """
    if url is None:
        return MemoryStorage()
    address = url if url.startswith("async+") else f"async+{url}"
    try:
        storage = storage_from_string(address, wrap_exceptions=True)
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
