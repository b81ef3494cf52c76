"""The benchmark's webhook receiver: a process of its own that records what comes and when.

`python -m bench.receiver` prints its port and serves until its standard input ends. `POST` records
a webhook; `GET /` answers with those recorded, the oldest first, and forgets them; `GET /count`
answers how many ever came. The events of a batch count as a webhook each.
"""

import asyncio
import re
import sys
import time
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import cast

import msgspec
import uvloop

from bench.client import Client, ask_all

_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
_WEBHOOK_ID = re.compile(rb"\r\nwebhook-id: *([^\r]+)", re.IGNORECASE)
_TAKEN_AT_ONCE = 20_000
_OK = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"


class Subject(msgspec.Struct):
    """What a payload is about: a message has an id and a conversation, a batch has events."""

    id: str | None = None
    conversation_id: str | None = None
    events: "list[Payload]" = []


class Payload(msgspec.Struct):
    """`id` stands in the events of a batch."""

    type: str
    data: Subject
    id: str = ""


class Arrival(msgspec.Struct, array_like=True):
    """One event that came. `at` is in monotonic seconds, `request_id` the header `webhook-id`: by
    itself an event has the same id, in a batch the batch's."""

    at: float
    webhook_id: str
    type: str
    message_id: str | None
    conversation_id: str | None
    request_id: str


class _Noted:
    """What has come and was not taken yet, and how many came ever."""

    def __init__(self) -> None:
        self.arrivals: deque[Arrival] = deque()
        self.count = 0

    def add(self, at: float, request_id: str, payload: Payload) -> None:
        for event in payload.data.events or [payload]:
            subject = event.data
            webhook_id = event.id or request_id
            self.arrivals.append(
                Arrival(at, webhook_id, event.type, subject.id, subject.conversation_id, request_id)
            )
            self.count += 1

    def take(self) -> list[Arrival]:
        number = min(len(self.arrivals), _TAKEN_AT_ONCE)
        return [self.arrivals.popleft() for _ in range(number)]


class _Exchange(asyncio.Protocol):
    """One connection of the gateway, or of the benchmark that asks what has come."""

    def __init__(self, noted: _Noted) -> None:
        self._noted = noted
        self._buffer = b""
        self._transport: asyncio.Transport | None = None
        self._decoder = msgspec.json.Decoder(Payload)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while (end := self._buffer.find(b"\r\n\r\n")) >= 0:
            length = _LENGTH.search(self._buffer, 0, end + 2)
            total = end + 4 + (int(length[1]) if length else 0)
            if len(self._buffer) < total:
                return
            request, self._buffer = self._buffer[:total], self._buffer[total:]
            self._answer(request[: end + 2], request[end + 4 :])

    def _answer(self, head: bytes, body: bytes) -> None:
        assert self._transport is not None
        if head.startswith(b"GET"):
            wanted = self._noted.count if head.startswith(b"GET /count ") else self._noted.take()
            told = msgspec.json.encode(wanted)
            self._transport.write(
                b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%b" % (len(told), told)
            )
            return
        now, name = time.monotonic(), _WEBHOOK_ID.search(head)
        self._transport.write(_OK)
        self._noted.add(now, name[1].decode() if name else "", self._decoder.decode(body))


async def _serve() -> None:
    loop = asyncio.get_running_loop()
    noted = _Noted()
    server = await loop.create_server(lambda: _Exchange(noted), "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


@dataclass(frozen=True, slots=True)
class Receiver:
    """The benchmark's side of the receiver process."""

    url: str
    pid: int

    async def take(self) -> list[Arrival]:
        """Return what has come and was not taken before, in order, and a part of it when it is
        much."""
        return msgspec.json.decode(await self._ask("/"), type=list[Arrival])

    async def count(self) -> int:
        """Return how many webhooks ever came."""
        return msgspec.json.decode(await self._ask("/count"), type=int)

    async def forget(self) -> None:
        """Take all there is and discard it."""
        while await self.take():
            pass

    async def _ask(self, path: str) -> bytes:
        client = Client(self.url, "")
        async with client.connections(1) as connections:
            return (await ask_all(connections, [client.get(path)]))[0].body


@asynccontextmanager
async def receiving() -> AsyncIterator[Receiver]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "bench.receiver",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        port = int(await process.stdout.readline())
        yield Receiver(f"http://127.0.0.1:{port}", process.pid)
    finally:
        process.stdin.close()
        await process.wait()


if __name__ == "__main__":
    uvloop.run(_serve())
