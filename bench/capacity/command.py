"""`python -m bench capacity`: predict what a topology carries; with `--check`, compare the model
with what was measured."""

import sys
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from rich.console import Console

from bench.capacity.costs import load_costs
from bench.capacity.model import Topology
from bench.capacity.points import MOST, check, load_points
from bench.capacity.report import report_on, show_checked, show_report


def capacity(
    nodes: Annotated[int, typer.Option(min=1, help="Node processes, one core each.")] = 1,
    cores: Annotated[int, typer.Option(min=1, help="Cores of PostgreSQL, or of each worker.")] = 2,
    workers: Annotated[int, typer.Option(min=1, help="PostgreSQL servers that share rows.")] = 1,
    accounts: Annotated[int, typer.Option(min=0, help="Connected accounts.")] = 0,
    webhooks: Annotated[int, typer.Option(min=0, help="Webhooks.")] = 0,
    wal: Annotated[float, typer.Option(min=1, help="MB of WAL a second that a disk takes.")] = 200,
    one_machine: Annotated[
        bool, typer.Option("--one-machine", help="Nodes and PostgreSQL share the cores.")
    ] = False,
    compare: Annotated[
        bool, typer.Option("--check", help="Compare the model with the measured points instead.")
    ] = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="A file for JSON.")] = None,
) -> None:
    """Predict what a topology carries, from what was measured. Nothing is started."""
    console = Console(width=None if sys.stdout.isatty() else 120)
    costs = load_costs()
    if compare:
        checked = check(costs, load_points())
        show_checked(console, checked)
        _keep(output, [{"point": it.point, "predicted": it.predicted} for it in checked])
        if missed := [it for it in checked if not it.is_within]:
            console.print(f"[red]{len(missed)} points are off by more than {MOST:.0%}.[/red]")
            raise typer.Exit(1)
        return
    topology = Topology(
        nodes=nodes,
        cores=cores,
        workers=workers,
        is_one_machine=one_machine,
        wal_mb_per_second=wal,
        accounts=accounts,
        webhooks=webhooks,
    )
    report = report_on(costs, topology)
    show_report(console, report)
    _keep(output, report)


def _keep(path: Path | None, result: Any) -> None:
    if path is None:
        return
    try:
        path.write_bytes(msgspec.json.format(msgspec.json.encode(result), indent=2) + b"\n")
    except OSError as error:
        raise typer.BadParameter(f"{path} can't be written: {error.strerror}.") from error
