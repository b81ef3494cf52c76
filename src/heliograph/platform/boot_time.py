"""This machine's time, which nobody can set."""

import time

_SINCE_BOOT = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


def boot_time() -> float:
    """Return seconds since the machine started, by a clock that nobody can set.

    It goes on while the machine sleeps, where the system has such a clock.
    """
    return time.clock_gettime(_SINCE_BOOT)
