"""One machine's gateway: the private PostgreSQL, the listening socket and the node processes.

    lock → listen → PostgreSQL → migrations → nodes … SIGTERM to nodes → PostgreSQL → unlock

For a demo on loopback, with its own database and no other provider set, it runs a sign-in for this
machine beside the nodes, as one more process that is started again when it ends.

The supervisor serves nothing itself. All nodes accept on the one socket it has bound, so that a
connection made while a node is being restarted waits for the next instead of being refused. With an
external database the same is done without the lock and the private PostgreSQL.
"""

import contextlib
import http.client
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

import asyncpg
import structlog

from heliograph.errors import ConfigurationError
from heliograph.lifeline import tie_to_parent
from heliograph.local_sign_in import codes
from heliograph.networks.registry import NetworkRegistry
from heliograph.settings import (
    LOCAL_CLIENT_ID,
    Role,
    Settings,
    child_environment,
    local_sign_in_environment,
)
from heliograph.store import migrate
from heliograph.store.embedded import EmbeddedPostgres
from heliograph.store.embedded_record import EmbeddedPostgresError
from heliograph.store.running_gateway import forget_gateway, note_gateway

EXIT_CONFIGURATION = 78
"""A node's exit code for a fault that a restart can't mend (EX_CONFIG of sysexits.h)."""

_GRACE = 8.0  # seconds that nodes have to drain; the whole stop takes 10 at most
_POSTGRES_PATIENCE = 1.5  # seconds
_POSTGRES_PAUSE = 5.0  # seconds before one that does not start is started again
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 30.0  # seconds before a node is started again
_STEADY = 10.0  # seconds after which a node's earlier failures are forgotten
_EARLY_FAILURES = 3  # before anything was ever ready
_BACKLOG = 2048
_STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

Hook = Callable[[Settings], None]
log = structlog.get_logger("heliograph.supervisor")


class PortError(ConfigurationError):
    """The address or port to listen on can't be had."""


@dataclass(slots=True)
class _Node:
    """A place for one process, and when the next may be started in it (monotonic seconds).

    `number` counts the nodes from 1; the local sign-in's is 0.
    """

    number: int
    command: Sequence[str]
    listener: socket.socket
    options: Sequence[str] = ()
    process: subprocess.Popen[bytes] | None = None
    started_at: float = 0.0
    start_at: float = 0.0
    failures: int = 0


