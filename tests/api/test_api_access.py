"""Every operation, tried by everybody who must not use it.

The operations come from the route table, so a new one is tried without being named here.
"""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest

from api_scene import Customer, Scene, open_scene
from heliograph.core.tenants.scopes import SCOPES, implied_scopes
from heliograph.faces.api.app import create_operations, list_operations
from heliograph.faces.api.routes import GatewayRoute
from heliograph.platform.crypto import ApiKey, mint_api_key, parse_api_key

OPERATIONS = list_operations()
SCOPE_OF_ENDPOINT = {
    "createConversationGroup": "groups:write",
    "sendButtonMessage": "messages:write",
    "sendMessage": "messages:write",
    "cancelMessage": "messages:write",
    "editMessage": "messages:write",
    "deleteMessage": "messages:write",
    "setMessageReaction": "messages:write",
    "deleteMessageReaction": "messages:write",
    "getGroup": "groups:read",
    "changeGroup": "groups:write",
    "addGroupParticipants": "groups:write",
    "removeGroupParticipant": "groups:write",
    "getGroupInviteLink": "groups:write",
    "leaveGroup": "groups:write",
    "checkContacts": "contacts:write",
    "showTyping": "conversations:write",
    "syncContacts": "contacts:write",
    "joinGroup": "groups:write",
    "getContactProfilePicture": "contacts:read",
    "getConversation": "conversations:read",
    "getMessage": "messages:read",
    "listMessages": "messages:read",
    "getMessageHistory": "messages:read",
    "listDevices": "admin:read",
    "getMessageStats": "messages:read",
    "uploadMedia": "messages:write",
    "getMedia": "messages:read",
    "listMedia": "messages:read",
    "deleteMedia": "messages:write",
    "listMembers": "conversations:read",
    "listOrgWebhookEvents": "webhooks:read",
    "createWebhookSubscription": "webhooks:write",
    "listWebhookSubscriptions": "webhooks:read",
    "getWebhookSubscription": "webhooks:read",
    "updateWebhookSubscription": "webhooks:write",
    "deleteWebhookSubscription": "webhooks:write",
    "pingWebhookSubscription": "webhooks:write",
    "rotateWebhookSecret": "webhooks:write",
    "replayWebhookEvents": "webhooks:write",
    "listWebhookDeliveries": "webhooks:read",
    "getWebhookDelivery": "webhooks:read",
    "redeliverWebhookEvent": "webhooks:write",
    "listEvents": "webhooks:read",
    "listConversations": "conversations:read",
    "changeConversation": "conversations:write",
    "markConversationRead": "conversations:write",
    "listConversationNotes": "conversations:read",
    "createConversationNote": "conversations:write",
    "listLabels": "conversations:read",
    "createLabel": "conversations:write",
    "changeLabel": "conversations:write",
    "deleteLabel": "conversations:write",
    "listContacts": "contacts:read",
    "getContact": "contacts:read",
    "changeContact": "contacts:write",
    "getContactSync": "contacts:read",
    "createDevice": "admin:write",
    "getDevice": "admin:read",
    "changeDevice": "admin:write",
    "deleteDevice": "admin:write",
    "getDevicePairing": "admin:read",
    "pairDevice": "admin:write",
    "reconnectDevice": "admin:write",
    "logOutDevice": "admin:write",
    "listNetworks": "admin:read",
    "listApiKeys": "admin:write",
    "createApiKey": "admin:write",
    "revokeApiKey": "admin:write",
    "rotateApiKey": "admin:write",
}
MALFORMED = [
    "",
    "Bearer",
    "Bearer ",
    "Basic aGVsbG86d29ybGQ=",
    "hg_0000",
    "Bearer a b",
    "Bearer a, Bearer b",
    'Bearer "quoted"',
    "Bearer:abc",
    "BearerToken",
    "Token abc",
    "Bearer \u00e9",
]


@pytest.fixture
async def scene(database_url: str, tmp_path: Path) -> AsyncIterator[Scene]:
    async with open_scene(database_url, tmp_path) as scene:
        yield scene


def address(route: GatewayRoute) -> tuple[str, str]:
    """The method and a path with made-up ids."""
    [method] = route.methods or {"GET"}
    path = route.path
    for name in route.param_convertors:
        path = path.replace("{" + name + "}", str(uuid4()))
    return method, path


async def answer(scene: Scene, route: GatewayRoute, key: str | None) -> tuple[int, str]:
    """Status and code of a request with this key and a body that is no use."""
    method, path = address(route)
    headers = {} if key is None else {"Authorization": f"Bearer {key}"}
    response = await scene.client.request(method, path, headers=headers)
    body = response.json()
    return response.status_code, body.get("code", "")


def test_every_operation_asks_for_the_scope_of_the_reference() -> None:
    assert {route.operation_id: route.required_scope for route in OPERATIONS} == SCOPE_OF_ENDPOINT


