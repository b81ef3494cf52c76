"""`python -m bench`: run the measures, show them, keep them in `bench/latest.json`."""

from collections.abc import Callable
from enum import StrEnum
from typing import Annotated

import typer
import uvloop
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from bench.figures import LATEST, Figure, Run, keep, new_run, show
from bench.gateway import private_gateway
from bench.measures import MEASURES, Stage
from bench.receiver import receiving


class Measure(StrEnum):
    """What `--only` takes."""

    LATENCY = "latency"
    BURST = "burst"
    READS = "reads"
    ACCEPT = "accept"
    START = "start"


def main(
    only: Annotated[
        list[Measure] | None, typer.Option(help="Measure this alone; may be repeated.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A tenth of the counts.")] = False,
    nodes: Annotated[int, typer.Option(min=1, help="Node processes of the gateway.")] = 1,
) -> None:
    """Measure a gateway of the benchmark's own on this machine; it stops by itself."""
    console = Console()
    wanted = [each for each in Measure if not only or each in only]
    with _progress(console) as progress:
        run = uvloop.run(_run(progress, wanted, quick=quick, nodes=nodes))
    show(console, run)
    if not only:
        keep(run)
        console.print(f"[dim]kept in {LATEST}[/dim]")
    if any(figure.met is False for figure in run.figures):
        console.print("[red]A target was missed.[/red]")


def _progress(console: Console) -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        refresh_per_second=4,
    )


async def _run(progress: Progress, wanted: list[Measure], *, quick: bool, nodes: int) -> Run:
    starting = progress.add_task("starting a gateway", total=None)

    def track(title: str, total: int) -> Callable[[int], None]:
        task = progress.add_task(title, total=total)
        return lambda count: progress.advance(task, count)

    figures: list[Figure] = []
    async with receiving() as receiver, private_gateway(nodes) as gateway:
        await gateway.furnish(receiver.url)
        progress.remove_task(starting)
        stage = Stage(gateway, receiver, track, quick)
        for measure in wanted:
            figures += await MEASURES[measure](stage)
        postgres = await gateway.postgres_version()
    return new_run(quick=quick, nodes=nodes, postgres=postgres, figures=figures)


if __name__ == "__main__":
    typer.run(main)
