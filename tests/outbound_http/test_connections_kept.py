"""Which connections are used again, and what becomes of a request that meets one's end."""

import asyncio
import gc
import socket
import ssl
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from uuid import uuid4

import pytest
import trustme

from each_case import for_each
from heliograph.platform.outbound_http import (
    ConnectError,
    DeadlineError,
    GuardedClient,
    ProtocolError,
    TlsError,
    pool,
)
from heliograph.platform.outbound_http.answers import AnswerReader
from odd_servers import HOST, Connection, answering, client_for, hang, response, serving
from waiting import until

LARGE = b"x" * (8 << 20)
"""More than the kernel's buffers take on the way."""


def repeating(*answers: bytes) -> Callable[[Connection], Awaitable[None]]:
    """Answer one request after another on each connection, with these in turn."""

    async def behave(connection: Connection) -> None:
        while True:
            for answer in answers:
                await connection.read_request()
                await connection.send(answer)

    return behave


def together(count: int, answer: bytes) -> Callable[[Connection], Awaitable[None]]:
    """Answer when so many requests are there."""
    waiting = list[Connection]()

    async def behave(connection: Connection) -> None:
        while True:
            await connection.read_request()
            waiting.append(connection)
            if len(waiting) == count:
                for other in waiting:
                    await other.send(answer)
                waiting.clear()

    return behave


@for_each(
    ("answer", "connections"),
    [
        pytest.param(response(), 1, id="with a length"),
        pytest.param(b"HTTP/1.1 204 No Content\r\n\r\n", 1, id="204"),
        pytest.param(
            b"HTTP/1.1 204 No Content\r\ncontent-length: 0\r\n\r\n", 1, id="204, length 0"
        ),
        pytest.param(
            b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
            1,
            id="chunks",
        ),
        pytest.param(
            b"HTTP/1.0 200 OK\r\nconnection: keep-alive\r\ncontent-length: 0\r\n\r\n",
            1,
            id="1.0 kept",
        ),
        pytest.param(b"HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n", 3, id="1.0"),
        pytest.param(response(b"", "connection: close"), 3, id="to be closed"),
        pytest.param(response(b"", "Connection: Foo, Close"), 3, id="to be closed, among others"),
        pytest.param(response(b"ab") + b"cd", 3, id="more than its length"),
        pytest.param(response() + response(b"another"), 3, id="two answers"),
        pytest.param(response(b"x" * 100_000), 3, id="more than is read"),
        pytest.param(
            b"HTTP/1.1 204 No\r\ncontent-length: 2\r\n\r\n", 3, id="204 that promises more"
        ),
        pytest.param(
            b"HTTP/1.1 304 Not\r\ntransfer-encoding: chunked\r\n\r\n",
            3,
            id="304 that promises more",
        ),
    ],
)
async def test_a_connection_is_used_again_if_its_answer_has_ended(
    answer: bytes, connections: int
) -> None:
    async with serving(repeating(answer)) as server, client_for() as client:
        for _ in range(3):
            assert (await client.post(server.url(), {}, b"{}")).status < 400
        assert (server.connections, len(server.requests)) == (connections, 3)


@pytest.fixture
def _without_collections() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


async def read(client: GuardedClient, url: str) -> None:
    """Whoever has the answer has its connection: nobody has it when this is over."""
    with suppress(ProtocolError):
        async with client.get(url, {}, seconds=30) as answer:
            async for _ in answer.chunks():
                pass


def readers() -> list[AnswerReader]:
    return [each for each in gc.get_objects() if isinstance(each, AnswerReader)]


@for_each(
    "answer",
    [
        pytest.param(response(b"", "connection: close"), id="closed after its answer"),
        pytest.param(b"HTTP/1.1 200 OK\r\n\r\nto its end", id="closed as its end"),
        pytest.param(response(b"x" * 100_000), id="more than is read"),
        pytest.param(b"HTTP/1.1 0 OK\r\n\r\n", id="refused in its head"),
        pytest.param(b"no HTTP at all", id="no HTTP"),
        pytest.param(response(b"whole")[:-1], id="cut off"),
        pytest.param(b"", id="nothing"),
    ],
)
@pytest.mark.usefixtures("_without_collections")
async def test_a_connection_that_has_ended_leaves_nothing_to_collect(answer: bytes) -> None:
    async with serving(answering(answer)) as server, client_for() as client:
        with suppress(ProtocolError):
            await client.post(server.url(), {}, b"{}")
        await until(lambda: not readers())
        await read(client, server.url())
        await until(lambda: not readers())


