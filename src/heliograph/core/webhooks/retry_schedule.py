"""When a delivery is tried again. Pure: randomness and times come in. See `docs/webhooks.md`.

A delivery is attempted at most ten times, 75 hours from first to last but for the jitter.
"""

SECONDS, MINUTES, HOURS = 1.0, 60.0, 3600.0

DELAYS = (
    5 * SECONDS,
    5 * MINUTES,
    30 * MINUTES,
    2 * HOURS,
    5 * HOURS,
    10 * HOURS,
    14 * HOURS,
    20 * HOURS,
    24 * HOURS,
)
"""Seconds from the end of one attempt to the next; `DELAYS[0]` follows the first attempt."""

MAX_ATTEMPTS = len(DELAYS) + 1
JITTER = 0.2


def next_delay(attempts: int, *, random: float, retry_after: float | None = None) -> float | None:
    """Seconds to wait after so many attempts that failed; None when they are used up.

    `random` is in [0, 1). `retry_after`, in seconds, makes the wait longer, but not longer than
    the schedule's next step. Raises `ValueError` when there was no attempt.
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
