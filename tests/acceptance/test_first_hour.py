"""What the first start of a demo prints, where the usual port is taken."""

import contextlib
import re
import socket
import time
from pathlib import Path

import httpx

from heliograph.core.health.port import listen, listen_beside
from installation import PATIENCE, Installation


def test_a_port_beside_one_that_is_taken_is_found() -> None:
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with listen_beside("127.0.0.1", port) as found:
            assert port < found.getsockname()[1] <= port + 20


def test_the_demo_takes_another_port_and_names_it_in_all_its_steps(reachable_dir: Path) -> None:
    installation = Installation(reachable_dir / "first-hour")
    del installation.environment["HELIOGRAPH_PORT"]
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with contextlib.suppress(OSError):  # somebody else has it, which is as good
            taken.bind(("127.0.0.1", 8000))
            taken.listen()
        process = installation.call("serve", "--demo")
        try:
            printed = await_steps(installation)
            [base_url] = set(re.findall(r"http://127\.0\.0\.1:\d+", printed))
            assert base_url != "http://127.0.0.1:8000"
            assert httpx.get(f"{base_url}/help/", timeout=30).is_success
            assert re.findall(r"^(\d)\. ", printed, re.MULTILINE) == ["2", "3", "4"]
            assert f"{base_url}/help" in printed
        finally:
            process.terminate()
            process.wait(PATIENCE)


def await_steps(installation: Installation) -> str:
    """All that the gateway prints until its last step."""
    deadline = time.monotonic() + PATIENCE
    while "claude mcp add" not in (printed := installation.printed.read_text()):
        assert time.monotonic() < deadline, printed
        time.sleep(0.2)
    return printed
