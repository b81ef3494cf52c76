"""Times to schedule messages for, which are ahead whenever the tests run."""

from datetime import UTC, datetime, timedelta


def in_a_month() -> str:
    """As the API reads it."""
    return (datetime.now(UTC) + timedelta(days=30)).isoformat(timespec="seconds")
