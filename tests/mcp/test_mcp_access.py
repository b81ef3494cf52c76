"""Every tool, tried by everybody who must not use it; and what the gate refuses as plain HTTP."""

import asyncio
from datetime import timedelta
from typing import Any, NoReturn
from uuid import UUID, uuid4

import pytest

from each_case import for_each
from heliograph.core.services import Services
from heliograph.core.tenants.model import operator
from heliograph.core.tenants.scopes import SCOPES, implied_scopes
from heliograph.faces.coding_tools import HEADER
from heliograph.faces.mcp.server import TOOLS
from mcp import Client, MCPError
from mcp_scene import CURRENT, McpScene, Stranger, error_of

pytest_plugins = ("live_fixtures",)
NAMES = list(TOOLS)
OF_THE_PRIMARY = [
    name
    for name, tool in TOOLS.items()
    if (given := tool.input.model_fields.get("chat_account_id")) is not None
    and "primary" in (given.description or "")
    and "contact_id" not in tool.input.model_fields
]
"""Those that act on the primary device where none is named."""


@pytest.fixture(scope="module")
def stranger(scene: McpScene) -> Stranger:
    return scene.invite_stranger()


def arguments(tool: str, stranger: Stranger) -> dict[str, Any]:
    """A call that is well-formed, of things that are the stranger's."""
    ids: dict[str, dict[str, Any]] = {
        "send_button_message": {
            "phone_number": "+15550100001",
            "body": "?",
            "buttons": [{"id": "y", "title": "Yes"}],
        },
        "send_text_message": {"phone_number": "+15550100001", "body": "Hello"},
        "send_message": {"content": {"type": "text", "body": "Hello"}},
        "edit_message": {"text": "Hello"},
        "act_as_phone": {"phone_number": "Ada Abara", "action": "press", "button": "y"},
        "read_phone": {"phone_number": "Ada Abara"},
        "create_conversation_group": {"subject": "Trip", "participants": ["+15550100001"]},
        "join_group": {"session_name": stranger.session_name, "invite_link": "https://a.example"},
        "create_webhook": {"url": "https://example.com/hook"},
    }
    given = ids.get(tool, {})
    properties = TOOLS[tool].input.model_fields
    known = {
        "chat_account_id": stranger.account_id,
        "webhook_id": stranger.webhook_id,
        "message_id": stranger.message_id,
        "conversation_id": stranger.conversation_id,
        "delivery_id": stranger.delivery_id,
        "contact_id": stranger.contact_id,
    }
    if tool == "send_message":  # exactly one recipient, and nothing else of theirs
        known = {"conversation_id": stranger.conversation_id}
    return {name: str(value) for name, value in known.items() if name in properties} | given


@for_each("tool", NAMES)
async def test_no_tool_without_a_key(scene: McpScene, tool: str) -> None:
    answer = await scene.post("tools/call", {"name": tool, "arguments": {}})
    assert answer.status_code == 401
    assert answer.json()["code"] == "missing_api_key"
    assert answer.headers["www-authenticate"] == HEADER


async def test_no_tool_with_a_revoked_key(scene: McpScene) -> None:
    key = scene.mint()
    scene.revoke(key)
    await asyncio.sleep(1)  # the longest that a node believes a key without asking
    for tool in NAMES:
        answer = await scene.post("tools/call", {"name": tool}, {HEADER: key})
        assert (answer.status_code, answer.json()["code"]) == (401, "revoked_api_key"), tool


async def test_a_tool_that_waits_ends_with_its_key(scene: McpScene) -> None:
    key = scene.mint()
    asked = scene.call("list_events", key, wait=30, types=["device.pairing"])
    waiting = asyncio.create_task(asked)
    await asyncio.sleep(1)
    scene.revoke(key)
    answer = await asyncio.wait_for(waiting, 20)
    assert error_of(answer)["code"] == "revoked_api_key"


@for_each("tool", NAMES)
async def test_no_tool_without_each_of_its_scopes(scene: McpScene, tool: str) -> None:
    for missing in TOOLS[tool].scopes:
        rest = [s for s in SCOPES if missing not in implied_scopes([s])]
        key = scene.mint(rest)
        answer = await scene.post("tools/call", {"name": tool}, {HEADER: key})
        assert answer.status_code == 403, missing
        told = {"code": "missing_scope", "required_scope": missing}
        assert told.items() <= answer.json().items()
        async with scene.client(key) as client:
            assert tool not in [listed.name for listed in (await client.list_tools()).tools]


@for_each("tool", NAMES)
async def test_no_tool_reaches_another_organization(
    scene: McpScene, stranger: Stranger, tool: str
) -> None:
    before = await rows(scene, stranger)
    result = await scene.call(tool, **arguments(tool, stranger))
    if not result.is_error:
        for theirs in vars(stranger).values():
            assert str(theirs) not in str(result)
    assert "A secret word" not in str(result)
    assert await rows(scene, stranger) == before


