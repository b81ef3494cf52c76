"""The result as tables on a terminal."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from bench.figures import Comparison, Figure, Finding, Run


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
    comparisons = [each for each in findings if isinstance(each, Comparison)]
    figures = [each for each in findings if isinstance(each, Figure)]
    if comparisons:
        console.print(_comparisons(comparisons))
    if figures:
        console.print(_figures(figures))
    for each in findings:
        if remark := _remark(each):
            console.print(f"[dim]{each.name}: {remark}[/dim]", soft_wrap=True)


def _remark(finding: Finding) -> str:
    beside = f"beside {finding.baseline_name}" if isinstance(finding, Comparison) else None
    return "; ".join(text for text in (beside, finding.note) if text)


def _comparisons(comparisons: list[Comparison]) -> Table:
    table = _table("figure", "here", "unit", "baseline", "ratio", "bar", "")
    for each in comparisons:
        table.add_row(
            each.name,
            _number(each.value),
            each.unit,
            _number(each.baseline),
            f"{each.ratio:,.0f}" if each.ratio >= 100 else f"{each.ratio:.3g}",
            each.bar or "",
            _verdict(each.met),
        )
    return table


def _figures(figures: list[Figure]) -> Table:
    table = _table(
        "", "count", "seconds", "per s", "p50 ms", "p95 ms", "p99 ms", "max ms", "target", ""
    )
    for each in figures:
        table.add_row(
            each.name,
            f"{each.count:,}",
            f"{each.seconds:.2f}",
            "" if each.rate is None else f"{each.rate:,.0f}",
            *(
                "" if value is None else f"{value:,.1f}"
                for value in (each.p50, each.p95, each.p99, each.max)
            ),
            each.target or "",
            _verdict(each.met),
        )
    return table


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
