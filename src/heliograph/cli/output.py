"""What the commands print: tables for people, JSON for programs."""

from collections.abc import Sequence
from datetime import datetime

import msgspec
import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

_LINE_FEED = 0x0A
_BIDIRECTIONAL = (*range(0x202A, 0x202F), *range(0x2066, 0x206A))
_SHOWN_AS_ONE = dict.fromkeys(
    [*range(0x20), *range(0x7F, 0xA0), *_BIDIRECTIONAL, *range(0xD800, 0xE000)],
    "\N{REPLACEMENT CHARACTER}",
) | {_LINE_FEED: "\n"}


def plain(text: str) -> str:
    """The text without what a terminal would obey: strangers wrote it (messages, names, answers).

    As many characters as before: each control character, and each that turns the direction of
    writing, becomes a replacement character; line feeds stay.
    """
    return text.translate(_SHOWN_AS_ONE)


def print_json(value: object) -> None:
    """One indented document on standard output."""
    encoded = msgspec.json.encode(value)
    typer.echo(msgspec.json.format(encoded, indent=2).decode())


def print_table(columns: Sequence[str], rows: Sequence[Sequence[str]], *, empty: str) -> None:
    """A table of plain text, or the sentence `empty` when there are no rows."""
    if not rows:
        typer.echo(empty)
        return
    table = Table(*columns, header_style="bold")
    for row in rows:
        table.add_row(*(Text(plain(cell)) for cell in row))
    Console().print(table)


def print_fields(fields: Sequence[tuple[str, str]]) -> None:
    """Names and values below one another; a long value is not broken."""
    width = max(len(name) for name, _ in fields)
    console = Console(soft_wrap=True, highlight=False)
    for name, value in fields:
        console.print(Text(f"{name:<{width}}  ", style="dim") + Text(plain(value)))


def show_time(at: datetime | None) -> str:
    return "—" if at is None else at.strftime("%Y-%m-%d %H:%M:%S UTC")
