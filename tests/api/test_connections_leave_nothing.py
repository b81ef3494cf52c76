"""What a request or a connection has used is free as soon as it has ended, without a collection of
garbage, in which a node stands still."""

import gc
import socket
import struct
import weakref
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from starlette.types import Receive, Scope, Send

from each_case import for_each
from heliograph.app.server import configure_server
from heliograph.faces.api.connections import BoundedHttpProtocol
from heliograph.settings import Settings
from server_in_thread import ServerInThread, serving
from waiting import wait_until

connections = weakref.WeakSet["_Known"]()
requests = weakref.WeakSet["_Mark"]()


class _Known(BoundedHttpProtocol):
    max_headers = 20

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        connections.add(self)


class _Mark:
    """Lives as long as the scope of a request."""


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    """Read the body and answer it."""
    mark = scope["mark"] = _Mark()
    requests.add(mark)
    del mark
    body, more = b"", True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        body, more = body + message["body"], message["more_body"]
    headers = [(b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


@pytest.fixture(scope="module")
def server() -> Iterator[ServerInThread]:
    with serving(configure_server(application, _Known, Settings())) as server:
        yield server


@pytest.fixture(autouse=True)
def _without_collections() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def post(body: bytes, *headers: str) -> bytes:
    lines = ["POST / HTTP/1.1", "Host: x", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def reset(connection: socket.socket) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def read_to_end(connection: socket.socket) -> None:
    with suppress(ConnectionResetError):
        while connection.recv(65_536):
            pass


@for_each(
    "sent",
    [
        pytest.param(post(b"Hello"), id="one request"),
        pytest.param(post(b"Hello", "Connection: close"), id="the last request"),
        pytest.param(post(b"Hello") * 50, id="sent ahead"),
        pytest.param(post(b"Hello")[:-2], id="half a body"),
        pytest.param(post(b"Hello", "Upgrade: h2c", "Connection: upgrade"), id="an upgrade"),
        pytest.param(post(b"Hello", "Expect: 100-continue"), id="expects to continue"),
        pytest.param(b"GET / HTTP/1.1\r\nHo", id="half a head"),
        pytest.param(b"GET / HTTP/1.1\r\n\r\n", id="no host"),
        pytest.param(b"GET /" + b"a/" * 100 + b" HTTP/1.1\r\nHost: x\r\n\r\n", id="long address"),
        pytest.param(post(b"", *["A: b"] * 30), id="too many headers"),
        pytest.param(post(b"", "Transfer-Encoding: gzip"), id="unknown coding"),
        pytest.param(b"\x16\x03\x01\x02\x00", id="no HTTP"),
        pytest.param(b"", id="nothing"),
    ],
)
def test_a_connection_is_gone_with_its_end(server: ServerInThread, sent: bytes) -> None:
    with server.connect() as connection:
        wait_until(lambda: connections)
        connection.sendall(sent)
        connection.shutdown(socket.SHUT_WR)
        read_to_end(connection)

    wait_until(lambda: not connections and not requests)


def test_a_connection_is_gone_when_it_is_reset(server: ServerInThread) -> None:
    with server.connect() as connection:
        connection.sendall(post(b"Hello"))
        assert connection.recv(65_536).startswith(b"HTTP/1.1 200")
        assert len(connections) == 1
        reset(connection)

    wait_until(lambda: not connections and not requests)


def test_a_request_is_gone_while_its_connection_lasts(server: ServerInThread) -> None:
    with server.connect() as connection:
        for _ in range(20):
            connection.sendall(post(b"Hello") * 5)
            answered = 0
            while answered < 5:
                answered += connection.recv(65_536).count(b"HTTP/1.1 200")

        wait_until(lambda: len(requests) <= 1)  # the connection knows its last one
        assert len(connections) == 1