async def rows(scene: McpScene, stranger: Stranger) -> dict[str, int]:
    """How much the stranger has of what tools make."""
    tables = ("messages", "jobs", "webhooks", "events", "conversations", "audit_entries")

    async def count(gateway: Services) -> dict[str, int]:
        principal = await gateway.keys.authenticate_key(stranger.key)
        found: dict[str, int] = {}
        for table in tables:
            found[table] = await gateway.database.pool.fetchval(
                f"SELECT count(*) FROM {table} WHERE shard = $1 AND organization_id = $2",  # noqa: S608 - ours
                *principal.tenant,
            )
        return found

    return scene.live.run(count)


@for_each("tool", NAMES)
async def test_what_names_another_organizations_things_is_refused(
    scene: McpScene, stranger: Stranger, tool: str
) -> None:
    given = arguments(tool, stranger)
    if not any(name.endswith("_id") for name in given):
        return
    result = await scene.call(tool, **given)
    expected = "other_organization"
    assert error_of(result)["code"] == expected


@pytest.fixture(scope="module")
def key_of_another_device(scene: McpScene) -> str:
    async def connect(gateway: Services) -> UUID:
        principal = operator((await gateway.keys.authenticate_key(scene.key)).tenant)
        name = f"second-{uuid4().hex[:8]}"
        return (await gateway.accounts.create(principal, "sandbox", name, name, {})).id

    return scene.mint(account_ids=[scene.live.run(connect)])


@for_each("tool", OF_THE_PRIMARY)
async def test_a_key_of_another_device_does_not_get_the_primary_one_by_naming_none(
    scene: McpScene, stranger: Stranger, key_of_another_device: str, tool: str
) -> None:
    ours = {n: value for n, value in arguments(tool, stranger).items() if not n.endswith("_id")}
    if tool == "send_message":
        ours["phone_number"] = "+15550100001"
    result = await scene.call(tool, key_of_another_device, **ours)
    assert error_of(result)["code"] == "account_not_allowed"


async def test_a_bearer_header_is_not_accepted(scene: McpScene) -> None:
    answer = await scene.post("tools/list", headers={"authorization": f"Bearer {scene.key}"})
    assert answer.status_code == 401
    assert "Authorization header has no effect here" in answer.json()["detail"]


@pytest.mark.parametrize("mode", [CURRENT, "legacy"])
async def test_clients_show_why_a_call_is_refused(scene: McpScene, mode: str) -> None:
    key = scene.mint(["messages:read"])
    async with scene.client(key, mode) as client:
        with pytest.raises(MCPError, match="lacks the scope 'messages:write'") as refused:
            await client.call_tool("send_text_message", {"phone_number": "+1", "body": "?"})
    assert refused.value.data["required_scope"] == "messages:write"


async def test_clients_show_why_a_key_is_refused(scene: McpScene) -> None:
    async with scene.client("hg_0000") as client:
        with pytest.raises(MCPError, match="not valid") as refused:
            await client.list_tools()
    assert refused.value.data["code"] == "invalid_api_key"


async def test_clients_show_when_to_come_again(scene: McpScene) -> None:
    async with scene.client(scene.limit(3)) as client:
        with pytest.raises(MCPError, match="too many requests") as refused:
            await call_for_ever(client)
    assert refused.value.data["retry_after"] >= 1


@for_each("key", ["", "hg_0000", "nonsense", "hg_" + "a" * 60, b"\xe9"])
async def test_a_bad_key_is_refused_before_the_protocol(scene: McpScene, key: str | bytes) -> None:
    answer = await scene.post("no such method", headers={HEADER: key})
    assert answer.status_code == 401


async def test_an_expired_key_is_refused(scene: McpScene) -> None:
    key = scene.mint(lasts=timedelta(seconds=1))
    await asyncio.sleep(1.1)
    answer = await scene.post("tools/list", headers={HEADER: key})
    assert (answer.status_code, answer.json()["code"]) == (401, "expired_api_key")


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "localhost:1", ""])
async def test_a_strange_host_is_refused(scene: McpScene, host: str) -> None:
    answer = await scene.post("tools/list", headers={HEADER: scene.key, "host": host})
    assert (answer.status_code, answer.json()["code"]) == (403, "host_not_allowed")


@pytest.mark.parametrize("origin", ["https://evil.example", "null"])
async def test_a_strange_page_is_refused(scene: McpScene, origin: str) -> None:
    answer = await scene.post("tools/list", headers={HEADER: scene.key, "origin": origin})
    assert (answer.status_code, answer.json()["code"]) == (403, "origin_not_allowed")


async def test_a_page_of_the_gateway_itself_is_let_in(scene: McpScene) -> None:
    given = {HEADER: scene.key, "origin": scene.live.base_url}
    answer = await scene.post("tools/list", headers=given)
    assert answer.status_code == 200


async def test_the_plans_rate_holds_here_too(scene: McpScene) -> None:
    key = scene.limit(3)
    answers = [await scene.post("tools/list", headers={HEADER: key}) for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert answers[-1].json()["code"] == "rate_limited"
    assert int(answers[-1].headers["retry-after"]) >= 1
    assert answers[0].headers["ratelimit-policy"] == '"default";q=3;w=60'


async def call_for_ever(client: Client) -> NoReturn:
    while True:
        await client.call_tool("get_message_stats", {})
