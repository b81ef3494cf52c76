"""Bodies that the application allows to be long: they may take their time, but not for ever."""

import asyncio
import socket
import time
from collections.abc import Iterator
from contextlib import suppress

import pytest
from starlette.types import Receive, Scope, Send

from heliograph.app.server import configure_server
from heliograph.faces.api.connections import BoundedHttpProtocol, expect_long_body
from heliograph.settings import Settings
from server_in_thread import PATIENCE, ServerInThread, serving

LIMIT = 3_000_000


class _Hasty(BoundedHttpProtocol):
    max_request = 65_536
    request_seconds = 0.5
    least_rate = 2_000


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer how long the body was; on /wait wait before it, on /usual allow no long one."""
    if scope["path"] != "/usual":
        expect_long_body(scope, LIMIT)
    if scope["path"] == "/wait":
        await asyncio.sleep(1.6)
    size, more = 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        size, more = size + len(message["body"]), message["more_body"]
    body = str(size).encode()
    headers = [(b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


@pytest.fixture(scope="module")
def server() -> Iterator[ServerInThread]:
    with serving(configure_server(application, _Hasty, Settings())) as server:
        yield server


@pytest.fixture
def connection(server: ServerInThread) -> Iterator[socket.socket]:
    with server.connect() as connection:
        yield connection


def begin(connection: socket.socket, path: str, length: int) -> None:
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n\r\n"
    connection.sendall(head.encode())


def answer(connection: socket.socket) -> tuple[int, bytes]:
    """The status and body of the next answer, which is a short one."""
    received = b""
    while b"\r\n\r\n" not in received:
        received += connection.recv(65_536)
    head, _, body = received.partition(b"\r\n\r\n")
    [length] = [line for line in head.split(b"\r\n") if line.lower().startswith(b"content-length")]
    while len(body) < int(length.split()[1]):
        body += connection.recv(65_536)
    return int(head.split()[1]), body


def test_a_long_body_is_read_where_it_is_allowed(connection: socket.socket) -> None:
    begin(connection, "/long", LIMIT)
    connection.sendall(b"x" * LIMIT)
    assert answer(connection) == (200, str(LIMIT).encode())


def test_in_chunks_as_well(connection: socket.socket) -> None:
    connection.sendall(b"POST /long HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
    for _ in range(300):
        connection.sendall(b"2710\r\n" + b"x" * 10_000 + b"\r\n")
    connection.sendall(b"0\r\n\r\n")
    assert answer(connection) == (200, b"3000000")


def test_nowhere_else(connection: socket.socket) -> None:
    begin(connection, "/usual", 100_000)
    connection.sendall(b"x" * 70_000)
    assert answer(connection)[0] == 413


def test_the_next_request_on_the_connection_has_the_usual_bounds(
    connection: socket.socket,
) -> None:
    begin(connection, "/long", 60_000)
    connection.sendall(b"x" * 60_000)
    assert answer(connection)[0] == 200
    begin(connection, "/usual", 10)
    connection.sendall(b"x")
    assert answer(connection)[0] == 408


def test_a_body_that_keeps_coming_may_take_its_time(connection: socket.socket) -> None:
    begin(connection, "/long", 30_000)
    for _ in range(30):
        connection.sendall(b"x" * 1_000)
        time.sleep(0.08)  # four times as long in all as another request may take
    assert answer(connection) == (200, b"30000")


def test_one_that_drips_may_not(connection: socket.socket) -> None:
    begin(connection, "/long", 30_000)
    began = time.monotonic()
    connection.settimeout(0.05)
    refused = b""
    while not refused and time.monotonic() - began < PATIENCE:
        connection.sendall(b"x")
        with suppress(TimeoutError):
            refused = connection.recv(65_536)
    assert refused.startswith(b"HTTP/1.1 408")


def test_who_is_made_to_wait_is_not_blamed_for_it(connection: socket.socket) -> None:
    begin(connection, "/wait", LIMIT)
    connection.sendall(b"x" * LIMIT)
    assert answer(connection) == (200, str(LIMIT).encode())
