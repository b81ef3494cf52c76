"""The Compose files, run with the image as docs/many-nodes.md says.

Docker's side is podman. Where the images of PostgreSQL, Redis and Garage are not in its store,
others of Debian's packages stand in for them.
"""

import contextlib
import json
import re
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml  # type: ignore[import-untyped]  # comes without types, and one call of it is needed

from acceptance.running_program import BUTTONS, wait_for
from compose_project import COMPOSE, NODES, Project, compose_project
from containers import ask_podman, podman
from debian_programs import need_program
from podman_service import need_podman, podman_service

pytestmark = pytest.mark.timeout(1800)  # bases are made of Debian's packages
STANDINS = Path(__file__).parent / "standins"
STARTED = 180
"""Seconds."""
HOLDS_OBJECTS = "import os; print(os.path.exists('/var/lib/heliograph/objects'))"
FILE = b"%PDF-1.4\n" + bytes(range(256)) * 40_000
PHONE = "+15550100001"


def images_in(file: str) -> dict[str, str]:
    """What a Compose file has containers of, as a registry's name each, by what is in it."""
    services = yaml.safe_load((COMPOSE / file).read_text())["services"].values()
    named = {service["image"] for service in services if "image" in service}
    full = {name if "/" in name else f"library/{name}" for name in named}
    return {re.split("[/:]", name)[1]: f"docker.io/{name}" for name in full}


def is_stored(image: str) -> bool:
    command = podman("image", "exists", image)
    return subprocess.run(command, check=False, stderr=subprocess.DEVNULL).returncode == 0


@pytest.fixture(scope="module")
def images(request: pytest.FixtureRequest) -> Iterator[None]:
    """All that the files name is in podman's store; what was not there is gone afterwards."""
    for program in ("mmdebstrap", "buildah"):
        need_program(program, program)
    wanted = images_in("compose.yaml") | images_in("s3.yaml")
    missing = {what: image for what, image in wanted.items() if not is_stored(image)}
    own = missing.pop("heliograph", None)
    if own:
        ask_podman("tag", str(request.config.getoption("--image")), own)
    try:
        if missing:
            words = [word for pair in missing.items() for word in pair]
            subprocess.run([STANDINS / "build.sh", *words], check=True)
        yield
    finally:
        for image in [*missing.values(), *([own] if own else [])]:
            ask_podman("rmi", "--ignore", image)  # of ours the other name stays


@pytest.fixture(scope="module")
def socket(images: None) -> Iterator[Path]:
    need_podman()
    with tempfile.TemporaryDirectory() as folder, podman_service(Path(folder)) as found:
        yield found


@pytest.fixture(
    scope="module", params=[("compose.yaml",), ("compose.yaml", "s3.yaml")], ids=["alone", "s3"]
)
def project(request: pytest.FixtureRequest, socket: Path) -> Iterator[Project]:
    """Two nodes that are ready."""
    with (
        tempfile.TemporaryDirectory() as folder,
        compose_project(Path(folder), socket, request.param) as made,
    ):
        made.run("up", "--detach", "--no-build")
        for node in NODES:
            wait_for(lambda node=node: is_ready(made, node), STARTED)  # type: ignore[misc]
        yield made


def is_ready(project: Project, node: str) -> bool:
    assert project.states()[node] == "running", project.run("logs", node)
    with contextlib.suppress(httpx.TransportError):
        return httpx.get(f"{project.url(node)}/readyz", timeout=5).is_success
    return False


@pytest.fixture(scope="module")
def headers(project: Project) -> dict[str, str]:
    """An organization with a paired account, and its key."""
    project.heliograph("node-1", "organizations", "create", "--name", "Lume")
    account = ("--network", "sandbox", "--name", "Desk", "--session-name", "desk")
    project.heliograph("node-1", "accounts", "create", "-o", "Lume", *account)
    scanned = project.heliograph("node-2", "sandbox", "scan", "--account", "Lume/desk")
    assert "Paired and connected." in scanned
    key = project.heliograph(
        "node-2", "keys", "create", "-o", "Lume", "--name", "all", "--scope", "*", "--json"
    )
    return {"Authorization": f"Bearer {json.loads(key)['api_key']}"}


