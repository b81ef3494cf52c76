"""`heliograph doctor`: what is wrong with an installation, and how to mend it."""

import asyncio

import typer
from rich.text import Text

from heliograph.core.cluster.readiness import Check, CheckStatus, examine
from heliograph.faces.cli.output import print_table
from heliograph.platform.files.running_gateway import join_gateway
from heliograph.settings import load_settings

_COLUMNS = ("", "", "finding", "what to do")
_COLOURS = {
    CheckStatus.OK: "green",
    CheckStatus.WARNING: "yellow",
    CheckStatus.FAILED: "bold red",
}


def doctor() -> None:
    """Say what is wrong with this installation and how to mend it; exit code 1 if anything is."""
    checks = asyncio.run(examine(join_gateway(load_settings())))
    shown = 4 if any(check.remedy for check in checks) else 3
    print_table(_COLUMNS[:shown], [_row(check)[:shown] for check in checks])
    if any(check.status is CheckStatus.FAILED for check in checks):
        raise typer.Exit(1)


def _row(check: Check) -> tuple[str | Text, ...]:
    mark = Text(check.status.value, _COLOURS[check.status])
    return mark, check.name, check.detail, check.remedy
