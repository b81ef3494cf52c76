"""Read who took the processor from /proc, which only Linux has."""

import os
import time
from dataclasses import dataclass
from pathlib import Path

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


def memory_kib(pid: int) -> int:
    """Return a process's proportional share of memory (PSS)."""
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="utf-8")
    return next(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:"))


class ProcessorUse:
    """Shares of one processor that were taken between the making of this object and `text`.

    `supervisor` leads to the nodes and to PostgreSQL, `others` names further processes.
    """

    def __init__(self, supervisor: int, others: dict[str, int] | None = None) -> None:
        self._supervisor = supervisor
        self._others = others or {}
        self._began = time.monotonic()
        self._before = self._read()

    def _read(self) -> dict[str, float]:
        used = {"load generator": time.process_time(), "nodes": 0.0, "PostgreSQL": 0.0}
        for descendant in descendants(self._supervisor):
            used["nodes" if "heliograph.app.node" in descendant.command else "PostgreSQL"] += (
                descendant.seconds
            )
        for name, pid in self._others.items():
            found = _read(Path(f"/proc/{pid}"))
            used[name] = found.seconds if found else 0.0
        return used

    def text(self) -> str:
        elapsed, after = time.monotonic() - self._began, self._read()
        shares = (
            f"{name} {max(0.0, after[name] - before) / elapsed:.0%}"
            for name, before in self._before.items()
        )
        return "of one processor: " + ", ".join(shares)
