"""Servers that answer as badly as a test wants, and the guarded client that meets them."""

import asyncio
import socket
import ssl
import struct
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from heliograph.platform.outbound_http import AddressPolicy, GuardedClient, OwnPorts
from resolvers import resolving_to

HOST = "hooks.invalid"
"""A name that no name server knows: only the pinned address can lead anywhere."""
NOW = 1_750_000_000.0
MEBIBYTE = 1 << 20

Behaviour = Callable[["Connection"], Awaitable[None]]


@dataclass
class Connection:
    """What one behaviour may do with its connection, and what it saw."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    server: "Server"

    async def read_request(self) -> bytes:
        head = await self.reader.readuntil(b"\r\n\r\n")
        lines = head.decode("latin-1").lower().split("\r\n")
        length = next((int(line[15:]) for line in lines if line.startswith("content-length:")), 0)
        body = await self.reader.readexactly(length)
        self.server.requests.append((head, body))
        return head

    def reset(self) -> None:
        """End the connection in a way that the client sees as a failure."""
        given = self.writer.get_extra_info("socket")
        given.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        self.server.sent += len(data)
        await self.writer.drain()


@dataclass
class Server:
    port: int = 0
    requests: list[tuple[bytes, bytes]] = field(default_factory=list)
    connections: int = 0
    sent: int = 0
    gone: asyncio.Event = field(default_factory=asyncio.Event)

    def url(self, host: str = HOST, scheme: str = "http") -> str:
        return f"{scheme}://{host}:{self.port}/hook"


@asynccontextmanager
async def serving(behaviour: Behaviour, tls: ssl.SSLContext | None = None) -> AsyncIterator[Server]:
    """A server whose every connection does `behaviour`; `gone` is set when the client has left."""
    server = Server()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server.connections += 1
        try:
            await behaviour(Connection(reader, writer, server))
        # a RuntimeError is what uvloop says of a closed connection
        except (ConnectionError, asyncio.IncompleteReadError, RuntimeError):
            server.gone.set()
        except asyncio.CancelledError:
            pass  # the test is over; Python 3.11's streams complain of a cancelled handler
        finally:
            writer.close()

    listener = await asyncio.start_server(connected, "127.0.0.1", 0, ssl=tls)
    server.port = listener.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        listener.close()


def answering(*parts: bytes) -> Behaviour:
    async def behave(connection: Connection) -> None:
        await connection.read_request()
        for part in parts:
            await connection.send(part)

    return behave


def flooding(head: bytes, endless: bytes) -> Behaviour:
    """Begin an answer, and go on with this without end."""

    async def behave(connection: Connection) -> None:
        await connection.read_request()
        await connection.send(head)
        while True:
            await connection.send(endless)

    return behave


async def hang(connection: Connection) -> None:
    """Take a request and never answer."""
    await connection.read_request()
    await connection.reader.readexactly(1)


def response(body: bytes = b"", *headers: str, status: str = "200 OK") -> bytes:
    lines = [f"HTTP/1.1 {status}", f"content-length: {len(body)}", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


@asynccontextmanager
async def client_for(
    *answers: Sequence[str],
    policy: AddressPolicy = AddressPolicy.LOOPBACK,
    own_ports: OwnPorts | None = None,
    timeout: float = 5,
    root_certificates: bytes | None = None,
) -> AsyncIterator[GuardedClient]:
    client = GuardedClient(
        policy,
        resolving_to(*(answers or (["127.0.0.1"],))),
        own_ports=own_ports,
        timeout=timeout,
        root_certificates=root_certificates,
        now=lambda: NOW,
    )
    try:
        yield client
    finally:
        await client.close()
