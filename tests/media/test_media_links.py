"""Where a signed link leads: a download of which a browser runs nothing, whole or in parts."""

from collections.abc import AsyncIterator

import httpx
import pytest
from starlette.applications import Starlette

from api_scene import Scene
from each_case import for_each
from heliograph.core.media.model import Upload
from heliograph.faces.api.media import media_routes
from heliograph.platform.objects import Objects
from media_scene import HTML, PNG
from s3_server import running_s3

BIG = bytes(range(256)) * 8192
"""2 MiB, which is read in four pieces."""


@pytest.fixture
async def browser(scene: Scene) -> AsyncIterator[httpx.AsyncClient]:
    app = Starlette(routes=media_routes(scene.services.media))
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
        yield client


async def link_to(scene: Scene, data: bytes, media_type: str, name: str | None = None) -> str:
    async def body() -> AsyncIterator[bytes]:
        yield data

    media = await scene.services.uploads.store(
        scene.acme.principal, Upload(media_type, name, None), body()
    )
    return scene.services.media.link(media.object_key)


@pytest.mark.parametrize(
    ("data", "media_type", "served_as"),
    [
        (PNG, "image/png", "image/png"),
        (HTML, "text/html", "application/octet-stream"),
        (HTML.replace(b"html", b"svg"), "image/svg+xml", "application/octet-stream"),
    ],
)
async def test_a_file_is_a_download_and_nothing_of_it_runs(
    scene: Scene, browser: httpx.AsyncClient, data: bytes, media_type: str, served_as: str
) -> None:
    answer = await browser.get(await link_to(scene, data, media_type, "ä.x"))
    assert answer.content == data
    headers = answer.headers
    assert headers["content-type"] == served_as
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["content-security-policy"] == "default-src 'none'; sandbox"
    assert headers["content-disposition"].startswith('attachment; filename="_.x"')


@for_each(
    ("wanted", "status", "part"),
    [
        ("bytes=0-0", 206, slice(0, 1)),
        ("bytes=5-", 206, slice(5, None)),
        ("bytes=-5", 206, slice(-5, None)),
        ("bytes=524287-1048577", 206, slice(524287, 1048578)),
        ("bytes=5-99999999", 206, slice(5, None)),
        ("bytes=-99999999", 206, slice(0, None)),
        ("bytes=99999999-", 416, slice(0, 0)),
        ("bytes=-0", 416, slice(0, 0)),
        ("bytes=9-5", 200, slice(0, None)),
        ("bytes=0-1,3-4", 200, slice(0, None)),
        ("bytes=-", 200, slice(0, None)),
        ("lines=0-1", 200, slice(0, None)),
    ],
)
async def test_a_part_of_a_file_can_be_asked_for(
    scene: Scene, browser: httpx.AsyncClient, wanted: str, status: int, part: slice
) -> None:
    link = await link_to(scene, BIG, "application/x-ours")
    answer = await browser.get(link, headers={"Range": wanted})
    assert answer.status_code == status
    assert answer.content == BIG[part]
    if status == 206:
        start, end, _ = part.indices(len(BIG))
        assert answer.headers["content-range"] == f"bytes {start}-{end - 1}/{len(BIG)}"


async def test_the_head_alone_says_how_much_there_is(
    scene: Scene, browser: httpx.AsyncClient
) -> None:
    answer = await browser.head(await link_to(scene, BIG, "application/x-ours"))
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["content-length"] == str(len(BIG))


async def test_a_link_that_was_changed_or_whose_file_has_expired_leads_nowhere(
    scene: Scene, browser: httpx.AsyncClient
) -> None:
    link = await link_to(scene, PNG, "image/png")
    assert (await browser.get(link.replace("uploads", "uploadz"))).status_code == 404
    await scene.database.pool.execute("UPDATE media SET expires_at = now() - interval '1 second'")
    assert (await browser.get(link)).status_code == 404


async def test_a_storage_that_is_away_is_said_by_the_status_not_by_a_file_that_breaks_off(
    scene: Scene, browser: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = await link_to(scene, BIG, "application/x-ours")
    with running_s3() as away:
        monkeypatch.setattr(scene.services.media, "_objects", Objects(away.url("")))
        away.stop()
        for headers in ({}, {"Range": "bytes=5-"}):
            answer = await browser.get(link, headers=headers)
            assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
            assert "object storage" in answer.json()["detail"]
            assert answer.headers["retry-after"]


async def test_a_file_that_its_storage_has_lost_is_not_found(
    scene: Scene, browser: httpx.AsyncClient
) -> None:
    link = await link_to(scene, BIG, "application/x-ours")
    object_key = scene.services.media.find_key(scene.acme.organization.tenant, link)
    assert object_key is not None
    await scene.services.media._objects.delete([object_key])
    assert (await browser.get(link)).status_code == 404
