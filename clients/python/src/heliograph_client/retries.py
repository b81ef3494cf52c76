"""When a request is sent again, and after which wait."""

import random
from collections.abc import Callable
from dataclasses import dataclass

import httpx

from .errors import read_body, read_retry_after

Outcome = httpx.Response | httpx.TransportError

_IDEMPOTENT = frozenset({"GET", "PUT", "DELETE"})
_NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
_MAYBE_SENT = (
    httpx.TimeoutException,
    httpx.NetworkError,
    httpx.RemoteProtocolError,
    httpx.ProxyError,
)


@dataclass(frozen=True)
class Retries:
    """How often to try, and how long to wait.

    A wait doubles from try to try, each up to a half shorter; `Retry-After` is waited for in full,
    and a little more. An answer that asks for more than `longest_wait` is raised at once.
    """

    attempts: int = 5
    first_wait: float = 0.5  # seconds
    longest_wait: float = 60.0
    jitter: Callable[[], float] = random.random

    def wait_after(self, request: httpx.Request, outcome: Outcome, attempt: int) -> float | None:
        """Return the seconds until the next try, None if this outcome of that try is the last."""
        if attempt >= self.attempts or not may_repeat(request, outcome):
            return None
        asked = None if isinstance(outcome, Exception) else read_retry_after(outcome)
        if asked is None:
            wait = min(self.first_wait * 2.0 ** (attempt - 1), self.longest_wait)
            return wait * (1 - self.jitter() / 2)
        return asked + self.first_wait * self.jitter() if asked <= self.longest_wait else None


DEFAULT = Retries()


def may_repeat(request: httpx.Request, outcome: Outcome) -> bool:
    """Return whether a repeat may succeed, and does nothing twice."""
    safe = request.method in _IDEMPOTENT or "Idempotency-Key" in request.headers
    if isinstance(outcome, Exception):
        return isinstance(outcome, _NEVER_SENT) or (safe and isinstance(outcome, _MAYBE_SENT))
    body = {} if outcome.is_success else read_body(outcome)
    if outcome.status_code == 429:
        return body.get("code") != "plan_limit_reached"  # until its `resets_at`, maybe for days
    if outcome.status_code == 409:
        return safe and body.get("code") == "idempotency_conflict"  # the try before still runs
    return outcome.is_server_error and (safe or body.get("maybe_stored") is False)
