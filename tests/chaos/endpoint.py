"""The customers' endpoints: one server that answers 200 and notes each webhook before it does."""

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from hashlib import sha256
from threading import Thread
from typing import Any, cast

from chaos.ledger import Posted

_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
_WEBHOOK_ID = re.compile(rb"\r\nwebhook-id: *([^\r]+)", re.IGNORECASE)
_OK = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"


class Endpoints:
    """Each tenant's webhook leads to `url(tenant)`; `posted` has what came, in order, and `data`,
    if it `keeps_data`, the tenant and the whole record in each."""

    def __init__(self) -> None:
        self.posted: list[Posted] = []
        self.keeps_data = False
        self.data: list[tuple[str, dict[str, Any]]] = []
        self.port = 0

    def url(self, tenant: str) -> str:
        return f"http://127.0.0.1:{self.port}/{tenant}"

    def note(self, head: bytes, body: bytes) -> None:
        event = json.loads(body)
        name, data = _WEBHOOK_ID.search(head), event["data"]
        if not event["type"].startswith("message."):
            return
        tenant = head.split(b" ", 2)[1].decode().strip("/")
        if self.keeps_data:
            self.data.append((tenant, data))
        self.posted.append(
            Posted(
                tag=data["content"],
                tenant=tenant,
                account_id=data["chat_account_id"],
                phone=data["phone_number"],
                message_id=data["id"],
                webhook_id=name[1].decode() if name else "",
                type=event["type"],
                at=time.monotonic(),
                digest=sha256(body).digest(),
            )
        )


class _Exchange(asyncio.Protocol):
    def __init__(self, note: Callable[[bytes, bytes], None]) -> None:
        self._note = note
        self._buffer = b""
        self._transport: asyncio.Transport | None = None

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
            self._note(request[: end + 2], request[end + 4 :])
            assert self._transport is not None
            self._transport.write(_OK)


@asynccontextmanager
async def answering(
    note: Callable[[bytes, bytes], None], hosts: Sequence[str] = ("127.0.0.1",), port: int = 0
) -> AsyncIterator[int]:
    """A server that hands head and body of each request to `note` and answers 200; its port.

    It has a thread of its own: what a test is busy with must not keep a webhook waiting.
    """
    loop = asyncio.new_event_loop()
    thread = Thread(target=loop.run_forever, daemon=True)
    thread.start()
    opening = loop.create_server(lambda: _Exchange(note), hosts, port, backlog=1024)
    server = await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(opening, loop))
    try:
        yield int(server.sockets[0].getsockname()[1])
    finally:
        loop.call_soon_threadsafe(server.close)
        loop.call_soon_threadsafe(loop.stop)
        await asyncio.to_thread(thread.join, 5)


@asynccontextmanager
async def serving_endpoints() -> AsyncIterator[Endpoints]:
    endpoints = Endpoints()
    async with answering(endpoints.note) as endpoints.port:
        yield endpoints
