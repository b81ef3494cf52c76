"""Ids of version 7 begin with the time they were made: a range of time is a range of keys."""

from datetime import datetime
from uuid import UUID


def first_id(at: datetime) -> UUID:
    """The least UUID version 7 of this millisecond (RFC 9562, 5.7)."""
    milliseconds = max(0, int(at.timestamp() * 1000))
    return UUID(int=milliseconds << 80)