@pytest.mark.usefixtures("_without_collections")
async def test_a_connection_that_nobody_takes_leaves_nothing_to_collect() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    async with client_for() as client:
        with pytest.raises(ConnectError):
            await client.post(f"http://{HOST}:{port}/", {}, b"{}")
        assert not readers()


@for_each("status", ["204 No Content", "304 Not Modified"])
async def test_a_body_that_can_not_be_is_never_read_as_the_next_answer(status: str) -> None:
    """Some servers send one all the same, together with the head or a moment later."""

    async def behave(connection: Connection) -> None:
        await connection.read_request()
        await connection.send(f"HTTP/1.1 {status}\r\n\r\n".encode())
        await asyncio.sleep(0.05)
        await connection.send(response(b"forged"))
        await connection.read_request()
        await connection.send(response(b"honest"))

    async with serving(behave) as server, client_for() as client:
        await client.post(server.url(), {}, b"{}")
        await asyncio.wait_for(server.gone.wait(), 30)
        assert (await client.post(server.url(), {}, b"{}")).status == int(status[:3])


async def test_what_comes_on_an_idle_connection_ends_it() -> None:
    async def behave(connection: Connection) -> None:
        await connection.read_request()
        await connection.send(response(b"first"))
        await asyncio.sleep(0.05)
        await connection.send(response(b"nobody asked"))
        await connection.read_request()

    async with serving(behave) as server, client_for() as client:
        await client.post(server.url(), {}, b"{}")
        await asyncio.wait_for(server.gone.wait(), 30)
        assert (await client.post(server.url(), {}, b"{}")).body == "first"


@for_each("is_reset", [False, True])
async def test_a_request_that_meets_the_end_of_an_idle_connection_is_sent_once_more(
    is_reset: bool,
) -> None:
    async def behave(connection: Connection) -> None:
        await connection.read_request()
        if connection.server.connections == 1:
            await connection.send(response())
            await connection.read_request()
            if is_reset:
                connection.reset()
        else:
            await connection.send(response(b"second"))

    async with serving(behave) as server, client_for() as client:
        await client.post(server.url(), {}, b"{}")
        assert (await client.post(server.url(), {}, b'{"a": 1}')).body == "second"
    assert [body for _, body in server.requests] == [b"{}", b'{"a": 1}', b'{"a": 1}']


async def test_it_is_sent_once_more_and_not_again() -> None:
    async def behave(connection: Connection) -> None:
        await connection.read_request()
        if connection.server.connections == 1:
            await connection.send(response())
            await connection.read_request()

    async with serving(behave) as server, client_for() as client:
        await client.post(server.url(), {}, b"{}")
        with pytest.raises(ProtocolError, match="closed"):
            await client.post(server.url(), {}, b"{}")
        assert (server.connections, len(server.requests)) == (2, 3)


