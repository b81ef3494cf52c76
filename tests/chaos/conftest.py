"""The form of the chaos tests: short with all the others, long with `--long`."""

import os
import tempfile
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO, TypeVar

import pytest
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from chaos import results
from chaos.postgres import GivenDatabase, Queried
from chaos.results import Count, Result
from chaos.stalls import Stalls
from databases import fresh_database

T = TypeVar("T")

# read while tests are collected: what they start is not to see it
IS_GIVEN = bool(os.environ.get("HELIOGRAPH_TEST_DATABASE_URL"))
TERMINAL = pytest.StashKey[TextIO]()
BEGAN = pytest.StashKey[float]()


@dataclass(frozen=True)
class Form:
    """How often, or how long, a fault is made; and where it is written what came of it."""

    is_long: bool
    results: Path
    terminal: TextIO
    began: float = field(default_factory=time.time)

    def pick(self, short: int, long: int) -> int:
        return long if self.is_long else short

    def record(self, fault: str, **counts: Count) -> None:
        """One row of the table; call it before anything is asserted. `times` is how often the
        fault was made, `slowest_s` the slowest answer; see `results.COLUMNS`."""
        now = time.time()
        results.write(self.results, Result(fault, now, now - self.began, counts))

    def each(self, title: str, steps: Collection[T]) -> Iterator[T]:
        """The steps of a loop, behind each of which the bar goes on."""
        with self.progress(title, len(steps)) as advance:
            for step in steps:
                yield step
                advance(1)

    @contextmanager
    def progress(self, title: str, total: float) -> Iterator[Callable[[float], None]]:
        """A bar, in the long form; call what it yields with each step made. Where there is no
        terminal, it is a line for each tenth."""
        columns = (TextColumn(title), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        console = Console(file=self.terminal)
        with Progress(*columns, console=console, disable=not self.is_long) as bar:
            task = bar.add_task(title, total=total)
            tenths = 0

            def advance(made: float) -> None:
                nonlocal tenths
                bar.advance(task, made)
                reached = int(bar.tasks[0].percentage) // 10
                if self.is_long and not console.is_terminal and reached > tenths:
                    tenths = reached
                    console.print(f"{title}: {tenths}0 %")

            yield advance


def pytest_configure(config: pytest.Config) -> None:
    config.stash[BEGAN] = time.time()
    # the terminal itself: what a test prints is kept from it
    config.stash[TERMINAL] = os.fdopen(os.dup(2), "w", buffering=1)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is of the long form alone."""
    if config.getoption("--long"):
        return
    left_out = [item for item in items if item.get_closest_marker("chaos_alone") is not None]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]


def pytest_terminal_summary(config: pytest.Config) -> None:
    """The results of this run as a table; those of all runs as Markdown, beside their files."""
    if hasattr(config, "workerinput"):  # a worker of pytest-xdist: all of them write to one folder
        return
    folder = _results(config)
    found = results.read(folder)
    if new := [result for result in found if result.at >= config.stash[BEGAN]]:
        console = Console(file=config.stash[TERMINAL])
        console.width = max(console.width, results.WIDTH)
        console.print(results.table(new))
        (folder / "results.md").write_text(results.markdown(found))


def _results(config: pytest.Config) -> Path:
    chosen = Path(config.getoption("--results"))
    return config.rootpath / chosen / ("long" if config.getoption("--long") else "short")


@pytest.fixture
def form(request: pytest.FixtureRequest) -> Form:
    config = request.config
    return Form(bool(config.getoption("--long")), _results(config), config.stash[TERMINAL])


@pytest.fixture
def given(request: pytest.FixtureRequest) -> Iterator[Queried | None]:
    """A database on the server that HELIOGRAPH_TEST_DATABASE_URL names, migrated and, on Citus,
    distributed; None where it names none and a world starts a PostgreSQL of its own."""
    if not IS_GIVEN:
        yield None
        return
    postgres_url = request.getfixturevalue("postgres_url")
    with fresh_database(postgres_url, request.getfixturevalue("template_database")) as url:
        yield GivenDatabase(url)


@pytest.fixture
def folder(reachable_dir: Path) -> Path:
    """A folder that every user can pass through, for one test."""
    made = Path(tempfile.mkdtemp(dir=reachable_dir))
    made.chmod(0o755)
    return made


@pytest.fixture
def stalls(tmp_path: Path) -> Iterator[Stalls]:
    """How long this machine stood still during the test."""
    with Stalls(tmp_path).noted() as noted:
        yield noted
