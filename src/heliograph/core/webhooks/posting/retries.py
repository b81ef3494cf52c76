"""The retry schedule of deliveries: the first retry after 5 seconds, the tenth and last attempt
some 76 hours later.

docs/webhooks.md has the schedule.
"""

_SECONDS, _MINUTES, _HOURS = 1.0, 60.0, 3600.0

DELAYS = (
    5 * _SECONDS,
    5 * _MINUTES,
    30 * _MINUTES,
    2 * _HOURS,
    5 * _HOURS,
    10 * _HOURS,
    14 * _HOURS,
    20 * _HOURS,
    24 * _HOURS,
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
