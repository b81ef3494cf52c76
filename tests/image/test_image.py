"""The image, run read-only and by a user without privileges, on a PostgreSQL outside of it."""

import contextlib
import json
import secrets
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from acceptance.hook_receiver import receiving_hooks
from acceptance.running_program import BUTTONS, buttons, wait_for
from chaos.postgres_pair import PostgresPair
from containers import ask_podman, run_command
from free_ports import free_port
from heliograph.platform.crypto import generate_secret_key

pytestmark = pytest.mark.timeout(900)
MOST = 200_000_000
"""Bytes of the image, as podman counts them: not compressed."""
STARTED, STOPPED = 180, 10
"""Seconds; the second is what docs/operations.md promises."""


@dataclass(frozen=True)
class Container:
    """A gateway in a container, and a way to run commands beside it."""

    name: str
    port: int
    process: "subprocess.Popen[bytes]"

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def heliograph(self, *arguments: str) -> str:
        return ask_podman("exec", self.name, "/srv/heliograph/bin/heliograph", *arguments)

    def created(self, *arguments: str) -> dict[str, Any]:
        return dict(json.loads(self.heliograph(*arguments, "--json")))

    def is_ready(self) -> bool:
        assert self.process.poll() is None, "it has ended"
        with contextlib.suppress(OSError, Exception):
            return httpx.get(f"{self.url}/readyz", timeout=5).status_code == 200
        return False


@pytest.fixture(scope="session")
def image(request: pytest.FixtureRequest) -> str:
    return str(request.config.getoption("--image"))


@pytest.fixture(scope="module")
def container(image: str, reachable_dir: Path) -> Iterator[Container]:
    folder = Path(tempfile.mkdtemp(dir=reachable_dir))
    folder.chmod(0o755)
    postgres = PostgresPair(folder / "postgres")
    postgres.first.initialize()
    postgres.first.start()
    port, name = free_port(), f"heliograph-test-{secrets.token_hex(4)}"
    settings = {
        "HELIOGRAPH_DATABASE_URL": postgres.first.url,
        "HELIOGRAPH_SECRET_KEYS": generate_secret_key(),
        "HELIOGRAPH_HOST": "127.0.0.1",
        "HELIOGRAPH_PORT": str(port),
        "HELIOGRAPH_WEBHOOK_ALLOW_PRIVATE": "loopback",
    }
    options = [word for setting in settings.items() for word in ("--env", "=".join(setting))]
    volume = ("--volume", f"{name}:/var/lib/heliograph")
    try:
        process = subprocess.Popen(run_command(image, name, *volume, *options))
        found = Container(name, port, process)
        wait_for(found.is_ready, STARTED)
        yield found
        process.terminate()
        process.wait(60)
    finally:
        ask_podman("rm", "--force", "--ignore", name)
        ask_podman("volume", "rm", "--force", name)
        postgres.first.stop()


def test_the_image_is_small_and_says_what_it_is(image: str) -> None:
    [described] = json.loads(ask_podman("image", "inspect", image))
    assert described["Size"] <= MOST
    assert described["User"] == "10001:10001"
    assert described["Labels"]["org.opencontainers.image.licenses"] == "Apache-2.0"
    assert described["Config"]["Entrypoint"] == ["/srv/heliograph/bin/heliograph"]


def test_it_has_no_privileges_and_can_write_to_its_volume_alone(container: Container) -> None:
    looked_at = """
import os, pathlib
status = pathlib.Path("/proc/1/status").read_text().splitlines()
print(os.getuid(), [line for line in status if line.startswith(("CapEff", "CapBnd", "NoNewPrivs"))])
for folder in ("/", "/srv/heliograph", "/etc", "/usr"):
    try:
        pathlib.Path(folder, "x").touch()
    except OSError as error:
        print(folder, error.strerror)
pathlib.Path("/var/lib/heliograph/x").touch()
"""
    python = "/srv/heliograph/bin/python"
    shown = ask_podman("exec", container.name, python, "-Ic", looked_at)
    assert shown.startswith("10001 ")
    assert shown.count("0000000000000000") == 2
    assert "NoNewPrivs:\\t1" in shown
    assert shown.count("Read-only file system") == 4


def test_its_health_check_finds_it_alive(container: Container) -> None:
    assert ask_podman("healthcheck", "run", container.name) == ""


def test_doctor_finds_every_network_and_nothing_wrong(container: Container) -> None:
    shown = container.heliograph("doctor")
    assert "failed" not in shown
    assert "sandbox, whatsapp, xmpp" in " ".join(shown.split())


def test_it_serves_the_documentation(container: Container) -> None:
    page = httpx.get(f"{container.url}/help/")
    assert page.status_code == 200
    assert "signed webhooks" in page.text


def test_the_whatsapp_library_can_be_loaded(container: Container) -> None:
    load = (
        "from heliograph.networks.whatsapp.library import load;"
        "load('heliograph.networks.whatsapp.library_client')"
    )
    ask_podman("exec", container.name, "/srv/heliograph/bin/python", "-Ic", load)


def test_the_way_of_a_message(container: Container) -> None:
    """As the README has it: an organization, a paired account, a message, a press, the webhooks."""
    container.heliograph("organizations", "create", "--name", "Lume")
    account = ("--network", "sandbox", "--name", "Desk", "--session-name", "desk")
    container.heliograph("accounts", "create", "-o", "Lume", *account)
    assert "Paired and connected." in container.heliograph(
        "sandbox", "scan", "--account", "Lume/desk"
    )
    key = container.created(
        "keys", "create", "-o", "Lume", "--name", "backend", "--scope", "messages:write"
    )
    with receiving_hooks() as receiver:
        container.heliograph("webhooks", "create", "-o", "Lume", "--url", receiver.url)
        headers = {"Authorization": f"Bearer {key['api_key']}"}
        answer = httpx.post(
            container.url + BUTTONS, json=buttons("+15550100001"), headers=headers, timeout=35
        )
        assert answer.status_code == 200, answer.text
        message_id = str(answer.json()["message_id"])
        receiver.wait_for(
            message_id, "message.sent", "message.delivered", "message.read", seconds=30
        )
        container.heliograph("sandbox", "press", "+15550100001", "yes", "--account", "Lume/desk")
        wait_for(lambda: any(hook.type == "message.received" for hook in receiver.hooks), 30)


def test_it_stops_in_time_and_in_order(container: Container) -> None:
    began = time.monotonic()
    container.process.send_signal(signal.SIGTERM)
    assert container.process.wait(60) == 0
    assert time.monotonic() - began < STOPPED
