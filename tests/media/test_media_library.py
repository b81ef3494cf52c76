"""The files of an organization: listed, deleted to make room, and sent on when they came in."""

from datetime import date, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest
from msgspec.structs import replace
from starlette.applications import Starlette

from api_scene import Scene
from api_scene import scene as scene
from core_scene import arrival, own
from heliograph.core.cluster.model import Lease
from heliograph.core.dispatch.received_files import keep_file
from heliograph.core.ingest.model import Report
from heliograph.core.ingest.storable import storable
from heliograph.core.tenants.plans import Plan
from heliograph.faces.api.media import media_routes
from heliograph.networks.content import Audio, Content, Document, Image
from heliograph.networks.port import Inbound
from media_scene import HTML, PNG

MEDIA, MESSAGES = "/api/v1/media", "/api/v1/messages"
PLAN = Plan("acme", key_requests_per_minute=100_000, media_bytes=2 * len(PNG), accounts=1)


async def upload(scene: Scene, **headers: str) -> httpx.Response:
    headers = {"Content-Type": "image/png", **headers}
    return await scene.as_acme("POST", MEDIA, content=PNG, headers=headers)


async def receive(scene: Scene, data: bytes, content: Content, name: str = "A1") -> UUID:
    """A file comes in through Acme's account; return its message's id."""
    tenant = scene.acme.organization.tenant
    heard = replace(arrival(name), content=content, file=data)
    kept = await keep_file(scene.services.media, tenant, heard, data)
    await scene.services.reports.report([Report(await lease_of(scene), "sandbox", kept)])
    found: UUID = await scene.database.pool.fetchval(
        "SELECT id FROM messages WHERE chat_message_id = $1", name
    )
    return found


async def lease_of(scene: Scene) -> Lease:
    """The lease of Acme's account, which a node of the test's own holds."""
    await scene.database.pool.execute("UPDATE account_leases SET node_id = NULL")
    return await own(scene.database, uuid4(), scene.acme.organization.shard)


async def send(scene: Scene, content: dict[str, Any], **more: Any) -> httpx.Response:
    body = {"phone_number": "+15550100001", "content": content, **more}
    return await scene.as_acme("POST", MESSAGES, json=body)


async def follow(scene: Scene, link: str) -> httpx.Response:
    app = Starlette(routes=media_routes(scene.services.media))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app)) as client:
        return await client.get(link)


async def test_a_full_quota_is_emptied_by_deleting_files(scene: Scene) -> None:
    first, second = (await upload(scene)).json(), (await upload(scene)).json()
    refused = await upload(scene)
    assert (refused.status_code, refused.json()["code"]) == (429, "plan_limit_reached")
    page = (await scene.as_acme("GET", MEDIA)).json()
    assert [file["id"] for file in page["media"]] == [second["id"], first["id"]]
    assert (page["stored_bytes"], page["stored_bytes_limit"]) == (2 * len(PNG), 2 * len(PNG))
    assert (await scene.as_acme("DELETE", f"{MEDIA}/{first['id']}")).status_code == 204
    gone = await scene.as_acme("DELETE", f"{MEDIA}/{first['id']}")
    assert (gone.status_code, gone.json()["code"]) == (404, "media_not_found")
    assert (await follow(scene, first["url"])).status_code == 404
    page = (await scene.as_acme("GET", MEDIA)).json()
    assert ([file["id"] for file in page["media"]], page["stored_bytes"]) == (
        [second["id"]],
        len(PNG),
    )
    assert (await upload(scene)).status_code == 201


async def test_a_deleted_file_takes_no_room_while_the_storage_is_away(
    scene: Scene, tmp_path: Path
) -> None:
    made = (await upload(scene)).json()
    folder = tmp_path / "objects"
    folder.rename(tmp_path / "away")
    folder.write_text("no folder")
    assert (await scene.as_acme("DELETE", f"{MEDIA}/{made['id']}")).status_code == 204
    assert (await scene.as_acme("GET", MEDIA)).json()["stored_bytes"] == 0
    folder.unlink()
    (tmp_path / "away").rename(folder)
    await scene.database.pool.execute("UPDATE media SET created_at = now() - interval '1 hour'")
    await scene.services.uploads.sweep()
    assert await scene.database.pool.fetchval("SELECT count(*) FROM media") == 0


@pytest.mark.parametrize("waits", ["queued", "scheduled"])
async def test_what_waits_to_be_sent_keeps_its_file(scene: Scene, waits: str) -> None:
    made = (await upload(scene)).json()
    later = (scene.database.clock.now() + timedelta(days=1)).isoformat()
    when = {"scheduled_for": later} if waits == "scheduled" else {}
    sent = await send(scene, {"type": "image", "media_id": made["id"]}, **when)
    refused = await scene.as_acme("DELETE", f"{MEDIA}/{made['id']}")
    assert (refused.status_code, refused.json()["code"]) == (409, "media_in_use")
    assert (await follow(scene, made["url"])).status_code == 200, "it is as it was"
    await scene.as_acme("POST", f"{MESSAGES}/{sent.json()['message_id']}/cancel")
    assert (await scene.as_acme("DELETE", f"{MEDIA}/{made['id']}")).status_code == 204


