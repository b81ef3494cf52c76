"""A tool answers the API's own record, and takes what the operation takes."""

import asyncio
from typing import Any

import httpx
import pytest
from jsonschema import Draft202012Validator
from msgspec.json import decode

from heliograph.faces.api.app import list_operations
from heliograph.faces.api.routers.devices import delete_device
from heliograph.faces.mcp.operations import ToolOperation, add_operation
from heliograph.faces.mcp.server import TOOLS
from heliograph.faces.mcp.tool import DESTRUCTIVE_WRITE, ToolSet
from later import in_a_month
from mcp_calls import ADA, fill
from mcp_scene import McpScene, error_of, text_of

pytest_plugins = ("live_fixtures",)

SHORTER = {
    "send_button_message": "sendButtonMessage",
    "send_message": "sendMessage",
    "send_text_message": "sendMessage",
    "edit_message": "editMessage",
    "react_to_message": "setMessageReaction",
    "list_events": "listEvents",
}
"""Tools that ask for less than an operation, or in another form, and answer the same."""
WITHOUT_OPERATION = {"list_phones", "read_phone", "act_as_phone"}
ROUTES = {str(route.operation_id): route for route in list_operations()}
MIRRORS = {
    name: tool.handler for name, tool in TOOLS.items() if isinstance(tool.handler, ToolOperation)
}


def test_an_operation_without_a_record_is_not_made_a_tool() -> None:
    with pytest.raises(TypeError, match="delete_device answers no record"):
        add_operation(ToolSet(), DESTRUCTIVE_WRITE, "Delete Device", delete_device, "Delete it.")


def test_every_tool_answers_the_record_of_its_operation() -> None:
    assert MIRRORS.keys() | SHORTER.keys() | WITHOUT_OPERATION == TOOLS.keys()
    for name, operation_id in SHORTER.items():
        assert TOOLS[name].output is ROUTES[operation_id].response_model
    for name, operation in MIRRORS.items():
        assert TOOLS[name].output is operation.route.response_model
        assert TOOLS[name].scopes == (operation.route.required_scope,)


@pytest.mark.parametrize("name", MIRRORS)
def test_a_tool_takes_what_its_operation_takes(name: str) -> None:
    operation = MIRRORS[name]
    dependant = operation.route.dependant
    parameters = {each.name for each in (*dependant.path_params, *dependant.query_params)}
    asked = {operation.renamed.get(each, each) for each in parameters}
    body = operation.route.body_field
    if body is not None and "body" not in operation.fixed:
        model: Any = body.field_info.annotation
        asked |= model.model_fields.keys()
    parts = (dependant, *dependant.dependencies)
    if any(each.alias == "Idempotency-Key" for part in parts for each in part.header_params):
        asked.add("idempotency_key")
    assert TOOLS[name].input.model_fields.keys() == asked


async def ask_api(scene: McpScene, operation: ToolOperation, given: dict[str, Any]) -> Any:
    """The API's answer to what a tool was asked."""
    named = {each: operation.renamed.get(each, each) for each in operation.parameters}
    values = {each: given[name] for each, name in named.items() if name in given}
    in_path = {each for each in values if f"{{{each}}}" in operation.route.path}
    path = operation.route.path.format(**values)
    query = {"limit": 20} if "limit" in operation.parameters else {}
    query |= {each: value for each, value in values.items() if each not in in_path}
    async with httpx.AsyncClient(timeout=60) as client:
        answer = await client.get(
            f"{scene.live.base_url}{path}",
            params=query,
            headers=scene.live.headers,
        )
    assert answer.status_code == 200, answer.text
    return answer.json()


def without_signatures(record: dict[str, Any]) -> dict[str, Any]:
    """The record without what differs from one answer to the next."""
    return {name: value for name, value in record.items() if name not in ("untrusted", "url")}


async def test_a_tool_that_reads_answers_what_the_api_answers(scene: McpScene) -> None:
    async with scene.client() as client:
        calls = await fill(client)
        reads = [name for name, each in MIRRORS.items() if "GET" in (each.route.methods or ())]
        for name in reads:
            for _ in range(50):  # what was sent is on its way meanwhile
                told = (await client.call_tool(name, calls[name])).structured_content
                answered = await ask_api(scene, MIRRORS[name], calls[name])
                if without_signatures(told) == without_signatures(answered):
                    break
                await asyncio.sleep(0.1)
            assert without_signatures(told) == without_signatures(answered)
    assert len(reads) > 10


async def test_a_call_is_repeated_by_the_request_that_it_stands_for(scene: McpScene) -> None:
    async with scene.client() as client:
        [device] = (await client.call_tool("list_devices", {})).structured_content["devices"]
        group = {"chat_account_id": device["id"], "subject": "Choir", "participants": [ADA]}
        key = {"idempotency_key": "a-choir"}
        made = await client.call_tool("create_conversation_group", group | key)
        other = await client.call_tool(
            "create_conversation_group", group | key | {"subject": "Band"}
        )
    async with httpx.AsyncClient(timeout=60) as api:
        again = await api.post(
            f"{scene.live.base_url}/api/v1/conversations/groups",
            json=group,
            headers={**scene.live.headers, "idempotency-key": "a-choir"},
        )
    assert again.headers["idempotent-replayed"] == "true"
    assert again.json() == without_signatures(made.structured_content)
    assert error_of(other)["detail"].startswith("idempotency_key: ")


async def test_a_key_is_for_one_message(scene: McpScene) -> None:
    async with scene.client() as client:
        text = {"phone_number": ADA, "content": {"type": "text", "body": "Later"}}
        sent = [
            await client.call_tool("send_message", text | {"scheduled_for": in_a_month()})
            for _ in range(2)
        ]
        first, second = (each.structured_content["message_id"] for each in sent)
        key = {"idempotency_key": "never-mind"}
        canceled = await client.call_tool("cancel_message", {"message_id": first} | key)
        refused = await client.call_tool("cancel_message", {"message_id": second} | key)
    assert canceled.structured_content["status"] == "canceled"
    assert error_of(refused)["detail"].startswith("idempotency_key: ")


async def test_every_result_is_its_record_with_all_members(scene: McpScene) -> None:
    async with scene.client() as client:
        for name, given in (await fill(client)).items():
            unsaid = dict.fromkeys(TOOLS[name].input.model_fields)  # as OpenAI's strict mode has it
            result = await client.call_tool(name, unsaid | given)
            assert not result.is_error, (name, result.content)
            told = result.structured_content
            assert decode(text_of(result.content[0])) == told
            assert ("untrusted" in told) is bool(TOOLS[name].untrusted)
            output = TOOLS[name].output
            assert told.keys() - {"untrusted"} == output.model_fields.keys(), name
            schema = output.model_json_schema(mode="serialization")
            Draft202012Validator(schema).validate(told)
