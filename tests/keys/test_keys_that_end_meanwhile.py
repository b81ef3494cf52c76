"""A key that ends while a request still arrives: it does nothing any more."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta
from pathlib import Path

import pytest

from api_scene import Scene
from heliograph.faces.api import authentication
from heliograph.platform.database.pool import Database

TEXT = {"type": "text", "body": "Hello"}
MESSAGE = json.dumps({"phone_number": "+15550100001", "content": TEXT}).encode()
REQUESTS = {
    "/api/v1/messages": ("application/json", MESSAGE),
    "/api/v1/labels": ("application/json", b'{"name": "VIP"}'),
    "/api/v1/media": ("text/plain", b"Hello"),
}
TABLES = ("messages", "labels", "media", "events")
End = Callable[[Scene, str], Awaitable[None]]


@pytest.fixture(autouse=True)
def _any_body_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(authentication, "TOOK_LONG", 0.0)


async def revoke(scene: Scene, key: str) -> None:
    found = await scene.services.keys.authenticate_key(key)
    assert found.key_id is not None
    await scene.services.keys.revoke(scene.acme.principal, found.key_id)


async def expire(scene: Scene, key: str) -> None:
    await asyncio.sleep(2.1)


async def leave(scene: Scene, key: str) -> None:
    """Nothing ends."""


async def rows(database: Database) -> list[int]:
    return [await database.pool.fetchval(f"SELECT count(*) FROM {table}") for table in TABLES]  # noqa: S608 - our own names


@pytest.mark.parametrize("path", REQUESTS)
@pytest.mark.parametrize(
    ("end", "expected"),
    [(revoke, "revoked_api_key"), (expire, "expired_api_key"), (leave, None)],
)
async def test_a_request_is_refused_whose_key_ends_while_it_arrives(
    scene: Scene, tmp_path: Path, path: str, end: End, expected: str | None
) -> None:
    soon = scene.database.clock.now() + timedelta(seconds=2)
    key = await scene.mint(scene.acme, expires_at=soon if end is expire else None)
    content_type, body = REQUESTS[path]
    before = await rows(scene.database)

    async def arriving() -> AsyncIterator[bytes]:
        yield body[:5]
        await end(scene, key)
        yield body[5:]

    headers = {"Authorization": f"Bearer {key}", "Content-Type": content_type}
    answer = await scene.client.post(path, headers=headers, content=arriving())
    if expected is None:
        assert answer.is_success
        return
    assert (answer.status_code, answer.json()["code"]) == (401, expected)
    assert await rows(scene.database) == before
    assert not [each for each in (tmp_path / "objects").rglob("*") if each.is_file()]
