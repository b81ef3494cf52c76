"""Fetching a file by its URL, from real servers that behave as badly as they can."""

import asyncio
import gzip
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

import pytest

from api_scene import Scene
from each_case import for_each
from heliograph.core.media.model import Media
from heliograph.core.tenants.model import Principal
from heliograph.core.tenants.plans import Plan
from heliograph.errors import InvalidInputError
from heliograph.networks.content import Image, MediaKind, Sticker, Video
from heliograph.platform.outbound_http import AddressPolicy
from media_scene import HOST, PNG, Authority, fetching

LOCATION = ("body", "content", "url")
LIMIT = 200_000
AUTHORITY = Authority()
Write = Callable[[bytes], Awaitable[None]]
Answer = bytes | Callable[[Write], Awaitable[None]]


def response(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    lines = [f"HTTP/1.1 {status}", f"content-length: {len(body)}", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


IMAGE = response(PNG, "content-type: image/png")


@asynccontextmanager
async def serving(*answers: Answer) -> AsyncIterator[str]:
    """A server that gives these answers, one to each connection, the last one to all others; and
    the beginning of its URLs."""
    left = list(answers)

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        answer = left.pop(0) if len(left) > 1 else left[0]

        async def write(data: bytes) -> None:
            writer.write(data)
            await writer.drain()

        with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            await reader.readuntil(b"\r\n\r\n")
            await (write(answer) if isinstance(answer, bytes) else answer(write))
        writer.close()

    listener = await asyncio.start_server(connected, "127.0.0.1", 0, ssl=AUTHORITY.context())
    async with listener:
        yield f"https://{HOST}:{listener.sockets[0].getsockname()[1]}"


def caller(scene: Scene) -> Principal:
    principal = scene.acme.principal
    plan = Plan("acme", max_file_bytes=LIMIT)
    return Principal(principal.tenant, principal.scopes, plan=plan)


async def fetched(scene: Scene, path: str, *answers: Answer) -> Media:
    """What is fetched from this path of a server with these answers."""
    async with (
        serving(*answers) as server,
        fetching(scene.services.uploads, AUTHORITY) as fetches,
    ):
        return await fetches.fetch(caller(scene), server + path, Image, LOCATION)


async def refusal(
    scene: Scene, url: str, *answers: list[str], kind: MediaKind = Image, **options: object
) -> str:
    """Why this URL is not fetched."""
    uploads = scene.services.uploads
    async with fetching(uploads, AUTHORITY, *answers, **options) as fetches:  # type: ignore[arg-type]
        with pytest.raises(InvalidInputError) as failed:
            await fetches.fetch(caller(scene), url, kind, LOCATION)
    [problem] = failed.value.problems
    assert (problem.loc, problem.input) == (LOCATION, url)
    assert await scene.database.pool.fetchval("SELECT count(*) FROM media") == 0
    return problem.msg


async def test_a_file_is_fetched_and_stored(scene: Scene) -> None:
    media = await fetched(scene, "/a/m%C3%A4p.png?x=1", IMAGE)
    assert (media.media_type, media.file_name, media.size) == ("image/png", "mäp.png", len(PNG))
    read = scene.services.media.read(media.object_key, 0, media.size)
    assert b"".join([chunk async for chunk in read]) == PNG


async def test_a_picture_that_a_server_calls_otherwise_is_what_its_bytes_say(scene: Scene) -> None:
    mistaken = response(PNG, "content-type: image/jpeg")
    media = await fetched(scene, "/a.jpg", mistaken)
    assert (media.media_type, media.file_name) == ("image/png", "a.jpg")


async def test_a_few_redirects_are_followed(scene: Scene) -> None:
    further = response(b"", "location: /next.png", status="302 Found")
    async with serving(further) as server:
        assert "more than 3 redirects" in await refusal(scene, f"{server}/a")
    media = await fetched(scene, "/a", further, further, further, IMAGE)
    assert media.file_name == "next.png"


async def test_a_connection_is_used_once(scene: Scene) -> None:
    async def further_and_gone_soon(write: Write) -> None:
        await write(response(b"", "location: /next.png", status="302 Found"))
        await asyncio.sleep(0.5)  # a request on this connection would get no answer

    media = await fetched(scene, "/a", further_and_gone_soon, IMAGE)
    assert media.file_name == "next.png"


@for_each(
    ("target", "reason"),
    [
        ("https://10.0.0.1/a.png", "a private address"),
        ("https://169.254.169.254/latest/", "the metadata address of a cloud"),
        ("https://[::ffff:10.0.0.1]/", "an IPv4-mapped address"),
        ("http://files.invalid/a.png", "over https alone"),
        ("file:///etc/passwd", "over https alone"),
        ("https://[lume", "URL"),
    ],
)
async def test_a_redirect_leads_nowhere_that_a_url_may_not(
    scene: Scene, target: str, reason: str
) -> None:
    redirect = response(b"", f"location: {target}", status="307 There")
    async with serving(redirect) as server:
        assert reason in await refusal(scene, f"{server}/a")
    assert reason in await refusal(scene, target)


async def test_a_name_that_leads_inward_at_its_second_look_up_is_refused(scene: Scene) -> None:
    redirect = response(b"", "location: /next.png", status="302 Found")
    async with serving(redirect, IMAGE) as server:
        reason = await refusal(scene, f"{server}/a", ["127.0.0.1"], ["127.0.0.1", "10.0.0.1"])
    assert "a private address" in reason


async def test_the_gateway_itself_fetches_nothing_from_this_machine(scene: Scene) -> None:
    async with serving(IMAGE) as server:
        refused = await refusal(scene, f"{server}/a", policy=AddressPolicy.NONE)
    assert "a loopback address" in refused
    for url in ("https://127.0.0.1/a.png", "https://localhost/", "https://[::1]/"):
        with pytest.raises(InvalidInputError, match="a loopback address"):
            await scene.services.fetches.fetch(caller(scene), url, Image, LOCATION)


async def test_an_answer_that_is_not_the_file_is_told(scene: Scene) -> None:
    async with serving(response(b"", status="404 No")) as server:
        assert "The answer was 404" in await refusal(scene, f"{server}/a")
    async with serving(response(b"")) as server:
        assert "it is empty" in await refusal(scene, f"{server}/a")
    async with serving(response(b"<html>", "content-type: image/png")) as server:
        assert "its bytes are" in await refusal(scene, f"{server}/a")
    async with serving(IMAGE) as server:
        assert "to be sent as video/…" in await refusal(scene, f"{server}/a", kind=Video)
        assert "which is image/webp" in await refusal(scene, f"{server}/a", kind=Sticker)


async def test_what_is_compressed_is_not_unpacked(scene: Scene) -> None:
    bomb = gzip.compress(b"\0" * 10_000_000)
    packed = response(bomb, "content-encoding: gzip", "content-type: image/png")
    async with serving(packed) as server:
        assert "is compressed" in await refusal(scene, f"{server}/a")


async def test_what_is_too_large_is_not_read_to_its_end(scene: Scene) -> None:
    sent = 0

    async def without_end(write: Write) -> None:
        nonlocal sent
        await write(b"HTTP/1.1 200 OK\r\ncontent-type: image/png\r\n\r\n" + PNG)
        while True:
            await write(b"x" * 10_000)
            sent += 10_000

    async with serving(without_end) as server:
        assert f"larger than {LIMIT} bytes" in await refusal(scene, f"{server}/a")
    assert sent < 20_000_000
    async with serving(response(b"x" * (LIMIT + 1))) as server:
        assert f"larger than {LIMIT} bytes" in await refusal(scene, f"{server}/a")


async def test_what_drips_is_given_up(scene: Scene) -> None:
    async def drip(write: Write) -> None:
        await write(b"HTTP/1.1 200 OK\r\ncontent-type: image/png\r\n\r\n" + PNG)
        while True:
            await write(b"x")
            await asyncio.sleep(0.05)

    async with serving(drip) as server:
        assert "within 1 s" in await refusal(scene, f"{server}/a", seconds=1)


async def test_what_breaks_off_is_told(scene: Scene) -> None:
    async with serving(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n" + PNG) as server:
        assert "no valid HTTP answer" in await refusal(scene, f"{server}/a")


async def test_an_authority_that_nobody_knows_is_not_trusted(scene: Scene) -> None:
    async with serving(IMAGE) as server:
        reason = await refusal(scene, server.replace(HOST, "other.invalid"))
    assert "No trusted connection" in reason