@pytest.mark.parametrize("limit", ["media_bytes", "accounts"])
async def test_a_limit_that_does_not_pass_by_itself_promises_no_time(
    scene: Scene, limit: str
) -> None:
    if limit == "media_bytes":
        answers = [await upload(scene) for _ in range(3)]
    else:
        device = {"network": "sandbox", "name": "Second"}
        answers = [await scene.as_acme("POST", "/api/v1/devices", json=device)]
    refused = answers[-1]
    assert refused.status_code == 429
    assert "retry-after" not in refused.headers
    body = refused.json()
    assert (body["limit"], body["resets_at"]) == (limit, None)
    assert "retry_after" not in body


async def test_a_list_is_paged_and_filtered_by_what_files_are(scene: Scene) -> None:
    ids = [(await upload(scene)).json()["id"] for _ in range(2)]
    await receive(scene, b"OggS" + bytes(60), Audio("audio/ogg"), "A1")
    seen, cursor = [], None
    while True:
        query = {"limit": 1} | ({"cursor": cursor} if cursor else {})
        page = (await scene.as_acme("GET", MEDIA, params=query)).json()
        seen += [file["id"] for file in page["media"]]
        if (cursor := page["next_cursor"]) is None:
            break
    assert len(seen) == 3
    assert seen[1:] == ids[::-1]

    async def found(**query: str) -> list[str]:
        page = (await scene.as_acme("GET", MEDIA, params=query)).json()
        return [file["id"] for file in page["media"]]

    assert await found(media_type="image/png") == await found(media_type="IMAGE") == ids[::-1]
    assert await found(origin="upload") == ids[::-1]
    assert await found(origin="inbound") == await found(media_type="audio") == seen[:1]
    assert await found(chat_account_id=str(scene.acme.account.id)) == seen[:1]
    assert await found(origin="elsewhere") == await found(media_type="imag") == []
    other = await scene.as_acme(
        "GET", MEDIA, params={"chat_account_id": str(scene.globex.account.id)}
    )
    assert (other.status_code, other.json()["code"]) == (403, "other_organization")


async def test_a_file_that_came_in_is_the_organizations_and_can_be_sent_on(scene: Scene) -> None:
    message_id = await receive(scene, PNG, Image("image/png", caption="A dot"))
    record = (await scene.as_acme("GET", f"{MESSAGES}/{message_id}")).json()
    media_id = record["typed_content"]["media_id"]
    file = (await scene.as_acme("GET", f"{MEDIA}/{media_id}")).json()
    assert (file["media_type"], file["size"], file["origin"]) == ("image/png", len(PNG), "inbound")
    assert file["chat_account_id"] == str(scene.acme.account.id)
    assert (await follow(scene, file["url"])).content == PNG
    assert (await follow(scene, record["media_url"])).content == PNG
    sent = await send(scene, {"type": "image", "media_id": media_id})
    assert sent.status_code == 200
    on = (await scene.as_acme("GET", f"{MESSAGES}/{sent.json()['message_id']}")).json()
    assert (await follow(scene, on["media_url"])).content == PNG
    page = (await scene.as_acme("GET", MEDIA)).json()
    assert page["stored_bytes"] == 0, "strangers don't fill the quota"


@pytest.mark.parametrize("claimed", ["audio/ogg", "audio/ogg; codecs=opus", "application/ogg"])
async def test_a_voice_that_came_in_keeps_its_codec_and_is_sent_on_with_it(
    scene: Scene, claimed: str
) -> None:
    opus = b"OggS\0\2" + bytes(20) + b"\x01\x13OpusHead\x01\x01" + bytes(64)
    message_id = await receive(scene, opus, Audio(claimed, voice=True))
    came = (await scene.as_acme("GET", f"{MESSAGES}/{message_id}")).json()["typed_content"]
    assert came["media_type"] == "audio/ogg; codecs=opus"
    for wanted in ("audio/ogg", "audio", "Audio/Ogg; codecs=opus"):
        [file] = (await scene.as_acme("GET", MEDIA, params={"media_type": wanted})).json()["media"]
        assert file["media_type"] == "audio/ogg; codecs=opus"
    sent = await send(scene, {"type": "audio", "media_id": came["media_id"], "voice": True})
    on = (await scene.as_acme("GET", f"{MESSAGES}/{sent.json()['message_id']}")).json()
    assert on["typed_content"]["media_type"] == "audio/ogg; codecs=opus"


async def test_a_file_that_is_not_what_its_sender_said_goes_on_as_a_document_alone(
    scene: Scene,
) -> None:
    message_id = await receive(scene, HTML, Image("image/png"))
    record = (await scene.as_acme("GET", f"{MESSAGES}/{message_id}")).json()
    media_id = record["typed_content"]["media_id"]
    file = await scene.as_acme("GET", f"{MEDIA}/{media_id}")
    assert file.json()["media_type"] == "application/octet-stream"
    assert (await send(scene, {"type": "image", "media_id": media_id})).status_code == 422
    assert (await send(scene, {"type": "document", "media_id": media_id})).status_code == 200


