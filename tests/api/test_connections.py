"""Clients that dribble, flood, or do not read, on connections with short bounds."""

import asyncio
import json
import socket
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from contextvars import ContextVar
from typing import cast

import pytest
from starlette.types import Message, Receive, Scope, Send

from heliograph.app.server import configure_server
from heliograph.faces.api.connections import BoundedHttpProtocol
from heliograph.settings import ConnectionSettings, Settings
from server_in_thread import ServerInThread, serving
from waiting import wait_until

BIG = b"x" * 32_000_000
seen = ContextVar("seen", default="")


class _Small(BoundedHttpProtocol):
    max_head = 4096
    max_headers = 20
    max_request = 65_536


class _Hasty(_Small):
    request_seconds = 0.5
    unread_seconds = 0.5


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    """Reads the body, waits on /slow, and answers; on /big with more than any buffer holds, on
    /early before the body."""
    sent = b""
    while scope["path"] != "/early":
        message = await receive()
        sent += message.get("body", b"")
        if message["type"] == "http.disconnect":
            return
        if not message.get("more_body"):
            break
    if scope["path"] == "/slow":
        await asyncio.sleep(1.5)
    body = BIG if scope["path"] == "/big" else (scope["path"] + seen.get()).encode() + sent[:5]
    seen.set("?")
    length = str(len(body)).encode()
    await send(
        {"type": "http.response.start", "status": 200, "headers": [(b"content-length", length)]}
    )
    await send({"type": "http.response.body", "body": body})


@pytest.fixture(scope="module")
def server() -> Iterator[ServerInThread]:
    settings = Settings(connection=ConnectionSettings(idle_timeout=5))
    with serving(configure_server(application, _Hasty, settings)) as server:
        yield server


@pytest.fixture(scope="module")
def patient_server() -> Iterator[ServerInThread]:
    """For who says everything, but not how soon."""
    with serving(configure_server(application, _Small, Settings())) as server:
        yield server


@pytest.fixture
def usual_server() -> Iterator[ServerInThread]:
    """With the bounds that the gateway has."""
    with serving(configure_server(application, settings=Settings())) as server:
        yield server


@pytest.fixture
def connection(server: ServerInThread) -> Iterator[socket.socket]:
    with server.connect() as connection:
        yield connection


@pytest.fixture
def patient_connection(patient_server: ServerInThread) -> Iterator[socket.socket]:
    with patient_server.connect() as connection:
        yield connection


def read_to_end(connection: socket.socket) -> bytes:
    received = b""
    while data := connection.recv(65_536):
        received += data
    return received


def read_until(connection: socket.socket, end: bytes) -> None:
    """A head and its body may come in two pieces."""
    received = b""
    while not received.endswith(end):
        data = connection.recv(4096)
        assert data, received
        received += data


def send_on(connection: socket.socket, data: bytes, times: int, pause: float = 0) -> int:
    """How many times the gateway let `data` be sent before it hung up."""
    for sent in range(times):
        try:
            connection.sendall(data)
        except OSError:
            return sent
        time.sleep(pause)
    return times


def wait_until_connected(server: ServerInThread, number: int) -> None:
    wait_until(lambda: len(server.server_state.connections) <= number)


def refusal(connection: socket.socket) -> tuple[int, str]:
    """Status and code of the one answer after which the gateway hangs up."""
    head, _, body = read_to_end(connection).partition(b"\r\n\r\n")
    assert b"\r\nx-request-id: " in head
    assert b"\r\ncontent-type: application/json" in head
    return int(head.split()[1]), json.loads(body)["code"]


def test_who_says_nothing_is_hung_up_on(connection: socket.socket) -> None:
    assert read_to_end(connection) == b""


def test_a_head_must_come_to_its_end(connection: socket.socket) -> None:
    connection.sendall(b"GET /x HTTP/1.1\r\nHost: ")
    assert refusal(connection) == (408, "request_timeout")


def test_dribbling_does_not_help(connection: socket.socket) -> None:
    connection.sendall(b"GET /x HTTP/1.1\r\nX-A: ")
    assert send_on(connection, b"a", times=200, pause=0.05) < 200