def send(url: str, headers: dict[str, str]) -> str:
    """Send three buttons through a node; the message's id."""
    choices = [{"id": word, "title": word.title()} for word in ("yes", "no", "later")]
    body = {"phone_number": PHONE, "body": "Is 20:00 right?", "buttons": choices}
    answer = httpx.post(f"{url}{BUTTONS}", json=body, headers=headers, timeout=35)
    assert answer.is_success, answer.text
    return str(answer.json()["message_id"])


def read(url: str, path: str, headers: dict[str, str]) -> dict[str, Any]:
    answer = httpx.get(f"{url}/api/v1/{path}", headers=headers, timeout=35)
    assert answer.is_success, answer.text
    return dict(answer.json())


def wait_until_read(url: str, message: str, headers: dict[str, str]) -> dict[str, Any]:
    def found() -> dict[str, Any] | None:
        seen = read(url, f"messages/{message}", headers)
        return seen if seen["status"] == "read" else None

    return wait_for(found, 60)


def test_what_one_node_sends_and_a_person_answers_the_other_one_tells(
    project: Project, headers: dict[str, str]
) -> None:
    message = send(project.url("node-1"), headers)
    sent = wait_until_read(project.url("node-2"), message, headers)
    project.heliograph("node-1", "sandbox", "press", PHONE, "later", "--account", "Lume/desk")

    def pressed() -> list[dict[str, Any]]:
        path = f"messages?conversation_id={sent['conversation_id']}&direction=inbound"
        return list(read(project.url("node-2"), path, headers)["messages"])

    [press] = wait_for(pressed, 60)
    assert (press["message_type"], press["content"]) == ("button_reply", "Later"), press


def test_a_file_that_one_node_takes_the_other_one_gives(
    project: Project, headers: dict[str, str]
) -> None:
    answer = httpx.post(
        f"{project.url('node-1')}/api/v1/media?file_name=menu.pdf",
        content=FILE,
        headers=headers | {"Content-Type": "application/pdf"},
        timeout=60,
    )
    assert answer.is_success, answer.text
    stored = read(project.url("node-2"), f"media/{answer.json()['id']}", headers)
    url = httpx.URL(stored["url"]).copy_with(port=project.ports["node-2"])
    assert httpx.get(url, timeout=60).content == FILE
    python = ("/srv/heliograph/bin/python", "-Ic", HOLDS_OBJECTS)
    in_a_folder = project.run("exec", "-T", "node-2", *python).strip()
    assert in_a_folder == str("s3" not in project.states())


def test_doctor_finds_nothing_wrong(project: Project, headers: dict[str, str]) -> None:
    assert "failed" not in project.heliograph("node-1", "doctor")


@pytest.mark.parametrize("stopped", NODES)
def test_one_node_goes_on_while_the_other_is_stopped(
    project: Project, headers: dict[str, str], stopped: str
) -> None:
    [other] = {*NODES} - {stopped}
    project.run("stop", stopped)
    wait_until_read(project.url(other), send(project.url(other), headers), headers)
    project.run("start", stopped)
    wait_for(lambda: is_ready(project, stopped), STARTED)
    wait_until_read(project.url(other), send(project.url(stopped), headers), headers)


def test_down_and_up_keep_what_was_stored(project: Project, headers: dict[str, str]) -> None:
    message = send(project.url("node-1"), headers)
    project.run("down")
    project.run("up", "--detach", "--no-build")
    wait_for(lambda: is_ready(project, "node-1"), STARTED)
    assert read(project.url("node-1"), f"messages/{message}", headers)["id"] == message


def test_down_with_its_volumes_leaves_nothing(project: Project, socket: Path) -> None:
    project.run("down", "--volumes")
    label = f"label=com.docker.compose.project={project.name}"
    assert ask_podman("ps", "--all", "--quiet", "--filter", label) == ""
    assert ask_podman("volume", "ls", "--quiet", "--filter", label) == ""
    assert list((socket.parent / "networks").glob("*.json")) == []
