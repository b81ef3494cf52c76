"""Webhooks over the API: made, changed and tried; their deliveries read and made again."""

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from api_scene import Scene
from delivery_tables import end_all
from each_case import for_each
from heliograph.core.events.model import Event
from heliograph.core.events.service import encode_payload
from heliograph.core.tenants.model import Principal
from heliograph.core.webhooks.deliveries import replays
from heliograph.core.webhooks.fan_out import fan_out
from heliograph.core.webhooks.model import DeliveryStatus, WebhookFilter
from heliograph.errors import AccountNotAllowedError

HERE = "/api/v1/webhooks/subscriptions"
DELIVERIES = "/api/v1/webhooks/deliveries"
URL = "https://backend.example/hook"


async def create(scene: Scene, **body: object) -> dict[str, Any]:
    response = await scene.as_acme("POST", HERE, json={"url": URL, "events": ["*"]} | body)
    assert response.status_code == 201, response.text
    created: dict[str, Any] = response.json()
    return created


async def tell(
    scene: Scene,
    event_type: str = "message.sent",
    *,
    account_id: UUID | None = None,
    count: int = 1,
    **data: object,
) -> list[Event]:
    """Let something happen at Acme."""
    clock, tenant = scene.database.clock, scene.acme.organization.tenant
    events = [
        Event(
            tenant=tenant,
            id=clock.new_id(),
            type=event_type,
            payload=encode_payload(event_type, clock.now(), data),
            created_at=clock.now(),
            account_id=account_id,
        )
        for _ in range(count)
    ]
    await scene.database.transact(fan_out, tenant.shard, events, clock)
    return events


async def list_deliveries(scene: Scene, webhook_id: str, **query: object) -> dict[str, Any]:
    path = f"{HERE}/{webhook_id}/deliveries"
    found: dict[str, Any] = (await scene.as_acme("GET", path, params=query)).json()
    return found


async def replay_all(
    scene: Scene, webhook_id: str, **more: object
) -> tuple[list[int], dict[str, object]]:
    """Replay two minutes, each step twice under one key; return what each queued, and the body."""
    now = scene.database.clock.now()
    body: dict[str, object] = more | {
        "since": (now - timedelta(minutes=1)).isoformat(),
        "until": (now + timedelta(minutes=1)).isoformat(),
    }
    queued: list[int] = []
    while True:
        step = {"json": body, "headers": {"Idempotency-Key": f"step {len(queued)}"}}
        answer, repeated = [
            await scene.as_acme("POST", f"{HERE}/{webhook_id}/replay", **step) for _ in range(2)
        ]
        assert answer.status_code == 202
        assert repeated.json() == answer.json()
        queued.append(answer.json()["queued"])
        if (cursor := answer.json()["next_cursor"]) is None:
            return queued, body
        body["cursor"] = cursor


def only(scene: Scene, *accounts: UUID) -> Principal:
    """Acme's, limited to these accounts."""
    return replace(scene.acme.principal, account_ids=frozenset(accounts))


async def test_a_webhook_shows_its_secret_once_and_its_headers_never(scene: Scene) -> None:
    account = str(scene.acme.account.id)
    created = await create(
        scene,
        description="Orders",
        headers={"X-Token": "s3cret-value"},
        filter={"chat_account_ids": [account], "chat_type": "group"},
        batch={"max_events": 10, "max_wait_ms": 200},
    )
    secret = created.pop("secret")
    assert secret.startswith("whsec_")
    read = await scene.as_acme("GET", f"{HERE}/{created['id']}")
    assert read.json() == created
    assert created["header_names"] == ["X-Token"]
    assert created["filter"] == {"chat_account_ids": [account], "chat_type": "group"}
    assert created["batch"] == {"max_events": 10, "max_wait_ms": 200}
    listed = (await scene.as_acme("GET", HERE)).json()
    assert listed == {"subscriptions": [created], "total": 1, "limit": 50, "offset": 0}
    beyond = (await scene.as_acme("GET", HERE, params={"limit": 1, "offset": 1})).json()
    assert beyond == {"subscriptions": [], "total": 1, "limit": 1, "offset": 1}
    stored = await scene.database.pool.fetchval("SELECT headers FROM webhooks")
    assert b"s3cret-value" not in stored
    assert "s3cret-value" not in read.text


