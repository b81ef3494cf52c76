"""An id of another organization is 403 at every operation that takes one, and nothing happens."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from api_description import api_description
from api_scene import Scene, open_scene
from media_scene import PNG

KINDS = {
    *("message_id", "conversation_id", "media_id", "job_id", "contact_id", "label_id"),
    *("device_id", "subscription_id", "delivery_id", "key_id"),
}
OTHERS = {"jid": "15550100001@sandbox"}
INSERT_RECORDED = """
INSERT INTO deliveries (
    shard, organization_id, id, seq, webhook_id, webhook_url, event_id, event_type, status,
    retry_count, attempt_count, created_at, updated_at
)
SELECT shard, organization_id, $1, seq, webhook_id, '', event_id, event_type, 'delivered', 0, 1,
    now(), now() FROM delivery_queue LIMIT 1
"""


@pytest.fixture
async def scene(database_url: str, tmp_path: Path) -> AsyncIterator[Scene]:
    async with open_scene(database_url, tmp_path) as scene:
        yield scene


async def as_globex(scene: Scene, method: str, path: str, **request: Any) -> Any:
    headers = {"Authorization": f"Bearer {scene.globex.key}"} | request.pop("headers", {})
    answer = await scene.client.request(method, f"/api/v1{path}", headers=headers, **request)
    assert answer.is_success, answer.text
    return answer.json()


async def resources(scene: Scene) -> dict[str, str]:
    """What Globex has, by the name of the parameter that takes its id."""
    pool, tenant = scene.database.pool, scene.globex.organization.tenant
    content = {"type": "text", "body": "Hello"}
    sent = await as_globex(
        scene, "POST", "/messages", json={"phone_number": "+15550100001", "content": content}
    )
    ids = {name: uuid4() for name in ("contact_id", "conversation_id", "job_id", "delivery_id")}
    await pool.execute(
        "INSERT INTO contacts (shard, organization_id, id, created_at, updated_at)"
        " VALUES ($1, $2, $3, now(), now())",
        *tenant,
        ids["contact_id"],
    )
    await pool.execute(
        "INSERT INTO conversations (shard, organization_id, id, account_id, remote_jid, status,"
        " unread_count, is_group, agent_paused, pinned, created_at, updated_at)"
        " VALUES ($1, $2, $3, $4, '1@g.sandbox', 'open', 0, true, false, false, now(), now())",
        *tenant,
        ids["conversation_id"],
        scene.globex.account.id,
    )
    await pool.execute(
        "INSERT INTO jobs (shard, organization_id, id, account_id, kind, status, safe_to_repeat,"
        " request, created_at, deadline)"
        " VALUES ($1, $2, $3, $4, 'sync_contacts', 'completed', true, '{}', now(), now())",
        *tenant,
        ids["job_id"],
        scene.globex.account.id,
    )
    media = await as_globex(
        scene, "POST", "/media", content=PNG, headers={"Content-Type": "image/png"}
    )
    label = await as_globex(scene, "POST", "/labels", json={"name": "VIP"})
    hook = {"url": "https://hooks.example.com/", "events": ["*"]}
    webhook = await as_globex(scene, "POST", "/webhooks/subscriptions", json=hook)
    await as_globex(scene, "POST", f"/webhooks/subscriptions/{webhook['id']}/ping")
    await pool.execute(INSERT_RECORDED, ids["delivery_id"])
    key = await as_globex(scene, "POST", "/api-keys", json={"name": "x", "scopes": ["admin:read"]})
    return {name: str(id_) for name, id_ in ids.items()} | {
        "message_id": sent["message_id"],
        "media_id": media["id"],
        "label_id": label["id"],
        "subscription_id": webhook["id"],
        "key_id": key["id"],
        "device_id": str(scene.globex.account.id),
        "waiting": str(await pool.fetchval("SELECT id FROM delivery_queue")),
    }


def calls() -> list[tuple[str, str, str, Any]]:
    """Every operation with an id in its path: name, method, path, and a body that fits."""
    document, found = api_description(), []
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if "{" not in path:
                continue
            body = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
            name = body.get("schema", {}).get("$ref", "").rpartition("/")[2]
            examples = document["components"]["schemas"].get(name, {}).get("examples", [None])
            found.append((operation["operationId"], method.upper(), path, examples[0]))
    return found


async def test_every_id_of_another_organization_is_forbidden(scene: Scene) -> None:
    ids = await resources(scene)
    counted = await scene.count_rows()
    tried = set()
    for name, method, path, body in calls():
        [kind] = [kind for kind in KINDS if f"{{{kind}}}" in path]
        tried.add(kind)
        answer = await scene.as_acme(method, path.format(**ids, **OTHERS), json=body)
        assert (answer.status_code, answer.json().get("code")) == (403, "other_organization"), name
        unknown = {known: str(uuid4()) for known in KINDS}
        answer = await scene.as_acme(method, path.format(**unknown, **OTHERS), json=body)
        assert answer.status_code == 404, name
    assert tried == KINDS
    assert await scene.count_rows() == counted


async def test_a_delivery_that_waits_for_its_first_attempt_is_too(scene: Scene) -> None:
    waiting = (await resources(scene))["waiting"]
    for method, path in (("GET", ""), ("POST", "/redeliver")):
        answer = await scene.as_acme(method, f"/api/v1/webhooks/deliveries/{waiting}{path}")
        assert (answer.status_code, answer.json()["code"]) == (403, "other_organization")
