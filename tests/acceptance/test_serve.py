"""`heliograph serve --demo` as a user runs it: real nodes, killed and stopped."""

import asyncio
import contextlib
import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import pytest

import plain_http
from heliograph.platform.embedded.server import find_owner_url
from heliograph.settings import DataSettings, Settings
from process_memory import memory_of
from processes import is_alive, list_children, list_nodes

CLI = [sys.executable, "-P", "-m", "heliograph"]  # as the command `heliograph` looks for modules
SUPERVISOR_MIB = 25
READY = 90  # seconds, on a machine with much else to do


@dataclass
class Gateway:
    process: subprocess.Popen[str]
    data_dir: Path
    environment: dict[str, str]

    @property
    def demo(self) -> dict[str, str]:
        return dict(json.loads((self.data_dir / "demo.json").read_text()))

    def get(self, path: str) -> tuple[int, dict[str, Any]]:
        """The status and body of an answer; status 0 when there is none."""
        demo = self.demo
        headers = {"Authorization": f"Bearer {demo['api_key']}"}
        try:
            answer = plain_http.get(demo["base_url"] + path, headers=headers, timeout=5)
        except httpx.TransportError:
            return 0, {}
        return answer.status_code, answer.json()

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*CLI, *arguments],
            env=self.environment,
            check=False,
            capture_output=True,
            text=True,
            timeout=READY,
        )

    def descendants(self) -> list[int]:
        """Nodes and the database's server: the supervisor's children."""
        return list_children(self.process.pid)

    def nodes(self) -> list[int]:
        """The children that are nodes by their command line."""
        return list_nodes(self.process.pid)


@pytest.fixture(scope="module")
def data_dir(reachable_dir: Path) -> Path:
    folder = Path(tempfile.mkdtemp(dir=reachable_dir))
    folder.chmod(0o755)  # so that the database stays inside, for root too
    return folder / "data"


@contextlib.contextmanager
def serving(data_dir: Path, nodes: int = 2) -> Iterator[Gateway]:
    environment = dict(os.environ) | {
        "HELIOGRAPH_DATA_DIR": str(data_dir),
        "HELIOGRAPH_PORT": "0",
        "HELIOGRAPH_NODES": str(nodes),
    }
    anywhere = data_dir.parent / "anywhere"
    anywhere.mkdir(exist_ok=True)
    for library in ("asyncpg", "mcp", "uvicorn"):
        (anywhere / f"{library}.py").write_text("raise SystemExit('a file of anybody was run')")
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(
            [*CLI, "serve", "--demo"],
            cwd=anywhere,
            env=environment,
            stdout=output,
            stderr=output,
            text=True,
        )
        gateway = Gateway(process, data_dir, environment)
        try:
            wait_for(lambda: is_ready(gateway), READY)
            assert (data_dir / "postgres/data/PG_VERSION").exists()
            yield gateway
        except BaseException:
            output.seek(0)
            sys.stderr.write(output.read())
            raise
        finally:
            process.terminate()
            process.wait(60)


def is_ready(gateway: Gateway) -> bool:
    assert gateway.process.poll() is None
    if not (gateway.data_dir / "demo.json").exists():
        return False
    status, devices = gateway.get("/api/v1/devices?status=connected")
    return status == 200 and devices["total"] == 1


def wait_for(is_so: Callable[[], object], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.1)


@pytest.fixture(scope="module")
def gateway(data_dir: Path) -> Iterator[Gateway]:
    with serving(data_dir) as started:
        yield started


def test_the_demo_is_there_for_scripts_and_private(gateway: Gateway) -> None:
    demo = gateway.demo
    assert stat.S_IMODE((gateway.data_dir / "demo.json").stat().st_mode) == 0o600
    assert set(demo) >= {
        "base_url",
        "api_key",
        "organization_id",
        "chat_account_id",
        "session_name",
        "contact_phone",
    }
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+", demo["base_url"])


def test_it_is_alive_and_ready(gateway: Gateway) -> None:
    assert gateway.get("/healthz")[0] == 200
    assert gateway.get("/readyz")[0] == 200


