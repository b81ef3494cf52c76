"""One node process: serves the application on a socket it was given, and runs its loops.

The supervisor starts it as `python -m heliograph.node`, hands over the socket and names the
database in its environment.
"""

import argparse
import asyncio
import gc
import os
import resource
import signal
import socket
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import partial
from typing import NoReturn, cast
from uuid import UUID

import structlog
import uvicorn
import uvloop
from starlette.types import ASGIApp

from heliograph import __version__
from heliograph.api.connection_limits import ConnectionLimits
from heliograph.api.connections import BoundedHttpProtocol
from heliograph.asgi import create_admin_app, open_app
from heliograph.bootstrap import build_workers, open_gateway
from heliograph.errors import ConfigurationError
from heliograph.model.client_addresses import ClientAddresses
from heliograph.outbound_http.certificates import prefer_bundle
from heliograph.plain_log import node_name
from heliograph.process import configure_process_logs, end_process
from heliograph.settings import ConnectionSettings, Settings, load_settings
from heliograph.supervisor import EXIT_CONFIGURATION
from heliograph.terminal import guard_standard_streams

log = structlog.get_logger()

LINGER_SECONDS = 1.0
"""How long a node that is told to stop goes on taking requests while it has connections: each is
told that it closes with its next answer, and a load balancer has time to ask `/readyz`."""
DRAIN_SECONDS = 3
"""How long requests may go on after that."""


def run_node(settings: Settings, listen_fd: int, report_fd: int | None = None) -> None:
    """Serve until SIGTERM or SIGINT, then drain and give back what this node owns.

    The ids under which it lives are written to `report_fd`, each before it is used. Raises
    `ConfigurationError` for what a restart can't mend.
    """
    raise_file_limit()
    prefer_bundle()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_serve(settings, listen_fd, report_fd))


def raise_file_limit() -> None:
    """As many open files as this process may have: each connection is one, and the usual limit of
    1024 is soft for the sake of programs that use select(2)."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(OSError, ValueError):  # macOS: "unlimited" is more than it gives
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def _report(descriptor: int | None, node_id: UUID) -> None:
    if descriptor is not None:
        with suppress(OSError):  # nobody listens, or has for long
            os.write(descriptor, f"{node_id}\n".encode())


async def _serve(settings: Settings, listen_fd: int, report_fd: int | None) -> None:
    listener = socket.socket(fileno=listen_fd)
    admin_socket = socket.create_server(("127.0.0.1", 0))
    draining = asyncio.Event()
    async with open_gateway(settings) as gateway:
        port = admin_socket.getsockname()[1]
        workers = build_workers(
            gateway,
            name=node_name(),
            version=__version__,
            admin_port=port,
            tell_id=partial(_report, report_fd),
        )
        admin = DrainingServer(
            configure_server(create_admin_app(gateway, workers, draining.is_set))
        )
        async with (
            open_app(gateway, workers, draining.is_set) as app,
            _serving(admin, admin_socket),
        ):
            server = DrainingServer(configure_server(app, settings=settings))
            server.stop_on_signals(draining)
            await workers.start()
            _keep_out_of_collections()
            log.info(
                "node started",
                admin_port=port,
                roles=sorted(role.value for role in settings.server.roles),
            )
            try:
                await server.serve(sockets=[listener])
            finally:
                await workers.stop()
                log.info("node stopped")


def configure_server(
    app: ASGIApp,
    protocol: type[BoundedHttpProtocol] = BoundedHttpProtocol,
    settings: Settings | None = None,
) -> uvicorn.Config:
    """How uvicorn serves an application of ours: who the client is, is what the socket says, or
    what a proxy does that the operator trusts. Without settings no connection is refused."""
    addresses = ClientAddresses(settings.server.trusted_proxies if settings else ())
    trusted = addresses.list_trusted()
    connection = settings.connection if settings else None
    limits = _limit_connections(connection, addresses) if connection else None
    return uvicorn.Config(
        app,
        http=cast("type[BoundedHttpProtocol]", partial(protocol, limits=limits)),
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(trusted),
        forwarded_allow_ips=trusted,
        reset_contextvars=True,  # else a pipelined request has what was bound for the one before
        timeout_keep_alive=connection.idle_seconds if connection else 75,
        timeout_graceful_shutdown=DRAIN_SECONDS,
    )


def _limit_connections(
    settings: ConnectionSettings, addresses: ClientAddresses
) -> ConnectionLimits:
    """Half of the files are for the accounts' connections, the database and webhooks."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    room = settings.limit if files == resource.RLIM_INFINITY else max(1, files // 2)
    return ConnectionLimits(min(settings.limit, room), settings.limit_per_address, addresses)


def _keep_out_of_collections() -> None:
    """What start-up made lives as long as the process: 150,000 objects that Python's collector
    would go through again and again, and nothing else be done for 60 ms each time."""
    gc.collect()
    gc.freeze()


class DrainingServer(uvicorn.Server):
    """Uvicorn's server without its signal handling, which raises the signal again at its end: the
    loops behind the server still have work to give back then."""

    _leave_at: float | None = None

    def stop_on_signals(self, draining: asyncio.Event) -> None:
        """Drain at SIGINT or SIGTERM, and let `draining` say so."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._stop, number, draining)

    def _stop(self, number: signal.Signals, draining: asyncio.Event) -> None:
        log.info("stopping", signal=number.name)
        draining.set()
        self.drain()

    def drain(self) -> None:
        """Ask clients to go elsewhere, and leave when they have or `LINGER_SECONDS` are over."""
        self._leave_at = time.monotonic() + LINGER_SECONDS

    async def on_tick(self, counter: int) -> bool:
        if self._leave_at is not None:
            connections = cast("set[BoundedHttpProtocol]", self.server_state.connections)
            for connection in connections:
                connection.close_with_next_answer()
            self.should_exit = not connections or time.monotonic() >= self._leave_at
        return await super().on_tick(counter)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@asynccontextmanager
async def _serving(server: DrainingServer, listener: socket.socket) -> AsyncIterator[None]:
    """The server beside what runs inside, to the very end of it."""
    task = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield
    finally:
        server.should_exit = True
        await task


def main() -> NoReturn:
    """Run a node until it is told to stop, and end the process."""
    parser = argparse.ArgumentParser(prog="heliograph.node")
    parser.add_argument("--listen-fd", type=int, required=True, help="the socket to accept on")
    parser.add_argument("--report-fd", type=int, help="where to write the ids it lives under")
    parser.add_argument("--local-sign-in", help="the address of the demo's own sign-in")
    options = parser.parse_args()
    guard_standard_streams()
    configure_process_logs()
    try:
        settings = load_settings()
        if options.local_sign_in is not None:
            settings = settings.with_local_sign_in(options.local_sign_in)
        run_node(settings, options.listen_fd, options.report_fd)
    except ConfigurationError as error:
        sys.stderr.write(f"heliograph: {error}\n")
        end_process(EXIT_CONFIGURATION)
    except Exception:
        log.exception("the node failed")
        end_process(1)
    end_process(0)


if __name__ == "__main__":
    main()
