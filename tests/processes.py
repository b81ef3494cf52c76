"""Processes as Linux tells of them. One may end at any moment: between two looks, too."""

from pathlib import Path


def list_children(process: int) -> list[int]:
    return list(map(int, Path(f"/proc/{process}/task/{process}/children").read_text().split()))


def list_nodes(supervisor: int) -> list[int]:
    """Its children that are nodes by their command line."""
    return [child for child in list_children(supervisor) if is_node(child)]


def is_node(process: int) -> bool:
    return b"--listen-fd" in read_command(process)


def read_command(process: int) -> bytes:
    """The command line, its words apart by zero bytes; empty when the process has ended."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


def is_alive(process: int) -> bool:
    """Whether it runs; one that has ended and was not reaped yet does not."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"
