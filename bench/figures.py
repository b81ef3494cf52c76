"""Figures: what was measured, where, and how it is shown and kept."""

import os
import platform
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from rich.console import Console
from rich.table import Table

from heliograph import __version__

LATEST = Path(__file__).parent / "latest.json"


class Figure(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of the result. Latencies are in milliseconds, `rate` is per second.

    `target` is what the figure is to stay within, in words; `met` whether it does.
    """

    name: str
    count: int
    seconds: float
    rate: float | None = None
    p50: float | None = None
    p99: float | None = None
    max: float | None = None
    target: str | None = None
    met: bool | None = None
    note: str | None = None


class Machine(msgspec.Struct, frozen=True):
    cores: int
    cpu: str
    memory_gib: float
    system: str
    python: str
    postgres: str
    load_average: float


class Run(msgspec.Struct, frozen=True):
    """What `latest.json` holds."""

    at: datetime
    version: str
    quick: bool
    nodes: int
    machine: Machine
    figures: list[Figure]


@dataclass(frozen=True, slots=True)
class Spread:
    """Percentiles in milliseconds."""

    p50: float
    p99: float
    max: float


def spread(seconds: Iterable[float]) -> Spread:
    ordered = sorted(seconds)
    return Spread(*(round(_quantile(ordered, share) * 1000, 2) for share in (0.5, 0.99, 1.0)))


def _quantile(ordered: Sequence[float], share: float) -> float:
    """The smallest value that this share of all values does not exceed."""
    return ordered[max(0, -(-len(ordered) * int(share * 100) // 100) - 1)]


def machine(postgres: str) -> Machine:
    return Machine(
        cores=len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1,
        cpu=_cpu(),
        memory_gib=round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        system=f"{platform.system()} {platform.release()}",
        python=platform.python_version(),
        postgres=postgres,
        load_average=round(os.getloadavg()[0], 2),
    )


def _cpu() -> str:
    try:
        found = re.search(r"model name\s*: (.+)", Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    except OSError:
        found = None
    return found[1] if found else platform.processor() or platform.machine()


def keep(run: Run) -> None:
    LATEST.write_bytes(msgspec.json.format(msgspec.json.encode(run), indent=2) + b"\n")


def new_run(*, quick: bool, nodes: int, postgres: str, figures: list[Figure]) -> Run:
    now = datetime.now(UTC).replace(microsecond=0)
    return Run(now, __version__, quick, nodes, machine(postgres), figures)


def show(console: Console, run: Run) -> None:
    facts = run.machine
    console.print(
        f"\n[bold]Heliograph {run.version}[/bold], {run.nodes} node{'s'[: run.nodes > 1]}, "
        f"PostgreSQL {facts.postgres}, Python {facts.python}\n"
        f"{facts.cores} cores of {facts.cpu}, {facts.memory_gib} GiB, {facts.system}, "
        f"load average {facts.load_average}"
    )
    table = Table(box=None, header_style="dim", pad_edge=False)
    table.add_column("", no_wrap=True)
    for title in ("count", "seconds", "per s", "p50 ms", "p99 ms", "max ms"):
        table.add_column(title, justify="right", no_wrap=True)
    for figure in run.figures:
        table.add_row(*_cells(figure))
    console.print(table)
    for figure in run.figures:
        if figure.target:
            verdict = "[green]met[/green]" if figure.met else "[red]missed[/red]"
            console.print(f"{verdict} {figure.name}: {figure.target}")
        if figure.note:
            console.print(f"[dim]{figure.name}: {figure.note}[/dim]")


def _cells(figure: Figure) -> list[str]:
    return [
        figure.name,
        f"{figure.count:,}",
        f"{figure.seconds:.2f}",
        "" if figure.rate is None else f"{figure.rate:,.0f}",
        *("" if each is None else f"{each:,.1f}" for each in (figure.p50, figure.p99, figure.max)),
    ]
