"""`ConnectionPool`: connections by what they lead to, opened when needed and kept for a while."""

import asyncio
import ssl
import time
from collections import OrderedDict
from collections.abc import Callable

from heliograph.platform.outbound_http.connections import Connection, Endpoint
from heliograph.platform.outbound_http.errors import ConnectError, TlsError, describe_failure

CONNECT_TIMEOUT = 5.0
"""Seconds for a connection and its TLS handshake."""
MAX_IDLE_TIME = 4.0
"""Shorter than the 5 s after which common servers close an idle connection, else a POST would now
and then go into one that is just being closed."""
MAX_IDLE_OF_ENDPOINT = 64
"""With fewer than are in use at once, the rest are opened anew each time."""
MAX_IDLE = 256
"""Of all endpoints: each takes a file descriptor."""


class ConnectionPool:
    """Opens connections, and keeps those that are idle; the one that was used last is used first.

    `make_context` makes what all TLS connections share, when the first of them is opened. Serves
    one event loop.
    """

    def __init__(self, make_context: Callable[[], ssl.SSLContext]) -> None:
        self._make_context = make_context
        self._making_context = asyncio.Lock()
        self._context: ssl.SSLContext | None = None
        self._open: set[Connection] = set()
        # since when, in seconds of the monotonic clock; the longest idle are first in both
        self._idle: OrderedDict[Connection, float] = OrderedDict()
        self._idle_of: dict[Endpoint, OrderedDict[Connection, None]] = {}
        self._expiry: asyncio.TimerHandle | None = None

    def take_idle(self, endpoint: Endpoint) -> Connection | None:
        """Return an open connection to this endpoint that nobody uses."""
        too_old = time.monotonic() - MAX_IDLE_TIME
        while connections := self._idle_of.get(endpoint):
            connection = next(reversed(connections))
            since = self._leave(connection)
            if connection.is_open and since > too_old:
                return connection
            connection.abort()
        return None

    async def open(self, endpoint: Endpoint) -> Connection:
        """Open a connection. Raises `ConnectError` and `TlsError`."""
        context = await self._find_context() if endpoint.scheme == "https" else None
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT):
                connection = await self._connect(endpoint)
                if context is not None:
                    await _secure(connection, context)
        except TimeoutError:
            raise ConnectError(
                f"{endpoint.host} ({endpoint.address}) did not accept a connection in time.",
                address=endpoint.address,
            ) from None
        self._open.add(connection)
        return connection

    async def _connect(self, endpoint: Endpoint) -> Connection:
        connection = Connection(endpoint, released=self._keep, closed=self._forget)
        try:
            await asyncio.get_running_loop().create_connection(
                lambda: connection, endpoint.address, endpoint.port
            )
        except OSError as error:
            reason = describe_failure(error)
            raise ConnectError(
                f"No connection to {endpoint.host} ({endpoint.address}): {reason}.",
                address=endpoint.address,
            ) from error
        return connection

    async def _find_context(self) -> ssl.SSLContext:
        """Return the context of all TLS connections. Reading the root certificates takes a thread
        some 30 ms, once."""
        async with self._making_context:
            if self._context is None:
                self._context = await asyncio.to_thread(self._make_context)
        return self._context

    async def close(self) -> None:
        """Close every connection."""
        for connection in self._open:
            connection.abort()
        if self._expiry is not None:
            self._expiry.cancel()
        await asyncio.sleep(0)  # the loop closes them at its next turn

    def _keep(self, connection: Connection) -> None:
        """Keep a connection that nobody uses any more."""
        connections = self._idle_of.setdefault(connection.endpoint, OrderedDict())
        connections[connection] = None
        self._idle[connection] = time.monotonic()
        if len(connections) > MAX_IDLE_OF_ENDPOINT:
            self._drop(next(iter(connections)))
        elif len(self._idle) > MAX_IDLE:
            self._drop(next(iter(self._idle)))
        if self._expiry is None:
            self._expire_in(MAX_IDLE_TIME)

    def _forget(self, connection: Connection) -> None:
        self._open.discard(connection)
        if connection in self._idle:
            self._leave(connection)

    def _drop(self, connection: Connection) -> None:
        self._leave(connection)
        connection.abort()

    def _leave(self, connection: Connection) -> float:
        """Take a connection off those that are idle, and return since when it was."""
        connections = self._idle_of[connection.endpoint]
        del connections[connection]
        if not connections:
            del self._idle_of[connection.endpoint]
        return self._idle.pop(connection)

    def _expire_in(self, seconds: float) -> None:
        self._expiry = asyncio.get_running_loop().call_later(seconds, self._expire)

    def _expire(self) -> None:
        self._expiry = None
        too_old = time.monotonic() - MAX_IDLE_TIME
        while self._idle:
            oldest, since = next(iter(self._idle.items()))
            if since > too_old:
                self._expire_in(since - too_old)
                return
            self._drop(oldest)


async def _secure(connection: Connection, context: ssl.SSLContext) -> None:
    try:
        await connection.start_tls(context)
    except OSError as error:
        endpoint = connection.endpoint
        raise TlsError(
            f"No trusted connection to {endpoint.host}: {describe_failure(error)}.",
            address=endpoint.address,
        ) from error
