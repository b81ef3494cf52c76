"""Read who took the processor from /proc, which only Linux has."""

import os
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

LOAD, NODES, POSTGRES = "load generator", "nodes", "PostgreSQL"

_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Process:
    pid: int
    parent: int
    command: str
    seconds: float
    """Of processor time, its own and that of children which have ended."""


def descendants(root: int) -> list[Process]:
    """Return the processes below `root`, at any depth."""
    everyone = [found for entry in Path("/proc").glob("[0-9]*") if (found := _read(entry))]
    known = {root}
    while grown := {process.pid for process in everyone if process.parent in known} - known:
        known |= grown
    return [process for process in everyone if process.pid in known and process.pid != root]


def _read(entry: Path) -> Process | None:
    try:
        fields = (entry / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        command = (entry / "cmdline").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    ticks = sum(int(field) for field in fields[11:15])
    return Process(
        int(entry.name), int(fields[1]), command.replace("\0", " ").strip(), ticks / _TICKS
    )


def node_pids(root: int) -> list[int]:
    """Return the node processes of the gateway whose supervisor is `root`."""
    return [
        descendant.pid
        for descendant in descendants(root)
        if "heliograph.app.node" in descendant.command
    ]


def seconds_of(pid: int) -> float:
    """Return the processor time of one process that runs, in seconds."""
    found = _read(Path(f"/proc/{pid}"))
    assert found is not None
    return found.seconds


def seconds_from(pid: int) -> float:
    """Return the processor time of one process and of all that it has started, in seconds."""
    found = _read(Path(f"/proc/{pid}"))
    return sum(each.seconds for each in (found, *descendants(pid)) if each is not None)


def memory_kib(pid: int) -> int:
    """Return a process's proportional share of memory (PSS)."""
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="utf-8")
    return next(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:"))


class ProcessorUse:
    """Processor time that was taken since the making of this object.

    `supervisor` leads to the nodes and to a private PostgreSQL, `others` names further processes,
    which are counted with what they have started.
    """

    def __init__(self, supervisor: int, others: Mapping[str, Iterable[int]] | None = None) -> None:
        self._supervisor = supervisor
        self._others = others or {}
        self._began = time.monotonic()
        self._before = self._read()

    def _read(self) -> dict[str, float]:
        used = {LOAD: time.process_time(), NODES: 0.0, POSTGRES: 0.0}
        for descendant in descendants(self._supervisor):
            is_node = "heliograph.app.node" in descendant.command
            used[NODES if is_node else POSTGRES] += descendant.seconds
        for name, pids in self._others.items():
            used[name] = used.get(name, 0.0) + sum(map(seconds_from, pids))
        return used

    def seconds(self) -> dict[str, float]:
        """Return what each has taken."""
        after = self._read()
        return {name: max(0.0, after[name] - before) for name, before in self._before.items()}

    def text(self) -> str:
        """Return the shares of one processor, in words."""
        elapsed = time.monotonic() - self._began
        shares = (f"{name} {taken / elapsed:.0%}" for name, taken in self.seconds().items())
        return "of one processor: " + ", ".join(shares)
