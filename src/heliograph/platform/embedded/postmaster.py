"""The private PostgreSQL's process: started, watched, started again, stopped.

This module needs no library: the supervisor, which keeps the process for as long as the gateway
runs, must stay small. `server` decides where the files are and how PostgreSQL is set up.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from heliograph.errors import ConfigurationError
from heliograph.platform.embedded.orphans import stop_orphans
from heliograph.platform.files.private import open_own
from heliograph.platform.parent_death import AdoptedChild, tie_to_parent

SHORT_PREFIX = "heliograph-socket-"
ENVIRONMENT = {"LC_ALL": "C", "PATH": "/usr/bin:/bin"}

_LOG_LIMIT = 10 * 1024 * 1024  # bytes
_TELL_INTERVAL = 5  # seconds
_START_TIMEOUT = 120.0  # seconds; recovery after a crash replays at most max_wal_size


class EmbeddedPostgresError(ConfigurationError):
    """The private PostgreSQL can't be made, started or found."""


@dataclass(slots=True)
class Postmaster:
    """`cluster` and `home`, where its log is, are folders; `credentials` are what `subprocess`
    needs to start it as its user; `socket_dir` is removed where it was made for it alone."""

    command: list[str]
    cluster: str
    home: str
    socket_dir: str
    credentials: dict[str, Any]
    _process: subprocess.Popen[bytes] | AdoptedChild | None = field(default=None, repr=False)

    def launch(self, tell: Callable[[int], None] = lambda _: None) -> None:
        """Start the server's process and wait until it takes connections.

        Also starts it again, on the same socket, when it has died. `tell` is called every few
        seconds with how long that lasts: after a crash it may be a minute or two. Raises
        `EmbeddedPostgresError`.
        """
        stop_orphans(Path(self.cluster))
        log = _open_log(Path(self.home) / "postgres.log")
        try:
            self._process = subprocess.Popen(  # noqa: S603 - our own
                self.command,
                cwd=self.home,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=ENVIRONMENT,
                umask=0o077,
                start_new_session=True,  # Ctrl-C in a terminal is for the gateway to handle
                preexec_fn=tie_to_parent(signal.SIGINT),
                **self.credentials,
            )
        finally:
            os.close(log)
        self._await_ready(self._process, tell)

    def adopt(self, pid: int) -> None:
        """Take over the process that the program before this one has started."""
        self._process = AdoptedChild(pid)

    def _await_ready(self, process: subprocess.Popen[bytes], tell: Callable[[int], None]) -> None:
        log = Path(self.home) / "postgres.log"
        deadline, told = time.monotonic() + _START_TIMEOUT, 0
        while _find_ready(Path(self.cluster)) != process.pid:
            if process.poll() is not None or time.monotonic() > deadline:
                lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
                end = "\n".join(lines[-10:])
                raise EmbeddedPostgresError(
                    f"The private PostgreSQL does not start. The end of {log}:\n{end}"
                )
            waited = int(time.monotonic() - (deadline - _START_TIMEOUT))
            if waited >= told + _TELL_INTERVAL:
                told = waited
                tell(waited)
            time.sleep(0.02)

    def rotate_log(self) -> None:
        """Begin the server's log anew once it is large, and keep what it had as `postgres.log.1`.

        The server has it open, so it is copied and emptied: a line that is written in between may
        be lost.
        """
        log = Path(self.home) / "postgres.log"
        with contextlib.suppress(OSError, ConfigurationError):  # it goes on growing then
            if log.stat().st_size > _LOG_LIMIT:
                _copy_and_empty(log)

    def describe(self) -> dict[str, Any]:
        """Return the arguments that make an equal one."""
        fields = ("command", "cluster", "home", "socket_dir", "credentials")
        return {name: getattr(self, name) for name in fields}

    @property
    def pid(self) -> int | None:
        return None if self._process is None else self._process.pid

    @property
    def is_running(self) -> bool:
        """Whether the server's process is alive."""
        return self._process is not None and self._process.poll() is None

    def stop(self, timeout: float) -> None:
        """Stop the server in order (it writes a checkpoint).

        After `timeout` seconds it is stopped without a checkpoint, which costs a recovery at the
        next start and no data.
        """
        if self._process is not None:
            _stop_process(self._process, timeout)
            self._process = None
            remove_short_dir(self.socket_dir)


def remove_short_dir(folder: str) -> None:
    """Remove the socket's folder where it is one that was made outside of the server's files."""
    if Path(folder).name.startswith(SHORT_PREFIX):
        shutil.rmtree(folder, ignore_errors=True)


def _find_ready(cluster: Path) -> int | None:
    """Return the process id of the server whose pid file says that it takes connections."""
    try:
        lines = (cluster / "postmaster.pid").read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return None
    is_ready = len(lines) >= 8 and lines[7].strip() == "ready"
    return int(lines[0]) if is_ready else None


def _stop_process(process: subprocess.Popen[bytes] | AdoptedChild, timeout: float) -> None:
    for wanted, seconds in (
        (signal.SIGINT, timeout),
        (signal.SIGQUIT, 2.0),
        (signal.SIGKILL, 2.0),
    ):
        with contextlib.suppress(ProcessLookupError, subprocess.TimeoutExpired):
            process.send_signal(wanted)
            process.wait(seconds)
            return


def _copy_and_empty(path: Path) -> None:
    """Copy a file and empty it. Both may be in a folder of the server's user: no link is followed,
    and what has the copy's name is removed."""
    copy = path.with_suffix(".log.1")
    copy.unlink(missing_ok=True)
    source = open_own(path, os.O_RDWR)
    try:
        target = open_own(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        try:
            while data := os.read(source, 1024**2):
                os.write(target, data)
        finally:
            os.close(target)
        os.ftruncate(source, 0)
    finally:
        os.close(source)


def _open_log(path: Path) -> int:
    if path.exists() and path.stat().st_size > _LOG_LIMIT:
        path.replace(path.with_suffix(".log.1"))
    return open_own(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
