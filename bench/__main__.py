"""Run the measures, show what they found, and keep it in `bench/latest.json`: `python -m bench`."""

import sys
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
import uvloop
from rich.console import Console
from rich.progress import Progress

from bench.accepting import accept
from bench.availability import availability
from bench.batches import batch
from bench.capacity.command import capacity
from bench.costing import costs
from bench.events import events
from bench.figures import LATEST, Finding, Run, keep, new_run
from bench.gateway import CUSTOMERS, private_gateway
from bench.idling import idle
from bench.memory import memory
from bench.pages import pages
from bench.progress import one_at_a_time, progress_bars
from bench.reading import reads
from bench.receiver import receiving
from bench.retention import retention
from bench.searching import searches
from bench.servers import servers
from bench.snapshot import snapshot
from bench.stage import Stage
from bench.tables import show, show_findings
from bench.tenants import tenants
from bench.volume import volume
from bench.waiting import burst, latency, start
from bench.whole_way import whole_way
from bench.writing import writes


class Measure(StrEnum):
    """What `--only` takes, in the order in which they run."""

    LATENCY = "latency"
    BURST = "burst"
    EVENTS = "events"
    READS = "reads"
    ACCEPT = "accept"
    WHOLE_WAY = "whole-way"
    START = "start"
    WRITES = "writes"
    TENANTS = "tenants"
    BATCH = "batch"
    MEMORY = "memory"
    VOLUME = "volume"
    RETENTION = "retention"
    PAGES = "pages"
    SEARCHES = "searches"
    AVAILABILITY = "availability"
    SNAPSHOT = "snapshot"
    COSTS = "costs"
    IDLE = "idle"


MEASURES: dict[Measure, Callable[[Stage], Awaitable[list[Finding]]]] = {
    Measure.LATENCY: latency,
    Measure.BURST: burst,
    Measure.EVENTS: events,
    Measure.READS: reads,
    Measure.ACCEPT: accept,
    Measure.WHOLE_WAY: whole_way,
    Measure.START: start,
    Measure.WRITES: writes,
    Measure.TENANTS: tenants,
    Measure.BATCH: batch,
    Measure.MEMORY: memory,
    Measure.VOLUME: volume,
    Measure.RETENTION: retention,
    Measure.PAGES: pages,
    Measure.SEARCHES: searches,
    Measure.AVAILABILITY: availability,
    Measure.SNAPSHOT: snapshot,
    Measure.COSTS: costs,
    Measure.IDLE: idle,
}

OWN_GATEWAYS = (
    Measure.WRITES,
    Measure.TENANTS,
    Measure.BATCH,
    Measure.MEMORY,
    Measure.VOLUME,
    Measure.RETENTION,
    Measure.PAGES,
    Measure.SEARCHES,
    Measure.AVAILABILITY,
    Measure.SNAPSHOT,
    Measure.COSTS,
    Measure.IDLE,
)

LONG = (Measure.SNAPSHOT, Measure.COSTS, Measure.IDLE)
"""What runs with `--full` or by name."""


def main(
    context: typer.Context,
    only: Annotated[
        list[Measure] | None, typer.Option(help="Measure this alone; may be repeated.")
    ] = None,
    nodes: Annotated[
        list[int] | None,
        typer.Option(min=1, help="Node processes for accept and whole-way; may be repeated."),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A tenth of the counts.")] = False,
    full: Annotated[
        bool, typer.Option("--full", help="10 million stored messages and a long snapshot, too.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(help="Where to keep the result. Default: bench/latest.json, without --only."),
    ] = None,
) -> None:
    """Measure a gateway of the benchmark's own on this machine; it stops by itself."""
    if context.invoked_subcommand is not None:
        return
    console = Console(width=None if sys.stdout.isatty() else 120)
    usual = [measure for measure in Measure if full or measure not in LONG]
    wanted = [measure for measure in Measure if measure in (only or usual)]
    with progress_bars(console) as progress:
        run, failed = uvloop.run(
            _run(progress, wanted, nodes=tuple(nodes or (1, 2)), quick=quick, full=full)
        )
    show(console, run)
    if failed is not None:
        console.print(f"[red]The measure {failed} failed; nothing is kept.[/red]")
        raise typer.Exit(1)
    kept = output or (None if only else LATEST)
    if kept is not None:
        keep(run, kept)
        console.print(f"[dim]kept in {kept}[/dim]")
    if run.missed:
        console.print(f"[red]Missed: {'; '.join(run.missed)}.[/red]")


async def _run(
    progress: Progress, wanted: list[Measure], *, nodes: tuple[int, ...], quick: bool, full: bool
) -> tuple[Run, Measure | None]:
    """Return what was found, and the measure that failed and ended the run, if one did."""
    failed: Measure | None = None
    findings: list[Finding] = []
    async with AsyncExitStack() as stack:
        starting = progress.add_task("starting a gateway", total=None)
        receiver = await stack.enter_async_context(receiving())
        gateway = await stack.enter_async_context(private_gateway(nodes[0], SHARDS=str(CUSTOMERS)))
        await gateway.furnish(receiver.url)
        postgres = await gateway.postgres_version()
        progress.remove_task(starting)
        stage = Stage(gateway, receiver, one_at_a_time(progress), nodes, quick, full)
        for measure in wanted:
            if measure in OWN_GATEWAYS:
                await gateway.stop()
            try:
                found = await MEASURES[measure](stage)
            except Exception:
                progress.console.print_exception()
                failed = measure
                break
            show_findings(progress.console, found)
            findings += found
    run = new_run(quick=quick, full=full, nodes=list(nodes), postgres=postgres, findings=findings)
    return run, failed


if __name__ == "__main__":
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.callback(invoke_without_command=True)(main)
    app.command()(capacity)
    app.command()(servers)
    app()
