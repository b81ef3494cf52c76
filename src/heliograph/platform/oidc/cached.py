"""A document that is needed often and read seldom, once for all who wait for it."""

import time
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

import structlog

from heliograph.platform.aio.cache import SingleFlight
from heliograph.platform.oidc.errors import ProviderUnavailableError, SignInError

T = TypeVar("T")
log = structlog.get_logger()

LIFETIME = 3600.0
_PAUSE_AFTER_FAILURE = 2.0
_MIN_AGE = 10.0  # seconds between two readings that somebody asked for
_MAX_WAITING = 32


class CachedDocument(Generic[T]):
    """Keeps a document for an hour, then reads it again while the old one still serves (RFC 5861,
    3).

    `read` raises `SignInError`, which all who wait get, and all who come within the next 2 s. Those
    who come while many wait get a `ProviderUnavailableError` at once.
    """

    def __init__(
        self, read: Callable[[], Awaitable[T]], now: Callable[[], float] = time.monotonic
    ) -> None:
        self._read = read
        self._now = now
        self._value: T | None = None
        self._fresh_until = 0.0
        self._renewed_at = float("-inf")
        self._failure: SignInError | None = None
        self._next_try_at = 0.0
        self._reads = SingleFlight(self._read_once)
        self._waiting = 0

    async def get(self) -> T:
        """Return the document; nobody waits for a new one while there is an old one.

        Raises `SignInError`.
        """
        if self._value is None:
            await self._wait_for_new()
        elif self._now() >= self._fresh_until:
            self._reads.begin(None)
        if self._value is None:
            raise self._failure or ProviderUnavailableError("it did not answer")
        return self._value

    async def get_newer(self) -> T:
        """Return the document, read within the last 10 s. Raises `SignInError`."""
        if self._now() - self._renewed_at >= _MIN_AGE:
            self._renewed_at = self._now()
            await self._wait_for_new()
        return await self.get()

    async def _wait_for_new(self) -> None:
        if self._waiting >= _MAX_WAITING:
            raise ProviderUnavailableError("too many sign-ins wait for it")
        self._waiting += 1
        try:
            await self._reads.join(None)
        finally:
            self._waiting -= 1

    async def _read_once(self, _: None) -> None:
        if self._now() < self._next_try_at:
            return
        try:
            self._value = await self._read()
            self._fresh_until, self._failure = self._now() + LIFETIME, None
        except SignInError as error:
            log.error("the sign-in provider can't be used", reason=error.reason)
            self._failure = error
            self._next_try_at = self._now() + _PAUSE_AFTER_FAILURE
