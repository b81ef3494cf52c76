"""From `heliograph serve` to the supervisor: everything that is done once.

    listen → lock → PostgreSQL → migrations → supervisor

All of this needs the whole program: settings, migrations and services. Watching over processes does
not. So this process goes on as another, far smaller program (`supervisor`), which takes over the
lock, the listening socket and the private PostgreSQL. To whoever started it, it is the same
process.

A demo on loopback with its own database, and no other provider set, also gets a sign-in for this
machine beside the nodes. An external database needs neither the lock nor the private PostgreSQL.
"""

import asyncio
import os
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import structlog

from heliograph.app.supervisor import (
    STOP_SIGNALS,
    Launch,
    Program,
    forget_gateway,
    handle_stop_signals,
)
from heliograph.core.cluster.ended_nodes import end_all_nodes
from heliograph.core.health.port import PortError, listen, listen_beside
from heliograph.errors import ConfigurationError
from heliograph.faces.local_sign_in import codes
from heliograph.networks.registry import NetworkRegistry
from heliograph.platform.database import migrate
from heliograph.platform.database.distribution.distribute import keep_distributed
from heliograph.platform.database.failover import CONNECT_FAILURES
from heliograph.platform.database.failures import explain_failure, find_role
from heliograph.platform.database.migration_progress import Show
from heliograph.platform.database.revisions import MigrationStatus
from heliograph.platform.database.roles import NODE, grant_to_nodes
from heliograph.platform.embedded.programs import find_binaries
from heliograph.platform.embedded.server import EmbeddedPostgres
from heliograph.platform.files.data_dir import is_locked
from heliograph.platform.files.running_gateway import record_gateway
from heliograph.platform.files.unfinished_restore import check_restored
from heliograph.platform.telemetry.logs import is_for_people, open_log_file
from heliograph.platform.telemetry.plain_log import STANDARD_ERROR
from heliograph.platform.telemetry.tracers import open_tracer
from heliograph.settings import (
    LOCAL_CLIENT_ID,
    Role,
    Settings,
    child_environment,
    local_sign_in_environment,
)

# -P keeps the current folder off the module path: its files may be anybody's
_RUN_MODULE = (sys.executable, "-P", "-m")

Prepare = Callable[[Settings], str]
log = structlog.get_logger("heliograph.app.startup")


