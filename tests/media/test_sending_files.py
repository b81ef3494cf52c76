"""Files of messages, from the upload to what a driver is handed."""

import hashlib
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import UUID, uuid4

import httpx
import pytest

from api_scene import Scene, open_scene
from heliograph.core.dispatch.outgoing_files import find_file
from heliograph.core.messages.lists.names_sql import list_with_names
from heliograph.core.messages.model import Message
from heliograph.networks.errors import FileUnavailableError
from heliograph.networks.port import Capabilities
from heliograph.networks.sandbox.driver import SandboxNetwork
from media_scene import PNG

MEDIA, MESSAGES = "/api/v1/media", "/api/v1/messages"
PHONE = "+5511999990000"


@pytest.fixture
async def scene(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Scene]:
    kinds = frozenset({"text", "image", "document"})
    monkeypatch.setattr(SandboxNetwork, "capabilities", Capabilities(content=kinds))
    async with open_scene(database_url, tmp_path) as scene:
        yield scene


async def upload(scene: Scene) -> str:
    headers, named = {"Content-Type": "image/png"}, {"file_name": "menu.png"}
    answer = await scene.as_acme("POST", MEDIA, params=named, content=PNG, headers=headers)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


async def find_message(scene: Scene, sent: httpx.Response) -> Message:
    tenant = scene.acme.organization.tenant
    key = (tenant.organization_id, UUID(sent.json()["message_id"]))
    found = await scene.database.read(list_with_names, tenant.shard, [key])
    return found[key].message


async def send(scene: Scene, **content: object) -> httpx.Response:
    body = {"phone_number": PHONE, "content": content}
    return await scene.as_acme("POST", MESSAGES, json=body)


async def test_an_uploaded_file_is_sent_whole(scene: Scene) -> None:
    media_id = await upload(scene)
    sent = await send(scene, type="image", media_id=media_id, caption="Tonight")
    assert sent.status_code == 200, sent.text
    message_id = sent.json()["message_id"]
    record = (await scene.as_acme("GET", f"{MESSAGES}/{message_id}")).json()
    assert (record["media_type"], record["content"]) == ("image/png", "Tonight")
    said = record["typed_content"]
    assert (said["media_id"], said["size"], said["file_name"]) == (media_id, len(PNG), "menu.png")
    assert record["media_url"].startswith("http://test/media/uploads/")
    file = find_file(scene.services.media, await find_message(scene, sent))
    assert file is not None
    assert (file.media_type, file.file_name, file.size) == ("image/png", "menu.png", len(PNG))
    assert b"".join([chunk async for chunk in file.chunks()]) == PNG
    async with file.on_disk() as path:
        assert hashlib.sha256(path.read_bytes()).digest() == hashlib.sha256(PNG).digest()
    assert not path.exists()


async def test_a_file_that_is_gone_is_told_to_the_driver(scene: Scene) -> None:
    media_id = await upload(scene)
    message = await find_message(scene, await send(scene, type="image", media_id=media_id))
    object_key = scene.services.media.find_key(message.tenant, message.media_url)
    assert object_key is not None
    await scene.services.media._objects.delete([object_key])
    file = find_file(scene.services.media, message)
    assert file is not None
    with pytest.raises(FileUnavailableError) as refused:
        _ = [chunk async for chunk in file.chunks()]
    assert refused.value.permanent


async def test_a_file_is_sent_as_what_it_is(scene: Scene) -> None:
    media_id = await upload(scene)
    assert (await send(scene, type="document", media_id=media_id)).status_code == 200
    refused = await send(scene, type="video", media_id=media_id)
    assert (refused.status_code, refused.json()["code"]) == (409, "not_supported_by_network")


async def test_a_file_of_nobody_or_of_others_is_not_sent(scene: Scene) -> None:
    missing = await send(scene, type="image", media_id=str(uuid4()))
    assert (missing.status_code, missing.json()["code"]) == (404, "media_not_found")
    media_id = await upload(scene)
    body = {"phone_number": PHONE, "content": {"type": "image", "media_id": media_id}}
    answer = await scene.as_globex("POST", MESSAGES, json=body)
    assert (answer.status_code, answer.json()["code"]) == (403, "other_organization")
    assert (await scene.count_rows())["messages"] == 0


@pytest.mark.parametrize("url", ["https://127.0.0.1/a.png", "https://10.0.0.1/a.png"])
async def test_a_url_that_leads_inward_is_refused(scene: Scene, url: str) -> None:
    for content in ({"type": "image", "url": url}, {"type": "text", "body": url}):
        previewed = content | ({"preview_url": True} if content["type"] == "text" else {})
        answer = await send(scene, **previewed)
        assert answer.status_code == 422, answer.text
        assert answer.json()["detail"][0]["loc"][:2] == ["body", "content"]
    assert (await scene.count_rows())["messages"] == 0
