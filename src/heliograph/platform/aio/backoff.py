"""Waiting longer after each failure in a row."""

import random
from collections.abc import Callable

MAX_DELAY = 60.0


def backoff(
    attempt: int,
    first: float,
    max_delay: float = MAX_DELAY,
    *,
    spread: float = 0.5,
    chance: Callable[[], float] = random.random,
) -> float:
    """Return the seconds to wait when `attempt` attempts have failed before this one.

    They double from `first` up to `max_delay`, give or take `spread` of them by `chance`, which is
    in [0, 1), so that not all clients that a server sent away come back at the same moment.
    """
    middle = min(max_delay, first * 2.0 ** min(attempt, 30))
    return middle * (1 + spread * (2 * chance() - 1))
