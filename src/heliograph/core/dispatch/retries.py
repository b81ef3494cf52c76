"""When a message that could not be sent is tried again: pure rules, randomness given."""

from datetime import timedelta

FIRST_DELAY = 1.0
LONGEST_DELAY = 300.0
PATIENCE = timedelta(hours=24)
"""How long a message is tried, in time during which its account was connected."""


def retry_delay(retry_count: int, retry_after: float | None, jitter: float) -> float:
    """Seconds until the next try: 1 s doubling to 5 min, ±20 % by `jitter` in [-1, 1].

    The network's own `retry_after` is honoured where it is longer.
    """
    delay = min(FIRST_DELAY * 2.0 ** min(retry_count, 16), LONGEST_DELAY) * (1 + 0.2 * jitter)
    return max(delay, retry_after or 0.0)


def is_exhausted(connected_seconds: float) -> bool:
    return connected_seconds >= PATIENCE.total_seconds()
