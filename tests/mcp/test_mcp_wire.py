"""The protocol as clients without the usual libraries speak it."""

from typing import Any

import httpx
import pytest
from msgspec.json import encode

from each_case import for_each
from heliograph.faces.coding_tools import HEADER
from heliograph.faces.mcp.batches import MAX_MESSAGES, REVISION
from mcp_calls import ADA, BUTTONS, send, until
from mcp_scene import CURRENT, McpScene, error_of

pytest_plugins = ("live_fixtures",)

WHY = "why_was_this_message_not_delivered"


def request(method: str, number: int = 1, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def call(tool: str, number: int = 1, **arguments: Any) -> dict[str, Any]:
    return request("tools/call", number, name=tool, arguments=arguments)


async def post(
    scene: McpScene, body: object, key: str | None = None, **headers: str
) -> httpx.Response:
    """A POST with nothing in its head but what is given, the key and the type of its body."""
    given = {
        "host": scene.url.split("/")[2],
        "content-type": "application/json",
        HEADER: key or scene.key,
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    async with httpx.AsyncClient(timeout=60) as client:
        client.headers.clear()
        return await client.post(scene.url, content=encode(body), headers=given)


@for_each("accept", [None, "", "*/*", "application/*", "application/json", "*/*;q=1"])
@for_each("revision", ["2025-11-25", None])
async def test_who_takes_any_answer_gets_one(
    scene: McpScene, accept: str | None, revision: str | None
) -> None:
    headers = {} if accept is None else {"accept": accept}
    if revision is not None:
        headers["mcp_protocol_version"] = revision
    answer = await post(scene, request("tools/list"), **headers)
    assert answer.status_code == 200
    assert answer.json()["result"]["tools"]


async def test_the_newest_revision_needs_no_accept_either(scene: McpScene) -> None:
    answer = await scene.post("tools/list", headers={"accept": "", HEADER: scene.key})
    assert answer.status_code == 200


async def test_who_takes_no_json_is_told(scene: McpScene) -> None:
    answer = await post(scene, request("tools/list"), accept="text/html")
    assert answer.status_code == 406


@pytest.mark.parametrize("mode", [CURRENT, "legacy"])
async def test_who_asks_for_templates_of_resources_gets_an_empty_list(
    scene: McpScene, mode: str
) -> None:
    async with scene.client(mode=mode) as client:
        assert (await client.list_resource_templates()).resource_templates == []


@pytest.mark.parametrize("revision", [REVISION, None])
async def test_a_batch_is_answered_message_by_message(
    scene: McpScene, revision: str | None
) -> None:
    headers = {} if revision is None else {"mcp_protocol_version": revision}
    batch = [
        request("tools/list", 1),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        call("get_message_stats", 2),
        call("no_such_tool", 3),
        request("no/such/method", 4),
    ]
    answer = await post(scene, batch, **headers)
    assert answer.status_code == 200
    found = {each["id"]: each for each in answer.json()}
    assert found.keys() == {1, 2, 3, 4}
    assert found[1]["result"]["tools"]
    assert found[2]["result"]["structuredContent"]
    assert "error" in found[3]
    assert "error" in found[4]


async def test_a_batch_of_notifications_has_no_answer(scene: McpScene) -> None:
    one = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    answer = await post(scene, [one, one])
    assert (answer.status_code, answer.content) == (202, b"")


@pytest.mark.parametrize("count", [0, MAX_MESSAGES + 1])
async def test_a_batch_of_nothing_or_of_too_much_is_refused(scene: McpScene, count: int) -> None:
    answer = await post(scene, [request("ping", number) for number in range(count)])
    assert answer.status_code == 400
    assert "batch" in answer.json()["error"]["message"]


async def test_a_batch_does_no_more_than_its_key_may(scene: McpScene) -> None:
    key = scene.mint(["messages:read"])
    say = call("send_text_message", 7, phone_number=ADA, body="Hello")
    answer = await post(scene, [say, call("get_message_stats", 8)], key)
    refused, counted = answer.json()
    assert (refused["id"], refused["code"]) == (7, "missing_scope")
    assert counted["result"]["structuredContent"]


async def test_initialize_is_no_part_of_a_batch(scene: McpScene) -> None:
    [refused] = (await post(scene, [request("initialize", 5)])).json()
    assert refused["id"] == 5
    assert "initialize" in refused["error"]["message"]


@for_each("wrong", [7, None, "x", [], {"jsonrpc": "2.0"}, {"id": {}}])
async def test_what_is_no_message_spoils_only_its_own_answer(
    scene: McpScene, wrong: object
) -> None:
    answer = await post(scene, [wrong, request("tools/list", 2)])
    refused, listed = answer.json()
    assert "error" in refused
    assert listed["id"] == 2
    assert "result" in listed


def left(answer: httpx.Response) -> int:
    """The requests that the key may still make in this minute."""
    return int(answer.headers["ratelimit"].split("r=")[1].split(";")[0])


async def test_every_message_of_a_batch_counts(scene: McpScene) -> None:
    key = scene.limit(15)
    assert left(await post(scene, request("ping"), key)) == 14
    assert left(await post(scene, [request("ping", number) for number in range(10)], key)) == 4
    refused = (await post(scene, [request("ping", number) for number in range(5)], key)).json()
    assert [each["code"] for each in refused] == ["rate_limited"] * 5


async def test_a_search_in_a_batch_counts_as_any_other(scene: McpScene) -> None:
    key = scene.limit(100)
    search = call("list_contacts", search="ada")
    assert left(await post(scene, search, key)) == 95
    assert left(await post(scene, [search, search, request("ping", 2)], key)) == 84


async def test_a_batch_beyond_the_limit_is_answered_once_a_minute(scene: McpScene) -> None:
    answer = await post(scene, [request("ping", number) for number in range(10)], scene.limit(3))
    assert [each["result"] for each in answer.json()] == [{}] * 10


async def test_an_edit_takes_a_text_and_leaves_the_buttons(scene: McpScene) -> None:
    async with scene.client() as client:
        sent = await send(client, "Pizza?")
        about = {"message_id": sent["message_id"]}
        await client.call_tool("edit_message", about | {"text": "Pasta?"})
        edited = await until(
            lambda: client.call_tool("get_message", about),
            lambda message: message["content"] == "Pasta?",
        )
        too_long = await client.call_tool("edit_message", about | {"text": "x" * 1025})
        older = {"content": {"type": "text", "body": "Pasta?"}}
        other = await client.call_tool("edit_message", about | older)
    assert edited["typed_content"]["buttons"] == BUTTONS
    assert error_of(too_long)["detail"].startswith("text: ")
    assert "content: " in error_of(other)["detail"]


@pytest.mark.parametrize(
    "content",
    [
        {"type": "location_request", "body": "Where?"},
        {"type": "link_button", "body": "New!", "title": "See", "url": "https://example.com/"},
    ],
    ids=lambda content: content["type"],
)
async def test_an_edit_of_its_text_keeps_the_rest_of_a_message(
    scene: McpScene, content: dict[str, str]
) -> None:
    async with scene.client() as client:
        sent = await client.call_tool("send_message", {"phone_number": ADA, "content": content})
        about = {"message_id": sent.structured_content["message_id"]}
        await client.call_tool("edit_message", about | {"text": "Well?"})
        edited = await until(
            lambda: client.call_tool("get_message", about),
            lambda message: message["content"] == "Well?",
        )
    assert edited["typed_content"].items() >= (content | {"body": "Well?"}).items()


async def test_a_message_without_a_text_gets_none_by_an_edit(scene: McpScene) -> None:
    place = {"type": "location", "latitude": 38.7, "longitude": -9.1}
    async with scene.client() as client:
        sent = await client.call_tool("send_message", {"phone_number": ADA, "content": place})
        about = {"message_id": sent.structured_content["message_id"]}
        refused = await client.call_tool("edit_message", about | {"text": "Lisbon"})
    assert error_of(refused)["detail"].startswith("text: ")


BODIES: dict[str, tuple[Any, str]] = {
    "an id that is null": ({"id": None}, "`id` must be"),
    "an id that is no whole number": ({"id": 1.5}, "`id` must be"),
    "an id that is an object": ({"id": {}}, "`id` must be"),
    "an id that is true": ({"id": True}, "`id` must be"),
    "an older protocol": ({"jsonrpc": "1.0"}, '`jsonrpc` must be "2.0"'),
    "no protocol": ({"jsonrpc": None}, '`jsonrpc` must be "2.0"'),
    "params as a list": ({"params": []}, "`params` must be an object"),
    "arguments as a text": ({"params": {"arguments": "{}"}}, "`arguments` must be an object"),
    "arguments as a list": ({"params": {"arguments": []}}, "`arguments` must be an object"),
    "a method that is none": ({"method": 7}, "`method` must be a string"),
}


@for_each("wrong", BODIES)
@for_each("revision", ["2025-11-25", CURRENT, None])
async def test_what_is_no_message_is_told_in_words(
    scene: McpScene, wrong: str, revision: str | None
) -> None:
    change, said = BODIES[wrong]
    body = request("tools/list", 3) | change
    headers = {} if revision is None else {"mcp_protocol_version": revision}
    answer = await post(scene, body, **headers)
    told = answer.json()
    assert (answer.status_code, said in told["error"]["message"]) == (400, True), told
    assert told["id"] == (3 if "id" not in change else None)


@pytest.mark.parametrize("body", [None, "tools/list", 7, True])
async def test_what_is_no_object_is_told_in_words(scene: McpScene, body: object) -> None:
    answer = await post(scene, body)
    told = answer.json()["error"]["message"]
    assert (answer.status_code, told) == (400, "A message of the protocol is a JSON object.")


@pytest.mark.parametrize("revision", ["2024-11-05", "2025-06-18", "2025-11-25", CURRENT])
async def test_a_batch_of_another_revision_is_told_which_has_them(
    scene: McpScene, revision: str
) -> None:
    answer = await post(scene, [request("tools/list")], mcp_protocol_version=revision)
    assert answer.status_code == 400
    assert f"revision {REVISION}" in answer.json()["error"]["message"]


async def test_a_batch_in_a_batch_is_told(scene: McpScene) -> None:
    [told] = (await post(scene, [[request("tools/list")]])).json()
    assert "not nested" in told["error"]["message"]


async def test_a_revision_that_there_is_not_is_told_which_there_are(scene: McpScene) -> None:
    answer = await post(scene, request("tools/list"), mcp_protocol_version="junk")
    error = answer.json()["error"]
    assert answer.status_code == 400
    assert "'junk'" in error["message"]
    assert {REVISION, CURRENT} <= set(error["data"]["supported"])


@pytest.mark.parametrize("method", ["tools/list", "resources/list", "prompts/list"])
async def test_a_cursor_that_nobody_gave_out_is_refused(scene: McpScene, method: str) -> None:
    answer = await post(scene, request(method, cursor="junk"))
    assert answer.json()["error"]["code"] == -32602


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
async def test_a_body_that_is_not_said_to_be_json_is_an_error_of_the_apis(
    scene: McpScene, kind: str
) -> None:
    answer = await post(scene, request("tools/list"), content_type=kind)
    told = answer.json()
    assert (answer.status_code, told["code"]) == (415, "unsupported_media_type")
    assert told["error"]["data"]["detail"] == told["detail"]


async def test_json_by_another_name_is_taken(scene: McpScene) -> None:
    answer = await post(scene, request("ping"), content_type="application/vnd.x+json; a=b")
    assert answer.status_code == 200


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("receive_webhooks", {}),
        ("no_such_prompt", {}),
        ("send_my_first_message", {"phone_number": "junk"}),
        (WHY, {}),
        (WHY, {"message_id": " "}),
        (WHY, {"message_id": "seven"}),
    ],
)
async def test_a_prompt_that_cannot_be_made_has_a_code_and_a_next_step(
    scene: McpScene, name: str, given: dict[str, str]
) -> None:
    answer = await post(scene, request("prompts/get", name=name, arguments=given))
    error = answer.json()["error"]
    assert error["code"] == -32602
    assert (error["data"]["code"], error["data"]["detail"]) == ("invalid_input", error["message"])
    assert error["data"]["next_step"]


async def test_no_class_of_ours_is_named_in_an_error(scene: McpScene) -> None:
    given = {"phone_number": ADA, "body": "?", "buttons": ["Yes"]}
    async with scene.client() as client:
        refused = await client.call_tool("send_button_message", given)
    assert error_of(refused)["detail"] == "buttons.0: Input should be an object."


async def test_what_a_model_does_not_say_may_be_null(scene: McpScene) -> None:
    text = {"type": "text", "body": "Hello", "preview_url": None, "mentions": None}
    async with scene.client() as client:
        listed = await client.call_tool("list_messages", {"limit": None, "status": None})
        sent = await client.call_tool(
            "send_message", {"phone_number": ADA, "contact_id": None, "content": text}
        )
        nobody = await client.call_tool("send_text_message", {"phone_number": None, "body": "Hi"})
    assert not listed.is_error
    assert not sent.is_error
    assert error_of(nobody)["detail"] == "phone_number: Field required."


async def test_the_list_of_tools_leaves_room_in_what_a_model_can_read(scene: McpScene) -> None:
    answer = await post(scene, request("tools/list"))
    assert len(answer.json()["result"]["tools"]) > 30
    assert len(answer.content) <= 48_000