async def test_what_a_webhook_can_not_take_is_refused_where_it_is(scene: Scene) -> None:
    refused: list[tuple[dict[str, object], list[str | int]]] = [
        ({"url": "ftp://example.com"}, ["body", "url"]),
        ({"url": "https://example.com/ho\u200bok"}, ["body", "url"]),
        ({"url": "https://exa\u00admple.com"}, ["body", "url"]),
        ({"url": "\u200ehttps://example.com"}, ["body", "url"]),
        ({"url": "https://example.com/hook\u200b"}, ["body", "url"]),
        ({"events": ["message.gone"]}, ["body", "events"]),
        ({"events": []}, ["body", "events"]),
        ({"colour": "red"}, ["body", "colour"]),
        ({"batch": {"max_events": 501}}, ["body", "batch", "max_events"]),
        ({"batch": {"max_events": 5, "max_wait": 5}}, ["body", "batch", "max_wait"]),
        ({"filter": {"chat_account_ids": []}}, ["body", "filter", "chat_account_ids"]),
        ({"headers": {"Host": "x"}}, ["body", "headers", "Host"]),
        ({"headers": {"content-Type": "x"}}, ["body", "headers", "content-Type"]),
        ({"headers": {"Webhook-Id": "x"}}, ["body", "headers", "Webhook-Id"]),
        ({"headers": {"Proxy-Authorization": "x"}}, ["body", "headers", "Proxy-Authorization"]),
        ({"headers": {"Keep-Alive": "x"}}, ["body", "headers", "Keep-Alive"]),
        ({"headers": {"X-A": "1", "x-a": "2"}}, ["body", "headers", "x-a"]),
        ({"headers": {"X-A": "1\r\nX-B: 2"}}, ["body", "headers", "X-A"]),
        ({"headers": {f"X-{n}": "1" for n in range(21)}}, ["body", "headers"]),
    ]
    for change, loc in refused:
        response = await scene.as_acme("POST", HERE, json={"url": URL, "events": ["*"]} | change)
        assert response.status_code == 422, change
        assert response.json()["detail"][0]["loc"][: len(loc)] == loc
    long = await scene.as_acme(
        "POST", HERE, json={"url": URL, "events": ["*"], "headers": {"X-A": "v" * 1025}}
    )
    assert long.status_code == 422
    assert (await scene.as_acme("GET", HERE)).json()["total"] == 0


async def test_a_filter_names_accounts_that_are_there(scene: Scene) -> None:
    unknown, theirs = str(uuid4()), str(scene.globex.account.id)
    for account, status, code in (
        (unknown, 404, "chat_account_not_found"),
        (theirs, 403, "other_organization"),
    ):
        body = {"url": URL, "events": ["*"], "filter": {"chat_account_ids": [account]}}
        response = await scene.as_acme("POST", HERE, json=body)
        assert (response.status_code, response.json()["code"]) == (status, code)


async def test_a_patch_changes_what_is_given_and_nothing_else(scene: Scene) -> None:
    created = await create(scene, headers={"X-A": "1"}, batch={"max_events": 10}, description="a")
    path = f"{HERE}/{created['id']}"
    changed = (await scene.as_acme("PATCH", path, json={"description": "b"})).json()
    same = {**created, "description": "b", "updated_at": changed["updated_at"]}
    del same["secret"]
    assert changed == same
    changed = (await scene.as_acme("PATCH", path, json={"enabled": False, "batch": None})).json()
    assert (changed["enabled"], changed["batch"]) == (False, None)
    assert changed["header_names"] == ["X-A"]
    changed = (await scene.as_acme("PATCH", path, json={"enabled": True, "headers": {}})).json()
    assert (changed["enabled"], changed["header_names"]) == (True, [])
    for refused in ({"url": None}, {"events": None}, {"colour": "red"}):
        assert (await scene.as_acme("PATCH", path, json=refused)).status_code == 422
    assert await scene.database.pool.fetchval("SELECT headers FROM webhooks") is None


async def test_new_values_of_headers_are_audited_by_their_names(scene: Scene) -> None:
    created = await create(scene, headers={"X-A": "s3cret-1"})
    changed = {"headers": {"X-A": "s3cret-2"}}
    await scene.as_acme("PATCH", f"{HERE}/{created['id']}", json=changed)
    [entry] = await scene.database.pool.fetch(
        "SELECT details FROM audit_entries WHERE action = 'webhook_changed'"
    )
    assert json.loads(entry["details"]) == {"header_names": ["X-A"]}


async def test_the_list_of_events_is_no_webhook(scene: Scene) -> None:
    assert (await scene.as_acme("GET", f"{HERE}/events")).json() == {"events": [], "total": 0}
    for method in ("PATCH", "DELETE"):
        response = await scene.as_acme(method, f"{HERE}/events")
        assert (response.status_code, response.headers["Allow"]) == (405, "GET")


async def test_a_rotation_shows_a_new_secret_and_when_the_old_one_ends(scene: Scene) -> None:
    created = await create(scene)
    path = f"{HERE}/{created['id']}/rotate-secret"
    rotated = await scene.as_acme("POST", path, json={"grace_seconds": 60})
    assert rotated.status_code == 201
    assert rotated.json()["secret"] != created["secret"]
    assert len(rotated.json()["old_secrets_expire_at"]) == 1


