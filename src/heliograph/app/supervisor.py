"""The gateway's processes on this machine, for as long as it runs: the nodes, the demo's sign-in,
and the private PostgreSQL.

    nodes … SIGTERM to nodes → PostgreSQL → unlock

`startup` has prepared everything, and the same process goes on here as another program, which needs
no library and so takes a tenth of the memory. It reads what it needs to know, a `Launch`, from a
descriptor: `python -m heliograph.app.supervisor N`.

The supervisor serves nothing itself. All nodes accept on the one socket that was bound, so that a
connection made while a node is being restarted waits for the next instead of being refused. A node
reports the ids under which it holds leases. When the supervisor reaps the node's process, it knows
for certain that the node is dead, and ends those leases at once instead of waiting for them to
expire.
"""

import contextlib
import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from types import FrameType
from typing import Any

from heliograph.errors import ConfigurationError
from heliograph.platform.embedded.postmaster import Postmaster
from heliograph.platform.files.private import release_lock
from heliograph.platform.parent_death import tie_to_parent
from heliograph.platform.telemetry.plain_log import LogFile, PlainLog

EXIT_CONFIGURATION = 78
"""A node's exit code for a fault that a restart can't fix (EX_CONFIG of sysexits.h)."""

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

_GRACE = 8.0  # seconds that nodes have to drain; the whole stop takes 10 at most
_POSTGRES_TIMEOUT = 1.5  # seconds
_POSTGRES_PAUSE = 5.0  # seconds before one that does not start is started again
_FIRST_PAUSE, _MAX_PAUSE = 0.5, 30.0  # seconds before a node that ends at once is started again
_STEADY = 10.0  # seconds after which a node's earlier failures are forgotten
_EARLY_FAILURES = 3  # the most before anything was ever ready
_PROBE_TIMEOUT = 1.0  # seconds
_MAX_REPORTED = 64 * 1024  # bytes of a node's ids, 1,700 of them
_NODE_ID = re.compile(rb"[0-9a-f-]{36}")


