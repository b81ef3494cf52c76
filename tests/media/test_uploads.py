"""Uploading over the API: what is stored, what is refused, and what is left behind."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from api_scene import Scene
from api_scene import scene as scene
from heliograph.core.organizations.sql import put_plan
from heliograph.core.tenants.plans import Plan
from heliograph.platform.database.pool import Database
from media_scene import HTML, PNG

MEDIA = "/api/v1/media"
LIMIT = 1_000_000
PLAN = Plan("acme", key_requests_per_minute=100_000, max_file_bytes=LIMIT, media_bytes=3 * LIMIT)
TEXT = {"Content-Type": "text/plain"}


async def upload(scene: Scene, body: Any, headers: Any = TEXT, **query: str) -> httpx.Response:
    return await scene.as_acme("POST", MEDIA, content=body, headers=headers, params=query)


async def chunks(size: int, piece: int = 10_000) -> AsyncIterator[bytes]:
    for _ in range(size // piece):
        yield b"x" * piece


async def cut_off(size: int) -> AsyncIterator[bytes]:
    async for chunk in chunks(size):
        yield chunk
    raise httpx.ReadError("the client is gone")


async def left_behind(scene: Scene, folder: Path) -> tuple[int, list[Path]]:
    """Rows, and files in the storage and beside it."""
    rows = await scene.database.pool.fetchval("SELECT count(*) FROM media")
    return rows, [path for path in (folder / "objects").rglob("*") if path.is_file()]


async def test_a_file_is_stored_and_read_again(scene: Scene) -> None:
    made = await upload(scene, PNG, {"Content-Type": "image/png"}, file_name="map é.png")
    assert made.status_code == 201
    record = made.json()
    assert record["sha256"] == hashlib.sha256(PNG).hexdigest()
    assert (record["media_type"], record["size"]) == ("image/png", len(PNG))
    assert (record["file_name"], record["expires_at"]) == ("map é.png", None)
    read = await scene.as_acme("GET", f"{MEDIA}/{record['id']}")
    assert read.status_code == 200
    assert read.json() | {"url": ""} == record | {"url": ""}


async def test_a_chunked_body_is_taken_up_to_the_limit(scene: Scene, tmp_path: Path) -> None:
    taken = await upload(scene, chunks(LIMIT))
    assert taken.json()["size"] == LIMIT
    refused = await upload(scene, chunks(LIMIT + 10_000))
    assert (refused.status_code, refused.json()["code"]) == (413, "body_too_large")
    rows, files = await left_behind(scene, tmp_path)
    assert (rows, len(files)) == (1, 1)


async def test_what_can_be_told_without_the_body_is_told_before_it_is_read(scene: Scene) -> None:
    read: list[bytes] = []

    async def body() -> AsyncIterator[bytes]:
        read.append(b"x")
        yield b"x" * 10

    reading = await scene.mint(scene.acme, scopes=["messages:read"])
    long, short = {"Content-Length": str(LIMIT + 1)}, {"Content-Length": "10"}
    gzipped, form = {"Content-Encoding": "gzip"}, {"Content-Type": "multipart/form-data"}
    for headers, expected in (
        (short | {"Authorization": "Bearer hg_0"}, (401, "invalid_api_key")),
        (short | {"Authorization": f"Bearer {reading}"}, (403, "missing_scope")),
        (long, (413, "body_too_large")),
        (short | gzipped, (415, "unsupported_media_type")),
        (short | form, (415, "unsupported_media_type")),
    ):
        answer = await upload(scene, body(), TEXT | headers)
        assert (answer.status_code, answer.json()["code"]) == expected
    for query in ({"file_name": "../a"}, {"file_name": ""}):
        assert (await upload(scene, body(), TEXT | short, **query)).status_code == 422
    assert read == []


async def test_a_file_that_is_not_what_it_is_said_to_be_is_refused(
    scene: Scene, tmp_path: Path
) -> None:
    answer = await upload(scene, HTML, {"Content-Type": "image/png"})
    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")
    assert "its declared type is image/png, but its bytes are text/html" in answer.json()["detail"]
    assert (await upload(scene, b"", TEXT)).json()["detail"][0]["loc"] == ["body"]
    assert await left_behind(scene, tmp_path) == (0, [])


async def test_an_upload_that_is_cut_off_leaves_nothing_behind(
    scene: Scene, tmp_path: Path
) -> None:
    await upload(scene, cut_off(LIMIT // 2))
    assert await left_behind(scene, tmp_path) == (0, [])


async def test_the_quota_holds_for_uploads_side_by_side(scene: Scene) -> None:
    sizes = [{"Content-Length": str(LIMIT)}, {}]
    answers = await asyncio.gather(
        *(upload(scene, chunks(LIMIT), TEXT | sizes[number % 2]) for number in range(8))
    )
    stored = [answer for answer in answers if answer.status_code == 201]
    refused = [answer.json() for answer in answers if answer.status_code != 201]
    assert len(stored) == 3
    assert {(body["code"], body["limit"]) for body in refused} == {
        ("plan_limit_reached", "media_bytes")
    }


async def test_a_body_of_unknown_length_gets_what_is_left(scene: Scene) -> None:
    for _ in range(2):
        await upload(scene, chunks(LIMIT))
    await upload(scene, chunks(LIMIT // 2))
    assert (await upload(scene, chunks(LIMIT // 10))).status_code == 201
    refused = await upload(scene, chunks(LIMIT))
    assert (refused.status_code, refused.json()["limit"]) == (429, "media_bytes")


async def test_another_upload_or_a_lesser_key_gets_no_answer(scene: Scene, tmp_path: Path) -> None:
    headers = TEXT | {"Idempotency-Key": "k"}
    assert (await upload(scene, b"Hello", headers, file_name="a")).status_code == 201
    others: list[Callable[[], Any]] = [
        lambda: upload(scene, b"Hallo", headers, file_name="a"),
        lambda: upload(scene, b"Hello", headers, file_name="b"),
        lambda: upload(scene, b"Hello", headers | {"Content-Type": "text/csv"}, file_name="a"),
    ]
    for other in others:
        problem = (await other()).json()["detail"][0]
        assert problem["loc"] == ["header", "Idempotency-Key"]
    assert (await left_behind(scene, tmp_path))[0] == 1
    lesser = await scene.mint(scene.acme, scopes=["messages:write"])
    headers |= {"Authorization": f"Bearer {lesser}"}
    refused = await scene.client.post(
        MEDIA, content=b"Hello", headers=headers, params={"file_name": "a"}
    )
    assert refused.status_code == 422


async def test_repeats_at_the_same_time_store_one_file(scene: Scene, tmp_path: Path) -> None:
    headers = TEXT | {"Idempotency-Key": "k"}
    answers = await asyncio.gather(*(upload(scene, b"Hello", headers) for _ in range(5)))
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.json()["id"] for answer in answers}) == 1
    rows, files = await left_behind(scene, tmp_path)
    assert (rows, len(files)) == (1, 1)


@pytest.mark.parametrize("key", ["k", None])
async def test_who_leaves_while_the_answer_comes_finds_the_file_under_their_key(
    scene: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str | None
) -> None:
    once, stored = Database._once, asyncio.Event()

    async def commit_and_hang(database: Database, work: Any, connection: Any, way: Any) -> Any:
        result = await once(database, work, connection, way)
        if not stored.is_set() and await connection.fetchval(
            "SELECT count(*) FROM media WHERE stored_at IS NOT NULL"
        ):
            stored.set()
            await asyncio.Event().wait()
        return result

    monkeypatch.setattr(Database, "_once", commit_and_hang)
    headers = TEXT | ({} if key is None else {"Idempotency-Key": key})
    leaving = asyncio.create_task(upload(scene, b"Hello", headers))
    await stored.wait()
    leaving.cancel()
    await asyncio.gather(leaving, return_exceptions=True)
    if key is None:  # then nobody could ever find it
        assert await left_behind(scene, tmp_path) == (0, [])
        return
    again = await upload(scene, b"Hello", headers)
    assert again.status_code == 201
    assert (await scene.as_acme("GET", f"{MEDIA}/{again.json()['id']}")).status_code == 200


async def test_a_repeat_is_answered_when_the_quota_is_full(scene: Scene) -> None:
    headers = TEXT | {"Idempotency-Key": "k"}
    for _ in range(2):
        await upload(scene, chunks(LIMIT))
    first = await upload(scene, chunks(LIMIT), headers)
    assert (await upload(scene, b"x")).status_code == 429
    assert (await upload(scene, chunks(LIMIT), headers)).json() == first.json()


@pytest.mark.parametrize("announced", [True, False])
async def test_a_repeat_waits_for_the_room_that_the_first_takes(
    scene: Scene, announced: bool
) -> None:
    for _ in range(2):
        await upload(scene, chunks(LIMIT))
    headers = TEXT | ({"Content-Length": str(LIMIT)} if announced else {})
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def slow() -> AsyncIterator[bytes]:
        async for chunk in chunks(LIMIT):
            yield chunk
            begun.set()
            await go_on.wait()

    under_key = headers | {"Idempotency-Key": "k"}
    arriving = asyncio.create_task(upload(scene, slow(), under_key))
    await begun.wait()
    repeat = await upload(scene, chunks(LIMIT), under_key)
    assert (repeat.status_code, repeat.json()["code"]) == (409, "idempotency_conflict")
    assert repeat.headers["Retry-After"] == "1"
    other = await upload(scene, chunks(LIMIT), headers | {"Idempotency-Key": "another"})
    assert (other.status_code, other.json()["limit"]) == (429, "media_bytes")
    go_on.set()
    first = await arriving
    again = await upload(scene, chunks(LIMIT), under_key)
    assert (first.status_code, again.json()) == (201, first.json())


async def test_a_file_expires_with_the_days_of_its_plan(scene: Scene, tmp_path: Path) -> None:
    clock = scene.database.clock
    await scene.database.transact(put_plan, Plan("acme", retention_days=2), clock.now())
    key = await scene.mint(scene.acme)
    headers = TEXT | {"Authorization": f"Bearer {key}"}
    made = (await upload(scene, b"Hello", headers)).json()
    assert made["expires_at"] is not None
    clock.set_offset(clock.offset + 2 * 86_400 + 1)
    gone = await scene.as_acme("GET", f"{MEDIA}/{made['id']}")
    assert (gone.status_code, gone.json()["code"]) == (404, "media_not_found")
    await scene.services.retention.clean_up_now()
    assert await left_behind(scene, tmp_path) == (0, [])