@dataclass(slots=True)
class Startup:
    """Start the gateway of this machine. Use it in the main thread.

    `prepare` is called once the database is migrated, with settings that name the database and the
    port; what it returns is printed once a node is ready. A command starts its process when the
    number of the socket's descriptor is appended to it. `is_demo` adds a sign-in for this machine
    if nobody outside can reach it.
    """

    settings: Settings
    prepare: Prepare | None = None
    is_demo: bool = False
    node_command: Sequence[str] = (*_RUN_MODULE, "heliograph.app.node", "--listen-fd")
    sign_in_command: Sequence[str] = (*_RUN_MODULE, "heliograph.faces.local_sign_in")
    _embedded: EmbeddedPostgres | None = None
    _listener: socket.socket | None = None
    _sign_in_listener: socket.socket | None = None
    _sign_in_code: Path | None = None
    _gateway_file: Path | None = None
    _announcement: str = ""
    _is_interrupted: bool = False

    def run(self) -> int:
        """Start everything and go on as the supervisor. Raises `ConfigurationError`.

        Returns only when a signal has put an end to it, with the exit code for the process.
        """
        handle_stop_signals(self._interrupt)
        try:
            self._start()
            self._become_supervisor()
        except KeyboardInterrupt:
            log.info("stopped while starting")
        finally:
            self._release()
        return 0

    def _interrupt(self, number: int, frame: object) -> None:
        """Interrupt the start."""
        # Python drops an exception that a signal handler raises inside a `__del__` or a fork hook
        self._is_interrupted = True
        raise KeyboardInterrupt

    def _start(self) -> None:
        open_log_file(self.settings.log)  # as nodes will
        open_tracer(self.settings.telemetry.tracing, {}).close(0)  # nodes could not tell why not
        wants_sign_in = self.is_demo and self.settings.allows_local_sign_in
        if self.settings.is_embedded:
            find_binaries()  # before it creates a data directory that can't be served
            self._embedded = EmbeddedPostgres(self.settings)
        self._listener = self._listen()  # as above
        if self._embedded is not None:
            self._embedded.lock()
            check_restored(self.settings.data_dir)
        if self._embedded is not None:
            self.settings = self._embedded.start()
        self.settings = self.settings.with_port(self._listener.getsockname()[1])
        if wants_sign_in:
            self._open_sign_in()
        self._gateway_file = record_gateway(self.settings)
        self._migrate()
        if self.prepare is not None:
            self._announcement = self.prepare(self.settings)
        self._warn()

    def _listen(self) -> socket.socket:
        try:
            return listen(self.settings.server.host, self.settings.server.port)
        except PortError:
            if self._embedded is not None and is_locked(self.settings.data_dir):
                self._embedded.lock()  # fails and says that this gateway runs already
            if self.is_demo and "port" not in self.settings.server.model_fields_set:
                return listen_beside(self.settings.server.host, self.settings.server.port)
            raise

    def _migrate(self) -> None:
        if self._embedded is None:
            migrate_database(self.settings.database_url)
            return
        # Whoever holds the lock knows that no other gateway works here. This comes first: a
        # migration may have to wait for nodes to end.
        asyncio.run(end_all_nodes(self._embedded.owner_url))
        migrate_private_database(self._embedded.owner_url)

    def _open_sign_in(self) -> None:
        """Open the demo's own sign-in, with a first code for it."""
        self._sign_in_listener = _listen_for_sign_in(self.settings.data_dir)
        port = self._sign_in_listener.getsockname()[1]
        self.settings = self.settings.with_local_sign_in(f"http://127.0.0.1:{port}")
        self._sign_in_code = self.settings.data_dir / codes.FILE
        codes.make_code(self._sign_in_code)

    def _warn(self) -> None:
        server = self.settings.server
        counts_alone = self.settings.rate_limit.url is None
        if Role.API in server.roles and server.nodes > 1 and counts_alone:
            log.warning(
                "each node counts requests by itself, so a key gets the full rate on each; "
                "HELIOGRAPH_RATE_LIMIT_URL makes them count together",
                nodes=server.nodes,
            )

    def _become_supervisor(self) -> None:
        """Become the supervisor. Signals that come meanwhile wait until it handles them."""
        signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
        if self._is_interrupted:
            raise KeyboardInterrupt
        launch = self._launch()
        sign_in = [] if launch.sign_in is None else [launch.sign_in.listener]
        for descriptor in (launch.nodes.listener, *sign_in, *launch.locks):
            os.set_inheritable(descriptor, True)
        launch_fd = str(_hand_over(launch.encode()))
        command = [*_RUN_MODULE, "heliograph.app.supervisor", launch_fd]
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os.execve(  # noqa: S606 - our own program
            sys.executable,
            [*command, Path(sys.argv[0]).name, *sys.argv[1:]],  # shown in lists of processes
            child_environment(self.settings),
        )

    def _launch(self) -> Launch:
        server, embedded = self.settings.server, self._embedded
        return Launch(
            nodes=self._node_program(),
            sign_in=self._sign_in_program(),
            host=_reachable(server.host),
            port=server.port,
            public_url=self.settings.public_url,
            announcement=self._announcement,
            end_nodes=[*_RUN_MODULE, "heliograph.core.cluster.ended_nodes"],
            postmaster=embedded.postmaster if embedded else None,
            postmaster_pid=embedded.postmaster.pid if embedded else None,
            locks=embedded.locks if embedded else [],
            gateway_file=None if self._gateway_file is None else str(self._gateway_file),
            files_to_remove=[] if self._sign_in_code is None else [str(self._sign_in_code)],
            log_to_people=self._logs_to_people(),
            log_file=self.settings.log.path,
            log_from=self.settings.log.level,
        )

    def _logs_to_people(self) -> bool:
        to = STANDARD_ERROR if self.settings.log.file is None else None
        return is_for_people(self.settings.log.format, to)

    def _node_program(self) -> Program:
        listener = -1 if self._listener is None else self._listener.fileno()
        command = [*self.node_command, str(listener)]
        if self.settings.has_local_sign_in:
            command += ["--local-sign-in", str(self.settings.sign_in.issuer)]
        return Program("a node", command, listener, self.settings.server.nodes)

    def _sign_in_program(self) -> Program | None:
        if self._sign_in_listener is None:
            return None
        listener = self._sign_in_listener.fileno()
        command = [
            *(*self.sign_in_command, str(listener)),
            *("--public-url", self.settings.public_url),
            *("--redirect-uri", self.settings.redirect_uri),
            *("--client-id", LOCAL_CLIENT_ID),
            *("--codes", str(self._sign_in_code)),
        ]
        environment = local_sign_in_environment()
        return Program("the demo's sign-in", command, listener, environment=environment)

    def _release(self) -> None:
        """Release everything, in whatever state it is. No signal may cut this short."""
        handle_stop_signals(signal.SIG_IGN)
        for listener in (self._listener, self._sign_in_listener):
            if listener is not None:
                listener.close()
        if self._sign_in_code is not None:
            self._sign_in_code.unlink(missing_ok=True)
        if self._gateway_file is not None:
            forget_gateway(self._gateway_file)
        if self._embedded is not None:
            self._embedded.stop()


def migrate_database(
    url: str, show: Show | None = None, *, grant_to: str | None = None
) -> MigrationStatus:
    """Migrate the database to this release, with the tables of every installed network. On Citus,
    distribute new tables like the others. Grant the role `grant_to` the rights that nodes need on
    new tables. Progress goes to `show`, or else to the log."""
    try:
        status = migrate.upgrade(url, NetworkRegistry().list_migration_folders(), show)
        asyncio.run(keep_distributed(url))
        if grant_to is not None:
            asyncio.run(grant_to_nodes(url, grant_to))
        return status
    except CONNECT_FAILURES as error:
        said = "The database can't be reached or migrated"
        raise explain_failure(error, find_role(url), failed=said) from error


def migrate_private_database(owner_url: str, show: Show | None = None) -> MigrationStatus:
    """Migrate the private PostgreSQL, and grant its nodes their rights on new tables."""
    return migrate_database(owner_url, show, grant_to=NODE)


def _hand_over(data: bytes) -> int:
    """Return a descriptor from which the next program of this process reads `data`."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)  # a full pipe would wait forever for its reader
    with os.fdopen(writer, "wb", buffering=0) as file:
        if file.write(data) != len(data):
            raise ConfigurationError("The supervisor's launch is too long to be handed over.")
    os.set_inheritable(reader, True)
    return reader


def _listen_for_sign_in(data_dir: Path) -> socket.socket:
    """Listen on the port of the last start, or on another if that one is taken.

    People are identified by the provider's address and their name, so the port should stay the
    same.
    """
    remembered = data_dir / "sign-in-port"
    try:
        return socket.create_server(("127.0.0.1", int(remembered.read_text())))
    except (OSError, ValueError, OverflowError):
        listener = socket.create_server(("127.0.0.1", 0))
        remembered.write_text(str(listener.getsockname()[1]))
        return listener


def _reachable(host: str) -> str:
    """Return an address at which this machine reaches a socket that listens on `host`."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - not bound here
