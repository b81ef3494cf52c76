"""An application on a socket: uvicorn with bounds on connections, which drains before it ends."""

import asyncio
import resource
import signal
import socket
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import cast

import structlog
import uvicorn
from starlette.types import ASGIApp

from heliograph.core.rates.client_addresses import ClientAddresses
from heliograph.faces.api.connection_limits import ConnectionLimits
from heliograph.faces.api.connections import BoundedHttpProtocol, ReadingTurns
from heliograph.faces.api.unnamed_proxies import UnnamedProxies
from heliograph.settings import ConnectionSettings, Settings

log = structlog.get_logger()

LINGER_TIMEOUT = 1.0
"""Seconds that a node which is told to stop keeps taking requests while it has connections: each is
told to close with its next answer, and a load balancer has time to ask `/readyz`."""
DRAIN_TIMEOUT = 3
"""Seconds that requests may go on after that."""


def configure_server(
    app: ASGIApp,
    protocol: type[BoundedHttpProtocol] = BoundedHttpProtocol,
    settings: Settings | None = None,
) -> uvicorn.Config:
    """Configure uvicorn for an application of ours.

    The client is the socket's peer, or the one that a trusted proxy names. Without settings no
    connection is refused.
    """
    addresses = ClientAddresses(settings.server.trusted_proxies if settings else ())
    trusted = addresses.list_trusted()
    connection = settings.connection if settings else None
    limits = _limit_connections(connection, addresses) if connection else None
    shared = partial(
        protocol, limits=limits, turns=ReadingTurns(), proxies=UnnamedProxies(addresses)
    )
    return uvicorn.Config(
        app,
        http=cast("type[BoundedHttpProtocol]", shared),
        interface="asgi3",  # uvicorn would look for a coroutine function
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(trusted),
        forwarded_allow_ips=trusted,
        reset_contextvars=True,  # or a pipelined request would inherit the log context
        timeout_keep_alive=connection.idle_timeout if connection else 75,
        timeout_graceful_shutdown=DRAIN_TIMEOUT,
    )


def _limit_connections(
    settings: ConnectionSettings, addresses: ClientAddresses
) -> ConnectionLimits:
    """Return how many connections there may be.

    Half of the files are for the accounts' connections, the database and webhooks.
    """
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    room = settings.limit if files == resource.RLIM_INFINITY else max(1, files // 2)
    return ConnectionLimits(min(settings.limit, room), settings.limit_per_address, addresses)


class DrainingServer(uvicorn.Server):
    """Uvicorn's server without its signal handling.

    Uvicorn raises the signal again at its end, when the loops behind the server still have work to
    give back.
    """

    _leave_at: float | None = None

    def stop_on_signals(self, draining: asyncio.Event) -> None:
        """Drain at SIGINT or SIGTERM, and set `draining`."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._stop, number, draining)

    def _stop(self, number: signal.Signals, draining: asyncio.Event) -> None:
        log.info("stopping", signal=number.name)
        draining.set()
        self.drain()

    def drain(self) -> None:
        """Ask clients to go elsewhere, and leave once they have, or after `LINGER_TIMEOUT`."""
        self._leave_at = time.monotonic() + LINGER_TIMEOUT

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
async def serving(server: DrainingServer, listener: socket.socket) -> AsyncIterator[None]:
    """Run the server while the block runs, then stop it and wait for its end."""
    task = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield
    finally:
        server.should_exit = True
        await task
