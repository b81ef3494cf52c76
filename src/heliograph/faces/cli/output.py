"""What the commands print: tables and errors for people, JSON for programs."""

import shlex
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import typer
from rich.cells import cell_len, set_cell_size
from rich.console import Console, ConsoleOptions, RenderableType  # noqa: TID251 - for `Screen`
from rich.progress import Progress, TaskID
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from heliograph.errors import HeliographError, InvalidInputError
from heliograph.input_problems import InputProblem
from heliograph.networks.port import AccountStatus
from heliograph.platform.extras import find_uvx, require
from heliograph.platform.terminal import plain, plain_json
from heliograph.settings import DataSettings, Settings

_ROOM = 10_000  # columns
_NARROW = 80  # columns, too few for sentences side by side

_OPTIONS = {
    "description": "--description",
    "events": "--event",
    "expires_at": "--expires-in",
    "network": "--network",
    "scopes": "--scope",
    "send_rate": "--send-rate",
    "session_name": "--session-name",
    "since": "--since",
    "until": "--until",
    "url": "--url",
}


class Screen(Console):
    """The console of every command. It prints all text as `plain` makes it, without markup."""

    def __init__(self, *, stderr: bool = False, soft_wrap: bool = False) -> None:
        super().__init__(
            stderr=stderr, soft_wrap=soft_wrap, markup=False, emoji=False, highlight=False
        )

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(plain(segment.text), segment.style)


def print_json(value: object) -> None:
    """Print one indented document on standard output."""
    encoded = msgspec.json.encode(value)
    typer.echo(plain_json(msgspec.json.format(encoded, indent=2).decode()))


def print_json_line(document: bytes) -> None:
    """Print a document that is JSON already on a line of its own."""
    typer.echo(plain_json(document.decode()))


def print_table(
    columns: Sequence[str], rows: Sequence[Sequence[str | Text]], *, empty: str = ""
) -> None:
    """Print a table of plain text, or the sentence `empty` when there are no rows.

    No word is ever cut or broken, as it may be an id to copy. In a terminal that is too narrow for
    the longest words, or so narrow that sentences would become columns of words, each row stands as
    its names and values below one another. Outside a terminal each row is one line, without a
    frame.
    """
    if not rows:
        typer.echo(empty)
        return
    screen = Screen()
    cells = [
        [value if isinstance(value, Text) else Text(plain(value)) for value in row] for row in rows
    ]
    if not screen.is_terminal:
        _print_lines(screen, columns, cells)
        return
    space = screen.width - 3 * len(columns) - 1
    widths = _share(space, columns, cells)
    if widths is None or (screen.width < _NARROW and sum(_wanted(columns, cells)) > space):
        _print_records(columns, cells)
        return
    table = Table(header_style="bold")
    for name, width in zip(columns, widths, strict=True):
        table.add_column(name, width=width)
    for row in cells:
        table.add_row(*row)
    screen.print(table)


def _print_lines(screen: Screen, columns: Sequence[str], rows: Sequence[Sequence[Text]]) -> None:
    """Print a line for each row, its values below each other."""
    lines = [[Text(name) for name in columns], *rows]
    texts = [[" ".join(cell.plain.split()) for cell in line] for line in lines]
    widths = [max(map(cell_len, column)) for column in zip(*texts, strict=True)]
    screen.width = _ROOM
    for line in texts:
        padded = [set_cell_size(text, width) for text, width in zip(line, widths, strict=True)]
        screen.print("  ".join(padded).rstrip(), soft_wrap=True)


def _print_records(columns: Sequence[str], rows: Sequence[Sequence[Text]]) -> None:
    width = max(map(cell_len, columns))
    screen = Screen(soft_wrap=True)
    for number, row in enumerate(rows):
        if number:
            screen.print()
        for name, value in zip(columns, row, strict=True):
            if value.plain:
                screen.print(Text.assemble((set_cell_size(name, width + 2), "dim"), value))


def _share(space: int, columns: Sequence[str], rows: Sequence[Sequence[Text]]) -> list[int] | None:
    """Return the columns' widths: at least their longest words, with the rest for the first
    columns. None where there is no space for these words."""
    least = [
        max(_longest(cell.plain.split()) for cell in cells) for cells in _by_column(columns, rows)
    ]
    wanted = _wanted(columns, rows)
    left, widths = space - sum(least), []
    if left < 0:
        return None
    for smallest, width in zip(least, wanted, strict=True):
        more = max(0, min(left, width - smallest))
        left -= more
        widths.append(smallest + more)
    return widths


def _wanted(columns: Sequence[str], rows: Sequence[Sequence[Text]]) -> list[int]:
    """Return the widths with which no line is broken."""
    return [
        max(_longest(cell.plain.splitlines()) for cell in cells)
        for cells in _by_column(columns, rows)
    ]


