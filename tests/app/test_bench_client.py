"""The load client, and a gateway that can't answer for a moment."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from bench.client import Client, ask_all

UNAVAILABLE = b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n"
DONE = b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\ndone"


@asynccontextmanager
async def answering(*answers: bytes) -> AsyncIterator[Client]:
    """A server that gives these answers in turn, and the last of them from then on."""
    left = list(answers)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.readline():
            await reader.readuntil(b"\r\n\r\n")
            writer.write(left.pop(0) if len(left) > 1 else left[0])
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        yield Client(f"http://127.0.0.1:{port}", "key")


async def test_what_is_measured_must_succeed() -> None:
    async with answering(UNAVAILABLE, DONE) as client, client.connections(1) as connections:
        with pytest.raises(ExceptionGroup, match="unhandled errors") as caught:
            await ask_all(connections, [client.get("/")])
    assert "answered 503" in str(caught.value.exceptions[0])


async def test_what_prepares_a_measurement_is_asked_again() -> None:
    async with answering(UNAVAILABLE, DONE) as client, client.connections(1) as connections:
        answers = await ask_all(connections, [client.get("/")], patience=60)
    assert [answer.body for answer in answers] == [b"done"]


async def test_patience_ends() -> None:
    async with answering(UNAVAILABLE) as client, client.connections(1) as connections:
        with pytest.raises(ExceptionGroup, match="unhandled errors"):
            await ask_all(connections, [client.get("/")], patience=0.01)
