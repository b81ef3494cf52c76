"""Running the gateway: `serve`, and `migrate`."""

from typing import Annotated

import typer

from heliograph.app.startup import Startup, migrate_database, migrate_private_database
from heliograph.faces.cli.demo import prepare_demo
from heliograph.platform.embedded.server import find_owner_url
from heliograph.settings import load_settings


def serve(
    demo: Annotated[
        bool, typer.Option("--demo", help="Make a demo organization and say what to try.")
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
    """Run the gateway until Ctrl-C: its database, if it brings its own, and its nodes."""
    startup = Startup(load_settings(nodes=nodes, roles=roles))
    if demo:
        startup.is_demo = True
        startup.prepare = prepare_demo
    raise typer.Exit(startup.run())


def migrate() -> None:
    """Bring the database's schema to this release, as `serve` does at its start."""
    settings = load_settings()
    url = find_owner_url(settings)
    status = migrate_private_database(url) if settings.is_embedded else migrate_database(url)
    typer.echo(f"The database is at {', '.join(sorted(status.current))}.")
