"""A load client: keep-alive connections with as little work per request as Python allows."""

import asyncio
import re
import time
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any, cast
from urllib.parse import urlsplit

import msgspec

_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
_CHUNKED, _LAST_CHUNK = b"\r\ntransfer-encoding: chunked\r\n", b"\r\n0\r\n\r\n"
_TOLD_EVERY = 250
BUTTONS = "/api/v1/messages/send/interactive/buttons"


@dataclass(frozen=True, slots=True)
class Answer:
    """One exchange. Times are in monotonic seconds, comparable between processes of one machine."""

    asked_at: float
    answered_at: float
    status: int
    body: bytes

    @property
    def seconds(self) -> float:
        return self.answered_at - self.asked_at


class Connection(asyncio.Protocol):
    """One keep-alive connection, one request at a time. The body of an answer without a
    Content-Length is what comes up to the last chunk, as it comes."""

    def __init__(self) -> None:
        self._buffer = bytearray()  # an export is long, and comes in thousands of pieces
        self._waiter: asyncio.Future[tuple[int, bytes]] | None = None
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            return
        if _CHUNKED in self._buffer[: end + 2]:
            total = len(self._buffer)
            if not self._buffer.endswith(_LAST_CHUNK):
                return
        else:
            length = _LENGTH.search(self._buffer, 0, end + 2)
            total = end + 4 + (int(length[1]) if length else 0)
            if len(self._buffer) < total:
                return
        answer = bytes(self._buffer[:total])
        del self._buffer[:total]
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result((int(answer[9:12]), answer[end + 4 :]))

    def connection_lost(self, exc: Exception | None) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_exception(exc or ConnectionResetError("the gateway hung up"))

    @property
    def is_open(self) -> bool:
        return self._transport is not None and not self._transport.is_closing()

    async def ask(self, request: bytes) -> Answer:
        assert self._transport is not None
        self._waiter = asyncio.get_running_loop().create_future()
        asked_at = time.monotonic()
        self._transport.write(request)
        status, body = await self._waiter
        return Answer(asked_at, time.monotonic(), status, body)

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()


@dataclass(frozen=True, slots=True)
class Client:
    """Make the bytes of requests with one key to one gateway, and open connections to it."""

    base_url: str
    api_key: str

    def get(self, path: str) -> bytes:
        return self._head("GET", path) + b"\r\n"

    def post(self, path: str, body: dict[str, Any]) -> bytes:
        return self.post_raw(path, msgspec.json.encode(body))

    def post_raw(self, path: str, encoded: bytes) -> bytes:
        head = self._head("POST", path)
        length = f"content-type: application/json\r\ncontent-length: {len(encoded)}\r\n\r\n"
        return head + length.encode() + encoded

    def send_buttons(self, phone_number: str, account_id: object, text: str) -> bytes:
        """Make a request to endpoint 2."""
        body = {
            "phone_number": phone_number,
            "chat_account_id": str(account_id),
            "body": text,
            "buttons": [{"id": "yes", "title": "Yes"}, {"id": "no", "title": "No"}],
            "footer": "bench",
        }
        return self.post(BUTTONS, body)

    def _head(self, method: str, path: str) -> bytes:
        host = urlsplit(self.base_url).netloc
        key = f"authorization: Bearer {self.api_key}"
        return f"{method} {path} HTTP/1.1\r\nhost: {host}\r\n{key}\r\n".encode()

    async def open_connections(self, count: int) -> list[Connection]:
        """Open connections, which the caller closes."""
        address = urlsplit(self.base_url)
        host, port = address.hostname or "127.0.0.1", address.port or 80
        loop = asyncio.get_running_loop()
        return [(await loop.create_connection(Connection, host, port))[1] for _ in range(count)]

    @asynccontextmanager
    async def connections(self, count: int) -> AsyncIterator[list[Connection]]:
        opened = await self.open_connections(count)
        try:
            yield opened
        finally:
            for connection in opened:
                connection.close()


async def ask_all(
    connections: Iterable[Connection],
    requests: Iterable[bytes],
    *,
    move: Callable[[int], None] = lambda _: None,
    patience: float = 0.0,
) -> list[Answer]:
    """Send all requests as fast as the connections get answers. Raises unless all succeed; one that
    is answered 503 may be asked again for `patience` seconds, before anything is measured.

    `move` is told from time to time how many more were answered, since moving a progress bar costs
    more than a request.
    """
    waiting = iter(requests)
    answers: list[Answer] = []

    async def work(connection: Connection) -> None:
        for request in waiting:
            answer = await _ask_again(connection, request, patience)
            if answer.status >= 300:
                raise RuntimeError(f"answered {answer.status}: {answer.body[:300]!r}")
            answers.append(answer)
            if len(answers) % _TOLD_EVERY == 0:
                move(_TOLD_EVERY)

    async with asyncio.TaskGroup() as group:
        for connection in connections:
            group.create_task(work(connection))
    move(len(answers) % _TOLD_EVERY)
    return answers


async def _ask_again(connection: Connection, request: bytes, patience: float) -> Answer:
    """Ask until the answer is no 503, or the patience is at an end."""
    until = time.monotonic() + patience
    while True:
        answer = await connection.ask(request)
        if answer.status != 503 or time.monotonic() >= until:
            return answer
        await asyncio.sleep(1)


async def ask_at_rate(
    connections: list[Connection],
    requests: Iterable[bytes],
    per_second: float,
    *,
    tick: Callable[[], None] = lambda: None,
) -> list[Answer]:
    """Send requests at fixed times, whether or not earlier answers have come. The connections limit
    how many are under way, and take turns, so that none idles until it is closed. A request that
    waits for one of them waits for the gateway."""
    free: asyncio.Queue[Connection] = asyncio.Queue()
    for connection in connections:
        free.put_nowait(connection)
    answers: list[Answer] = []

    async def ask(request: bytes) -> None:
        asked_at = time.monotonic()
        connection = await free.get()
        answers.append(replace(await connection.ask(request), asked_at=asked_at))
        free.put_nowait(connection)
        tick()

    began = time.monotonic()
    async with asyncio.TaskGroup() as group:
        for number, request in enumerate(requests):
            await asyncio.sleep(max(0.0, began + number / per_second - time.monotonic()))
            group.create_task(ask(request))
    return answers
