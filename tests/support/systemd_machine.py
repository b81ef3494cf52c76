"""A machine with systemd as its first process: Debian in a container of systemd-nspawn, on this
machine's network."""

import contextlib
import secrets
import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from debian_programs import need_program
from missing import skip_or_fail
from processes import list_children

SUITE = "bookworm"
"""Its systemd runs with cgroups of both versions; that of later ones does with the second alone."""
_PACKAGES = "systemd,systemd-sysv,dbus,python3-venv,ca-certificates,procps"
_AUTHORITIES = Path("/etc/ssl/certs/ca-certificates.crt")
_COMPATIBLE = Path("/sys/fs/cgroup/systemd")
"""Where there are cgroups of both versions, nspawn makes its group in one and misses it here."""
_STATES = ("running", "degraded")
_BOOTED = 120
"""Seconds."""


@dataclass(frozen=True)
class Machine:
    """`first` is the id of its first process, as this machine sees it."""

    root: Path
    first: int

    def run(self, *command: str) -> "subprocess.CompletedProcess[str]":
        inside = ("nsenter", "--target", str(self.first), "--mount", "--uts", "--ipc", "--pid")
        return subprocess.run(
            [*inside, *command],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )

    def ask(self, *command: str) -> str:
        """What a command prints that succeeds."""
        done = self.run(*command)
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        return done.stdout.strip()


def make_root(folder: Path) -> Path:
    """Debian with systemd and Python, as nobody has booted it."""
    for program, package in (
        ("mmdebstrap", "mmdebstrap"),
        ("systemd-nspawn", "systemd-container"),
        ("nsenter", "util-linux"),
    ):
        need_program(program, package)
    root = folder / "root"
    subprocess.run(
        ["mmdebstrap", "--quiet", "--variant=minbase", f"--include={_PACKAGES}", SUITE, root],
        check=True,
    )
    if _AUTHORITIES.exists():  # what this machine believes, among them those of a proxy
        shutil.copyfile(_AUTHORITIES, root / str(_AUTHORITIES).lstrip("/"))
    return root


def run_in_root(root: Path, *command: str) -> None:
    """Before it is booted."""
    environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "PIP_CERT": str(_AUTHORITIES)}
    shutil.copyfile("/etc/resolv.conf", root / "etc/resolv.conf")
    subprocess.run(["chroot", root, *command], env=environment, check=True)


@contextlib.contextmanager
def booted(root: Path, log: Path) -> Iterator[Machine]:
    """With what its first process prints in `log`. Skips where no container can be booted."""
    name = f"heliograph-test-{secrets.token_hex(4)}"
    if _COMPATIBLE.is_dir():
        (_COMPATIBLE / "payload").mkdir(exist_ok=True)
    command = ["systemd-nspawn", "--directory", str(root), "--machine", name, "--boot"]
    options = ["--register=no", "--keep-unit", "--console=pipe", "--quiet"]
    with log.open("wb") as stream:
        process = subprocess.Popen(
            [*command, *options], stdin=subprocess.DEVNULL, stdout=stream, stderr=stream
        )
    try:
        yield _await_boot(root, process, log)
    finally:
        process.terminate()
        process.wait(60)


def _await_boot(root: Path, process: "subprocess.Popen[bytes]", log: Path) -> Machine:
    deadline = time.monotonic() + _BOOTED
    while time.monotonic() < deadline and process.poll() is None:
        for child in list_children(process.pid):
            machine = Machine(root, child)
            if machine.run("systemctl", "is-system-running").stdout.strip() in _STATES:
                return machine
        time.sleep(0.5)
    return skip_or_fail(f"systemd can't be booted: {' '.join(log.read_text().split())[-300:]}")
