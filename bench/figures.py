"""Figures: what was measured, where, beside which baseline, and how results are kept."""

import os
import platform
import re
import statistics
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from heliograph import __version__

LATEST = Path(__file__).parent / "latest.json"


class Figure(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of the result. Latencies are in milliseconds, `rate` is per second.

    `target` says in words what the figure should stay within, and `met` whether it does.
    """

    name: str
    count: int
    seconds: float
    rate: float | None = None
    p50: float | None = None
    p95: float | None = None
    p99: float | None = None
    max: float | None = None
    target: str | None = None
    met: bool | None = None
    note: str | None = None


class Comparison(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A figure beside its baseline of the same run, both in `unit`.

    `ratio` is what the bar applies to: the figure divided by its baseline, unless `note` says
    otherwise. `met` is None where there is no bar.
    """

    name: str
    value: float
    unit: str
    baseline: float
    baseline_name: str
    ratio: float
    bar: str | None = None
    met: bool | None = None
    note: str | None = None


class Cost(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What one message takes, in `unit`. `most` is what it should take at the most."""

    name: str
    value: float
    unit: str
    most: float | None = None
    note: str | None = None

    @property
    def met(self) -> bool | None:
        return None if self.most is None else self.value <= self.most


Finding = Figure | Comparison | Cost


class Machine(msgspec.Struct, frozen=True):
    cores: int
    cpu: str
    memory_gib: float
    system: str
    python: str
    postgres: str
    load_average: float


class Run(msgspec.Struct, frozen=True):
    """What `latest.json` holds. `nodes` are the counts of nodes that were measured."""

    at: datetime
    version: str
    quick: bool
    full: bool
    nodes: list[int]
    machine: Machine
    comparisons: list[Comparison]
    figures: list[Figure]
    costs: list[Cost]

    @property
    def findings(self) -> list[Finding]:
        return [*self.comparisons, *self.figures, *self.costs]

    @property
    def missed(self) -> list[str]:
        """Return the names of what missed its bar."""
        return [finding.name for finding in self.findings if finding.met is False]


@dataclass(frozen=True, slots=True)
class Pair:
    """What a figure and its baseline reached in the same round."""

    value: float
    baseline: float


def compare_rounds(
    name: str,
    rounds: Sequence[Pair],
    *,
    baseline_name: str,
    least: float | None = None,
    note: str | None = None,
) -> Comparison:
    """Return the medians of the rounds' rates and of their ratios, which should reach `least`."""
    ratio = statistics.median(pair.value / pair.baseline for pair in rounds)
    return Comparison(
        name=name,
        value=round(statistics.median(pair.value for pair in rounds), 1),
        unit="/s",
        baseline=round(statistics.median(pair.baseline for pair in rounds), 1),
        baseline_name=baseline_name,
        ratio=round(ratio, 3),
        bar=None if least is None else f">= {least:.0%}",
        met=None if least is None else ratio >= least,
        note=note,
    )


@dataclass(frozen=True, slots=True)
class Spread:
    """Percentiles in milliseconds."""

    p50: float
    p95: float
    p99: float
    max: float


def spread(seconds: Iterable[float]) -> Spread:
    ordered = sorted(seconds)
    return Spread(*(round(_quantile(ordered, share) * 1000, 2) for share in (0.5, 0.95, 0.99, 1.0)))


def _quantile(ordered: Sequence[float], share: float) -> float:
    """Return the smallest value that this share of all values does not exceed."""
    return ordered[max(0, -(-len(ordered) * int(share * 100) // 100) - 1)]


def rate_figure(name: str, latencies: Sequence[float], took: float) -> Figure:
    """Make a figure of exchanges that took `took` seconds, with their latencies in seconds."""
    found = spread(latencies)
    return Figure(
        name=name,
        count=len(latencies),
        seconds=round(took, 2),
        rate=round(len(latencies) / took, 1),
        p50=found.p50,
        p99=found.p99,
        max=found.max,
    )


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


def keep(run: Run, path: Path) -> None:
    path.write_bytes(msgspec.json.format(msgspec.json.encode(run), indent=2) + b"\n")


def new_run(
    *, quick: bool, full: bool, nodes: list[int], postgres: str, findings: Sequence[Finding]
) -> Run:
    return Run(
        at=datetime.now(UTC).replace(microsecond=0),
        version=__version__,
        quick=quick,
        full=full,
        nodes=nodes,
        machine=machine(postgres),
        comparisons=[finding for finding in findings if isinstance(finding, Comparison)],
        figures=[finding for finding in findings if isinstance(finding, Figure)],
        costs=[finding for finding in findings if isinstance(finding, Cost)],
    )