@dataclass(slots=True)
class Supervisor:
    """Runs the gateway of this machine until it is told to stop. To be used in the main thread.

    `prepare` is called once the database is migrated and before the first node starts, `announce`
    once a node answers that it is ready; both with settings that name the database and the port.
    A command starts its process when the number of the socket's descriptor is added to it.
    `is_demo` brings a sign-in for this machine, where nobody from outside can come.
    """

    settings: Settings
    prepare: Hook | None = None
    announce: Hook | None = None
    is_demo: bool = False
    node_command: Sequence[str] = (sys.executable, "-m", "heliograph", "node", "--listen-fd")
    sign_in_command: Sequence[str] = (sys.executable, "-m", "heliograph.local_sign_in")
    _embedded: EmbeddedPostgres | None = None
    _listener: socket.socket | None = None
    _sign_in_listener: socket.socket | None = None
    _sign_in_code: Path | None = None
    _nodes: list[_Node] = field(default_factory=list)
    _postgres_at: float = 0.0
    _is_ready: bool = False
    _early_failures: int = 0
    _exit_code: int = 0
    _is_interrupted: bool = False

    def run(self) -> int:
        """Start everything, keep it running, stop it in order; the exit code for the process.

        Raises `ConfigurationError` for what keeps it from starting.
        """
        _handle_stop_signals(self._interrupt)
        try:
            self._start()
            with _wake_on_signals() as signals:
                if not self._is_interrupted:
                    self._watch(signals)
                self._stop_nodes(signals)
        except KeyboardInterrupt:
            log.info("stopped while starting")
        finally:
            self._release()
        return self._exit_code

    def _interrupt(self, number: int, frame: object) -> None:
        """Break off the start. The note is for an interruption that comes to nothing, since Python
        drops exceptions that a signal's handler raises inside a `__del__` or a fork's hook."""
        self._is_interrupted = True
        raise KeyboardInterrupt

    def _start(self) -> None:
        wants_sign_in = self.is_demo and self.settings.allows_local_sign_in
        if self.settings.is_embedded:
            self._embedded = EmbeddedPostgres(self.settings)
            self._embedded.lock()
        self._listener = _listen(self.settings.server.host, self.settings.server.port)
        self.settings = self.settings.with_port(self._listener.getsockname()[1])
        if self._embedded is not None:
            self.settings = self._embedded.start()
            self.settings = self.settings.with_port(self._listener.getsockname()[1])
        if wants_sign_in:
            self._open_sign_in()
        note_gateway(self.settings)
        migrate_database(self.settings)
        if self.prepare is not None:
            self.prepare(self.settings)
        self._warn()
        self._nodes = [
            _Node(number, self.node_command, self._listener, self._node_options())
            for number in range(1, self.settings.server.nodes + 1)
        ]
        if self._sign_in_listener is not None:
            self._nodes.append(self._sign_in_node(self._sign_in_listener))

    def _open_sign_in(self) -> None:
        """The demo's own sign-in, with a first code for it."""
        self._sign_in_listener = _listen_for_sign_in(self.settings.data_dir)
        port = self._sign_in_listener.getsockname()[1]
        self.settings = self.settings.with_local_sign_in(f"http://127.0.0.1:{port}")
        self._sign_in_code = self.settings.data_dir / codes.FILE
        codes.make_code(self._sign_in_code)

    def _node_options(self) -> tuple[str, ...]:
        if not self.settings.has_local_sign_in:
            return ()
        return ("--local-sign-in", str(self.settings.sign_in.issuer))

    def _sign_in_node(self, listener: socket.socket) -> _Node:
        options = (
            *("--public-url", self.settings.public_url),
            *("--client-id", LOCAL_CLIENT_ID),
            *("--codes", str(self._sign_in_code)),
        )
        return _Node(0, self.sign_in_command, listener, options)

    def _warn(self) -> None:
        server = self.settings.server
        counts_alone = self.settings.rate_limit.url is None
        if Role.API in server.roles and server.nodes > 1 and counts_alone:
            log.warning(
                "each node counts requests by itself, so a key gets the full rate on each; "
                "HELIOGRAPH_RATE_LIMIT_URL makes them count together",
                nodes=server.nodes,
            )

    def _watch(self, signals: int) -> None:
        """Start nodes that are due, notice those that ended; return when it is time to stop."""
        while True:
            for node in self._nodes:
                self._check(node)
            self._check_postgres()
            if self._exit_code or _received(signals, 0.2 if self._is_ready else 0.05):
                return
            if not self._is_ready and self._answers():
                self._is_ready = True
                log.info("ready", url=self.settings.public_url, nodes=self.settings.server.nodes)
                if self.announce is not None:
                    self.announce(self.settings)

    def _check(self, node: _Node) -> None:
        now = time.monotonic()
        if node.process is None:
            if now >= node.start_at:
                self._launch(node)
        elif (code := node.process.poll()) is not None:
            self._note_end(node, code, now)

    def _launch(self, node: _Node) -> None:
        descriptor = node.listener.fileno()
        node.started_at = time.monotonic()
        node.process = subprocess.Popen(  # noqa: S603 - our own program
            [*node.command, str(descriptor), *node.options],
            stdin=subprocess.DEVNULL,
            env=self._environment_of(node),
            pass_fds=[descriptor],
            start_new_session=True,  # Ctrl-C in a terminal reaches the supervisor alone
            preexec_fn=tie_to_parent(signal.SIGKILL),
        )

    def _environment_of(self, node: _Node) -> dict[str, str]:
        return child_environment(self.settings) if node.number else local_sign_in_environment()

    def _note_end(self, node: _Node, code: int, now: float) -> None:
        node.process = None
        if now - node.started_at > _STEADY:
            node.failures = 0
        pause = min(_FIRST_PAUSE * 2 ** min(node.failures, 10), _LONGEST_PAUSE)
        node.failures += 1
        node.start_at = now + pause
        self._early_failures += not self._is_ready and node.number > 0
        if code == EXIT_CONFIGURATION or self._early_failures >= _EARLY_FAILURES:
            log.error("a node can't start; giving up", number=node.number, exit_code=code)
            self._exit_code = 1
        else:
            log.warning(
                "a node ended; starting it again",
                number=node.number,
                exit_code=code,
                pause=pause,
            )

    def _check_postgres(self) -> None:
        """Start the private PostgreSQL again when it has ended. One that does not start, as on a
        full disk, is tried again and again: the nodes answer 503 meanwhile, and say so."""
        if self._embedded is None or self._embedded.is_running:
            return
        if time.monotonic() < self._postgres_at:
            return
        log.warning("the private PostgreSQL ended; starting it again")
        try:
            self._embedded.launch()
        except (EmbeddedPostgresError, OSError) as error:
            self._postgres_at = time.monotonic() + _POSTGRES_PAUSE
            log.error("the private PostgreSQL does not start", error=str(error))

    def _answers(self) -> bool:
        """Whether a node says that it is ready."""
        if not any(node.process for node in self._nodes):
            return False
        host = _reachable(self.settings.server.host)
        connection = http.client.HTTPConnection(host, self.settings.server.port, timeout=1)
        try:
            connection.request("GET", "/readyz")
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    def _stop_nodes(self, signals: int) -> None:
        """Let the nodes drain; a second signal, or the end of their time, kills them."""
        log.info("stopping")
        self._signal_nodes(signal.SIGTERM)
        if self._listener is not None:
            self._listener.close()  # else new clients wait for nodes that take no more
        deadline = time.monotonic() + _GRACE
        while self._alive() and time.monotonic() < deadline:
            if _received(signals, 0.05):
                break
        self._signal_nodes(signal.SIGKILL)

    def _alive(self) -> list[subprocess.Popen[bytes]]:
        return [
            node.process for node in self._nodes if node.process and node.process.poll() is None
        ]

    def _signal_nodes(self, number: signal.Signals) -> None:
        for process in self._alive():
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(number)

    def _release(self) -> None:
        """Give back all there is, in whatever state it is; no signal may cut this short."""
        _handle_stop_signals(signal.SIG_IGN)
        if self._listener is not None:
            forget_gateway(self.settings)
        self._signal_nodes(signal.SIGKILL)
        for process in self._alive():
            process.wait()
        for listener in (self._listener, self._sign_in_listener):
            if listener is not None:
                listener.close()
        if self._sign_in_code is not None:
            self._sign_in_code.unlink(missing_ok=True)
        if self._embedded is not None:
            self._embedded.stop(_POSTGRES_PATIENCE)


