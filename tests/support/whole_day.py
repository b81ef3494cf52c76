"""The fixture `today`, for tests of what is counted or kept by days."""

import time
from datetime import UTC, date, datetime, timedelta

import pytest

_LASTS = timedelta(minutes=1)


@pytest.fixture
def today() -> date:
    """Today by UTC, which lasts for a minute yet: who comes later waits for the next day."""
    day = datetime.now(UTC).date()
    while (later := (datetime.now(UTC) + _LASTS).date()) != day:
        day = later
        time.sleep((_midnight(day) - datetime.now(UTC)).total_seconds())
    return day


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)
