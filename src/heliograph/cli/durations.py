"""Durations as people write them on a command line: `90s`, `15m`, `24h`, `30d`, `2w`."""

import re
from datetime import timedelta

import typer

_FORM = re.compile(r"(\d{1,9})([smhdw])", re.ASCII)
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
_MAX = 100 * 365 * 86400


def parse_duration(text: str) -> timedelta:
    """The duration. Raises `typer.BadParameter`, which names the forms there are."""
    if text == "0":
        return timedelta(0)
    match = _FORM.fullmatch(text)
    if match is None:
        raise typer.BadParameter(f"'{text}' is no duration; write 90s, 15m, 24h, 30d or 2w.")
    seconds = int(match[1]) * _SECONDS[match[2]]
    if seconds > _MAX:
        raise typer.BadParameter(f"'{text}' is longer than 100 years.")
    return timedelta(seconds=seconds)
