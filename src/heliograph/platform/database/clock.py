"""Time: the database's, without asking it, and this machine's, which nobody can set.

Ids are UUIDs of version 7, which begin with the time they were made: a range of time is a range of
ids.
"""

import time
from datetime import UTC, datetime, timedelta
from uuid import UUID

from asyncpg.pgproto import pgproto
from uuid_utils import uuid7

_SINCE_BOOT = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


def boot_time() -> float:
    """Return seconds since the machine started, by a clock that nobody can set.

    It goes on while the machine sleeps, where the system has such a clock.
    """
    return time.clock_gettime(_SINCE_BOOT)


ID_SLACK = timedelta(hours=1)
"""By how much the time in a row's id may differ from its `created_at`."""


def first_id(at: datetime) -> UUID:
    """Return the least UUID version 7 of this millisecond (RFC 9562, 5.7)."""
    milliseconds = max(0, int(at.timestamp() * 1000))
    return UUID(int=milliseconds << 80)


class Clock:
    """Database time: the time since the machine started, and an offset.

    The offset is measured with each heartbeat. Until the first one, it is taken from the machine's
    own clock, which unlike the time since the start can be set at any moment. Ids are made from the
    same time, so that they grow.
    """

    def __init__(self) -> None:
        self._offset = time.time() - boot_time()

    def set_offset(self, seconds: float) -> None:
        self._offset = seconds

    @property
    def offset(self) -> float:
        """Seconds from the epoch, by the database's clock, to this machine's start."""
        return self._offset

    def now(self) -> datetime:
        return datetime.fromtimestamp(boot_time() + self._offset, UTC)

    def new_id(self) -> UUID:
        """A UUID version 7 of this moment, of asyncpg's own class: it is sent to the database
        without conversion."""
        made = uuid7(nanoseconds=int((boot_time() + self._offset) * 1e9))
        return pgproto.UUID(made.bytes)
