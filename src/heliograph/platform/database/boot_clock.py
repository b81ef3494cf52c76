"""The time since the machine's start: what leases and database time are reckoned with."""

import time


def boot_time() -> float:
    """Seconds of a clock that nobody can set and that goes on while the machine sleeps, where the
    system has such a clock."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))
