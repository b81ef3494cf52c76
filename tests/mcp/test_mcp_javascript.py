"""The tool server and the official clients for JavaScript, of the SDK's versions 1 and 2.

Both hold results against the schema that the tool was listed with, each in its own way.
"""

from collections.abc import AsyncIterator
from json import loads
from typing import Any
from uuid import uuid4

import pytest
import pytest_asyncio

from heliograph.faces.mcp.prompts import PROMPTS
from heliograph.faces.mcp.resources import list_resources
from heliograph.faces.mcp.server import TOOLS
from mcp_calls import ADA, fill
from mcp_node_client import SDKS, NodeClient, NodeClientError, node_client
from mcp_scene import McpScene

pytest_plugins = ("live_fixtures",)
pytestmark = [
    pytest.mark.timeout(300),  # the packages may have to be installed first
    pytest.mark.asyncio(loop_scope="module"),
]
NOBODY = {
    "message_id": "message_not_found",
    "conversation_id": "conversation_not_found",
    "contact_id": "contact_not_found",
    "delivery_id": "delivery_not_found",
    "webhook_id": "subscription_not_found",
    "chat_account_id": "chat_account_not_found",
}
LISTS = ("list_conversations", "list_events", "list_messages")
"""They find nothing by an id that nobody has."""


@pytest.fixture(scope="module", params=SDKS)
def sdk(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def node(scene: McpScene, sdk: str) -> AsyncIterator[NodeClient]:
    """A client with the key that may do everything, for all tests: to start node takes a second."""
    async with node_client(sdk, scene.url, scene.key) as client:
        yield client


async def list_names(client: NodeClient) -> list[str]:
    """The tools, which the client must have listed to know their schemas."""
    return [tool["name"] for tool in (await client.ask("listTools"))["tools"]]


def error_of(result: Any) -> Any:
    """The error that a client has kept whole: its text, and nothing that a schema could refuse."""
    assert result["isError"] is True
    assert "structuredContent" not in result
    [block] = result["content"]
    error = loads(block["text"])
    assert error["code"]
    assert error["detail"]
    assert error["next_step"]
    return error


async def test_every_success_fits_its_schema(scene: McpScene, node: NodeClient) -> None:
    async with scene.client() as client:
        calls = await fill(client)
    assert await list_names(node) == list(TOOLS)
    assert calls.keys() == TOOLS.keys()
    for tool, given in calls.items():
        result = await node.call(tool, given)
        assert not result.get("isError"), (tool, result)
        assert loads(result["content"][0]["text"]) == result["structuredContent"]


async def test_what_a_key_may_not_see_is_left_out_as_the_schema_has_it(
    scene: McpScene, sdk: str
) -> None:
    async with scene.client() as client:
        given = (await fill(client))["explain_message"]
    async with node_client(sdk, scene.url, scene.mint(["messages:read"])) as client:
        await list_names(client)
        told = (await client.call("explain_message", given))["structuredContent"]
    assert told["deliveries"] is None


async def test_every_tool_keeps_code_and_next_step_of_bad_input(node: NodeClient) -> None:
    for tool in await list_names(node):
        error = error_of(await node.call(tool, {"nonsense": 1}))
        assert error["code"] == "invalid_input", tool
        assert "nonsense: " in error["detail"]


async def test_every_tool_keeps_the_code_of_what_nobody_has(
    scene: McpScene, node: NodeClient
) -> None:
    async with scene.client() as client:
        calls = await fill(client)
    tried = 0
    for tool in await list_names(node):
        name = next((name for name in NOBODY if name in TOOLS[tool].input.model_fields), "")
        if not name or tool in LISTS:
            continue
        given = {**calls[tool], name: str(uuid4())}
        if tool == "send_message":  # which takes exactly one recipient
            del given["phone_number"]
        assert error_of(await node.call(tool, given))["code"] == NOBODY[name], tool
        tried += 1
    assert tried > 15


async def test_a_refusal_that_was_kept_under_a_key_is_repeated(node: NodeClient, sdk: str) -> None:
    given = {
        "phone_number": ADA,
        "body": "?",
        "chat_account_id": str(uuid4()),
        "idempotency_key": f"kept-{sdk}",
    }
    await list_names(node)
    first = error_of(await node.call("send_text_message", given))
    assert error_of(await node.call("send_text_message", given)) == first
    assert first["code"] == "chat_account_not_found"


async def test_a_virtual_phone_that_refuses_is_told_as_data(node: NodeClient) -> None:
    await list_names(node)
    error = error_of(await node.call("read_phone", {"phone_number": "nobody at all"}))
    assert (error["code"], error["untrusted"]) == ("network_error", ["/detail"])


async def test_what_the_gate_refuses_reaches_the_user(scene: McpScene, sdk: str) -> None:
    async with node_client(sdk, scene.url, scene.mint(["messages:read"])) as client:
        with pytest.raises(NodeClientError, match="missing_scope"):
            await client.call("send_text_message", {"phone_number": ADA, "body": "?"})
        with pytest.raises(NodeClientError, match="Did you mean 'get_message'"):
            await client.call("get_mesage", {})


async def test_what_a_prompt_refuses_has_a_code_and_a_next_step(node: NodeClient) -> None:
    name = "why_was_this_message_not_delivered"
    with pytest.raises(NodeClientError, match="There is no message") as refused:
        await node.ask("getPrompt", name=name, arguments={"message_id": str(uuid4())})
    assert refused.value.data["code"] == "message_not_found"
    assert refused.value.data["next_step"]


async def test_resources_and_prompts_are_read(node: NodeClient) -> None:
    listed = (await node.ask("listResources"))["resources"]
    assert [resource["uri"] for resource in listed] == list(list_resources())
    for uri in list_resources():
        assert (await node.ask("readResource", uri=uri))["contents"][0]["text"]
    assert [prompt["name"] for prompt in (await node.ask("listPrompts"))["prompts"]] == [*PROMPTS]
    written = await node.ask(
        "getPrompt", name="receive_webhooks", arguments={"framework": "Express"}
    )
    assert written["messages"][1]["content"]["resource"]["uri"] == "heliograph://verify/javascript"


async def test_a_slash_at_the_addresss_end_makes_no_difference(scene: McpScene, sdk: str) -> None:
    async with node_client(sdk, f"{scene.url}/", scene.key) as client:
        assert await list_names(client) == list(TOOLS)
        assert not (await client.call("get_message_stats", {})).get("isError")
