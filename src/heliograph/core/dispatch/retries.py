"""When a message is retried, and when the gateway gives up."""

from collections.abc import Callable
from datetime import timedelta

from heliograph.platform.aio.backoff import backoff

FIRST_DELAY = 1.0
MAX_DELAY = 300.0
GIVE_UP_AFTER = timedelta(hours=24)
"""How long a message is retried, counted in time during which its account was connected."""


def retry_delay(retry_count: int, retry_after: float | None, chance: Callable[[], float]) -> float:
    """Return the seconds until the next attempt: 1 s doubling to 5 min, ±20 % by `chance` in [0,
    1).

    The network's own `retry_after` is honored if it is longer.
    """
    delay = backoff(retry_count, FIRST_DELAY, MAX_DELAY, spread=0.2, chance=chance)
    return max(delay, retry_after or 0.0)


def is_exhausted(connected_seconds: float) -> bool:
    return connected_seconds >= GIVE_UP_AFTER.total_seconds()
