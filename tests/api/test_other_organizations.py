"""An id of another organization is 403 at every operation that takes one, and nothing happens."""

from typing import Any
from uuid import uuid4

from api_description import api_description
from api_scene import (
    BUTTONS,
    DEVICES,
    EVENTS,
    GROUPS,
    JOIN,
    STATS,
    SYNC,
    Scene,
    buttons,
    group_of,
)
from inbox_rows import insert_contact, insert_conversation
from media_scene import PNG

KINDS = {
    "contact_id": "contact_not_found",
    "conversation_id": "conversation_not_found",
    "delivery_id": "delivery_not_found",
    "device_id": "chat_account_not_found",
    "job_id": "not_found",
    "key_id": "api_key_not_found",
    "label_id": "not_found",
    "media_id": "media_not_found",
    "message_id": "message_not_found",
    "subscription_id": "subscription_not_found",
}
"""What an address has an id of, and the code of the answer where nobody has it."""
MESSAGES = "/api/v1/messages"
OTHERS = {"jid": "15550100001@sandbox"}
INSERT_RECORDED = """
INSERT INTO deliveries (
    shard, organization_id, id, seq, webhook_id, webhook_url, event_id, event_type, status,
    retry_count, attempt_count, created_at, updated_at
)
SELECT shard, organization_id, $1, seq, webhook_id, '', event_id, event_type, 'delivered', 0, 1,
    now(), now() FROM delivery_queue LIMIT 1
"""


async def as_globex(scene: Scene, method: str, path: str, **request: Any) -> Any:
    answer = await scene.as_globex(method, f"/api/v1{path}", **request)
    assert answer.is_success, answer.text
    return answer.json()


async def resources(scene: Scene) -> dict[str, str]:
    """What Globex has, by the name of the parameter that takes its id."""
    pool, tenant = scene.database.pool, scene.globex.organization.tenant
    content = {"type": "text", "body": "Hello"}
    sent = await as_globex(
        scene, "POST", "/messages", json={"phone_number": "+15550100001", "content": content}
    )
    ids = {
        "contact_id": await insert_contact(scene, of=scene.globex),
        "conversation_id": await insert_conversation(
            scene, "1@g.sandbox", is_group=True, of=scene.globex
        ),
        "job_id": uuid4(),
        "delivery_id": uuid4(),
    }
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
        assert (answer.status_code, answer.json()["code"]) == (404, KINDS[kind]), name
    assert tried == KINDS.keys()
    assert await scene.count_rows() == counted


async def test_a_delivery_that_waits_for_its_first_attempt_is_too(scene: Scene) -> None:
    waiting = (await resources(scene))["waiting"]
    for method, path in (("GET", ""), ("POST", "/redeliver")):
        answer = await scene.as_acme(method, f"/api/v1/webhooks/deliveries/{waiting}{path}")
        assert (answer.status_code, answer.json()["code"]) == (403, "other_organization")


async def test_an_id_of_another_organization_in_a_body_or_a_query_is_too(scene: Scene) -> None:
    """A session name is only known within an organization: there is none for others."""
    ids = await resources(scene)
    account = {"chat_account_id": ids["device_id"]}
    counted = await scene.count_rows()
    answers = [
        await scene.as_acme("POST", BUTTONS, json=buttons(**account)),
        await scene.as_acme("POST", GROUPS, json=group_of(scene.globex.account)),
        await scene.as_acme("POST", SYNC, json=account),
        await scene.as_acme("GET", f"{MESSAGES}?conversation_id={ids['conversation_id']}"),
        await scene.as_acme("GET", f"{MESSAGES}?contact_id={ids['contact_id']}"),
    ]
    for answer in answers:
        assert (answer.status_code, answer.json()["code"]) == (403, "other_organization")
    joining = {"session_name": "globex", "invite_link": "https://sandbox.example/join/x"}
    joined = await scene.as_acme("POST", JOIN, json=joining)
    assert (joined.status_code, joined.json()["code"]) == (404, "session_not_found")
    assert await scene.count_rows() == counted


async def test_lists_hold_nothing_of_another_organization(scene: Scene) -> None:
    await resources(scene)
    devices = (await scene.as_acme("GET", DEVICES)).json()
    assert [device["session_name"] for device in devices["devices"]] == ["acme"]
    assert devices["total"] == 1
    assert (await scene.as_acme("GET", STATS)).json()["total"] == 0
    assert (await scene.as_acme("GET", EVENTS)).json() == {"events": [], "total": 0}
    for name in ("messages", "conversations", "contacts"):
        listed = (await scene.as_acme("GET", f"/api/v1/{name}")).json()
        assert listed == {name: [], "next_cursor": None}
    labels = (await scene.as_acme("GET", "/api/v1/labels")).json()
    assert (labels["labels"], labels["total"]) == ([], 0)
