"""A private PostgreSQL whose gateway is gone: found, stopped, its traces removed.

Called with the lock on the data directory held, so that whatever still serves the cluster is nobody
else's. On Linux the processes are known by their working directory, which is the cluster; elsewhere
by the process id in the cluster's pid file, which PostgreSQL itself then judges.
"""

import contextlib
import os
import signal
import subprocess
import time
from pathlib import Path

from heliograph.errors import ConfigurationError

_PROC = Path("/proc")
_STEPS = ((signal.SIGINT, 10.0), (signal.SIGQUIT, 5.0), (signal.SIGKILL, 2.0))


class OrphanError(ConfigurationError):
    """The server that an earlier gateway left behind does not stop."""


def stop_orphans(cluster: Path) -> None:
    """Stop what still serves `cluster`, and return when it is gone. Raises `OrphanError`."""
    for wanted, timeout in _STEPS:
        processes = _list_processes(cluster)
        if not processes:
            _remove_stale_pid_file(cluster)
            return
        postmaster = _read_pid(cluster)  # it stops the others, unless it is dead
        for process in [postmaster] if postmaster in processes else processes:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, wanted)
        _await_end(cluster, timeout)
    if processes := _list_processes(cluster):
        raise OrphanError(
            f"A PostgreSQL that an earlier gateway left behind (process {processes[0]}) does not "
            "stop.",
            remedy="End it and start the gateway again.",
        )
    _remove_stale_pid_file(cluster)


def _await_end(cluster: Path, timeout: float) -> None:
    deadline = time.monotonic() + timeout
    while _list_processes(cluster) and time.monotonic() < deadline:
        time.sleep(0.05)


def _read_pid(cluster: Path) -> int | None:
    try:
        return int((cluster / "postmaster.pid").read_text(encoding="utf-8").split("\n", 1)[0])
    except (FileNotFoundError, ValueError):
        return None


def _list_processes(cluster: Path) -> list[int]:
    if _PROC.joinpath("self").exists():
        return _list_by_working_directory(cluster.resolve())
    postmaster = _read_pid(cluster)
    return [postmaster] if postmaster is not None and _is_postgres(postmaster) else []


def _list_by_working_directory(cluster: Path) -> list[int]:
    found = []
    for entry in _PROC.iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            # Gone, a zombie, or another user's: in no case a server that runs on this cluster.
            with contextlib.suppress(OSError):
                if Path(os.readlink(entry / "cwd")) == cluster:
                    found.append(int(entry.name))
    return sorted(found)


def _is_postgres(process: int) -> bool:
    command = ["/bin/ps", "-p", str(process), "-o", "comm="]
    result = subprocess.run(  # noqa: S603 - a fixed command
        command, check=False, text=True, capture_output=True
    )
    return result.stdout.strip().endswith("postgres")


def _remove_stale_pid_file(cluster: Path) -> None:
    # PostgreSQL would take an unrelated process that got the same number for its own server.
    if _PROC.joinpath("self").exists():
        (cluster / "postmaster.pid").unlink(missing_ok=True)
