"""A customer's endpoint: a real HTTP server that remembers what it was sent and answers as told."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, cast

import msgspec

ANSWER_200 = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"


@dataclass(frozen=True, slots=True)
class Received:
    """One request. `headers` have lower-case names; `at` is the loop's time."""

    at: float
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def webhook_id(self) -> str:
        return self.headers["webhook-id"]

    @property
    def type(self) -> str:
        return cast("str", self.json["type"])

    @property
    def json(self) -> dict[str, Any]:
        return cast("dict[str, Any]", msgspec.json.decode(self.body))


Answer = Callable[[Received], Awaitable[bytes]]
"""The raw answer to a request; empty hangs up without one."""


def answer(status: int, *headers: str, body: bytes = b"") -> bytes:
    lines = [f"HTTP/1.1 {status} Whatever", f"content-length: {len(body)}", *headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + body


def always(raw: bytes) -> Answer:
    async def reply(_: Received) -> bytes:
        return raw

    return reply


def in_turn(*answers: bytes) -> Answer:
    """These, one after the other, and 200 from then on."""
    left = iter(answers)

    async def reply(_: Received) -> bytes:
        return next(left, ANSWER_200)

    return reply


class Gate:
    """Answers 200 while open; holds every answer back while shut, as it is in the beginning."""

    def __init__(self) -> None:
        self.opened = asyncio.Event()

    async def __call__(self, _: Received) -> bytes:
        await self.opened.wait()
        return ANSWER_200


@dataclass
class Receiver:
    port: int
    reply: Answer = field(default_factory=lambda: always(ANSWER_200))
    received: list[Received] = field(default_factory=list)
    _arrived: asyncio.Condition = field(default_factory=asyncio.Condition)

    def url(self, path: str = "/hook") -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    @property
    def ids(self) -> list[str]:
        return [each.webhook_id for each in self.received]

    @property
    def doubles(self) -> list[str]:
        return [webhook_id for webhook_id, n in Counter(self.ids).items() if n > 1]

    async def wait_for(self, count: int, timeout: float = 60) -> list[Received]:
        """Return when that many requests have come. Raises `TimeoutError`."""
        async with asyncio.timeout(timeout), self._arrived:
            await self._arrived.wait_for(lambda: len(self.received) >= count)
        return self.received

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self._answer_one(reader, writer):
                pass
        except (asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _answer_one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        request_line, *lines = head.strip().split("\r\n")
        headers = {name.lower(): value for name, _, value in (x.partition(": ") for x in lines)}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        now = asyncio.get_running_loop().time()
        request = Received(now, request_line.split(" ")[1], headers, body)
        async with self._arrived:
            self.received.append(request)
            self._arrived.notify_all()
        raw = await self.reply(request)
        writer.write(raw)
        await writer.drain()
        return bool(raw)


@asynccontextmanager
async def receiving(reply: Answer | None = None) -> AsyncIterator[Receiver]:
    """A receiver on a free loopback port; connections that are still open are cut at the end."""
    receiver = Receiver(0)
    if reply is not None:
        receiver.reply = reply
    tasks: set[asyncio.Task[None]] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        task.add_done_callback(tasks.discard)
        await receiver.serve(reader, writer)

    server = await asyncio.start_server(connected, "127.0.0.1", 0, backlog=1024)
    receiver.port = server.sockets[0].getsockname()[1]
    try:
        yield receiver
    finally:
        server.close()
        for task in tuple(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
