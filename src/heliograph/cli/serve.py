"""Running the gateway: `serve`, the nodes it starts, and `migrate`."""

from typing import Annotated

import typer

from heliograph.cli.demo import DemoHooks
from heliograph.errors import ConfigurationError
from heliograph.settings import load_settings
from heliograph.store.embedded import resolve_settings
from heliograph.supervisor import EXIT_CONFIGURATION, Supervisor, migrate_database


def serve(
    demo: Annotated[
        bool, typer.Option("--demo", help="Make a demo organization and say what to try.")
    ] = False,
    nodes: Annotated[
        str | None,
        typer.Option(
            metavar="N",
            help="How many node processes to start: one for each core. "
            "Holds instead of HELIOGRAPH_NODES.",
        ),
    ] = None,
    roles: Annotated[
        str | None,
        typer.Option(
            metavar="ROLE[,ROLE]",
            help="What the nodes of this machine do: api, sessions, deliveries. All three, unless "
            "said. Holds instead of HELIOGRAPH_ROLES.",
        ),
    ] = None,
) -> None:
    """Run the gateway until Ctrl-C: its database, if it brings its own, and its nodes."""
    hooks = DemoHooks()
    supervisor = Supervisor(load_settings(nodes=nodes, roles=roles))
    if demo:
        supervisor.prepare, supervisor.announce = hooks.prepare, hooks.announce
        supervisor.is_demo = True
    raise typer.Exit(supervisor.run())


def node(
    listen_fd: Annotated[int, typer.Option(help="The socket to accept on.")],
    local_sign_in: Annotated[
        str | None, typer.Option(help="The address of the demo's own sign-in.")
    ] = None,
) -> None:
    """Run one node. Started by `serve`, which hands over the socket and the database."""
    from heliograph.node import run_node  # the whole server, for which no other command should wait

    try:
        settings = load_settings()
        if local_sign_in is not None:
            settings = settings.with_local_sign_in(local_sign_in)
        run_node(settings, listen_fd)
    except ConfigurationError as error:
        typer.echo(f"heliograph: {error}", err=True)
        raise typer.Exit(EXIT_CONFIGURATION) from None


def migrate() -> None:
    """Bring the database's schema to this release, as `serve` does at its start."""
    status = migrate_database(resolve_settings(load_settings()))
    typer.echo(f"The database is at {', '.join(sorted(status.current))}.")
