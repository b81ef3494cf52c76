"""Durations and times as people write them on a command line."""

import re
from datetime import UTC, datetime, timedelta

import typer

_FORM = re.compile(r"(\d{1,9})([smhdw])", re.ASCII)
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
_MAX = 100 * 365 * 86400


def parse_duration(text: str) -> timedelta:
    """Parse a duration such as `90s`, `15m`, `24h`, `30d` and `2w`.

    Raises `typer.BadParameter`, which names these forms.
    """
    if text == "0":
        return timedelta(0)
    match = _FORM.fullmatch(text)
    if match is None:
        raise typer.BadParameter(f"'{text}' is not a duration; write 90s, 15m, 24h, 30d or 2w.")
    seconds = int(match[1]) * _UNITS[match[2]]
    if seconds > _MAX:
        raise typer.BadParameter(f"'{text}' is longer than 100 years.")
    return timedelta(seconds=seconds)


def parse_time(text: str) -> datetime:
    """Parse a time as the API and the commands print it (ISO 8601, UTC without an offset), or how
    long ago it was. Raises `typer.BadParameter`.
    """
    if _FORM.fullmatch(text):
        return datetime.now(UTC) - parse_duration(text)
    try:
        at = datetime.fromisoformat(text.strip().removesuffix(" UTC"))
    except ValueError:
        raise typer.BadParameter(
            f"'{text}' is not a time; write 2026-01-31T12:00:00Z, 2026-01-31, or 2h (2 hours ago)."
        ) from None
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at


def duration_option(text: str) -> typer.models.OptionInfo:
    """Return an option that takes a duration; `text` is its help."""
    option: typer.models.OptionInfo = typer.Option(
        parser=parse_duration, metavar="DURATION", help=text
    )
    return option


def time_option(text: str) -> typer.models.OptionInfo:
    """Return an option that takes a time; `text` is its help."""
    option: typer.models.OptionInfo = typer.Option(parser=parse_time, metavar="TIME", help=text)
    return option
