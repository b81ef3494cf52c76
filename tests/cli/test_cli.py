"""The command line loads without what only the server needs, and says which release it is."""

import subprocess
import sys

from typer.testing import CliRunner

from heliograph import __version__
from heliograph.faces.cli import app

SERVER = ("fastapi", "mcp", "uvicorn", "heliograph.app.asgi", "heliograph.faces.dashboard")


def test_the_command_line_loads_without_the_server() -> None:
    code = "import sys, heliograph.faces.cli; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert "heliograph.faces.cli" in loaded
    assert [name for name in SERVER if name in loaded] == []


def test_the_command_line_says_which_release_it_is() -> None:
    shown = CliRunner().invoke(app, ["--version"])
    assert (shown.exit_code, shown.stdout) == (0, f"heliograph {__version__}\n")