@dataclass(frozen=True, slots=True)
class Program:
    """A program that runs `count` times over, and is started again whenever it ends.

    It accepts on the socket `listener`, a descriptor. Without an `environment` it inherits this
    process's. `name` is what messages call one of them.
    """

    name: str
    command: list[str]
    listener: int
    count: int = 1
    environment: dict[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Launch:
    """The processes to run, and what to clean up at the end.

    A node's command gets `--report-fd N` appended. A node is asked at `host` and `port` whether it
    is ready; then `announcement` is printed. `end_nodes` is a command that ends dead nodes' leases
    when their ids are appended. `postmaster_pid` is the private PostgreSQL's process id. At the
    end, the descriptors in `locks` are released and `files_to_remove` are removed. So is
    `gateway_file`, which tells commands where the gateway runs, if it still names this process.
    """

    nodes: Program
    sign_in: Program | None
    host: str
    port: int
    public_url: str
    announcement: str
    end_nodes: list[str]
    postmaster: Postmaster | None = None
    postmaster_pid: int | None = None
    locks: list[int] = field(default_factory=list)
    gateway_file: str | None = None
    files_to_remove: list[str] = field(default_factory=list)
    log_to_people: bool = False
    log_from: str = "info"
    log_file: str | None = None

    def encode(self) -> bytes:
        parts = {name: getattr(self, name) for name in self.__slots__}
        for name in ("nodes", "sign_in"):
            parts[name] = parts[name] and asdict(parts[name])
        parts["postmaster"] = self.postmaster and self.postmaster.describe()
        return json.dumps(parts).encode()

    @classmethod
    def decode(cls, data: bytes) -> "Launch":
        parts: dict[str, Any] = json.loads(data)
        for name, kind in (("nodes", Program), ("sign_in", Program), ("postmaster", Postmaster)):
            parts[name] = parts[name] and kind(**parts[name])
        return cls(**parts)


@dataclass(slots=True)
class _Slot:
    """A slot for one process, and when the next may be started in it (monotonic seconds).

    `number` counts the slots of one program from 1. `reports` is where a node reports its ids.
    """

    number: int
    program: Program
    process: subprocess.Popen[bytes] | None = None
    reports: int = -1
    started_at: float = 0.0
    start_at: float = 0.0
    failures: int = 0


class Supervisor:
    """Keep everything running until told to stop. Use it in the main thread."""

    def __init__(self, launch: Launch) -> None:
        self._launch = launch
        self._log = PlainLog(
            is_console=launch.log_to_people,
            least=launch.log_from,
            file=None if launch.log_file is None else LogFile(launch.log_file),
        )
        programs = [launch.nodes] if launch.sign_in is None else [launch.nodes, launch.sign_in]
        self._slots = [
            _Slot(number, program) for program in programs for number in range(1, program.count + 1)
        ]
        if launch.postmaster is not None and launch.postmaster_pid is not None:
            launch.postmaster.adopt(launch.postmaster_pid)
        self._helpers: list[subprocess.Popen[bytes]] = []
        self._postgres_at = 0.0
        self._is_ready = False
        self._early_failures = 0
        self._exit_code = 0

    def run(self) -> int:
        """Run until a signal or a fault ends it; return the exit code for the process."""
        try:
            with wake_on_signals(stops_on_hang_up=self._launch.log_file is None) as signals:
                self._watch(signals)
                self._stop_nodes(signals)
        finally:
            self._release()
        return self._exit_code

    def _watch(self, signals: int) -> None:
        """Start what is due, notice what ended; return when it is time to stop."""
        while True:
            for slot in self._slots:
                self._check(slot)
            self._check_postgres()
            self._check_helpers()
            if self._exit_code or _received(signals, 0.2 if self._is_ready else 0.05):
                return
            if not self._is_ready and self._answers():
                self._is_ready = True
                self._announce()

    def _announce(self) -> None:
        launch = self._launch
        self._log.info("ready", url=launch.public_url, port=launch.port, nodes=launch.nodes.count)
        with contextlib.suppress(OSError):  # nobody reads it any more
            sys.stdout.write(launch.announcement)
            sys.stdout.flush()

    def _check(self, slot: _Slot) -> None:
        now = time.monotonic()
        if slot.process is None:
            if now >= slot.start_at:
                self._fill(slot)
        elif (code := slot.process.poll()) is not None:
            self._record_end(slot, code, now)

    def _fill(self, slot: _Slot) -> None:
        program, descriptors = slot.program, [slot.program.listener]
        command = program.command
        slot.started_at = time.monotonic()
        with contextlib.ExitStack() as stack:
            if self._is_node(slot):
                slot.reports, writer = os.pipe()
                stack.callback(os.close, writer)
                os.set_blocking(slot.reports, False)
                descriptors.append(writer)
                command = [*command, "--report-fd", str(writer)]
            slot.process = _start(command, descriptors, program.environment)

    def _record_end(self, slot: _Slot, code: int, now: float) -> None:
        slot.process = None
        self._end_ownership(slot)
        if now - slot.started_at > _STEADY:
            slot.failures = 0
        pause = _pause_after(slot.failures)
        slot.failures += 1
        slot.start_at = now + pause
        if self._is_node(slot) and not self._is_ready:
            self._early_failures += 1
        name, found = slot.program.name, {"number": slot.number, "exit_code": code}
        if code == EXIT_CONFIGURATION or self._early_failures >= _EARLY_FAILURES:
            self._log.error(f"{name} can't start; giving up", **found)
            self._exit_code = 1
        else:
            self._log.warning(f"{name} ended; starting it again", **found, pause=pause)

    def _is_node(self, slot: _Slot) -> bool:
        return slot.program is self._launch.nodes

    def _end_ownership(self, slot: _Slot) -> None:
        """End a dead node's leases, so that other nodes and its successor can take over at once."""
        if slot.reports < 0:
            return
        with contextlib.suppress(BlockingIOError):
            ids = _NODE_ID.findall(os.read(slot.reports, _MAX_REPORTED))
            if ids:
                names = [id_.decode() for id_ in ids]
                self._helpers.append(_start([*self._launch.end_nodes, *names], [], None))
        os.close(slot.reports)
        slot.reports = -1

    def _check_helpers(self) -> None:
        """Notice which commands that end dead nodes' leases are done, and log failures."""
        if any(helper.poll() for helper in self._helpers):
            self._log.warning("the leases of an ended node were not given back; they will expire")
        self._helpers = [helper for helper in self._helpers if helper.returncode is None]

    def _check_postgres(self) -> None:
        """Start the private PostgreSQL again when it has ended.

        One that does not start, as on a full disk, is tried again and again; meanwhile the nodes
        answer 503 and say so.
        """
        postmaster = self._launch.postmaster
        if postmaster is not None:
            postmaster.rotate_log()
        if postmaster is None or postmaster.is_running or time.monotonic() < self._postgres_at:
            return
        self._log.warning("the private PostgreSQL ended; starting it again")
        try:
            postmaster.launch(
                lambda seconds: self._log.info(
                    "the private PostgreSQL is starting, and may have to recover first",
                    seconds=seconds,
                )
            )
        except (ConfigurationError, OSError) as error:
            self._postgres_at = time.monotonic() + _POSTGRES_PAUSE
            self._log.error("the private PostgreSQL does not start", error=str(error))

    def _answers(self) -> bool:
        """Return whether a node says that it is ready."""
        if not any(slot.process for slot in self._slots):
            return False
        host, port = self._launch.host, self._launch.port
        name = f"[{host}]" if ":" in host else host
        head = f"GET /readyz HTTP/1.1\r\nhost: {name}:{port}\r\nconnection: close\r\n\r\n"
        try:
            with socket.create_connection((host, port), timeout=_PROBE_TIMEOUT) as connection:
                connection.sendall(head.encode())
                with connection.makefile("rb") as answer:
                    return answer.readline(64).split()[1:2] == [b"200"]
        except OSError:
            return False

    def _stop_nodes(self, signals: int) -> None:
        """Let the nodes drain; a second signal, or the end of their time, kills them."""
        self._log.info("stopping")
        self._signal_nodes(signal.SIGTERM)
        os.close(self._launch.nodes.listener)  # or clients wait for nodes that accept no more
        deadline = time.monotonic() + _GRACE
        while self._alive() and time.monotonic() < deadline:
            if _received(signals, 0.05):
                break
        self._signal_nodes(signal.SIGKILL)

    def _alive(self) -> list[subprocess.Popen[bytes]]:
        running = [slot.process for slot in self._slots if slot.process]
        return [process for process in running if process.poll() is None]

    def _signal_nodes(self, number: signal.Signals) -> None:
        for process in self._alive():
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(number)

    def _release(self) -> None:
        """Release everything, in whatever state it is. No signal may cut this short."""
        handle_stop_signals(signal.SIG_IGN)
        if self._launch.gateway_file is not None:
            forget_gateway(self._launch.gateway_file)
        self._signal_nodes(signal.SIGKILL)
        for helper in self._helpers:
            helper.kill()
        for process in (*self._alive(), *self._helpers):
            process.wait()
        for path in self._launch.files_to_remove:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)
        if self._launch.postmaster is not None:
            self._launch.postmaster.stop(_POSTGRES_TIMEOUT)
        for lock in self._launch.locks:
            release_lock(lock)