@for_each("beginning", [b"H", b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 200 OK\r\ncontent-le"])
async def test_a_request_whose_answer_has_begun_is_not_sent_again(beginning: bytes) -> None:
    async def behave(connection: Connection) -> None:
        await connection.read_request()
        await connection.send(response())
        await connection.read_request()
        await connection.send(beginning)

    async with serving(behave) as server, client_for() as client:
        await client.post(server.url(), {}, b"{}")
        with pytest.raises(ProtocolError):
            await client.post(server.url(), {}, b"{}")
        assert (server.connections, len(server.requests)) == (1, 2)


async def test_a_request_on_a_new_connection_is_not_sent_again() -> None:
    async with serving(answering()) as server, client_for() as client:
        with pytest.raises(ProtocolError, match="closed"):
            await client.post(server.url(), {}, b"{}")
        assert server.connections == 1


async def test_an_answer_to_half_a_request_counts_and_the_rest_is_not_sent() -> None:
    async def refuse(connection: Connection) -> None:
        await connection.reader.readuntil(b"\r\n\r\n")
        await connection.send(response(b"too large", status="413 Content Too Large"))
        await connection.reader.readexactly(len(LARGE) * 2)

    async with serving(refuse) as server, client_for() as client:
        for _ in range(2):
            assert (await client.post(server.url(), {}, LARGE)).body == "too large"
        assert server.connections == 2


async def test_a_server_that_does_not_read_is_left_at_the_deadline() -> None:
    async def sleep(connection: Connection) -> None:
        connection.reader._transport.pause_reading()  # type: ignore[attr-defined]
        await asyncio.sleep(3600)

    async with serving(sleep) as server, client_for(timeout=0.3) as client:
        with pytest.raises(DeadlineError):
            await client.post(server.url(), {}, LARGE)


async def test_a_server_that_closes_its_side_after_the_answer_has_answered() -> None:
    async def half_close(connection: Connection) -> None:
        await connection.read_request()
        await connection.send(response(b"ok"))
        connection.writer.write_eof()
        await connection.reader.read()

    async with serving(half_close) as server, client_for() as client:
        for _ in range(2):
            assert (await client.post(server.url(), {}, b"{}")).body == "ok"
            await asyncio.sleep(0.05)
        assert server.connections == 2


async def test_a_server_that_closes_its_side_before_the_answer_gives_none() -> None:
    async def half_close(connection: Connection) -> None:
        await connection.read_request()
        connection.writer.write_eof()
        await connection.reader.read()

    async with serving(half_close) as server, client_for(timeout=60) as client:
        with pytest.raises(ProtocolError):
            await client.post(server.url(), {}, b"{}")


async def test_a_canceled_request_closes_its_connection() -> None:
    async with serving(hang) as server, client_for(timeout=60) as client:
        task = asyncio.create_task(client.post(server.url(), {}, b"{}"))
        await until(lambda: server.requests)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.wait_for(server.gone.wait(), 30)


async def test_a_client_that_closes_ends_what_is_under_way() -> None:
    async with serving(hang) as server, client_for(timeout=60) as client:
        task = asyncio.create_task(client.post(server.url(), {}, b"{}"))
        await until(lambda: server.requests)
        await client.close()
        with pytest.raises(ProtocolError):
            await task


async def test_idle_connections_are_closed_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "MAX_IDLE_TIME", 0.1)
    async with serving(repeating(response())) as server, client_for() as client:
        await client.post(server.url(), {}, b"{}")
        await asyncio.wait_for(server.gone.wait(), 30)
        await client.post(server.url(), {}, b"{}")
        assert server.connections == 2


async def test_an_endpoint_keeps_only_so_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "MAX_IDLE_OF_ENDPOINT", 4)
    behave = together(12, response())
    async with serving(behave) as server, client_for(timeout=60) as client:
        for _ in range(2):
            await asyncio.gather(*(client.post(server.url(), {}, b"{}") for _ in range(12)))
        assert server.connections == 12 + 8


async def test_the_longest_idle_of_all_are_closed_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "MAX_IDLE", 4)
    async with serving(repeating(response())) as server, client_for() as client:
        urls = [server.url(f"h{number}.invalid") for number in range(12)]
        for url in [*urls, *urls[-4:]]:
            await client.post(url, {}, b"{}")
        assert server.connections == 12
        await client.post(urls[0], {}, b"{}")
        assert server.connections == 13


async def test_what_a_server_says_unasked_is_never_the_answer_to_another_owner() -> None:
    """It says so just when the other's request has come."""
    idle = list[Connection]()

    async def behave(connection: Connection) -> None:
        while True:
            await connection.read_request()
            if connection.server.requests[-1][1] == b"evil":
                await connection.send(response(b"asked"))
                idle.append(connection)
                continue
            for other in idle:
                await other.send(response(b"unasked"))
            idle.clear()
            await connection.send(response(b"no", status="500 Internal Server Error"))

    evil = uuid4()
    async with serving(behave) as server, client_for(timeout=60) as client:
        for owner in [uuid4(), None] * 4:
            assert (await client.post(server.url(), {}, b"evil", owner=evil)).body == "asked"
            answer = await client.post(server.url(), {}, b"good", owner=owner)
            assert (answer.status, answer.body) == (500, "no")


