"""HTTP for files: where it may lead, and how much of it is read."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from heliograph.networks.errors import NetworkError
from heliograph.networks.xmpp.http_files import FileServers

Answer = Callable[[bytes], bytes]


@asynccontextmanager
async def serving(answer: Answer) -> AsyncIterator[tuple[str, list[bytes]]]:
    """A server on loopback that answers each request so; its address, and the heads it was sent."""
    heads: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(answer(heads[-1]))
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", heads


def servers(why_refused: Callable[[str], str | None] = lambda _: None) -> FileServers:
    context = ssl.create_default_context()
    return FileServers(why_refused, context, plaintext=True, own_hosts={"127.0.0.1", "127.0.0.2"})


def response(status: str, body: bytes = b"", **headers: str) -> bytes:
    told = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {status}\r\nConnection: close\r\n{told}\r\n".encode() + body


def always(status: str, body: bytes = b"", **headers: str) -> Answer:
    return lambda _: response(status, body, **headers)


async def one_piece() -> AsyncIterator[bytes]:
    yield b"x"


def reading(files: FileServers, url: str) -> Awaitable[object]:
    return files.get(url, 10)


def writing(files: FileServers, url: str) -> Awaitable[object]:
    return files.put(url, {}, one_piece(), 1)


@pytest.mark.parametrize("exchange", [reading, writing])
async def test_an_address_that_is_refused_is_not_dialled(
    exchange: Callable[[FileServers, str], Awaitable[object]],
) -> None:
    async with serving(always("200 OK")) as (url, heads):
        with pytest.raises(NetworkError, match=r"127\.0\.0\.1, a loopback address"):
            await exchange(servers(lambda _: "a loopback address"), url)
        assert heads == []


async def test_a_redirect_is_judged_like_the_first_address() -> None:
    def judge(address: str) -> str | None:
        return "inside" if address == "127.0.0.2" else None

    for there in ("http://127.0.0.2/secret", "file:///etc/passwd", "//127.0.0.2/"):
        async with serving(always("302 Found", Location=there)) as (url, heads):
            with pytest.raises(NetworkError):
                await servers(judge).get(url, 10)
            assert len(heads) == 1


async def test_a_redirect_is_followed_and_not_for_ever() -> None:
    def answer(head: bytes) -> bytes:
        if head.startswith(b"GET /there "):
            return response("200 OK", b"data", Content_Type="image/png; x=y")
        to = "/round" if b"/round " in head else "/there"
        return response("301 Moved", Location=to)

    async with serving(answer) as (url, heads):
        assert await servers().get(f"{url}/here", 10) == (b"data", "image/png")
        heads.clear()
        with pytest.raises(NetworkError, match="one address to the next"):
            await servers().get(f"{url}/round", 10)
        assert len(heads) == 4


async def test_no_more_is_read_than_is_allowed() -> None:
    for headers in ({"Content_Length": "1000000"}, {}):
        async with serving(always("200 OK", b"x" * 11, **headers)) as (url, _):
            with pytest.raises(NetworkError, match="larger than 10 bytes"):
                await servers().get(url, 10)


async def test_what_a_server_refuses_for_good_is_permanent() -> None:
    for status, permanent in (("413 Too Large", True), ("503 Busy", False), ("403 No", False)):
        async with serving(always(status)) as (url, _):
            with pytest.raises(NetworkError) as refused:
                await writing(servers(), url)
            assert refused.value.permanent is permanent


async def test_garbage_is_an_error_of_the_network() -> None:
    async with serving(lambda _: b"\x00\xff nothing of HTTP\r\n\r\n") as (url, _):
        with pytest.raises(NetworkError):
            await servers().get(url, 10)


@pytest.mark.parametrize(("plaintext", "own"), [(False, "127.0.0.1"), (True, "example.org")])
async def test_without_tls_nothing_of_a_stranger_is_fetched(plaintext: bool, own: str) -> None:
    context = ssl.create_default_context()
    files = FileServers(lambda _: None, context, plaintext=plaintext, own_hosts={own})
    async with serving(always("200 OK")) as (url, heads):
        with pytest.raises(NetworkError, match="https only"):
            await files.get(url, 10)
        assert heads == []