async def test_deliveries_come_page_by_page_and_each_tells_what_it_brings(scene: Scene) -> None:
    created, other = await create(scene), await create(scene)
    events = await tell(scene, count=5, text="Hello")
    first = await list_deliveries(scene, created["id"], limit=3)
    rest = await list_deliveries(scene, created["id"], limit=3, cursor=first["next_cursor"])
    found = [*first["deliveries"], *rest["deliveries"]]
    assert [each["event_id"] for each in found] == [str(each.id) for each in reversed(events)]
    assert rest["next_cursor"] is None
    assert (await list_deliveries(scene, other["id"], status="failed"))["deliveries"] == []
    delivery = (await scene.as_acme("GET", f"{DELIVERIES}/{found[0]['id']}")).json()
    assert delivery["payload"]["data"] == {"text": "Hello"}
    assert delivery["attempts"] == []
    bad = await scene.as_acme("GET", f"{HERE}/{created['id']}/deliveries?cursor=x")
    assert bad.json()["detail"][0]["loc"] == ["query", "cursor"]


async def test_a_redelivery_is_a_delivery_of_its_own(scene: Scene) -> None:
    created = await create(scene)
    [event] = await tell(scene)
    [delivery] = (await list_deliveries(scene, created["id"]))["deliveries"]
    made = await scene.as_acme("POST", f"{DELIVERIES}/{delivery['id']}/redeliver")
    assert (made.status_code, made.json()["event_id"]) == (202, str(event.id))
    assert made.json()["id"] != delivery["id"]
    assert len((await list_deliveries(scene, created["id"]))["deliveries"]) == 2


async def test_a_replay_goes_step_by_step_and_does_nothing_by_itself(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replays, "STEP", 3)
    events = await tell(scene, count=7)
    await tell(scene, "device.connected")
    created = await create(scene, events=["message.*"])
    queued, body = await replay_all(scene, created["id"])
    assert (sum(queued), len(queued)) == (7, 3)
    found = (await list_deliveries(scene, created["id"]))["deliveries"]
    assert [each["event_id"] for each in reversed(found)] == [str(event.id) for event in events]
    body["cursor"] = "nonsense"
    refused = await scene.as_acme("POST", f"{HERE}/{created['id']}/replay", json=body)
    assert refused.json()["detail"][0]["loc"] == ["body", "cursor"]


async def test_a_replay_of_what_failed_makes_that_alone_again(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replays, "STEP", 2)
    created, _ = await create(scene), await create(scene)
    events = await tell(scene, count=3)
    await end_all(scene.database.pool.execute, "delivered")
    await scene.database.pool.execute(
        "UPDATE deliveries SET status = 'failed' WHERE event_id = ANY($1) AND webhook_id = $2",
        [events[0].id, events[2].id],
        UUID(created["id"]),
    )
    queued, _ = await replay_all(scene, created["id"], status="failed")
    assert sum(queued) == 2
    found = (await list_deliveries(scene, created["id"], status="pending"))["deliveries"]
    assert [each["event_id"] for each in found[:2]] == [str(events[2].id), str(events[0].id)]


async def test_a_replay_by_status_makes_nothing_that_its_caller_may_not_read(
    scene: Scene,
) -> None:
    """Deliveries may be of what the webhook took before it was changed."""
    mine, other = scene.acme.account.id, (await scene.add_account()).id
    webhooks, now = scene.services.webhooks, scene.database.clock.now()
    owner = scene.acme.principal
    webhook = (await webhooks.create(owner, URL, ["message.*"])).webhook
    [wanted] = await tell(scene, account_id=mine)
    await tell(scene, account_id=other)
    await end_all(scene.database.pool.execute, "failed")
    await webhooks.update(owner, webhook.id, events=["*"], filter_=WebhookFilter((mine,)))
    await tell(scene, "device.connected", account_id=mine)
    wish = replays.Replay(now - timedelta(hours=1), now + timedelta(hours=1), DeliveryStatus.FAILED)
    made = await scene.services.replays.replay(only(scene, mine), webhook.id, wish)
    assert made["queued"] == 1
    again = await scene.services.deliveries.list(owner, statuses=[DeliveryStatus.PENDING])
    assert wanted.id in {delivery.event_id for delivery in again}
    await webhooks.update(owner, webhook.id, events=["device.*"])
    unread = replace(owner, scopes=frozenset({"webhooks:read", "webhooks:write"}))
    made = await scene.services.replays.replay(unread, webhook.id, wish)
    assert made["queued"] == 0


