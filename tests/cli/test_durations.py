"""Durations and times on the command line."""

from datetime import UTC, datetime, timedelta

import pytest
import typer

from each_case import for_each
from heliograph.faces.cli.times import parse_duration, parse_time


@for_each(
    ("text", "duration"),
    [
        ("0", timedelta(0)),
        ("90s", timedelta(seconds=90)),
        ("15m", timedelta(minutes=15)),
        ("24h", timedelta(hours=24)),
        ("30d", timedelta(days=30)),
        ("2w", timedelta(days=14)),
    ],
)
def test_a_number_and_a_unit(text: str, duration: timedelta) -> None:
    assert parse_duration(text) == duration


@for_each("text", ["", "1", "d", "-1d", "1.5h", "1 d", "1y", "٣d", "999999999w"])
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(typer.BadParameter):
        parse_duration(text)


@for_each(
    ("text", "time"),
    [
        ("2026-01-31", datetime(2026, 1, 31, tzinfo=UTC)),
        ("2026-01-31T12:00:00Z", datetime(2026, 1, 31, 12, tzinfo=UTC)),
        ("2026-01-31T12:00:00.25Z", datetime(2026, 1, 31, 12, 0, 0, 250000, tzinfo=UTC)),
        ("2026-01-31T12:00:00.123456Z", datetime(2026, 1, 31, 12, 0, 0, 123456, tzinfo=UTC)),
        ("2026-01-31T14:00:00+02:00", datetime(2026, 1, 31, 12, tzinfo=UTC)),
        ("2026-01-31 12:00:00", datetime(2026, 1, 31, 12, tzinfo=UTC)),
        ("2026-01-31 12:00:00 UTC", datetime(2026, 1, 31, 12, tzinfo=UTC)),
    ],
)
def test_a_time_as_the_api_and_the_commands_show_it(text: str, time: datetime) -> None:
    assert parse_time(text) == time


def test_a_duration_is_how_long_ago() -> None:
    before = datetime.now(UTC)
    assert before <= parse_time("2h") + timedelta(hours=2) <= datetime.now(UTC)


@for_each("text", ["", "yesterday", "2026-13-01", "12:00", "2h ago"])
def test_no_time_is_refused(text: str) -> None:
    with pytest.raises(typer.BadParameter, match="2026-01-31T12:00:00Z"):
        parse_time(text)
