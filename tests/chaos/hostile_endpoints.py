"""Endpoints that behave as badly as they can: a program of its own, so that what they cost is not
the tests' or the gateway's.

    python hostile_endpoints.py [HOST …]
        prints {behaviour: url}; then, for each line it is sent,
        {behaviour: {"connections": n, "open": n, "requests": n}}

Each behaviour has one port, which is the same on every host; the URLs name the first.
"""

import asyncio
import json
import socket
import struct
import sys
import zlib
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass

MEBIBYTE = 1 << 20
OK = b"HTTP/1.1 200 OK\r\n"
CHUNK = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
ZEROS = zlib.compressobj(9, zlib.DEFLATED, 31)
BOMB = b"".join([ZEROS.compress(b"\0" * MEBIBYTE) for _ in range(1024)]) + ZEROS.flush()
"""A gibibyte, packed into one mebibyte."""


@dataclass
class Seen:
    """`open` connections are those that the gateway has not closed."""

    connections: int = 0
    open: int = 0
    requests: int = 0


@dataclass
class Client:
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    seen: Seen

    async def read_request(self) -> None:
        head = (await self.reader.readuntil(b"\r\n\r\n")).lower()
        for line in head.split(b"\r\n"):
            if line.startswith(b"content-length:"):
                await self.reader.readexactly(int(line[15:]))
        self.seen.requests += 1

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def until_it_leaves(self) -> None:
        while await self.reader.read(65_536):
            pass

    def reset(self) -> None:
        connection = self.writer.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()


Behaviour = Callable[[Client], Awaitable[None]]


def answering(*parts: bytes, again_and_again: bytes = b"", pause: float = 0.0) -> Behaviour:
    """Reads the request, sends the parts, and then one more again and again or nothing at all."""

    async def behave(client: Client) -> None:
        await client.read_request()
        for part in parts:
            await client.send(part)
        while again_and_again:
            await client.send(again_and_again)
            await asyncio.sleep(pause)
        await client.until_it_leaves()

    return behave


async def reset(client: Client) -> None:
    await client.read_request()
    client.reset()


async def reset_at_once(client: Client) -> None:
    client.reset()


async def never_read(client: Client) -> None:
    client.writer.transport.pause_reading()  # type: ignore[attr-defined]  # asyncio's types lack it
    await asyncio.sleep(3600)


async def garbage(client: Client) -> None:
    await client.send(b"\x16\x03\x01" + b"\xff" * 4096)
    await client.until_it_leaves()


async def fail(client: Client) -> None:
    while True:
        await client.read_request()
        await client.send(b"HTTP/1.1 500 Oops\r\ncontent-length: 0\r\n\r\n")


async def redirect(client: Client) -> None:
    for number in range(100):
        await client.read_request()
        location = f"location: /{number}\r\ncontent-length: 0\r\n\r\n"
        await client.send(b"HTTP/1.1 307 Temporary Redirect\r\n" + location.encode())


BEHAVIOURS: dict[str, Behaviour] = {
    "500": fail,
    "hang": answering(),
    "reset": reset,
    "reset at once": reset_at_once,
    "never read": never_read,
    "dribbled head": answering(OK, again_and_again=b"x", pause=1),
    "dribbled body": answering(OK + b"content-length: 999\r\n\r\n", again_and_again=b"x", pause=1),
    "half a head": answering(OK + b"content-le"),
    "endless head": answering(OK, again_and_again=b"x-more: " + b"x" * 1000 + b"\r\n"),
    "endless body": answering(OK + b"transfer-encoding: chunked\r\n\r\n", again_and_again=CHUNK),
    "gzip bomb": answering(
        OK + b"content-encoding: gzip\r\ncontent-length: %d\r\n\r\n" % len(BOMB), BOMB
    ),
    "100 redirects": redirect,
    "1 MB header": answering(OK + b"x-big: " + b"x" * MEBIBYTE + b"\r\ncontent-length: 0\r\n\r\n"),
    "1xx for ever": answering(again_and_again=b"HTTP/1.1 102 Processing\r\n\r\n", pause=0.01),
    "wrong chunks": answering(OK + b"transfer-encoding: chunked\r\n\r\nzz\r\nhello\r\n"),
    "huge chunk": answering(OK + b"transfer-encoding: chunked\r\n\r\nfffffffffffffffe\r\nhello"),
    "short body": answering(OK + b"content-length: 1000000\r\n\r\nhello"),
    "two lengths": answering(OK + b"content-length: 5\r\ncontent-length: 6\r\n\r\nhello!"),
    "no HTTP": garbage,
    "TLS garbage": garbage,
    "TLS silence": answering(),
}
NEVER_ACCEPTED = "never accepted"
REFUSED = "refused"


async def serve(behave: Behaviour, seen: Seen, hosts: Sequence[str]) -> int:
    """The port."""

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.connections += 1
        seen.open += 1
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            await behave(Client(reader, writer, seen))
        seen.open -= 1
        writer.close()

    server = await asyncio.start_server(connected, hosts[0], 0, backlog=1024)
    port = int(server.sockets[0].getsockname()[1])
    if hosts[1:]:
        await asyncio.start_server(connected, hosts[1:], port, backlog=1024)
    return port


def fill_a_queue() -> tuple[int, list[socket.socket]]:
    """A port that never accepts and whose queue is full: a further connection is never made."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=0)
    waiting = []
    for _ in range(4):
        connection = socket.socket()
        connection.setblocking(False)
        connection.connect_ex(listener.getsockname())
        waiting.append(connection)
    return int(listener.getsockname()[1]), [listener, *waiting]


def refuse() -> tuple[int, socket.socket]:
    """A port that nobody listens on, nor can."""
    bound = socket.socket()
    bound.bind(("127.0.0.1", 0))
    return int(bound.getsockname()[1]), bound


async def main(hosts: Sequence[str]) -> None:
    seen = {name: Seen() for name in BEHAVIOURS}
    ports = {name: await serve(behave, seen[name], hosts) for name, behave in BEHAVIOURS.items()}
    ports[NEVER_ACCEPTED], _kept = fill_a_queue()
    ports[REFUSED], _held = refuse()
    urls = {
        name: f"{'https' if name.startswith('TLS') else 'http'}://127.0.0.1:{port}/"
        for name, port in ports.items()
    }
    print(json.dumps(urls), flush=True)  # noqa: T201 - what it is asked for
    while await asyncio.to_thread(sys.stdin.readline):
        print(json.dumps({name: asdict(each) for name, each in seen.items()}), flush=True)  # noqa: T201


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:] or ["127.0.0.1"]))
