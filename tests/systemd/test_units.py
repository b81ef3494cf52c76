"""deploy/systemd, started by systemd as docs/many-nodes.md says, with the private PostgreSQL."""

import contextlib
import json
import os
import re
import shlex
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from acceptance.running_program import BUTTONS, buttons, wait_for
from built_distribution import build, write_constraints
from free_ports import free_port
from heliograph.platform.crypto import generate_secret_key
from repository import DOCS, ROOT
from systemd_machine import Machine, booted, make_root, run_in_root

pytest_plugins = ("built_site",)
pytestmark = pytest.mark.timeout(1800)  # a machine is made
UNITS = ROOT / "deploy" / "systemd"
HOME = "/srv/heliograph/.venv"
STARTED = 180
"""Seconds."""
PHONE = "+15550100001"


@dataclass(frozen=True)
class Service:
    """heliograph.service on a machine of its own."""

    machine: Machine
    port: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def systemctl(self, *words: str) -> str:
        return self.machine.ask("systemctl", *words)

    def show(self, name: str) -> str:
        """A property of the service."""
        return self.systemctl("show", "heliograph", "--property", name, "--value")

    def is_ready(self) -> bool:
        with contextlib.suppress(httpx.TransportError):
            return httpx.get(f"{self.url}/readyz", timeout=5).is_success
        return False

    def heliograph(self, *words: str) -> str:
        """What the operator's command line prints, with the settings of the service."""
        said = (DOCS / "many-nodes.md").read_text()
        [command] = re.findall(r"sudo (systemd-run (?:.*\\\n)*.*/bin/heliograph)", said)
        return self.machine.ask(*shlex.split(command.replace("\\\n", " ")), *words)

    def processes(self) -> list[int]:
        """All of its user's, by their ids on the machine."""
        found = self.machine.run("pgrep", "--uid", "heliograph")
        return [int(word) for word in found.stdout.split()]


@pytest.fixture(scope="module")
def root(site: Path) -> Iterator[Path]:
    """A machine with the program and the units, not booted yet."""
    if os.geteuid() != 0:
        pytest.skip("needs root, to make a machine with systemd")
    with tempfile.TemporaryDirectory() as folder:
        made = make_root(Path(folder))
        install(made, site)
        yield made


def install(root: Path, site: Path) -> None:
    """As docs/many-nodes.md says, but for the version and the extras."""
    said = (DOCS / "many-nodes.md").read_text()
    [user] = re.findall(r"sudo (useradd .*)", said)
    run_in_root(root, *user.split())
    source = root / "tmp" / "heliograph"
    source.mkdir()
    wheel, constraints = build("wheel", source, site), write_constraints(source)
    run_in_root(root, "python3", "-m", "venv", HOME)
    wanted = f"heliograph[demo,xmpp,redis] @ file:///tmp/heliograph/{wheel.name}"
    pinned = ("--constraint", f"/tmp/heliograph/{constraints.name}")
    run_in_root(root, f"{HOME}/bin/python", "-m", "pip", "--quiet", "install", *pinned, wanted)
    unit = UNITS / "heliograph.service"
    (root / "etc/systemd/system" / unit.name).write_text(unit.read_text())


@pytest.fixture(scope="module")
def service(root: Path) -> Iterator[Service]:
    port = free_port()
    written = root / "etc/heliograph.env"
    written.write_text(f"HELIOGRAPH_SECRET_KEYS={generate_secret_key()}\nHELIOGRAPH_PORT={port}\n")
    written.chmod(0o600)
    with booted(root, root.parent / "console.log") as machine:
        service = Service(machine, port)
        service.systemctl("enable", "--now", "heliograph")
        try:
            wait_for(service.is_ready, STARTED)
            yield service
        finally:
            service.machine.run("systemctl", "stop", "heliograph")


def test_two_nodes_are_ready_and_send_a_message(service: Service) -> None:
    service.heliograph("organizations", "create", "--name", "Lume")
    account = ("--network", "sandbox", "--name", "Desk", "--session-name", "desk")
    service.heliograph("accounts", "create", "-o", "Lume", *account)
    service.heliograph("sandbox", "scan", "--account", "Lume/desk")
    key = json.loads(
        service.heliograph(
            "keys", "create", "-o", "Lume", "--name", "all", "--scope", "*", "--json"
        )
    )
    headers = {"Authorization": f"Bearer {key['api_key']}"}

    answer = httpx.post(service.url + BUTTONS, json=buttons(PHONE), headers=headers, timeout=35)

    assert answer.is_success, answer.text
    path = f"/api/v1/messages/{answer.json()['message_id']}"
    wait_for(lambda: httpx.get(service.url + path, headers=headers).json()["status"] == "read", 60)


def test_doctor_finds_nothing_wrong(service: Service) -> None:
    assert "failed" not in service.heliograph("doctor")


def test_after_a_kill_of_its_main_process_it_is_started_again(service: Service) -> None:
    killed = service.show("MainPID")
    service.machine.ask("kill", "-KILL", killed)

    wait_for(lambda: service.show("MainPID") not in (killed, "0"), STARTED)
    wait_for(service.is_ready, STARTED)
    assert service.show("NRestarts") == "1"
    assert int(killed) not in service.processes()


def test_it_stops_in_order_and_leaves_no_process(service: Service) -> None:
    assert service.processes() != []

    service.systemctl("stop", "heliograph")

    assert service.show("Result") == "success"  # not `timeout`, after which systemd kills
    assert service.show("ExecMainStatus") == "0"
    assert service.processes() == []
    assert not service.is_ready()


def test_with_the_drop_in_it_has_one_role(service: Service) -> None:
    drop_in = UNITS / "deliveries-only.conf"
    folder = service.machine.root / "etc/systemd/system/heliograph.service.d"
    folder.mkdir()
    (folder / drop_in.name).write_text(drop_in.read_text())
    service.systemctl("daemon-reload")
    service.systemctl("restart", "heliograph")

    wait_for(service.is_ready, STARTED)
    assert httpx.get(f"{service.url}/api/v1/devices").status_code == 503
    assert "--roles deliveries" in service.show("ExecStart")