def _by_column(columns: Sequence[str], rows: Sequence[Sequence[Text]]) -> list[list[Text]]:
    return [[Text(name), *cells] for name, *cells in zip(columns, *rows, strict=True)]


def _longest(parts: Sequence[str]) -> int:
    return max((cell_len(part) for part in parts), default=0)


def pick(record: object, *names: str) -> dict[str, object]:
    """Return these attributes of a record, as members of a JSON object."""
    return {name: getattr(record, name) for name in names}


LINES_INTERVAL = 10.0
"""Seconds between two lines of progress where there is no terminal; shorter work prints none, so
that cron has nothing to mail."""


class _Lines:
    """Progress where no bar can be drawn: a line on standard error now and then."""

    def __init__(self) -> None:
        self._screen = Screen(stderr=True, soft_wrap=True)
        self._next_at = time.monotonic() + LINES_INTERVAL

    def show(self, part: str, completed: int, total: int | None) -> None:
        if time.monotonic() < self._next_at:
            return
        self._next_at = time.monotonic() + LINES_INTERVAL
        of = "" if total is None else f" of {total:,}"
        self._screen.print(f"{part}: {completed:,}{of}")


def _bar() -> Progress:
    return Progress(console=Screen(stderr=True), transient=True)


def _is_for_people() -> bool:
    return Screen(stderr=True).is_terminal


@contextmanager
def show_parts() -> Iterator[Callable[[str, int, int | None], None]]:
    """Show a progress bar for each part of some work on standard error; yield a function of (part,
    completed, total)."""
    if not _is_for_people():
        yield _Lines().show
        return
    with _bar() as bar:
        tasks: dict[str, TaskID] = {}

        def show(part: str, completed: int, total: int | None) -> None:
            if part not in tasks:
                tasks[part] = bar.add_task(part, total=None)
            bar.update(tasks[part], completed=completed, total=total)

        yield show


@contextmanager
def show_progress(title: str) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar on standard error; yield a function of (completed, total)."""
    with show_parts() as show:
        yield lambda completed, total: show(title, completed, total)


@contextmanager
def show_step() -> Iterator[Callable[[str, int, int | None], None]]:
    """Show one progress bar on standard error that names the current step; yield a function of
    (step, completed, total)."""
    if not _is_for_people():
        yield _Lines().show
        return
    with _bar() as bar:
        task = bar.add_task("", total=None)
        yield lambda step, completed, total: bar.update(
            task, description=plain(step), completed=completed, total=total
        )


def print_fields(*fields: tuple[str, str]) -> None:
    """Print names and values below one another; a long value is not broken."""
    width = max(len(name) for name, _ in fields)
    screen = Screen(soft_wrap=True)
    for name, value in fields:
        screen.print(Text.assemble((f"{name:<{width}}  ", "dim"), plain(value)))


def show_time(at: datetime | None) -> str:
    return "—" if at is None else at.strftime("%Y-%m-%d %H:%M:%S UTC")


def name_status(status: AccountStatus) -> str:
    """Return an account's status as people say it."""
    return status.value.replace("_", " ")


def list_old_secrets(ends: Sequence[datetime]) -> list[tuple[str, str]]:
    """Return a field for each secret before the last rotation that still works."""
    now = datetime.now(UTC)
    return [("old secret", f"good until {show_time(end)}") for end in ends if end > now]


def describe(error: HeliographError) -> str:
    """Return the error's sentences, each with the option that it is about, if any."""
    if isinstance(error, InvalidInputError):
        return "; ".join(_describe_problem(problem) for problem in error.problems)
    return str(error)


def _describe_problem(problem: InputProblem) -> str:
    match problem.loc:
        case ("settings", name):
            return f"--set {name}=: {problem.msg}"
        case (str(name), *_) if name in _OPTIONS:
            return f"{_OPTIONS[name]}: {problem.msg}"
    return problem.msg


def call_of(settings: Settings) -> str:
    """Return how to call this program from a shell in the current folder so that it finds the
    gateway."""
    default = DataSettings.model_fields["dir"].get_default()
    if settings.data_dir == Path.cwd() / default:
        return _program()
    return f"HELIOGRAPH_DATA_DIR={shlex.quote(str(settings.data_dir))} {_program()}"


def _program() -> str:
    if find_uvx() is not None:  # only this process knows uvx's folder
        return f"uvx --from {shlex.quote(require('demo'))} heliograph"
    program = Path(sys.executable).with_name("heliograph")
    found = shutil.which(program.name)
    if found is not None and Path(found).samefile(program):
        return program.name
    here = Path.cwd()
    return shlex.quote(str(program.relative_to(here) if program.is_relative_to(here) else program))
