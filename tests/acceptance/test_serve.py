"""`heliograph serve --demo` as a user runs it: real nodes, killed and stopped."""

import contextlib
import os
import re
import socket
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from acceptance.running_program import CLI, Program, running
from process_memory import memory_of
from processes import is_alive, list_children

SUPERVISOR_MIB = 25
DEMO = {
    *("base_url", "api_key", "organization_id", "chat_account_id", "session_name"),
    "contact_phone",
}
CONNECTED = """
SELECT DISTINCT usename FROM pg_stat_activity
WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
  AND state IS DISTINCT FROM 'starting'
"""
"""The roles of all other connections, once they have said theirs."""


@pytest.fixture(scope="module")
def data_dir(reachable_dir: Path) -> Path:
    folder = Path(tempfile.mkdtemp(dir=reachable_dir))
    folder.chmod(0o755)  # so that the database stays inside, for root too
    return folder / "data"


@pytest.fixture(scope="module")
def gateway(data_dir: Path) -> Iterator[Program]:
    """Started in a folder with files of anybody, which are named as libraries are."""
    anywhere = data_dir.parent / "anywhere"
    anywhere.mkdir()
    for library in ("asyncpg", "mcp", "uvicorn"):
        (anywhere / f"{library}.py").write_text("raise SystemExit('a file of anybody was run')")
    with contextlib.chdir(anywhere), running(data_dir, nodes="2") as started:
        assert (data_dir / "postgres/data/PG_VERSION").exists()
        yield started


def port_of(gateway: Program) -> str:
    return str(urlsplit(gateway.demo["base_url"]).port)


def test_the_demo_is_there_for_scripts_and_private(gateway: Program) -> None:
    assert stat.S_IMODE((gateway.data_dir / "demo.json").stat().st_mode) == 0o600
    assert set(gateway.demo) >= DEMO
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+", gateway.demo["base_url"])


def test_the_doctor_finds_nothing_wrong_beside_it(gateway: Program) -> None:
    report = gateway.call("doctor", port=port_of(gateway))
    assert report.returncode == 0, report.stdout + report.stderr
    assert "failed" not in report.stdout
    assert ("what to do" in report.stdout) is ("warning" in report.stdout)


def test_a_second_gateway_is_refused_in_one_sentence(gateway: Program) -> None:
    refused = gateway.call("serve")
    assert refused.returncode == 1
    assert str(gateway.process.pid) in refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_second_gateway_on_one_port_hears_of_the_first(gateway: Program) -> None:
    refused = gateway.call("serve", port=port_of(gateway))
    assert f"Another gateway (process {gateway.process.pid})" in refused.stderr


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
    assert f"heliograph: Port {port} of 127.0.0.1 is taken" in refused.stderr
    assert "HELIOGRAPH_PORT" in refused.stderr
    assert "Traceback" not in refused.stderr
    assert list(tmp_path.iterdir()) == []


def test_nobody_is_connected_to_the_database_as_its_superuser(gateway: Program) -> None:
    assert [row["usename"] for row in gateway.rows(CONNECTED)] == ["heliograph_node"]


def test_the_supervisor_takes_little_memory(gateway: Program) -> None:
    """It does no messaging. A bare Python has 4 MiB, the whole program 90."""
    assert memory_of(gateway.process.pid) < SUPERVISOR_MIB
    libraries = Path(f"/proc/{gateway.process.pid}/maps").read_text()
    assert "site-packages" not in libraries, "it has loaded a library"


def test_everything_stops_within_ten_seconds_and_starts_again(
    gateway: Program, data_dir: Path
) -> None:
    organization, processes = gateway.demo["organization_id"], list_children(gateway.process.pid)

    assert gateway.interrupt() < 10

    assert not [process for process in processes if is_alive(process)]
    with running(data_dir, nodes="1") as again:
        assert again.demo["organization_id"] == organization