def test_the_doctor_finds_nothing_wrong_beside_it(gateway: Gateway) -> None:
    port = gateway.demo["base_url"].rpartition(":")[2]
    gateway.environment["HELIOGRAPH_PORT"] = port
    report = gateway.run("doctor")
    assert report.returncode == 0, report.stdout + report.stderr
    assert "failed" not in report.stdout
    assert ("what to do" in report.stdout) is ("warning" in report.stdout)


def test_a_second_gateway_is_refused_in_one_sentence(gateway: Gateway) -> None:
    refused = gateway.run("serve")
    assert refused.returncode == 1
    assert str(gateway.process.pid) in refused.stderr
    assert "Traceback" not in refused.stderr


def test_one_whose_port_is_taken_leaves_no_data_directory(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        environment = {"HELIOGRAPH_PORT": str(port), "HELIOGRAPH_DATA_DIR": str(tmp_path / "data")}
        refused = subprocess.run(
            [*CLI, "serve"],
            env=dict(os.environ) | environment,
            check=False,
            capture_output=True,
            text=True,
        )
    assert refused.returncode == 1
    assert f"Port {port} of 127.0.0.1 is taken" in refused.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_second_gateway_on_one_port_hears_of_the_first(gateway: Gateway) -> None:
    gateway.environment["HELIOGRAPH_PORT"] = gateway.demo["base_url"].rpartition(":")[2]
    refused = gateway.run("serve")
    assert f"Another gateway (process {gateway.process.pid})" in refused.stderr


def test_a_wrong_setting_is_one_sentence(gateway: Gateway) -> None:
    wrong = subprocess.run(
        [*CLI, "serve"],
        env=dict(os.environ) | {"HELIOGRAPH_PORT": "eighty"},
        check=False,
        capture_output=True,
        text=True,
    )
    assert wrong.returncode == 1
    assert wrong.stderr.startswith("heliograph: HELIOGRAPH_PORT ")
    assert "Traceback" not in wrong.stderr


def test_nobody_is_connected_to_the_database_as_its_superuser(gateway: Gateway) -> None:
    settings = Settings(data=DataSettings(dir=gateway.data_dir))
    connected = asyncio.run(_list_connected(find_owner_url(settings)))
    assert connected == {"heliograph_node"}


async def _list_connected(url: str) -> set[str]:
    """The roles of all connections but this one, once they have said theirs."""
    connection = await asyncpg.connect(url)
    try:
        rows = await connection.fetch(
            "SELECT usename FROM pg_stat_activity "
            "WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() "
            "AND state IS DISTINCT FROM 'starting'"
        )
    finally:
        await connection.close()
    return {row["usename"] for row in rows}


def test_the_supervisor_takes_little_memory(gateway: Gateway) -> None:
    """It does no messaging. A bare Python has 4 MiB, the whole program 90."""
    assert memory_of(gateway.process.pid) < SUPERVISOR_MIB
    libraries = Path(f"/proc/{gateway.process.pid}/maps").read_text()
    assert "site-packages" not in libraries, "it has loaded a library"


def test_a_killed_node_is_replaced_and_the_gateway_goes_on_answering(gateway: Gateway) -> None:
    before = gateway.nodes()
    assert len(before) == 2

    os.kill(before[0], signal.SIGKILL)

    wait_for(lambda: len(gateway.nodes()) == 2 and before[0] not in gateway.nodes())
    wait_for(lambda: is_ready(gateway), READY)


def test_everything_stops_within_ten_seconds_and_starts_again(
    gateway: Gateway, data_dir: Path
) -> None:
    organization = gateway.demo["organization_id"]
    processes = gateway.descendants()
    began = time.monotonic()

    gateway.process.send_signal(signal.SIGINT)

    assert gateway.process.wait(10) == 0
    assert time.monotonic() - began < 10
    assert not [process for process in processes if is_alive(process)]
    with serving(data_dir, nodes=1) as again:
        assert again.demo["organization_id"] == organization
