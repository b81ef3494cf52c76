"""Keys over the public API: made, listed, rotated, revoked, and never wider than who made them."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import httpx
import pytest

from api_scene import Scene, code
from delivery_tables import END_ALL
from each_case import for_each
from heliograph.core.accounts.model import Account
from heliograph.core.keys.limits import require_within
from heliograph.core.tenants.model import Principal
from heliograph.errors import AccountNotAllowedError, MissingScopeError
from inbox_rows import insert_contact, insert_conversation

KEYS = "/api/v1/api-keys"


async def make(scene: Scene, **body: object) -> dict[str, Any]:
    response = await scene.as_acme("POST", KEYS, json={"name": "test"} | body)
    assert response.status_code == 201, response.text
    made: dict[str, Any] = response.json()
    return made


async def limited(scene: Scene, accounts: Sequence[Account]) -> dict[str, str]:
    """The headers of a key that may do everything with these accounts."""
    made = await make(scene, chat_account_ids=[str(account.id) for account in accounts])
    return {"Authorization": f"Bearer {made['api_key']}"}


def in_days(days: float) -> str:
    return (datetime.now(UTC) + timedelta(days=days)).isoformat()


async def test_a_new_key_is_shown_once_and_works(scene: Scene) -> None:
    made = await make(scene, scopes=["messages:read"], expires_at="2099-01-01T00:00:00Z")
    key = made.pop("api_key")
    listed = (await scene.as_acme("GET", KEYS)).json()
    assert listed["total"] == 2
    assert listed["api_keys"][0] == made
    assert key not in str(listed)
    assert (await scene.with_key(key, "GET", "/api/v1/devices")).status_code == 403
    summary = await scene.with_key(key, "GET", "/api/v1/messages/stats/summary")
    assert summary.status_code == 200


async def test_a_repeat_with_a_lesser_key_gets_nothing_of_the_first_answer(scene: Scene) -> None:
    repeat = {"Idempotency-Key": "make"}
    first = await scene.as_acme("POST", KEYS, json={"name": "a"}, headers=repeat)
    headers = repeat | await limited(scene, [scene.acme.account])
    again = await scene.client.post(KEYS, json={"name": "a"}, headers=headers)
    assert again.json()["detail"][0]["loc"] == ["header", "Idempotency-Key"]
    assert first.json()["api_key"] not in again.text
    # a key that may do the same gets it, such as the one that has replaced the first
    as_wide = {"Authorization": f"Bearer {first.json()['api_key']}"}
    replayed = await scene.client.post(KEYS, json={"name": "a"}, headers=repeat | as_wide)
    assert replayed.json() == first.json()


@pytest.mark.parametrize("path", ["", "/{id}/rotate"])
async def test_a_repeat_with_a_key_that_ends_sooner_gets_no_secret(scene: Scene, path: str) -> None:
    """Which it could not have made itself."""
    key, repeat = await make(scene), {"Idempotency-Key": "once"}
    address = KEYS + path.format(id=key["id"])
    body = {"json": {"name": "a"}} if not path else {}
    first = await scene.as_acme("POST", address, headers=repeat, **body)
    sooner = (await make(scene, expires_at=in_days(1)))["api_key"]
    again = await scene.with_key(sooner, "POST", address, headers=repeat, **body)
    assert again.status_code == 422
    assert "other scopes, devices or expiry" in again.json()["detail"][0]["msg"]
    assert first.json()["api_key"] not in again.text
    replayed = await scene.as_acme("POST", address, headers=repeat, **body)
    assert replayed.json() == first.json()


async def test_a_repeat_with_a_key_of_another_device_gets_no_message(scene: Scene) -> None:
    other = await scene.add_account()
    text = {"type": "text", "body": "Later"}
    body = {"phone_number": "+15550100001", "content": text, "scheduled_for": in_days(1)}
    sent = (await scene.as_acme("POST", "/api/v1/messages", json=body)).json()["message_id"]
    address, repeat = f"/api/v1/messages/{sent}/cancel", {"Idempotency-Key": "cancel"}
    assert (await scene.as_acme("POST", address, headers=repeat)).status_code == 200
    again = await scene.client.post(address, headers=repeat | await limited(scene, [other]))
    assert again.status_code == 422


async def test_every_secret_that_was_promised_a_grace_keeps_it(scene: Scene) -> None:
    made = await make(scene)
    secrets = [made["api_key"]]
    for grace in (3600, 60):
        path = f"{KEYS}/{made['id']}/rotate"
        rotated = await scene.as_acme("POST", path, json={"grace_seconds": grace})
        assert rotated.status_code == 200
        secrets.append(rotated.json()["api_key"])
    for secret in secrets:
        assert (await scene.with_key(secret, "GET", KEYS)).status_code == 200
    assert len(rotated.json()["old_secrets_expire_at"]) == 2


async def test_a_rotation_needs_no_body(scene: Scene) -> None:
    made = await make(scene)
    rotated = await scene.as_acme("POST", f"{KEYS}/{made['id']}/rotate")
    assert rotated.status_code == 200
    assert len(rotated.json()["old_secrets_expire_at"]) == 1


async def test_a_revoked_key_is_refused_and_stays_in_the_list(scene: Scene) -> None:
    made = await make(scene)
    path = f"{KEYS}/{made['id']}"
    for _ in range(2):
        revoked = await scene.as_acme("DELETE", path)
        assert (revoked.status_code, revoked.content) == (204, b"")
    assert code(await scene.as_acme("POST", f"{path}/rotate")) == (404, "api_key_not_found")
    assert code(await scene.with_key(made["api_key"], "GET", KEYS)) == (401, "revoked_api_key")
    assert (await scene.as_acme("GET", KEYS)).json()["api_keys"][0]["revoked_at"]


@for_each(
    ("body", "loc"),
    [
        ({"name": " "}, ["body", "name"]),
        ({"scopes": []}, ["body", "scopes"]),
        ({"scopes": ["messages:delete"]}, ["body", "scopes", 0]),
        ({"expires_at": "2020-01-01T00:00:00Z"}, ["body", "expires_at"]),
        ({"chat_account_ids": []}, ["body", "chat_account_ids"]),
        ({"chat_account_ids": [str(UUID(int=7))]}, ["body", "chat_account_ids", 0]),
        ({"chat_accounts": []}, ["body", "chat_accounts"]),
    ],
)
async def test_a_key_that_makes_no_sense_is_refused(
    scene: Scene, body: dict[str, object], loc: list[object]
) -> None:
    refused = await scene.as_acme("POST", KEYS, json={"name": "test"} | body)
    assert refused.status_code == 422
    assert refused.json()["detail"][0]["loc"] == loc
    assert (await scene.as_acme("GET", KEYS)).json()["total"] == 1


async def test_no_key_is_limited_to_another_organizations_account(scene: Scene) -> None:
    body = {"name": "x", "chat_account_ids": [str(scene.globex.account.id)]}
    assert (await scene.as_acme("POST", KEYS, json=body)).status_code == 422


async def test_a_limited_key_makes_no_key_beyond_itself(scene: Scene) -> None:
    other = await scene.add_account()
    headers = await limited(scene, [scene.acme.account])
    mine, both = [str(scene.acme.account.id)], [str(scene.acme.account.id), str(other.id)]
    for account_ids in (None, both):
        body = {"name": "wider", "chat_account_ids": account_ids}
        refused = await scene.client.post(KEYS, headers=headers, json=body)
        assert code(refused) == (403, "account_not_allowed")
    body = {"name": "as wide", "chat_account_ids": mine}
    made = await scene.client.post(KEYS, headers=headers, json=body)
    assert made.json()["chat_account_ids"] == mine


async def test_a_key_that_expires_makes_rotates_and_revokes_none_that_lives_longer(
    scene: Scene,
) -> None:
    forever, sooner = await make(scene), await make(scene, expires_at=in_days(1))
    later, mine = await make(scene, expires_at=in_days(3)), await make(scene, expires_at=in_days(2))
    key = mine["api_key"]
    for expiry in ({}, {"expires_at": None}, {"expires_at": in_days(2.001)}):
        refused = await scene.with_key(key, "POST", KEYS, json={"name": "longer"} | expiry)
        assert code(refused) == (403, "expiry_not_allowed")
        assert mine["expires_at"][:19] in refused.json()["detail"]
    for other in (forever, later):
        for method, path in (("POST", f"{other['id']}/rotate"), ("DELETE", other["id"])):
            refused = await scene.with_key(key, method, f"{KEYS}/{path}")
            assert code(refused) == (403, "expiry_not_allowed")
        assert (await scene.with_key(other["api_key"], "GET", KEYS)).status_code == 200
    same = await scene.with_key(
        key, "POST", KEYS, json={"name": "as long", "expires_at": mine["expires_at"]}
    )
    assert same.status_code == 201
    for other in (sooner, same.json(), mine):
        rotated = await scene.with_key(key, "POST", f"{KEYS}/{other['id']}/rotate")
        assert rotated.status_code == 200
    assert (await scene.with_key(key, "DELETE", f"{KEYS}/{sooner['id']}")).status_code == 204


async def test_a_limited_key_sees_and_touches_no_wider_key(scene: Scene) -> None:
    other = await scene.add_account()
    headers = await limited(scene, [scene.acme.account])
    whole = await make(scene)
    theirs = await make(scene, chat_account_ids=[str(other.id)])
    listed = (await scene.client.get(KEYS, headers=headers)).json()
    assert [key["chat_account_ids"] for key in listed["api_keys"]] == [[str(scene.acme.account.id)]]
    for key in (whole, theirs):
        for method, path in (("DELETE", KEYS), ("POST", KEYS)):
            address = f"{path}/{key['id']}" + ("/rotate" if method == "POST" else "")
            refused = await scene.client.request(method, address, headers=headers)
            assert code(refused) == (403, "account_not_allowed")


async def test_a_limited_key_learns_no_other_devices_id_or_name(scene: Scene) -> None:
    other = await scene.add_account()
    headers = await limited(scene, [scene.acme.account])
    contact = await insert_contact(scene, "+15550100001")
    conversation = await insert_conversation(
        scene, "15550100001@sandbox", contact_id=contact, account_id=other.id
    )
    paths = [
        ("GET", f"/api/v1/conversations/{conversation}"),
        ("PATCH", f"/api/v1/conversations/{conversation}"),
        ("POST", f"/api/v1/conversations/{conversation}/read"),
        ("GET", f"/api/v1/devices/{other.id}"),
        ("GET", f"/api/v1/contacts/{contact}"),
    ]
    for method, path in paths:
        body = {"status": "closed"} if method == "PATCH" else None
        refused = await scene.client.request(method, path, headers=headers, json=body)
        assert code(refused) == (403, "account_not_allowed"), path
        for secret in (str(other.id), "Second", "second"):
            assert secret not in refused.text, path


async def test_a_limited_key_takes_the_first_place_from_no_other_device(scene: Scene) -> None:
    other = await scene.add_account()
    headers, body = await limited(scene, [other]), {"is_primary": True}
    address = f"/api/v1/devices/{other.id}"
    refused = await scene.client.patch(address, headers=headers, json=body)
    assert code(refused) == (403, "account_not_allowed")
    primary = await scene.services.accounts.get_primary(scene.acme.principal)
    assert primary.id == scene.acme.account.id
    # what it is already, it may say
    headers, address = await limited(scene, [primary]), f"/api/v1/devices/{primary.id}"
    assert (await scene.client.patch(address, headers=headers, json=body)).status_code == 200


async def test_a_limited_key_leaves_alone_the_labels_that_all_devices_share(scene: Scene) -> None:
    headers = await limited(scene, [scene.acme.account])
    refused = await scene.client.post("/api/v1/labels", headers=headers, json={"name": "Mine"})
    assert code(refused) == (403, "account_not_allowed")
    made = await scene.as_acme("POST", "/api/v1/labels", json={"name": "VIP"})
    address = f"/api/v1/labels/{made.json()['id']}"
    renamed = await scene.client.patch(address, headers=headers, json={"name": "V.I.P."})
    deleted = await scene.client.delete(address, headers=headers)
    assert [code(renamed), code(deleted)] == [(403, "account_not_allowed")] * 2
    [label] = (await scene.as_acme("GET", "/api/v1/labels")).json()["labels"]
    assert label == made.json()


@pytest.mark.parametrize("path", ["/api/v1/messages", "/api/v1/conversations"])
async def test_a_list_of_a_device_that_is_none_of_the_keys_own_is_forbidden(
    scene: Scene, path: str
) -> None:
    other = await scene.add_account()
    headers = await limited(scene, [other])
    for account in (scene.acme.account, scene.globex.account):
        params = {"chat_account_id": str(account.id)}
        refused = await scene.client.get(path, headers=headers, params=params)
        assert code(refused) == (403, "account_not_allowed")
    theirs = {"chat_account_id": str(scene.globex.account.id)}
    refused = await scene.as_acme("GET", path, params=theirs)
    assert code(refused) == (403, "other_organization")


async def test_a_key_grants_no_scope_that_its_maker_lacks(scene: Scene) -> None:
    maker = Principal(scene.acme.principal.tenant, frozenset({"admin:write", "messages:read"}))
    require_within(maker, ["messages:read"], None, None)
    for scopes in (["messages:write"], None):
        with pytest.raises(MissingScopeError):
            require_within(maker, scopes, None, None)
    with pytest.raises(AccountNotAllowedError):
        require_within(
            Principal(maker.tenant, maker.scopes, account_ids=frozenset()), [], None, None
        )


async def test_a_limited_key_reaches_no_contact_of_other_devices(scene: Scene) -> None:
    ana = await insert_contact(scene, "+15550100001", "Ana")
    await insert_conversation(scene, "15550100001@sandbox", contact_id=ana)
    second = await scene.add_account()
    headers, content = await limited(scene, [second]), {"type": "text", "body": "Hello"}
    sent = {"contact_id": str(ana), "chat_account_id": str(second.id), "content": content}
    for method, path, body in (
        ("GET", f"/contacts/{ana}", None),
        ("GET", f"/contacts/{ana}/profile-picture?chat_account_id={second.id}", None),
        ("POST", "/messages", sent),
    ):
        refused = await scene.client.request(method, f"/api/v1{path}", headers=headers, json=body)
        assert code(refused) == (403, "account_not_allowed"), path
    own = await limited(scene, [scene.acme.account])
    body = sent | {"chat_account_id": str(scene.acme.account.id)}
    taken = await scene.client.post("/api/v1/messages", headers=own, json=body)
    assert taken.status_code == 200


async def test_what_waits_of_other_devices_is_not_led_to_another_url(scene: Scene) -> None:
    other = await scene.add_account()
    headers = await limited(scene, [other])
    hook = {"url": "https://example.com/old", "events": ["*"]}
    webhooks = "/api/v1/webhooks/subscriptions"
    made = (await scene.as_acme("POST", webhooks, json=hook)).json()["id"]
    text = {"type": "text", "body": "Secret"}
    body = {"phone_number": "+15550100001", "content": text, "scheduled_for": in_days(1)}
    sent = (await scene.as_acme("POST", "/api/v1/messages", json=body)).json()["message_id"]
    assert (await scene.as_acme("POST", f"/api/v1/messages/{sent}/cancel")).status_code == 200
    narrower = {"filter": {"chat_account_ids": [str(other.id)]}}
    patched = await scene.as_acme("PATCH", f"{webhooks}/{made}", json=narrower)
    assert patched.status_code == 200, patched.text

    async def lead_away() -> httpx.Response:
        url = {"url": "https://example.com/new"}
        return await scene.client.patch(f"{webhooks}/{made}", json=url, headers=headers)

    assert code(await lead_away()) == (403, "account_not_allowed")
    for path in (f"{webhooks}/{made}/deliveries", f"{webhooks}/events"):
        assert len((await scene.as_acme("GET", path)).json()[path.rpartition("/")[2]]) == 1
        listed = await scene.client.get(path, headers=headers)
        assert listed.json()[path.rpartition("/")[2]] == [], path
    shown = (await scene.as_acme("GET", f"{webhooks}/{made}")).json()
    assert shown["url"] == "https://example.com/old"
    same = {"url": shown["url"], "description": "Ours"}
    kept = await scene.client.patch(f"{webhooks}/{made}", json=same, headers=headers)
    assert (kept.status_code, kept.json()["description"]) == (200, "Ours")

    await scene.database.pool.execute(END_ALL)
    assert (await lead_away()).status_code == 200
