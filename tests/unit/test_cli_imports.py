"""A command does not wait for what only the server needs."""

import subprocess
import sys

SERVER = ("fastapi", "mcp", "uvicorn", "heliograph.asgi", "heliograph.dashboard")


def test_the_command_line_loads_without_the_server() -> None:
    code = "import sys, heliograph.cli; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert "heliograph.cli" in loaded
    assert [name for name in SERVER if name in loaded] == []
