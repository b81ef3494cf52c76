"""Durations on the command line."""

from datetime import timedelta

import pytest
import typer

from heliograph.cli.durations import parse_duration


@pytest.mark.parametrize(
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


@pytest.mark.parametrize("text", ["", "1", "d", "-1d", "1.5h", "1 d", "1y", "٣d", "999999999w"])
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(typer.BadParameter):
        parse_duration(text)
