"""Commands for the gateway as a whole: run it, migrate, examine, describe and clean it up."""

import asyncio
import sys
from typing import Annotated

import typer
from rich.text import Text

from heliograph.app.startup import Startup, migrate_database, migrate_private_database
from heliograph.core.health.doctor import examine
from heliograph.core.health.model import CheckStatus
from heliograph.errors import ConfigurationError
from heliograph.faces.cli.demo import prepare_demo
from heliograph.faces.cli.options import JsonOption
from heliograph.faces.cli.output import print_json, print_table, show_progress, show_step
from heliograph.faces.cli.running import run
from heliograph.faces.cli.uvx import restart_with_demo
from heliograph.platform.embedded.server import find_owner_url
from heliograph.platform.files.running_gateway import join_gateway
from heliograph.settings import load_settings

_COLUMNS = ("status", "check", "finding", "what to do")

_NOTHING_TO_CLEAN_UP = (
    "There is nothing to clean up: no organization, and none that was removed more than five "
    "minutes ago."
)

_COLOURS = {CheckStatus.OK: "green", CheckStatus.WARNING: "yellow", CheckStatus.FAILED: "bold red"}


def serve(
    demo: Annotated[
        bool, typer.Option("--demo", help="Create a demo organization, and show what to try.")
    ] = False,
    nodes: Annotated[
        str | None,
        typer.Option(
            metavar="N",
            help="How many node processes to start, such as one for each core. "
            "Overrides HELIOGRAPH_NODES.",
        ),
    ] = None,
    roles: Annotated[
        str | None,
        typer.Option(
            metavar="ROLE[,ROLE]",
            help="What the nodes of this machine do: api, sessions, deliveries. All three by "
            "default. Overrides HELIOGRAPH_ROLES.",
        ),
    ] = None,
) -> None:
    """Run the gateway (its nodes and, unless you configured one, a private PostgreSQL) until
    Ctrl-C."""
    settings = load_settings(nodes=nodes, roles=roles)
    if demo and settings.is_embedded:
        restart_with_demo(sys.argv[1:])
    startup = Startup(settings)
    if demo:
        startup.is_demo = True
        startup.prepare = prepare_demo
    raise typer.Exit(startup.run())


def migrate(
    grant_to: Annotated[
        str | None,
        typer.Option(
            metavar="ROLE",
            help="Also grant this role, as which nodes connect to your own PostgreSQL, its rights.",
        ),
    ] = None,
) -> None:
    """Upgrade the database's schema to this release, as `serve` does when it starts."""
    settings = load_settings()
    if grant_to is not None and settings.is_embedded:
        raise ConfigurationError(
            "With the private PostgreSQL, nodes get their rights automatically.",
            remedy="Leave out --grant-to, or set HELIOGRAPH_DATABASE_URL.",
        )
    url = find_owner_url(settings)
    with show_step() as show:
        status = (
            migrate_private_database(url, show)
            if settings.is_embedded
            else migrate_database(url, show, grant_to=grant_to)
        )
    typer.echo(f"The database is at {', '.join(sorted(status.current))}.")


def doctor() -> None:
    """Check this installation, and say how to fix what is wrong. Exit code 1 if anything is."""
    checks = asyncio.run(examine(join_gateway(load_settings())))
    shown = 4 if any(check.remedy for check in checks) else 3
    rows = [
        (Text(check.status.value, _COLOURS[check.status]), check.name, check.detail, check.remedy)
        for check in checks
    ]
    print_table(_COLUMNS[:shown], [row[:shown] for row in rows])
    if any(check.status is CheckStatus.FAILED for check in checks):
        raise typer.Exit(1)


def openapi() -> None:
    """Print the OpenAPI document of the public API."""
    from heliograph.faces.api.openapi import read_description  # loads the API's schemas

    print_json(read_description(load_settings().public_url))


def clean_up(as_json: JsonOption = False) -> None:
    """Delete expired data now, as one node does each night, and report how much."""
    with show_progress("Organizations") as show:
        deleted = run(
            lambda services: services.retention.clean_up_now(
                lambda step: show(step.done, step.total)
            )
        )
    if as_json:
        print_json(deleted)
        return
    rows = [(kind.replace("_", " "), f"{count:,}") for kind, count in deleted.items()]
    print_table(("what", "deleted"), rows, empty=_NOTHING_TO_CLEAN_UP)
