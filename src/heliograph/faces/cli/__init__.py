"""The command line. A command parses, calls a service, and prints."""

import sys
from collections.abc import Sequence
from typing import Annotated, NoReturn

import structlog
import typer

from heliograph import __version__
from heliograph.app.bootstrap import open_services
from heliograph.app.process import configure_process_logs, end_process
from heliograph.errors import ConfigurationError, HeliographError
from heliograph.faces.cli import (
    accounts,
    database,
    demo,
    keys,
    organizations,
    plans,
    simulator,
    webhooks,
)
from heliograph.faces.cli.audit import audit
from heliograph.faces.cli.backups import backup, restore
from heliograph.faces.cli.commands import Commands
from heliograph.faces.cli.gateway import clean_up, doctor, migrate, openapi, serve
from heliograph.faces.cli.listen import listen
from heliograph.faces.cli.output import describe
from heliograph.networks.registry import NetworkRegistry
from heliograph.platform.database.failover import CONNECT_FAILURES
from heliograph.platform.database.failures import explain_failure
from heliograph.platform.terminal import guard_standard_streams

log = structlog.get_logger()

app = Commands(name="heliograph", no_args_is_help=True, pretty_exceptions_enable=False)
app.command()(serve)
app.command()(migrate)
app.command()(doctor)
app.command()(openapi)
app.command()(listen)
app.command("clean-up")(clean_up)
app.command()(audit)
app.command()(backup)
app.command()(restore)
app.add_typer(organizations.app, name="organizations")
app.add_typer(plans.app, name="plans")
app.add_typer(keys.app, name="keys")
app.add_typer(accounts.app, name="accounts")
app.add_typer(webhooks.app, name="webhooks")
app.add_typer(database.app, name="database")
app.add_typer(demo.app, name="demo")
simulator.register(app, NetworkRegistry().list_networks(), open_services)


def _show_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(f"heliograph {__version__}")
        raise typer.Exit


@app.callback()
def heliograph(
    version: Annotated[
        bool,
        typer.Option(
            "--version", is_eager=True, callback=_show_version, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """A self-hosted, multi-tenant messaging gateway."""


def main() -> NoReturn:
    """Run a command and exit.

    An expected error is one sentence and exit code 1, and so is what the disk, another program or
    the database refuses; with the level `debug` the log has its traceback.
    """
    guard_standard_streams()
    configure_process_logs(is_gateway=sys.argv[1:2] == ["serve"])
    try:
        _check_arguments(sys.argv)
        app()
        end_process(0)
    except HeliographError as error:
        _fail(error)
    except CONNECT_FAILURES as error:  # a disk, a file or the database: not a fault of ours
        log.debug("the command has failed", exc_info=True)
        _fail(explain_failure(error, failed="The command has failed"))
    except SystemExit as ending:
        if isinstance(ending.code, str):
            raise
        end_process(ending.code or 0)


def _fail(error: HeliographError) -> NoReturn:
    typer.echo(f"heliograph: {describe(error)}", err=True)
    end_process(1)


def _check_arguments(arguments: Sequence[str]) -> None:
    """Raise `ConfigurationError` for an argument that is not UTF-8: nothing can store or find
    it."""
    for position, argument in enumerate(arguments):
        try:
            argument.encode("utf-8")
        except UnicodeEncodeError:
            raise ConfigurationError(f"Argument {position} is not UTF-8.") from None
