"""Answers to a GET, read as they arrive: neither memory nor the event loop is taken by them."""

import asyncio
import resource

import pytest

from each_case import for_each
from heliograph.platform.outbound_http import DeadlineError, OutboundError, ProtocolError
from odd_servers import (
    MEBIBYTE,
    Behaviour,
    Connection,
    answering,
    client_for,
    flooding,
    response,
    serving,
)

CHUNKED = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"


async def fetch(behaviour: Behaviour, *, seconds: float = 60, pause: float = 0) -> bytes:
    """The body that such a server gives, read with a pause after each piece."""
    body = bytearray()
    async with (
        serving(behaviour) as server,
        client_for() as client,
        client.get(server.url(), {}, seconds=seconds) as answer,
    ):
        async for chunk in answer.chunks():
            body += chunk
            await asyncio.sleep(pause)
    return bytes(body)


@for_each(
    "answer",
    [
        pytest.param(response(b"ab" * 100_000), id="with a length"),
        pytest.param(b"HTTP/1.1 200 OK\r\n\r\n" + b"ab" * 100_000, id="until it closes"),
        pytest.param(
            CHUNKED + b"8\r\nabababab\r\n" * 25_000 + b"0\r\nx: y\r\n\r\n", id="in short chunks"
        ),
    ],
)
async def test_a_body_is_read_to_its_end(answer: bytes) -> None:
    assert await fetch(answering(answer)) == b"ab" * 100_000


@for_each("beginning", [CHUNKED, CHUNKED + b"a\r\n0123456789\r\n" * 100_000])
@for_each(
    "endless",
    [
        pytest.param(b"0\r\nx: " + b"a" * MEBIBYTE, id="a trailer without end"),
        pytest.param(b"1\r\na\r\n" * 100_000, id="chunks of a byte"),
        pytest.param(b"1;" + b"e" * MEBIBYTE, id="an extension without end"),
    ],
)
async def test_what_is_hardly_a_body_is_not_read_on(beginning: bytes, endless: bytes) -> None:
    with pytest.raises(ProtocolError, match="chunk sizes and trailers"):
        await fetch(flooding(beginning, endless))


async def test_a_reader_that_takes_its_time_keeps_the_server_waiting() -> None:
    flood = flooding(b"HTTP/1.1 200 OK\r\n\r\n", b"x" * 65536)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    async with serving(flood) as server, client_for() as client:

        async def dawdle() -> None:
            async with client.get(server.url(), {}, seconds=1) as answer:
                async for _ in answer.chunks():
                    await asyncio.sleep(60)

        with pytest.raises(DeadlineError):
            await dawdle()
        await asyncio.wait_for(server.gone.wait(), 30)
    assert server.sent < 32 * MEBIBYTE  # what the kernel's buffers on both sides take
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 32 * 1024


@for_each(
    "cut",
    [
        pytest.param(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nab", id="within its length"),
        pytest.param(CHUNKED + b"2\r\nab\r\n", id="between chunks"),
        pytest.param(b"HTTP/1.1 200 OK\r\nconte", id="within the head"),
    ],
)
async def test_a_body_that_breaks_off_is_none(cut: bytes) -> None:
    with pytest.raises(OutboundError):
        await fetch(answering(cut))


async def test_a_body_without_length_that_is_reset_is_none_but_answers_a_post() -> None:
    async def reset(connection: Connection) -> None:
        await connection.read_request()
        await connection.send(b"HTTP/1.1 200 OK\r\n\r\nab")
        await asyncio.sleep(0.05)
        connection.reset()

    with pytest.raises(ProtocolError, match="broke off"):
        await fetch(reset)
    async with serving(reset) as server, client_for() as client:
        assert (await client.post(server.url(), {}, b"{}")).body == "ab"
