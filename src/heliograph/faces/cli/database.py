"""`heliograph database`: show where the tables are, give unused space back, spread them over
several servers, and upgrade."""

import asyncio
from collections.abc import Sequence
from typing import Annotated

import typer
from rich.filesize import decimal
from rich.text import Text

from heliograph.app.distribution import distribute_database
from heliograph.app.shrink import estimate_shrinking, shrink_database
from heliograph.app.upgrade import upgrade_private_database
from heliograph.core.health.layout import Layout, TableLayout, WorkerLayout, read_layout
from heliograph.faces.cli.commands import Commands
from heliograph.faces.cli.options import JsonOption
from heliograph.faces.cli.output import (
    print_fields,
    print_json,
    print_table,
    show_parts,
    show_progress,
    show_step,
)
from heliograph.networks.registry import NetworkRegistry
from heliograph.platform.database.failover import CONNECT_FAILURES
from heliograph.platform.database.failures import explain_failure, find_role
from heliograph.platform.database.revisions import Revisions
from heliograph.platform.database.shrink import Estimate, Shrunk, sum_up
from heliograph.platform.embedded.server import find_owner_url
from heliograph.settings import load_settings

app = Commands(
    help="The database: show its tables, shrink, distribute or upgrade it.", no_args_is_help=True
)


@app.command()
def status(as_json: JsonOption = False) -> None:
    """Show the server's version, the schema's revision, and how large each table is; where Citus
    spreads them over several servers, also what is on each and whether all can be reached."""
    settings = load_settings()
    revisions = Revisions(NetworkRegistry().list_migration_folders())
    url = find_owner_url(settings)
    try:
        layout = asyncio.run(read_layout(url, revisions, settings.server.shards))
    except CONNECT_FAILURES as error:
        raise explain_failure(error, find_role(url)) from error
    if as_json:
        print_json(layout)
        return
    _print_summary(layout)
    if layout.workers:
        print_table(
            ("worker", "shards", "organizations", "rows", "size", "state"),
            [_worker_row(worker) for worker in layout.workers],
        )
    columns = ("table", "placement", "rows", "size", "belongs")
    shown = len(columns) if layout.misplaced else len(columns) - 1
    rows = [_table_row(table) for table in layout.tables]
    print_table(
        columns[:shown],
        [row[:shown] for row in rows],
        empty="There is no table yet: `heliograph migrate` makes them.",
    )


@app.command()
def distribute() -> None:
    """Distribute the tables over the workers of Citus. Stop all nodes first. After an interruption,
    run it again: it continues where it stopped."""
    settings = load_settings()
    with show_progress("Tables") as show:
        moved = distribute_database(settings, show)
    typer.echo(
        f"{len(moved)} tables were moved: `heliograph database status` shows where they are."
        if moved
        else "Every table is where it belongs."
    )


@app.command()
def upgrade(as_json: JsonOption = False) -> None:
    """Upgrade the private database to this release's version of PostgreSQL. Stop the gateway first.
    The old database is kept beside the new one."""
    with show_parts() as show:
        upgraded = upgrade_private_database(load_settings(), show)
    if as_json:
        print_json(upgraded)
    elif upgraded is None:
        typer.echo("The private database has this release's version of PostgreSQL already.")
    else:
        print_fields(
            ("PostgreSQL", f"{upgraded.former} → {upgraded.now}"),
            ("rows", f"{upgraded.rows:,}"),
            ("the former one", f"{upgraded.kept}: remove it once you are satisfied"),
        )


@app.command()
def shrink(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show about how much could be given back.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Give the space of deleted rows back to the system: tables and indexes that take far more than
    their rows need are rewritten. While a gateway runs, that is done for indexes and small tables
    only; stop it to include large tables."""
    if dry_run:
        estimates = estimate_shrinking(load_settings())
        if as_json:
            print_json(estimates)
        else:
            _print_estimates(estimates)
        return
    with show_step() as show:
        shrunk = shrink_database(load_settings(), show)
    if as_json:
        print_json(shrunk)
    else:
        _print_shrunk(shrunk)


_COMPACT = "No table or index takes much more than its rows need."


def _print_estimates(estimates: Sequence[Estimate]) -> None:
    rows = [
        (each.name, decimal(each.size), f"about {decimal(each.spare)}", each.left or "")
        for each in estimates
    ]
    print_table(("what", "size", "to give back", "but"), rows, empty=_COMPACT)


def _print_shrunk(shrunk: Sequence[Shrunk]) -> None:
    rows = [
        (each.name, decimal(each.before), decimal(each.after), each.left or "") for each in shrunk
    ]
    print_table(("what", "before", "now", "left because it"), rows, empty=_COMPACT)
    if shrunk:
        typer.echo(f"Given back: {decimal(sum_up(shrunk))}.")


def _print_summary(layout: Layout) -> None:
    on_citus = "" if layout.citus is None else f" with Citus {layout.citus}"
    organizations = sum(layout.shards.values())
    print_fields(
        ("server", f"PostgreSQL {layout.postgresql}{on_citus}"),
        ("schema", f"{layout.schema} ({', '.join(layout.revisions) or 'no revision'})"),
        ("size", decimal(layout.bytes)),
        ("organizations", f"{organizations:,} on {len(layout.shards):,} shards"),
        ("tables", _describe_placement(layout)),
    )


def _describe_placement(layout: Layout) -> str:
    if layout.is_distributed and (misplaced := layout.misplaced):
        return f"{len(misplaced)} are not where they belong: run `heliograph database distribute`"
    if layout.is_distributed:
        return "spread over the workers"
    if layout.citus is not None:
        return "all on the coordinator: `heliograph database distribute` spreads them"
    return "all on this server"


def _worker_row(worker: WorkerLayout) -> tuple[str | Text, ...]:
    return (
        worker.name,
        str(len(worker.shards)),
        f"{worker.organizations:,}",
        "—" if worker.rows is None else f"{worker.rows:,}",
        "—" if worker.bytes is None else decimal(worker.bytes),
        Text("reachable", "green") if worker.problem is None else Text(worker.problem, "bold red"),
    )


def _table_row(table: TableLayout) -> tuple[str | Text, ...]:
    belongs = "" if table.belongs is None else Text(table.belongs, "yellow")
    return (table.name, table.placement, f"{table.rows:,}", decimal(table.bytes), belongs)