def forget_gateway(path: str | os.PathLike[str]) -> None:
    """Remove the file that says where this process's gateway answers, as it has ended properly."""
    with contextlib.suppress(OSError, ValueError, KeyError):
        with open(path, encoding="utf-8") as file:
            is_ours = json.load(file)["process"] == os.getpid()
        if is_ours:
            os.unlink(path)


def _pause_after(failures: int) -> float:
    """Return the seconds before the next start; 0 for a process that ran well before it died."""
    if not failures:
        return 0.0
    return float(min(_FIRST_PAUSE * 2 ** min(failures - 1, 10), _MAX_PAUSE))


def _start(
    command: Sequence[str], descriptors: Sequence[int], environment: dict[str, str] | None
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603 - our own program
        command,
        stdin=subprocess.DEVNULL,
        env=environment,
        pass_fds=descriptors,
        start_new_session=True,  # so that Ctrl-C in a terminal reaches the supervisor alone
        preexec_fn=tie_to_parent(signal.SIGKILL),
    )


def handle_stop_signals(handler: Callable[[int, FrameType | None], None] | signal.Handlers) -> None:
    for number in STOP_SIGNALS:
        is_ignored = signal.getsignal(number) is signal.SIG_IGN
        if not (number == signal.SIGHUP and is_ignored):  # as nohup(1) leaves it
            signal.signal(number, handler)


@contextlib.contextmanager
def wake_on_signals(*, stops_on_hang_up: bool = True) -> Iterator[int]:
    """Return a descriptor that becomes readable with each signal, instead of raising exceptions.

    Signals that `startup` has held back come through as well. With a log file, SIGHUP asks for it
    to be reopened, which happens anyway, and stops nothing.
    """
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    os.set_blocking(reader, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    handle_stop_signals(lambda *_: None)
    if not stops_on_hang_up:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
    try:
        yield reader
    finally:
        signal.set_wakeup_fd(-1)
        os.close(reader)
        os.close(writer)


def _received(descriptor: int, seconds: float) -> bool:
    """Wait for a signal; return whether one of those that came asks to stop."""
    ready, _, _ = select.select([descriptor], [], [], seconds)
    return bool(ready) and any(number in STOP_SIGNALS for number in os.read(descriptor, 256))


def main() -> int:
    with os.fdopen(int(sys.argv[1]), "rb") as file:
        launch = Launch.decode(file.read())
    return Supervisor(launch).run()


if __name__ == "__main__":
    sys.exit(main())