@pytest.mark.parametrize("length", [b"Content-Length: 10", b"Transfer-Encoding: chunked"])
def test_a_body_must_come_to_its_end(connection: socket.socket, length: bytes) -> None:
    connection.sendall(b"POST /x HTTP/1.1\r\nHost: x\r\n" + length + b"\r\n\r\n1")
    assert refusal(connection) == (408, "request_timeout")


def test_the_second_body_on_a_connection_too(connection: socket.socket) -> None:
    """Begun while the first request is still being answered, which is not cut short for it."""
    connection.sendall(b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
    connection.sendall(b"POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n1")
    first, _, second = read_to_end(connection).partition(b"/slow")
    assert first.startswith(b"HTTP/1.1 200")
    assert second.startswith(b"HTTP/1.1 408")


def test_a_body_whose_request_is_answered_already_must_end_too(connection: socket.socket) -> None:
    connection.sendall(b"POST /early HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n1")
    received = read_to_end(connection)
    assert received.endswith(b"/early")
    assert received.count(b"HTTP/1.1") == 1


LAST_REQUESTS = pytest.mark.parametrize(
    "last", [b"1.1\r\nHost: x\r\nConnection: close", b"1.0"], ids=["close", "1.0"]
)


@LAST_REQUESTS
def test_who_is_answered_early_may_send_the_rest_of_its_last_request(
    patient_connection: socket.socket, last: bytes
) -> None:
    patient_connection.sendall(b"POST /early HTTP/" + last + b"\r\nContent-Length: 30000\r\n\r\n")
    received = read_to_end(patient_connection)
    assert b"\r\nconnection: close\r\n" in received
    assert received.endswith(b"/early")
    assert send_on(patient_connection, b"x" * 3000, times=10, pause=0.01) == 10


@LAST_REQUESTS
def test_the_rest_of_a_last_request_must_come_to_its_end(
    server: ServerInThread, connection: socket.socket, last: bytes
) -> None:
    connection.sendall(b"POST /early HTTP/" + last + b"\r\nContent-Length: 30000\r\n\r\n")
    assert read_to_end(connection).endswith(b"/early")
    wait_until_connected(server, 0)


@LAST_REQUESTS
def test_nothing_is_done_after_the_last_request(last: bytes) -> None:
    done = []

    async def note(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            done.append(scope["path"])
        await application(scope, receive, send)

    with (
        serving(configure_server(note, settings=Settings())) as server,
        server.connect() as connection,
    ):
        connection.sendall(b"POST /early HTTP/" + last + b"\r\nContent-Length: 10\r\n\r\n")
        received = read_to_end(connection)
        connection.sendall(b"0123456789GET /next HTTP/1.1\r\nHost: x\r\n\r\n")
        wait_until_connected(server, 0)
    assert received.count(b"HTTP/1.1 200") == 1
    assert done == ["/early"]


def test_what_came_of_a_body_that_nobody_wants_is_not_kept(usual_server: ServerInThread) -> None:
    with usual_server.connect() as connection:
        head = b"POST /early HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n"
        connection.sendall(head + b"x" * 3000)
        read_until(connection, b"/early")
        connection.sendall(b"x" * 30_000)
        [kept] = usual_server.server_state.connections
        assert isinstance(kept, BoundedHttpProtocol)
        wait_until(lambda: kept.cycle.response_complete)  # which is noted after the last byte
        assert len(kept.cycle.body) == 0


def test_an_answer_may_take_its_time(connection: socket.socket) -> None:
    connection.sendall(b"GET /slow HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    assert read_to_end(connection).endswith(b"/slow")


def test_many_requests_on_one_connection(patient_connection: socket.socket) -> None:
    """More bytes than one request may have, in all."""
    request = b"POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 6000\r\n\r\n" + b"a" * 6000
    for _ in range(20):
        patient_connection.sendall(request)
        read_until(patient_connection, b"/xaaaaa")


@pytest.mark.parametrize("end", [b"\r\n\r\n", b""])
@pytest.mark.parametrize("pause", [0.0, 0.1])
@pytest.mark.parametrize(
    "lines",
    [
        b" HTTP/1.1\r\nHost: x\r\nX-A: " + b"a" * 9000,
        b" HTTP/1.1\r\nHost: x\r\n" + b"X-A: bbb\r\n" * 1000,
        b"?" + b"a" * 9000 + b" HTTP/1.1\r\nHost: x",
    ],
    ids=["one", "many", "address"],
)
def test_a_head_has_bounds(
    patient_connection: socket.socket, lines: bytes, pause: float, end: bytes
) -> None:
    """Whether it comes at once or in parts, to its end or not."""
    patient_connection.sendall(b"GET /x")
    time.sleep(pause)
    patient_connection.sendall(lines + end)
    assert refusal(patient_connection) == (431, "head_too_large")


def test_a_head_within_its_bounds(patient_connection: socket.socket) -> None:
    """To the last byte and the last header, in one piece or several."""
    lines = [b"Host: x", b"Connection: close", *[b"X-A: " + b"a" * 200] * 18]
    patient_connection.sendall(b"GET /x HTTP/1.1\r\n" + b"\r\n".join(lines) + b"\r\n\r\n")
    assert read_to_end(patient_connection).endswith(b"/x")


def test_headers_are_counted(patient_connection: socket.socket) -> None:
    patient_connection.sendall(b"GET /x HTTP/1.1\r\nHost: x\r\n" + b"A: b\r\n" * 20 + b"\r\n")
    assert refusal(patient_connection) == (431, "head_too_large")


@pytest.mark.parametrize("hosts", [b"", b"Host: a\r\nHost: a\r\n", b"Host: a\r\nhost: b\r\n"])
def test_a_request_has_one_host(connection: socket.socket, hosts: bytes) -> None:
    connection.sendall(b"GET /x HTTP/1.1\r\n" + hosts + b"\r\n")
    assert refusal(connection) == (400, "malformed_request")


def test_the_older_version_knew_no_host(connection: socket.socket) -> None:
    connection.sendall(b"GET /x HTTP/1.0\r\n\r\n")
    assert read_to_end(connection).endswith(b"/x")


def test_a_connection_may_be_idle_for_longer_than_a_request_may_take(
    connection: socket.socket,
) -> None:
    for _ in range(2):
        connection.sendall(b"GET /x HTTP/1.1\r\nHost: x\r\n\r\n")
        read_until(connection, b"/x")
        time.sleep(2 * _Hasty.request_seconds)
    connection.sendall(b"POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello")
    read_until(connection, b"/xhello")
    assert read_to_end(connection) == b"", "not for ever"


def test_a_line_break_begins_no_request(connection: socket.socket) -> None:
    connection.sendall(b"GET /x HTTP/1.1\r\nHost: x\r\n\r\n")
    read_until(connection, b"/x")
    assert send_on(connection, b"\r\n", times=200, pause=0.05) < 200


def test_a_body_has_its_time_from_its_own_first_byte(connection: socket.socket) -> None:
    connection.sendall(b"GET /x HTTP/1.1\r\nHost: x\r\n\r\n")
    read_until(connection, b"/x")
    connection.sendall(b"POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n1")
    assert refusal(connection) == (408, "request_timeout")


def count_waiting(server: ServerInThread) -> int:
    """Requests that have been read and not begun."""
    connections = cast("set[BoundedHttpProtocol]", server.server_state.connections)
    return sum(len(connection.pipeline) for connection in list(connections))


def test_requests_that_are_sent_ahead_wait_unread(
    server: ServerInThread, connection: socket.socket
) -> None:
    request = b"GET /x HTTP/1.1\r\nHost: x\r\n\r\n"
    connection.sendall(b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\n" + request * 2000)
    wait_until(lambda: count_waiting(server))
    time.sleep(0.3)
    assert count_waiting(server) < 300
    connection.sendall(request.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
    assert read_to_end(connection).count(b"HTTP/1.1 200") == 2002


@pytest.mark.parametrize("length", [1, 17, 500, 5000])
def test_requests_with_bodies_may_be_sent_ahead(
    patient_connection: socket.socket, length: int
) -> None:
    # what is read at a time ends now in a head, now in a body
    body = b"b" * length
    request = b"POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%b" % (length, body)
    last = b"GET /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    sent = b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\n" + request * 300 + last
    patient_connection.sendall(sent)
    received = read_to_end(patient_connection)
    assert received.count(b"HTTP/1.1 200") == 302
    assert received.count(b"/x" + body[:5]) == 300


@pytest.mark.parametrize("length", [20, 60_000])
def test_what_has_arrived_while_the_node_stood_still_is_no_late_request(
    server: ServerInThread, connection: socket.socket, length: int
) -> None:
    connection.sendall(b"POST /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n")
    wait_until(lambda: len(server.server_state.connections) == 1)
    time.sleep(0.1)  # until the beginning is read
    [protocol] = server.server_state.connections
    loop = cast(BoundedHttpProtocol, protocol).loop
    loop.call_soon_threadsafe(time.sleep, 3 * _Hasty.request_seconds)
    body = b"b" * length
    connection.sendall(b"Content-Length: %d\r\n\r\n%b" % (length, body))
    assert read_to_end(connection).startswith(b"HTTP/1.1 200")


class _Rounds:
    """An application that notes in which round of the event loop something comes to it."""

    def __init__(self) -> None:
        self.seen: list[int] = []
        self._round = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not self._round:
            self._count()

        async def receive_noting() -> Message:
            message = await receive()
            self.seen.append(self._round)
            return message

        await application(scope, receive_noting, send)

    def _count(self) -> None:
        self._round += 1
        asyncio.get_running_loop().call_soon(self._count)


@pytest.mark.parametrize(
    ("sent", "answers"),
    [
        (b"GET /x HTTP/1.1\r\nHost: x\r\n\r\n" * 300, 300),
        (b"POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n" + b"a" * 60_000, 1),
    ],
    ids=["requests", "bodies"],
)
def test_who_sends_much_takes_turns_with_the_others_who_do(sent: bytes, answers: int) -> None:
    rounds = _Rounds()
    with ExitStack() as opened:
        server = opened.enter_context(serving(configure_server(rounds, settings=Settings())))
        connections = [opened.enter_context(server.connect()) for _ in range(10)]
        for connection in connections:
            connection.sendall(sent)
        for connection in connections:
            received = b""
            while received.count(b"HTTP/1.1 200") < answers:
                received += connection.recv(65_536)
    assert max(Counter(rounds.seen).values()) <= 2  # the first round is counted from its middle


def test_a_node_takes_so_many_connections() -> None:
    """This machine is free of the limit for each address."""
    settings = Settings(connection=ConnectionSettings(limit=3, limit_per_address=1))
    request = b"GET /x HTTP/1.1\r\nHost: x\r\n\r\n"
    with ExitStack() as opened:
        server = opened.enter_context(serving(configure_server(application, settings=settings)))
        for _ in range(3):
            connection = opened.enter_context(server.connect())
            connection.sendall(request)
            read_until(connection, b"/x")
        with server.connect() as refused:
            head = refused.recv(4096)
        assert head.startswith(b"HTTP/1.1 503 ")
        assert b"\r\nRetry-After: 1\r\n" in head
        assert b'"too_many_connections"' in head
        connection.close()
        wait_until_connected(server, 2)
        with server.connect() as another:
            another.sendall(request)
            read_until(another, b"/x")


@pytest.mark.parametrize("begun", [b"1;", b"0\r\nA: ", b"0\r\n"], ids=["extension", "one", "many"])
def test_trailers_and_chunk_extensions_have_bounds(
    usual_server: ServerInThread, begun: bytes
) -> None:
    head = b"POST /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    more = b"A: b\r\n" * 1000 if begun == b"0\r\n" else b"a" * 6000
    with usual_server.connect() as connection:
        connection.sendall(head + begun)
        assert send_on(connection, more, times=1000, pause=0.001) < 500


def test_a_body_that_will_not_be_read_to_its_end_is_the_connections_last(
    patient_connection: socket.socket,
) -> None:
    length = _Small.max_request + 1
    head = f"POST /early HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n\r\n"
    patient_connection.sendall(head.encode())
    assert b"\r\nconnection: close\r\n" in patient_connection.recv(4096)


@pytest.mark.parametrize("requests", [1, 3])
def test_who_does_not_read_is_hung_up_on(
    server: ServerInThread,
    connection: socket.socket,
    requests: int,
    caplog: pytest.LogCaptureFixture,
) -> None:
    connection.sendall(b"GET /big HTTP/1.1\r\nHost: x\r\n\r\n" * requests)
    assert connection.recv(15) == b"HTTP/1.1 200 OK"
    wait_until_connected(server, 0)
    with pytest.raises(ConnectionResetError):  # and nothing waits for it to read on
        read_to_end(connection)
    assert not caplog.records


@pytest.mark.parametrize(
    "request_",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01",
        b"FOO /x HTTP/1.1\r\n\r\n",
        b"GET /x HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"GET /x HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
        b"GET /x HTTP/1.1\r\nAuthorization: a\r\n b\r\n\r\n",
        b"GET /\xff HTTP/1.1\r\n\r\n",
        b"GET http://x HTTP/1.1\r\n\r\n",
        b"CONNECT x:1 HTTP/1.1\r\n\r\n",
    ],
)
def test_what_is_no_request(connection: socket.socket, request_: bytes) -> None:
    connection.sendall(request_)
    assert refusal(connection) == (400, "malformed_request")


def test_a_request_knows_nothing_of_the_one_before(patient_connection: socket.socket) -> None:
    request = b"GET /x HTTP/1.1\r\nHost: x\r\n"
    patient_connection.sendall(request + b"\r\n" + request + b"Connection: close\r\n\r\n")
    received = read_to_end(patient_connection)
    assert (received.count(b"/x"), received.count(b"/x?")) == (2, 0)


def test_what_is_no_request_after_one_that_was(connection: socket.socket) -> None:
    connection.sendall(b"GET /x HTTP/1.1\r\nHost: x\r\n\r\n")
    read_until(connection, b"/x")
    connection.sendall(b"CONNECT x:1 HTTP/1.1\r\n\r\n")
    assert refusal(connection) == (400, "malformed_request")


@pytest.mark.parametrize("pause", [0.0, 0.1])
@pytest.mark.parametrize(
    ("framing", "body", "expected"),
    [
        (b"Content-Length: 5\r\n", b"hello", b"hello"),
        (b"Content-Length: 19\r\n", b"GET /y HTTP/1.1\r\n\r\n", b"GET /"),
        (b"Transfer-Encoding: chunked\r\n", b"5\r\nhello\r\n0\r\n\r\n", b"hello"),
        (b"", b"", b""),
    ],
)
def test_an_upgrade_is_passed_over(
    patient_connection: socket.socket, framing: bytes, body: bytes, expected: bytes, pause: float
) -> None:
    """What Java's client sends by default; twice, on one connection."""
    upgrade = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAA\r\n"
    for _ in range(2):
        patient_connection.sendall(b"POST /x HTTP/1.1\r\nHost: x\r\n" + upgrade + framing + b"\r\n")
        time.sleep(pause)
        patient_connection.sendall(body)
        read_until(patient_connection, b"/x" + expected)
    patient_connection.sendall(b"GET /z HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    rest = read_to_end(patient_connection)
    assert rest.startswith(b"HTTP/1.1 200")
    assert rest.endswith(b"/z")


def test_pipelined_upgrades(patient_connection: socket.socket) -> None:
    head = b"POST /x HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n"
    head += b"Content-Length: 2\r\n\r\n"
    patient_connection.sendall(head + b"ab" + head + b"cd")
    time.sleep(0.1)
    patient_connection.sendall(b"GET /z HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    received = read_to_end(patient_connection)
    assert [received.count(part) for part in (b" 200 ", b"/xab", b"/xcd", b"/z")] == [3, 1, 1, 1]


def test_a_refusal_is_never_taken_for_an_earlier_answer(connection: socket.socket) -> None:
    connection.sendall(b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
    time.sleep(0.1)
    connection.sendall(b"nonsense\r\n\r\n")
    assert b"400" not in read_to_end(connection)


@pytest.mark.parametrize(
    "coding",
    [
        b"Transfer-Encoding: gzip, chunked",
        b"Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked",
        b"Transfer-Encoding: chunked, chunked",
    ],
)
def test_a_body_in_another_transfer_coding_is_refused(
    connection: socket.socket, coding: bytes
) -> None:
    """Were it taken as it comes, a file would be stored that nobody has sent."""
    head = b"POST /x HTTP/1.1\r\nHost: x\r\n" + coding + b"\r\n\r\n"
    connection.sendall(head + b"5\r\nhello\r\n0\r\n\r\n")
    assert refusal(connection) == (400, "malformed_request")