@pytest.mark.parametrize("claimed", ["image/jpeg", "image/webp", "video/mp4", "audio/mp4"])
async def test_a_picture_under_another_name_comes_in_and_goes_on_as_what_it_is(
    scene: Scene, claimed: str
) -> None:
    message_id = await receive(scene, PNG, Image(claimed))
    record = (await scene.as_acme("GET", f"{MESSAGES}/{message_id}")).json()
    media_id = record["typed_content"]["media_id"]
    file = await scene.as_acme("GET", f"{MEDIA}/{media_id}")
    assert file.json()["media_type"] == "image/png"
    assert (await follow(scene, record["media_url"])).headers["Content-Type"] == "image/png"
    sent = await send(scene, {"type": "image", "media_id": media_id})
    on = (await scene.as_acme("GET", f"{MESSAGES}/{sent.json()['message_id']}")).json()
    assert on["typed_content"]["media_type"] == "image/png"


async def test_a_strangers_file_has_a_name_that_may_be_sent_on(scene: Scene) -> None:
    name = "..\\a/b\n\u202e" + 90 * "日" + ".pdf"
    heard = storable(replace(arrival("A1"), content=Document("image/png", file_name=name)))
    assert isinstance(heard, Inbound)
    message_id = await receive(scene, PNG, heard.content)
    record = (await scene.as_acme("GET", f"{MESSAGES}/{message_id}")).json()["typed_content"]
    file = (await scene.as_acme("GET", f"{MEDIA}/{record['media_id']}")).json()
    assert record["file_name"] == file["file_name"] == "..ab" + 82 * "日" + ".pdf"
    given = {"media_id": record["media_id"], "file_name": file["file_name"]}
    assert (await send(scene, {"type": "document", **given})).status_code == 200


async def test_a_file_that_came_in_can_be_deleted(scene: Scene) -> None:
    message_id = await receive(scene, PNG, Image("image/png"))
    record = (await scene.as_acme("GET", f"{MESSAGES}/{message_id}")).json()
    path = f"{MEDIA}/{record['typed_content']['media_id']}"
    assert (await scene.as_acme("DELETE", path)).status_code == 204
    assert (await scene.as_acme("GET", path)).status_code == 404
    assert (await follow(scene, record["media_url"])).status_code == 404


async def test_a_limited_key_sees_what_came_in_through_its_devices_and_its_own_uploads(
    scene: Scene,
) -> None:
    await receive(scene, PNG, Image("image/png"))
    theirs = (await upload(scene)).json()["id"]

    async def minted(account_id: UUID) -> dict[str, str]:
        key = await scene.services.keys.mint(
            scene.acme.principal, "limited", scopes=["messages:write"], account_ids=[account_id]
        )
        return {"Authorization": f"Bearer {key.text}"}

    own_key = await minted(scene.acme.account.id)
    mine = (await upload(scene, **own_key)).json()["id"]
    page = (await scene.client.get(MEDIA, headers=own_key)).json()
    [listed, received] = [file["id"] for file in page["media"]]
    assert listed == mine
    assert (await scene.client.get(f"{MEDIA}/{received}", headers=own_key)).status_code == 200
    refused = await scene.client.delete(f"{MEDIA}/{theirs}", headers=own_key)
    assert (refused.status_code, refused.json()["code"]) == (403, "account_not_allowed")
    assert (await scene.client.delete(f"{MEDIA}/{mine}", headers=own_key)).status_code == 204

    await scene.database.pool.execute(  # the key has another device's now
        "UPDATE media SET account_id = gen_random_uuid() WHERE id = $1", UUID(received)
    )
    assert (await scene.client.get(MEDIA, headers=own_key)).json()["media"] == []
    for refused in (
        await scene.client.get(f"{MEDIA}/{received}", headers=own_key),
        await scene.client.delete(f"{MEDIA}/{received}", headers=own_key),
    ):
        assert (refused.status_code, refused.json()["code"]) == (403, "account_not_allowed")


async def test_a_file_that_is_sent_on_outlives_the_message_that_brought_it(
    scene: Scene, today: date
) -> None:
    media, tenant = scene.services.media, scene.acme.organization.tenant
    await receive(scene, PNG, Image("image/png"), "A1")
    await receive(scene, PNG, Image("image/png"), "A2")
    files = (await scene.as_acme("GET", MEDIA)).json()["media"]
    kept, other = files
    await scene.database.pool.execute(
        "UPDATE media SET expires_at = now() + interval '3 days' WHERE id = $1", UUID(kept["id"])
    )
    assert await media.delete_files(tenant, today + timedelta(days=1)) == 1
    assert (await follow(scene, kept["url"])).content == PNG
    assert (await follow(scene, other["url"])).status_code == 404
