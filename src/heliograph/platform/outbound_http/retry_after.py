"""`Retry-After`: when a server wants to be asked again (RFC 9110, 10.2.3)."""

from datetime import UTC
from email.utils import parsedate_to_datetime


def parse_retry_after(value: str | None, now: float) -> float | None:
    """Return the seconds to wait, from a number or an HTTP date; else None."""
    if value is None:
        return None
    value = value.strip()
    if value.isascii() and value.isdigit():
        return float(value)  # infinity for a number that is longer than any
    try:
        when = parsedate_to_datetime(value)
        if when.tzinfo is None:  # the form of C's asctime(), in GMT like the others
            when = when.replace(tzinfo=UTC)
        return max(0.0, when.timestamp() - now)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
