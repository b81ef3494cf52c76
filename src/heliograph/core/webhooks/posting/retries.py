"""The retry schedule of deliveries, which docs/webhooks.md has as a table."""

_SECOND, _MINUTE, _HOUR = 1.0, 60.0, 3600.0

DELAYS = (
    5 * _SECOND,
    5 * _MINUTE,
    30 * _MINUTE,
    2 * _HOUR,
    5 * _HOUR,
    10 * _HOUR,
    14 * _HOUR,
    20 * _HOUR,
    24 * _HOUR,
)
"""Seconds from the end of one attempt to the next; `DELAYS[0]` follows the first attempt."""

MAX_ATTEMPTS = len(DELAYS) + 1
JITTER = 0.2


def next_delay(attempts: int, *, random: float, retry_after: float | None = None) -> float | None:
    """Return the seconds to wait after this many failed attempts; None if all are used up.

    `random` is in [0, 1). `retry_after`, in seconds, makes the wait longer, but not longer than the
    schedule's next step. Raises `ValueError` if there was no attempt.
    """
    if attempts < 1:
        raise ValueError("a delay follows an attempt")
    if attempts >= MAX_ATTEMPTS:
        return None
    delay = DELAYS[attempts - 1] * (1 - JITTER + 2 * JITTER * random)
    if retry_after is None:
        return delay
    next_step = DELAYS[min(attempts, len(DELAYS) - 1)]
    return max(delay, min(retry_after, next_step))