async def test_nothing_of_the_public_api_lacks_a_scope(scene: Scene) -> None:
    """Every route under the prefix is of the kind that refuses to be built without one."""
    routes = [
        route
        for route in create_operations(scene.services).routes
        if getattr(route, "path", "").startswith("/api")
    ]
    assert len(routes) >= len(OPERATIONS)
    for route in routes:
        assert isinstance(route, GatewayRoute)
        assert route.required_scope in SCOPES


def test_a_handler_that_asks_for_no_scope_is_refused() -> None:
    async def handler() -> dict[str, str]:
        return {}

    with pytest.raises(TypeError, match="asks for no scope"):
        GatewayRoute("/api/v1/open", handler)


async def test_no_key(scene: Scene) -> None:
    for operation in OPERATIONS:
        method, path = address(operation)
        response = await scene.client.request(method, path)
        assert (response.status_code, response.json()["code"]) == (401, "missing_api_key")
        assert response.headers["www-authenticate"] == "Bearer"
        assert "ratelimit" not in response.headers


async def test_malformed_authorization(scene: Scene) -> None:
    for header in MALFORMED:
        headers = [(b"authorization", header.encode("latin-1"))]
        for operation in OPERATIONS:
            method, path = address(operation)
            response = await scene.client.request(method, path, headers=headers)
            found = (response.status_code, response.json()["code"])
            assert found == (401, "malformed_authorization"), header


async def test_two_authorization_headers_are_malformed(scene: Scene) -> None:
    headers = [("Authorization", f"Bearer {scene.acme.key}")] * 2
    for operation in OPERATIONS:
        method, path = address(operation)
        response = await scene.client.request(method, path, headers=headers)
        assert (response.status_code, response.json()["code"]) == (401, "malformed_authorization")


async def test_keys_that_open_nothing(scene: Scene) -> None:
    known = parse_api_key(scene.acme.key)
    wrong_secret = ApiKey(known.key_id, mint_api_key().secret).text
    wrong_checksum = scene.acme.key[:-1] + ("0" if scene.acme.key[-1] != "0" else "1")
    unknown = mint_api_key().text
    for key in (unknown, wrong_secret, wrong_checksum, scene.acme.key[:-10], "x"):
        for operation in OPERATIONS:
            assert await answer(scene, operation, key) == (401, "invalid_api_key")


async def test_an_expired_key(scene: Scene) -> None:
    soon = scene.database.clock.now() + timedelta(seconds=30)
    key = await scene.mint(scene.acme, expires_at=soon)
    assert (await answer(scene, OPERATIONS[0], key))[0] != 401
    scene.database.clock.set_offset(scene.database.clock.offset + 31)
    for operation in OPERATIONS:
        assert await answer(scene, operation, key) == (401, "expired_api_key")


async def test_a_revoked_key(scene: Scene) -> None:
    key = await scene.mint(scene.acme)
    assert (await answer(scene, OPERATIONS[0], key))[0] != 401
    await scene.services.keys.revoke(scene.acme.principal, parse_api_key(key).key_id)
    for operation in OPERATIONS:
        assert await answer(scene, operation, key) == (401, "revoked_api_key")


async def test_every_scope_opens_what_it_implies_and_nothing_else(scene: Scene) -> None:
    for scope in SCOPES:
        key = await scene.mint(scene.acme, scopes=[scope])
        for operation in OPERATIONS:
            status, code = await answer(scene, operation, key)
            if operation.required_scope in implied_scopes([scope]):
                assert status not in (401, 403), (scope, operation.operation_id)
            else:
                assert (status, code) == (403, "missing_scope"), (scope, operation.operation_id)


async def test_the_missing_scope_is_named(scene: Scene) -> None:
    key = await scene.mint(scene.acme, scopes=["webhooks:write"])
    headers = {"Authorization": f"Bearer {key}"}
    for operation in OPERATIONS:
        if operation.required_scope.startswith("webhooks:"):
            continue
        method, path = address(operation)
        response = await scene.client.request(method, path, headers=headers)
        assert response.json()["required_scope"] == operation.required_scope
        assert response.headers["ratelimit-policy"] == '"default";q=100000;w=60'


