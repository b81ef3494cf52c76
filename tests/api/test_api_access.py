"""Every operation, tried by everybody who must not use it.

The operations come from the route table, so a new one is tried without being named here.
"""

from datetime import timedelta
from uuid import uuid4

import pytest

from api_scene import Scene
from heliograph.core.tenants.scopes import SCOPES, implied_scopes
from heliograph.faces.api.app import create_operations, list_operations
from heliograph.faces.api.routes import GatewayRoute
from heliograph.platform.crypto import ApiKey, mint_api_key, parse_api_key

OPERATIONS = list_operations()
RESOURCES = {
    "api-keys": "admin",
    "contacts": "contacts",
    "conversations": "conversations",
    "devices": "admin",
    "events": "webhooks",
    "groups": "groups",
    "labels": "conversations",
    "media": "messages",
    "members": "conversations",
    "messages": "messages",
    "networks": "admin",
    "webhooks": "webhooks",
}
"""Of what a scope is, by how addresses begin."""
SCOPES_OF_THEIR_OWN = {
    "createConversationGroup": "groups:write",
    "getGroupInviteLink": "groups:write",  # who has the link lets anybody in
    "listApiKeys": "admin:write",
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


def test_every_operation_asks_for_the_scope_of_its_resource() -> None:
    for route in OPERATIONS:
        resource = RESOURCES[route.path.split("/")[3]]
        usual = f"{resource}:{'read' if route.methods == {'GET'} else 'write'}"
        expected = SCOPES_OF_THEIR_OWN.get(str(route.operation_id), usual)
        assert route.required_scope == expected, route.operation_id


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
    for operation in OPERATIONS:
        if operation.required_scope.startswith("webhooks:"):
            continue
        method, path = address(operation)
        response = await scene.with_key(key, method, path)
        assert response.json()["required_scope"] == operation.required_scope
        assert response.headers["ratelimit-policy"] == '"default";q=100000;w=60'
