"""Show the result as tables on a terminal."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from bench.figures import Comparison, Cost, Figure, Finding, Run
from bench.writing import TableWrites, Writes


def show(console: Console, run: Run) -> None:
    facts = run.machine
    console.print(
        f"\n[bold]Heliograph {run.version}[/bold], PostgreSQL {facts.postgres}, "
        f"Python {facts.python}, {run.at:%Y-%m-%d %H:%M} UTC\n"
        f"{facts.cores} cores of {facts.cpu}, {facts.memory_gib} GiB, {facts.system}, "
        f"load average {facts.load_average}"
    )
    show_findings(console, run.findings)


def show_findings(console: Console, findings: Sequence[Finding]) -> None:
    comparisons = [finding for finding in findings if isinstance(finding, Comparison)]
    figures = [finding for finding in findings if isinstance(finding, Figure)]
    if comparisons:
        console.print(_comparisons(comparisons))
    if figures:
        console.print(_figures(figures))
    if costs := [finding for finding in findings if isinstance(finding, Cost)]:
        console.print(_costs(costs))
    for finding in findings:
        if remark := _remark(finding):
            console.print(f"[dim]{finding.name}: {remark}[/dim]", soft_wrap=True)


def _remark(finding: Finding) -> str:
    beside = f"beside {finding.baseline_name}" if isinstance(finding, Comparison) else None
    return "; ".join(text for text in (beside, finding.note) if text)


def _comparisons(comparisons: list[Comparison]) -> Table:
    table = _table("figure", "here", "unit", "baseline", "ratio", "bar", "")
    for comparison in comparisons:
        table.add_row(
            comparison.name,
            _number(comparison.value),
            comparison.unit,
            _number(comparison.baseline),
            f"{comparison.ratio:,.0f}" if comparison.ratio >= 100 else f"{comparison.ratio:.3g}",
            comparison.bar or "",
            _verdict(comparison.met),
        )
    return table


def _figures(figures: list[Figure]) -> Table:
    table = _table(
        "", "count", "seconds", "per s", "p50 ms", "p95 ms", "p99 ms", "max ms", "target", ""
    )
    for figure in figures:
        table.add_row(
            figure.name,
            f"{figure.count:,}",
            f"{figure.seconds:.2f}",
            "" if figure.rate is None else f"{figure.rate:,.0f}",
            *(
                "" if value is None else f"{value:,.1f}"
                for value in (figure.p50, figure.p95, figure.p99, figure.max)
            ),
            figure.target or "",
            _verdict(figure.met),
        )
    return table


def _costs(costs: list[Cost]) -> Table:
    table = _table("a message", "here", "unit", "bar", "")
    for cost in costs:
        bar = "" if cost.most is None else f"<= {cost.most:,g}"
        table.add_row(cost.name, _number(cost.value), cost.unit, bar, _verdict(cost.met))
    return table


def print_writes(found: Writes) -> None:
    """Print what a message writes, its own tables and the others apart."""
    Console(width=120).print(_writes(found))


def _writes(found: Writes) -> Table:
    table = _table(
        "a message", "versions", "inserts", "updates", "of them HOT", "dead", "entries", "WAL bytes"
    )
    for title, own in (("its own tables", True), ("all others", False)):
        table.add_row(*_cells(found, found.total(title, own=own)), style="bold")
        for written in found.tables:
            if written.is_own is own:
                table.add_row(*_cells(found, written))
        table.add_section()
    return table


def _cells(found: Writes, table: TableWrites) -> list[str]:
    numbers = (
        table.versions,
        table.inserts,
        table.updates,
        table.hot,
        table.dead,
        table.entries,
        table.wal_bytes,
    )
    return [table.name, *(f"{found.each(number):,g}" for number in numbers)]


def _table(first: str, *others: str) -> Table:
    table = Table(box=None, header_style="dim", pad_edge=False)
    table.add_column(first, no_wrap=True)
    for title in others:
        table.add_column(title, justify="right", no_wrap=True)
    return table


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:,.2f}"


def _verdict(met: bool | None) -> str:
    return {None: "", True: "[green]✓[/green]", False: "[red]✗[/red]"}[met]