@for_each(
    ("kind", "scope"),
    [
        ("message.sent", "messages:read"),
        ("conversation.updated", "conversations:read"),
        ("contact.updated", "contacts:read"),
    ],
)
async def test_events_take_the_scope_to_read_what_they_are_of(
    scene: Scene, kind: str, scope: str
) -> None:
    created = await create(scene, events=[kind])
    await tell(scene, kind)
    [delivery] = (await list_deliveries(scene, created["id"]))["deliveries"]
    others = {"messages:read", "conversations:read", "contacts:read"} - {scope}
    key = await scene.mint(scene.acme, scopes=["webhooks:write", *others])
    here = f"{HERE}/{created['id']}"
    span = {"since": "2020-01-01T00:00:00Z", "until": "2090-01-02T00:00:00Z"}
    requests: list[tuple[str, str, dict[str, object] | None]] = [
        ("POST", HERE, {"url": URL, "events": [kind]}),
        ("POST", HERE, {"url": URL, "events": ["*"]}),
        ("PATCH", here, {"url": URL + "/other"}),
        ("PATCH", here, {"filter": None}),
        ("PATCH", here, {"headers": {"X-Key": "a"}}),
        ("PATCH", here, {"description": "a"}),
        ("PATCH", here, {"enabled": False}),
        ("PATCH", here, {"events": ["device.*"]}),
        ("POST", f"{here}/rotate-secret", None),
        ("POST", f"{here}/ping", None),
        ("DELETE", here, None),
        ("POST", f"{here}/replay", dict(span)),
        ("GET", f"{DELIVERIES}/{delivery['id']}", None),
        ("POST", f"{DELIVERIES}/{delivery['id']}/redeliver", None),
    ]
    before = await scene.database.pool.fetch("SELECT * FROM webhooks")
    for method, path, body in requests:
        response = await scene.with_key(key, method, path, json=body)
        assert response.json().get("required_scope") == scope, path
    assert await scene.database.pool.fetch("SELECT * FROM webhooks") == before
    listed = await scene.with_key(key, "GET", f"{here}/deliveries")
    assert [each["id"] for each in listed.json()["deliveries"]] == [delivery["id"]]
    body = {"url": URL, "events": ["device.*"]}
    assert (await scene.with_key(key, "POST", HERE, json=body)).status_code == 201


async def test_a_filter_keeps_out_what_does_not_match(scene: Scene) -> None:
    mine, other = scene.acme.account.id, (await scene.add_account()).id
    await scene.database.pool.execute("DELETE FROM delivery_queue")
    created = await create(scene, filter={"chat_account_ids": [str(mine)], "chat_type": "group"})
    wanted = [
        *await tell(scene, account_id=mine, chat_type="group"),
        *await tell(scene, "device.connected", account_id=mine),
    ]
    await tell(scene, account_id=mine, chat_type="individual")
    await tell(scene, account_id=other, chat_type="group")
    await tell(scene, "device.connected", account_id=other)
    await tell(scene, chat_type="group")
    found = (await list_deliveries(scene, created["id"]))["deliveries"]
    assert {each["event_id"] for each in found} == {str(event.id) for event in wanted}


async def test_a_limited_caller_makes_and_sees_webhooks_of_its_accounts_alone(
    scene: Scene,
) -> None:
    mine, other = scene.acme.account.id, (await scene.add_account()).id
    webhooks, deliveries = scene.services.webhooks, scene.services.deliveries
    limited = only(scene, mine)
    own = (await webhooks.create(limited, URL)).webhook
    assert own.filter.chat_account_ids == (mine,)
    theirs = (await webhooks.create(scene.acme.principal, URL)).webhook
    assert [webhook.id for webhook in await webhooks.list(limited)] == [own.id]
    await tell(scene, account_id=mine)
    await tell(scene, account_id=other)
    listed, total = await deliveries.list_events(limited, 50, 0)
    assert ([each["webhook_id"] for each in listed], total) == ([own.id], 1)
    [foreign, *_] = await deliveries.list(scene.acme.principal, webhook_id=theirs.id)
    for refused in (
        webhooks.get(limited, theirs.id),
        webhooks.update(limited, theirs.id, description="x"),
        webhooks.delete(limited, theirs.id),
        webhooks.ping(limited, theirs.id),
        webhooks.rotate_secret(limited, theirs.id),
        webhooks.show_secret(limited, theirs.id),
        webhooks.update(limited, own.id, filter_=WebhookFilter((other,))),
        webhooks.create(limited, URL, filter_=WebhookFilter((mine, other))),
        deliveries.get(limited, foreign.id),
        deliveries.redeliver(limited, foreign.id),
    ):
        with pytest.raises(AccountNotAllowedError):
            await refused
    kept = await webhooks.update(limited, own.id, filter_=WebhookFilter())
    assert kept.filter.chat_account_ids == (mine,)
