"""Podman behind Docker's API, for programs that speak with Docker: on a socket of its own, also on
a machine without systemd."""

import contextlib
import os
import resource
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx

from containers import podman
from debian_programs import need_program
from missing import skip_or_fail
from waiting import wait_until

_SYSTEMD = Path("/run/systemd/system")
_NETAVARK = [Path("/usr/lib/podman"), Path("/usr/libexec/podman")]
_STARTED = 60
"""Seconds."""
_CONFIGURATION = """
[containers]
cgroups = "{cgroups}"
default_ulimits = ["nofile={files}:{files}", "nproc=4096:4096"]
init_path = "/usr/bin/catatonit"
log_driver = "k8s-file"
[engine]
cgroup_manager = "{manager}"
events_logger = "file"
exit_command_delay = 10
[network]
network_backend = "netavark"
network_config_dir = "{folder}/networks"
"""


def need_podman() -> None:
    """Go on with what containers with names and networks need, or skip."""
    need_program("podman", "podman")
    need_program("catatonit", "catatonit")
    if not all(
        any((folder / name).exists() for folder in _NETAVARK)
        for name in ("netavark", "aardvark-dns")
    ):
        skip_or_fail("needs podman's networks: apt-get install netavark aardvark-dns")


@contextlib.contextmanager
def podman_service(folder: Path) -> Iterator[Path]:
    """The socket. What containers leave behind is for their makers to remove."""
    socket = folder / "podman.sock"
    environment = os.environ | {
        "CONTAINERS_CONF": str(_configure(folder)),
        "DISABLE_HC_SYSTEMD": "" if _SYSTEMD.exists() else "true",
    }
    with (folder / "podman.log").open("wb") as log:
        process = subprocess.Popen(
            podman("system", "service", "--time", "0", f"unix://{socket}"),
            env=environment,
            stdout=log,
            stderr=log,
        )
    try:
        with _asking(socket) as client, _health_checked(client):
            yield socket
    finally:
        process.terminate()
        process.wait(60)


def _configure(folder: Path) -> Path:
    """Networks are this service's own; limits are this process's, which may be no right to raise
    them, and cgroups need systemd. What was asked in a container is forgotten soon, since a process
    waits for that."""
    written = folder / "containers.conf"
    written.write_text(
        _CONFIGURATION.format(
            cgroups="enabled" if _SYSTEMD.exists() else "disabled",
            manager="systemd" if _SYSTEMD.exists() else "cgroupfs",
            files=resource.getrlimit(resource.RLIMIT_NOFILE)[1],
            folder=folder,
        )
    )
    return written


@contextlib.contextmanager
def _asking(socket: Path) -> Iterator[httpx.Client]:
    """A client of the API, once it answers."""
    transport = httpx.HTTPTransport(uds=str(socket))
    with httpx.Client(transport=transport, base_url="http://podman", timeout=60) as client:
        wait_until(lambda: _answers(client), _STARTED)
        yield client


def _answers(client: httpx.Client) -> bool:
    with contextlib.suppress(httpx.TransportError):
        return client.get("/_ping").is_success
    return False


@contextlib.contextmanager
def _health_checked(client: httpx.Client) -> Iterator[None]:
    """Podman has timers of systemd run the health checks: where there is none, this does."""
    if _SYSTEMD.exists():
        yield
        return
    over = threading.Event()
    thread = threading.Thread(target=_check_health, args=(client, over))
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _check_health(client: httpx.Client, over: threading.Event) -> None:
    starting = {"filters": '{"health": ["starting"]}'}
    while not over.wait(1):
        with contextlib.suppress(httpx.TransportError):  # a container may be gone by now
            for container in client.get("/v4.0.0/libpod/containers/json", params=starting).json():
                client.get(f"/v4.0.0/libpod/containers/{container['Id']}/healthcheck")