async def test_each_owner_uses_its_own_connection_again() -> None:
    owners = [uuid4(), uuid4(), None]
    async with serving(repeating(response(b"ok"))) as server, client_for() as client:
        for owner in owners * 3:
            assert (await client.post(server.url(), {}, b"{}", owner=owner)).body == "ok"
        assert server.connections == len(owners)


async def test_a_hundred_requests_at_once_use_their_connections_again() -> None:
    behave = together(50, response(b"ok"))
    async with serving(behave) as server, client_for(timeout=60) as client:
        for _ in range(3):
            answers = await asyncio.gather(
                *(client.post(server.url(), {}, b"{}") for _ in range(50))
            )
            assert {answer.body for answer in answers} == {"ok"}
        assert server.connections == 50


# --- TLS and addresses -----------------------------------------------------------------------


@for_each("host", ["hooks.invalid", "hooks.invalid.", "HOOKS.invalid"])
async def test_the_server_is_told_which_name_is_meant_and_must_prove_it(host: str) -> None:
    authority, names = trustme.CA(), list[str | None]()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("hooks.invalid").configure_cert(context)
    context.sni_callback = lambda _socket, name, _context: names.append(name)
    async with (
        serving(repeating(response(b"ok")), context) as server,
        client_for(root_certificates=authority.cert_pem.bytes()) as client,
    ):
        for _ in range(3):
            answer = await client.post(server.url(host, "https"), {}, b"{}")
            assert answer.body == "ok"
        assert server.connections == 1
    assert names == ["hooks.invalid"]


async def test_a_certificate_may_name_an_address() -> None:
    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    async with (
        serving(answering(response(b"ok")), context) as server,
        client_for(root_certificates=authority.cert_pem.bytes()) as client,
    ):
        assert (await client.post(server.url("127.0.0.1", "https"), {}, b"{}")).body == "ok"


async def test_a_handshake_that_never_ends_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "CONNECT_TIMEOUT", 0.2)

    async def hang(connection: Connection) -> None:
        await connection.reader.read()
        connection.server.gone.set()

    async with serving(hang) as server, client_for(timeout=60) as client:
        with pytest.raises(ConnectError, match="in time"):
            await client.post(server.url(scheme="https"), {}, b"{}")
        await asyncio.wait_for(server.gone.wait(), 30)


async def test_a_server_that_speaks_first_is_not_trusted() -> None:
    async def speak(connection: Connection) -> None:
        await connection.send(b"220 smtp ready\r\n")
        await connection.reader.read()

    async with serving(speak) as server, client_for(timeout=60) as client:
        with pytest.raises(TlsError):
            await client.post(server.url(scheme="https"), {}, b"{}")


async def test_an_address_of_ipv6_is_dialed_and_named() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        writer.write(response(head.split(b"\r\n")[1]))
        writer.close()

    try:
        listener = await asyncio.start_server(serve, "::1", 0, family=socket.AF_INET6)
    except OSError:
        pytest.skip("this machine has no IPv6")
    port = listener.sockets[0].getsockname()[1]
    async with listener, client_for(["::1"]) as client:
        for host in (f"[::1]:{port}", f"[0:0:0::1]:{port}"):
            answer = await client.post(f"http://{host}/", {}, b"{}")
            assert (answer.body, answer.address) == (f"host: [::1]:{port}", "::1")
        answer = await client.post(f"http://h.invalid:{port}/", {}, b"{}")
        assert answer.body == f"host: h.invalid:{port}"


@for_each("value", ["a\r\nx: y", "a\nx: y", "a\rx: y"])
async def test_a_header_can_not_begin_another_line(value: str) -> None:
    async with serving(answering(response())) as server, client_for() as client:
        with pytest.raises(ValueError, match="end of a line"):
            await client.post(server.url(), {"x-mine": value}, b"{}")
        with pytest.raises(ValueError, match="end of a line"):
            await client.post(server.url(), {value: "a"}, b"{}")
        assert server.requests == []
