"""Compose, as an operator runs it: files of `deploy/compose`, in a project of a test's own."""

import contextlib
import functools
import json
import os
import re
import secrets
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from debian_programs import need_program
from free_ports import free_port
from repository import ROOT

COMPOSE = ROOT / "deploy" / "compose"
NODES = ("node-1", "node-2")
_PLUGIN = "usr/libexec/docker/cli-plugins/docker-compose"
_FETCH = ("mmdebstrap", "--quiet", "--variant=extract", "--include=docker-compose")
_OLDEST = (2, 24)
"""Which has `!override`."""
_PORTS = """
services:
  node-1:
    ports: !override ["127.0.0.1:{first}:8000"]
  node-2:
    ports: !override ["127.0.0.1:{second}:8000"]
"""


@dataclass(frozen=True)
class Project:
    """`ports` are those of the nodes, by their services."""

    name: str
    command: Sequence[str]
    environment: dict[str, str]
    ports: dict[str, int]

    def run(self, *arguments: str) -> str:
        """What a command of Compose prints when it succeeds."""
        done = subprocess.run(
            [*self.command, *arguments],
            cwd=COMPOSE,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, (arguments, done.stdout, done.stderr)
        return done.stdout

    def url(self, node: str) -> str:
        return f"http://127.0.0.1:{self.ports[node]}"

    def heliograph(self, node: str, *arguments: str) -> str:
        """What the operator's command line prints in a node's container."""
        return self.run("exec", "-T", node, "/srv/heliograph/bin/heliograph", *arguments)

    def states(self) -> dict[str, str]:
        """Of each service that has a container: `running`, or what else it is."""
        lines = self.run("ps", "--all", "--format", "json").splitlines()
        return {found["Service"]: found["State"] for found in map(json.loads, lines)}


@contextlib.contextmanager
def compose_project(folder: Path, socket: Path, files: Sequence[str]) -> Iterator[Project]:
    """These files with secrets of their own; after the block nothing is left of it."""
    ports = {node: free_port() for node in NODES}
    (folder / "ports.yaml").write_text(_PORTS.format(first=ports["node-1"], second=ports["node-2"]))
    _make_secrets(folder / ".env")
    name = f"heliograph-test-{secrets.token_hex(4)}"
    named = [word for file in [*files, folder / "ports.yaml"] for word in ("--file", str(file))]
    project = Project(
        name,
        (*_program(), "--project-name", name, "--env-file", str(folder / ".env"), *named),
        os.environ | {"DOCKER_HOST": f"unix://{socket}", "PUBLIC_URL": _public_url(ports)},
        ports,
    )
    try:
        yield project
    finally:
        project.run("down", "--volumes", "--timeout", "15")


def _public_url(ports: dict[str, int]) -> str:
    return f"http://127.0.0.1:{ports['node-1']}"


def _make_secrets(file: Path) -> None:
    """As docs/many-nodes.md says."""
    subprocess.run(["python3", COMPOSE / "make_env.py", file], check=True)


@functools.cache
def _program() -> tuple[str, ...]:
    """Compose of the machine, else Debian 13's, which is one file and needs no other."""
    for command in (("docker", "compose"), ("docker-compose",)):
        if shutil.which(command[0]) and _version(command) >= _OLDEST:
            return command
    need_program("mmdebstrap", "mmdebstrap")
    folder = Path(os.environ.get("TMPDIR", "/tmp")) / "heliograph-test-compose"
    if not (folder / _PLUGIN).exists():
        subprocess.run(
            [*_FETCH, "trixie", folder],
            check=True,
        )
    return (str(folder / _PLUGIN),)


def _version(command: Sequence[str]) -> tuple[int, int]:
    done = subprocess.run([*command, "version"], capture_output=True, text=True, check=False)
    found = re.search(r"version v?(\d+)\.(\d+)", done.stdout)
    return (int(found[1]), int(found[2])) if found else (0, 0)