def migrate_database(settings: Settings) -> migrate.MigrationStatus:
    """Bring the database to this release, with the tables of every installed network."""
    try:
        return migrate.upgrade(settings.database_url, list_migration_folders())
    except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        raise migrate.MigrationError(
            f"The database can't be reached or migrated: {error}.",
            remedy="`heliograph doctor` says more.",
            setting="HELIOGRAPH_DATABASE_URL",
        ) from error


def list_migration_folders() -> list[Path]:
    """The folders of revisions that the installed networks bring."""
    return NetworkRegistry().list_migration_folders()


def _listen(host: str, port: int) -> socket.socket:
    try:
        address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[
            0
        ]
        return socket.create_server(address[4][:2], family=address[0], backlog=_BACKLOG)
    except OSError as error:
        raise PortError(
            f"Can't listen on {host} port {port}: {_reason(error)}.",
            remedy="Stop what is listening there, or set HELIOGRAPH_PORT to another port.",
            setting="HELIOGRAPH_PORT",
        ) from None


def _listen_for_sign_in(data_dir: Path) -> socket.socket:
    """On the port of the last start, on another where that one is taken: people are told apart by
    the provider's address and their name."""
    remembered = data_dir / "sign-in-port"
    try:
        return socket.create_server(("127.0.0.1", int(remembered.read_text())))
    except (OSError, ValueError, OverflowError):
        listener = socket.create_server(("127.0.0.1", 0))
        remembered.write_text(str(listener.getsockname()[1]))
        return listener


def _reason(error: OSError) -> str:
    is_lookup = isinstance(error, socket.gaierror)  # numbers of its own, that strerror knows not
    return str(error.strerror) if is_lookup else os.strerror(error.errno or 0)


def _reachable(host: str) -> str:
    """An address at which this machine reaches a socket that listens on `host`."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - not bound here


def _handle_stop_signals(
    handler: Callable[[int, FrameType | None], None] | signal.Handlers,
) -> None:
    for number in _STOP_SIGNALS:
        is_ignored = signal.getsignal(number) is signal.SIG_IGN
        if not (number == signal.SIGHUP and is_ignored):  # nohup(1) means it
            signal.signal(number, handler)


@contextlib.contextmanager
def _wake_on_signals() -> Iterator[int]:
    """A descriptor that becomes readable with each signal, instead of exceptions out of nowhere."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    os.set_blocking(reader, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    _handle_stop_signals(lambda *_: None)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    try:
        yield reader
    finally:
        signal.set_wakeup_fd(-1)
        os.close(reader)
        os.close(writer)


def _received(descriptor: int, seconds: float) -> bool:
    """Wait for a signal; whether one of those that came asks to stop."""
    ready, _, _ = select.select([descriptor], [], [], seconds)
    return bool(ready) and any(number in _STOP_SIGNALS for number in os.read(descriptor, 256))
