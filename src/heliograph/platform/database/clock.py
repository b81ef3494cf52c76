"""Provides the database's time without a query for each reading.

Ids are UUIDs of version 7, which begin with the time of their creation: a range of time is a range
of ids.
"""

import time
from datetime import UTC, datetime, timedelta
from random import getrandbits
from uuid import UUID

from asyncpg.pgproto import pgproto
from uuid_utils import uuid7

from heliograph.platform.boot_time import boot_time

ID_SLACK = timedelta(hours=1)
"""The largest difference between the time in a row's id and its `created_at`."""


_HELD_BACK = 1000
"""How many milliseconds the time may go back, when the offset is measured again, without ids
going back.
"""
_ROOM = 1 << 61
"""The highest of an id's last random bits. It starts as 0 to leave room for additions."""


def first_id(at: datetime) -> UUID:
    """Return the least UUID version 7 of this millisecond (RFC 9562, 5.7)."""
    milliseconds = max(0, int(at.timestamp() * 1000))
    return UUID(int=milliseconds << 80)


class Clock:
    """Database time: the time since the machine started, and an offset.

    The offset is measured with each heartbeat. Until the first one, it is taken from the machine's
    own clock, which can be changed at any moment, unlike the time since the start. Ids are made
    from the same time, so that they increase.
    """

    def __init__(self) -> None:
        self._offset = time.time() - boot_time()
        self._last_id = 0
        self._last_id_at = -1

    def set_offset(self, seconds: float) -> None:
        self._offset = seconds

    @property
    def offset(self) -> float:
        """The seconds from the epoch, by the database's clock, to this machine's start."""
        return self._offset

    def now(self) -> datetime:
        return datetime.fromtimestamp(boot_time() + self._offset, UTC)

    def new_id(self) -> UUID:
        """Return a UUID version 7 of this moment, in asyncpg's own class, which is sent to the
        database without conversion. It is greater than all earlier ones, even of the same moment,
        unless the clock was set back (RFC 9562, 6.2, method 2)."""
        now = int((boot_time() + self._offset) * 1e9)
        milliseconds = now // 1_000_000
        if self._last_id_at - _HELD_BACK <= milliseconds <= self._last_id_at:
            self._last_id += 1 + getrandbits(32)  # ids are no secrets
        else:
            self._last_id = int.from_bytes(uuid7(nanoseconds=now).bytes) & ~_ROOM
            self._last_id_at = milliseconds
        return pgproto.UUID(self._last_id.to_bytes(16))