async def test_another_organizations_resources_are_forbidden(scene: Scene) -> None:
    """By id: 403. By session name, which is only known within an organization: 404."""
    ids = await globex_resources(scene)
    body = {"subject": "x", "participants": ["+5511999990000"]}
    account = {"chat_account_id": str(scene.globex.account.id)}
    send = {"phone_number": "+5511999990000", "body": "x", "buttons": [{"id": "a", "title": "A"}]}
    requests = {
        "getMessage": ("GET", f"/api/v1/messages/{ids['message']}", None),
        "getMessageHistory": ("GET", f"/api/v1/messages/{ids['message']}/history", None),
        "listMessages": ("GET", f"/api/v1/messages?conversation_id={ids['conversation']}", None),
        "listMessages of a contact": ("GET", f"/api/v1/messages?contact_id={ids['contact']}", None),
        "getConversation": ("GET", f"/api/v1/conversations/{ids['conversation']}", None),
        "getContactProfilePicture": (
            "GET",
            f"/api/v1/contacts/{ids['contact']}/profile-picture",
            None,
        ),
        "createConversationGroup": ("POST", "/api/v1/conversations/groups", body | account),
        "sendButtonMessage": ("POST", "/api/v1/messages/send/interactive/buttons", send | account),
        "syncContacts": ("POST", "/api/v1/contacts/sync", account),
    }
    conversation = f"/api/v1/conversations/{ids['conversation']}"
    requests |= {
        "changeConversation": ("PATCH", conversation, {"status": "closed"}),
        "markConversationRead": ("POST", f"{conversation}/read", None),
        "listConversationNotes": ("GET", f"{conversation}/notes", None),
        "createConversationNote": ("POST", f"{conversation}/notes", {"body": "x"}),
        "changeLabel": ("PATCH", f"/api/v1/labels/{ids['label']}", {"name": "x"}),
        "deleteLabel": ("DELETE", f"/api/v1/labels/{ids['label']}", None),
        "getContact": ("GET", f"/api/v1/contacts/{ids['contact']}", None),
        "changeContact": ("PATCH", f"/api/v1/contacts/{ids['contact']}", {"name": "x"}),
        "getContactSync": ("GET", f"/api/v1/contacts/sync/{ids['job']}", None),
    }
    before = await scene.count_rows()
    for name, (method, path, json) in requests.items():
        response = await scene.as_acme(method, path, json=json)
        assert (response.status_code, response.json()["code"]) == (403, "other_organization"), name
    joined = await scene.as_acme(
        "POST",
        "/api/v1/groups/join",
        json={"session_name": "globex", "invite_link": "https://sandbox.example/join/x"},
    )
    assert (joined.status_code, joined.json()["code"]) == (404, "session_not_found")
    assert await scene.count_rows() == before


async def test_lists_hold_nothing_of_another_organization(scene: Scene) -> None:
    await globex_resources(scene)
    devices = (await scene.as_acme("GET", "/api/v1/devices")).json()
    assert [device["session_name"] for device in devices["devices"]] == ["acme"]
    assert devices["total"] == 1
    assert (await scene.as_acme("GET", "/api/v1/messages/stats/summary")).json()["total"] == 0
    events = await scene.as_acme("GET", "/api/v1/webhooks/subscriptions/events")
    assert events.json() == {"events": [], "total": 0}
    messages = await scene.as_acme("GET", "/api/v1/messages")
    assert messages.json() == {"messages": [], "next_cursor": None}
    for name in ("conversations", "contacts"):
        listed = (await scene.as_acme("GET", f"/api/v1/{name}")).json()
        assert listed == {name: [], "next_cursor": None}
    labels = await scene.as_acme("GET", "/api/v1/labels")
    assert (labels.json()["labels"], labels.json()["total"]) == ([], 0)


async def globex_resources(scene: Scene) -> dict[str, str]:
    """A message, a conversation, a contact, a label and a synchronization of Globex."""
    headers = {"Authorization": f"Bearer {scene.globex.key}"}
    sent = await scene.client.post(
        "/api/v1/messages/send/interactive/buttons",
        headers=headers,
        json={
            "phone_number": "+5511999990000",
            "body": "x",
            "buttons": [{"id": "a", "title": "A"}],
        },
    )
    contact, conversation = (scene.database.clock.new_id() for _ in range(2))
    await insert_conversation(scene, scene.globex, str(contact), str(conversation))
    label = await scene.client.post("/api/v1/labels", headers=headers, json={"name": "VIP"})
    await scene.set_connected(scene.globex.account)
    account = {"chat_account_id": str(scene.globex.account.id)}
    job = await scene.client.post("/api/v1/contacts/sync", headers=headers, json=account)
    return {
        "label": label.json()["id"],
        "job": job.json()["job_id"],
        "message": sent.json()["message_id"],
        "contact": str(contact),
        "conversation": str(conversation),
    }


async def insert_conversation(
    scene: Scene, customer: Customer, contact_id: str, conversation_id: str
) -> None:
    now = scene.database.clock.now()
    await scene.database.pool.execute(
        "INSERT INTO contacts (shard, organization_id, id, phone_number, created_at, updated_at) "
        "VALUES ($1, $2, $3, '+5511999990000', $4, $4)",
        *customer.organization.tenant,
        contact_id,
        now,
    )
    await scene.database.pool.execute(
        "INSERT INTO conversations (shard, organization_id, id, account_id, remote_jid, status, "
        "unread_count, contact_id, is_group, agent_paused, pinned, created_at, updated_at) "
        "VALUES ($1, $2, $3, $4, 'a@sandbox', 'open', 0, $5, false, false, false, $6, $6)",
        *customer.organization.tenant,
        conversation_id,
        customer.account.id,
        contact_id,
        now,
    )
