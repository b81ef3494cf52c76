"""Programs of a test's own, and processes as Linux tells of them. One may end at any moment:
between two looks, too."""

import socket
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

LIVING_NODES = "SELECT name FROM nodes WHERE lease_expires_at > now()"


@contextmanager
def running(command: Sequence[str], **options: Any) -> "Iterator[subprocess.Popen[Any]]":
    """A program that says nothing, and is killed when the block ends."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, **(quiet | options)) as process:
        try:
            yield process
        finally:
            process.kill()


def list_children(process: int) -> list[int]:
    """None, when the process has ended."""
    return list(map(int, _read(process, f"task/{process}/children").split()))


def list_nodes(supervisor: int) -> list[int]:
    """Its children that are nodes by their command line."""
    return [child for child in list_children(supervisor) if is_node(child)]


def node_names(processes: Sequence[int]) -> list[str]:
    """Under which these nodes of this machine are in the table of nodes."""
    return [f"{socket.gethostname()}:{process}" for process in processes]


def are_working(nodes: Sequence[int], living: Iterable[Any], count: int) -> bool:
    """Whether there are so many nodes and all of them take part, by the rows of `LIVING_NODES`. One
    that still starts does not, and ends when its database does."""
    return len(nodes) == count and {row["name"] for row in living}.issuperset(node_names(nodes))


def is_node(process: int) -> bool:
    return b"--listen-fd" in read_command(process)


def read_command(process: int) -> bytes:
    """The command line, its words apart by zero bytes; empty when the process has ended."""
    return _read(process, "cmdline")


def is_alive(process: int) -> bool:
    """Whether it runs; one that has ended and was not reaped yet does not."""
    state = _read(process, "stat").rpartition(b")")[2].split()[:1]
    return state not in ([], [b"Z"])


def _read(process: int, file: str) -> bytes:
    """Empty when the process has ended."""
    try:
        return Path(f"/proc/{process}/{file}").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""
