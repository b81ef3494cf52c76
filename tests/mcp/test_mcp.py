"""A coding tool at work: it discovers the tools, sends, sees the answer, explains a failure."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest
from mcp.shared.exceptions import MCPError
from msgspec.json import decode

from each_case import for_each
from heliograph.core.messages.lists.filters import MAX_ID_LENGTH
from heliograph.core.services import Services
from heliograph.core.tenants.model import Principal
from heliograph.core.webhooks.subscriptions.service import WebhookService
from heliograph.faces.coding_tools import HEADER
from heliograph.faces.mcp.prompts import PROMPTS
from heliograph.faces.mcp.resources import list_resources
from heliograph.faces.mcp.server import TOOLS
from mcp_calls import ADA, BUTTONS, send, until
from mcp_crowd import ask_at_once
from mcp_scene import CURRENT, McpScene, error_of, text_of
from webhook_receiver import always, answer, receiving

pytest_plugins = ("live_fixtures",)


async def test_a_question_goes_out_and_the_answer_comes_back(scene: McpScene) -> None:
    async with scene.client() as client:
        sent = await send(client, "Anchovies?")
        shown = await until(
            lambda: client.call_tool("read_phone", {"phone_number": ADA}),
            lambda screen: any(bubble["text"] == "Anchovies?" for bubble in screen["messages"]),
        )
        assert [button["title"] for button in shown["messages"][-1]["buttons"]] == ["Yes", "No"]
        pressed = {"phone_number": ADA, "action": "press", "button": "no"}
        await client.call_tool("act_as_phone", pressed)
        listed = await until(
            lambda: client.call_tool("list_conversations", {}),
            lambda page: page["conversations"],
        )
        [conversation] = listed["conversations"]
        thread = await until(
            lambda: client.call_tool("list_messages", {"conversation_id": conversation["id"]}),
            lambda page: page["messages"][0]["message_type"] == "button_reply",
        )
    assert thread["messages"][0]["content"] == "No"
    assert thread["messages"][0]["contact_name"] == "Ada Abara"
    assert thread["messages"][1]["id"] == sent["message_id"]
    assert "/messages/0/content" in thread["untrusted"]


async def test_a_person_is_found_by_name_and_by_number(scene: McpScene) -> None:
    async with scene.client() as client:
        sent = await send(client, "Olives?")
        await until(
            lambda: client.call_tool("get_message", {"message_id": sent["message_id"]}),
            lambda message: message["contact_id"],
        )
        for given in ({"search": "ABARA"}, {"phone_number": "+1 (555) 010-0001"}):
            found = (await client.call_tool("list_contacts", given)).structured_content
            [contact] = found["contacts"]
            assert (contact["phone_number"], contact["display_name"]) == (ADA, "Ada Abara")
            assert "/contacts/0/display_name" in found["untrusted"]
        about = {"contact_id": contact["id"]}
        assert (await client.call_tool("get_contact", about)).structured_content["id"] == (
            contact["id"]
        )
        named = {"search": "ada", "is_group": False, "limit": 1}
        page = (await client.call_tool("list_conversations", named)).structured_content
        assert [each["contact_id"] for each in page["conversations"]] == [contact["id"]]
        by_number = {"phone_number": "+1 (555) 010-0001"}
        chats = (await client.call_tool("list_conversations", by_number)).structured_content
        said = (await client.call_tool("list_messages", by_number)).structured_content
        nobody = await client.call_tool("list_messages", {"phone_number": "Ada"})
    assert [each["id"] for each in chats["conversations"]] == [page["conversations"][0]["id"]]
    assert sent["message_id"] in [each["id"] for each in said["messages"]]
    assert {each["phone_number"] for each in said["messages"]} == {ADA}
    assert error_of(nobody)["detail"].startswith("phone_number: ")


@pytest.mark.parametrize(
    ("tool", "listed"),
    [
        ("list_conversations", "conversations"),
        ("list_events", "events"),
        ("list_messages", "messages"),
    ],
)
async def test_a_list_of_an_account_that_nobody_has_is_empty(
    scene: McpScene, tool: str, listed: str
) -> None:
    async with scene.client() as client:
        found = await client.call_tool(tool, {"chat_account_id": str(uuid4())})
    assert found.structured_content[listed] == []


@pytest.mark.parametrize("name", ["chat_message_id", "run_id"])
async def test_a_message_is_looked_for_by_an_id_as_long_as_the_apis(
    scene: McpScene, name: str
) -> None:
    found = await scene.call("list_messages", **{name: "x" * MAX_ID_LENGTH})
    assert not found.is_error, found.content
    refused = await scene.call("list_messages", **{name: "x" * (MAX_ID_LENGTH + 1)})
    assert error_of(refused)["detail"].startswith(f"{name}: ")


async def test_a_failed_delivery_is_explained(scene: McpScene) -> None:
    broken = always(answer(500, body=b"no such table: orders"))
    async with receiving(broken) as receiver, scene.client() as client:
        made = await client.call_tool("create_webhook", {"url": receiver.url()})
        webhook_id = made.structured_content["id"]
        sent = await send(client)
        await receiver.wait_for(1)
        told = await until(
            lambda: client.call_tool("explain_message", {"message_id": sent["message_id"]}),
            lambda found: "has failed so far" in str(found["explanation"]),
        )
        disabled = await client.call_tool("list_webhooks", {})
        await at_gateway(scene, WebhookService.delete, webhook_id)
    [attempt, *_] = next(each["attempts"] for each in told["deliveries"] if each["attempts"])
    assert (attempt["response_code"], attempt["response_body"]) == (500, "no such table: orders")
    assert any(way.endswith("/response_body") for way in told["untrusted"])
    assert webhook_id in [webhook["id"] for webhook in disabled.structured_content["subscriptions"]]


async def test_a_disabled_webhook_is_named_as_the_reason_and_enabled(scene: McpScene) -> None:
    broken = always(answer(500))
    async with receiving(broken) as receiver, scene.client() as client:
        made = await client.call_tool("create_webhook", {"url": receiver.url()})
        webhook_id = made.structured_content["id"]
        sent = await send(client)
        explain = partial(client.call_tool, "explain_message", {"message_id": sent["message_id"]})
        # it gets what others have begun, too, and nothing new once it is disabled
        await until(explain, lambda found: "has failed so far" in str(found["explanation"]))
        await at_gateway(scene, WebhookService.disable, webhook_id)
        told = await until(explain, lambda found: "is disabled" in str(found["explanation"]))
        enabled = await client.call_tool("enable_webhook", {"webhook_id": webhook_id})
        await at_gateway(scene, WebhookService.delete, webhook_id)
    assert any("Enable it" in sentence for sentence in told["explanation"])
    assert enabled.structured_content["enabled"] is True


async def at_gateway(
    scene: McpScene,
    do: Callable[[WebhookService, Principal, UUID], Awaitable[object]],
    webhook_id: str,
) -> None:
    """Do to the webhook what no tool does."""

    async def work(gateway: Services) -> None:
        demo = await gateway.keys.authenticate_key(scene.key)
        await do(gateway.webhooks, demo, UUID(webhook_id))

    await asyncio.to_thread(scene.live.run, work)


async def test_a_message_to_nobody_is_explained(scene: McpScene) -> None:
    async with scene.client() as client:
        sent = await send(client, phone_number="+15550109001")
        told = await until(
            lambda: client.call_tool("explain_message", {"message_id": sent["message_id"]}),
            lambda found: found["message"]["status"] == "failed",
        )
    assert told["explanation"][0].startswith("The message failed and is not tried again: ")
    assert told["message"]["failure_reason"] in told["explanation"][0]


async def test_a_webhook_is_tried_and_its_delivery_posted_again(scene: McpScene) -> None:
    async with receiving(always(answer(204))) as receiver, scene.client() as client:
        made = await client.call_tool(
            "create_webhook", {"url": receiver.url(), "events": ["device.*"]}
        )
        webhook_id = made.structured_content["id"]
        ping = await client.call_tool("ping_webhook", {"webhook_id": webhook_id})
        delivery_id = {"delivery_id": ping.structured_content["delivery_id"]}
        delivery = await until(
            lambda: client.call_tool("get_webhook_event", delivery_id),
            lambda found: found["status"] == "delivered",
        )
        again = await client.call_tool("redeliver_webhook_event", delivery_id)
        first, second = await receiver.wait_for(2)
        await at_gateway(scene, WebhookService.delete, webhook_id)
    assert delivery["payload"]["type"] == "webhook.ping"
    assert delivery["attempts"][0]["response_code"] == 204
    assert again.structured_content["id"] != delivery["id"]
    assert first.webhook_id == second.webhook_id == delivery["event_id"]


async def test_a_repeat_with_the_same_name_sends_nothing_twice(scene: McpScene) -> None:
    async with scene.client() as client:
        first = await send(client, idempotency_key="order-7")
        second = await send(client, idempotency_key="order-7")
        another = {"phone_number": ADA, "body": "Another?", "buttons": BUTTONS}
        other = await client.call_tool(
            "send_button_message", another | {"idempotency_key": "order-7"}
        )
    assert first["message_id"] == second["message_id"]
    said = "idempotency_key: this idempotency key was used before"
    assert error_of(other)["detail"].startswith(said)


@for_each(
    ("wrong", "named"),
    [
        ({"body": ""}, "body: "),
        ({"buttons": [{"id": "a", "title": "x" * 21}]}, "buttons.0.title: "),
        ({"bdy": "x"}, "bdy: "),
        ({"body": "a\x00b"}, "body: "),
        ({"body": {"x": "a\x00b"}}, "body.x: "),
        ({"chat_account_id": "7"}, "chat_account_id: "),
        ({"phone_number": "pizza"}, "phone_number: "),
    ],
)
async def test_bad_input_is_named_with_what_to_do(
    scene: McpScene, wrong: dict[str, Any], named: str
) -> None:
    given = {"phone_number": ADA, "body": "Pizza?", "buttons": BUTTONS} | wrong
    result = await scene.call("send_button_message", **given)
    error = error_of(result)
    assert error["code"] == "invalid_input"
    assert named in error["detail"]
    assert "input schema" in error["next_step"]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"action": "press"}, "button: The action 'press' needs this."),
        ({"action": "online", "text": "Hi"}, "text: The action 'online' does not take this."),
        ({"action": "fly"}, "action: Input should be 'reply'"),
    ],
)
async def test_an_action_of_a_phone_takes_what_it_needs(
    scene: McpScene, given: dict[str, str], sentence: str
) -> None:
    async with scene.client() as client:
        refused = await client.call_tool("act_as_phone", {"phone_number": ADA, **given})
    assert error_of(refused)["detail"].startswith(sentence)


async def test_without_admin_read_nothing_is_told_of_the_account(scene: McpScene) -> None:
    async with scene.client() as client:
        sent = await send(client)
    key = scene.mint(["messages:read"])
    told = await scene.call("explain_message", key, message_id=sent["message_id"])
    assert told.structured_content["deliveries"] is None
    assert "Demo phone" not in str(told)


@pytest.mark.parametrize("mode", [CURRENT, "auto", "legacy"])
async def test_every_revision_of_the_protocol_is_served(scene: McpScene, mode: str) -> None:
    async with scene.client(mode=mode) as client:
        assert len((await client.list_tools()).tools) == len(TOOLS)
        stats = await client.call_tool("get_message_stats", {})
    assert not stats.is_error


async def test_every_resource_can_be_read(scene: McpScene) -> None:
    async with scene.client() as client:
        listed = (await client.list_resources()).resources
        assert [str(resource.uri) for resource in listed] == list(list_resources())
        for resource in listed:
            [content] = (await client.read_resource(str(resource.uri))).contents
            assert len(text_of(content)) > 300
        with pytest.raises(MCPError, match="There is no such resource"):
            await client.read_resource("heliograph://nothing")


async def test_prompts_bring_what_their_job_needs(scene: McpScene) -> None:
    async with scene.client() as client:
        assert [prompt.name for prompt in (await client.list_prompts()).prompts] == list(PROMPTS)
        first = await client.get_prompt("send_my_first_message", {})
        receiver = await client.get_prompt("receive_webhooks", {"framework": "FastAPI"})
        sent = await send(client)
        why = await client.get_prompt(
            "why_was_this_message_not_delivered", {"message_id": sent["message_id"]}
        )
    assert scene.live.gateway.settings.public_url in text_of(first.messages[0].content)
    blocks: list[Any] = [message.content for message in receiver.messages[1:]]
    names = [str(block.resource.uri) for block in blocks]
    assert names == ["heliograph://verify/python", "heliograph://docs/events"]
    assert decode(text_of(why.messages[1].content))["message"]["id"] == sent["message_id"]


async def test_a_hundred_clients_at_once_are_all_answered(scene: McpScene) -> None:
    bodies = [f"Order {number}?" for number in range(100)]
    assert await ask_at_once(scene.url, scene.key, bodies) == bodies


@for_each("method", ["GET", "DELETE", "PUT"])
@for_each("end", ["", "/"])
async def test_nothing_but_post_is_taken(scene: McpScene, method: str, end: str) -> None:
    async with httpx.AsyncClient(timeout=60) as client:
        answer = await client.request(method, f"{scene.url}{end}", headers={HEADER: scene.key})
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


async def test_below_its_address_there_is_nothing(scene: McpScene) -> None:
    async with httpx.AsyncClient(timeout=60) as client:
        answer = await client.post(f"{scene.url}/tools", headers={HEADER: scene.key})
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


@for_each(
    "body", [b"", b"{", b"[]", b"[" * 2000, b'{"jsonrpc":"2.0","id":1,"method":"x"}', b"\xff"]
)
async def test_what_is_no_request_is_a_clear_refusal(scene: McpScene, body: bytes) -> None:
    for revision in (CURRENT, "2025-11-25"):
        headers = {
            HEADER: scene.key,
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
            "mcp-protocol-version": revision,
        }
        async with httpx.AsyncClient(timeout=60) as client:
            answer = await client.post(scene.url, content=body, headers=headers)
        assert "error" in answer.json()
        assert answer.status_code < 500


async def test_a_body_beyond_a_megabyte_is_refused(scene: McpScene) -> None:
    async with httpx.AsyncClient(timeout=60) as client:
        answer = await client.post(scene.url, content=b" " * (1024 * 1024 + 1))
    assert (answer.status_code, answer.json()["code"]) == (413, "body_too_large")


def has_reactions(emoji: list[str], message: dict[str, Any]) -> bool:
    return [reaction["emoji"] for reaction in message["reactions"]] == emoji


async def test_an_empty_emoji_takes_a_reaction_back_and_a_word_is_refused(scene: McpScene) -> None:
    async with scene.client() as client:
        sent = await send(client, "Capers?")
        message = {"message_id": sent["message_id"]}
        await until(
            lambda: client.call_tool("get_message", message),
            lambda record: record["status"] in ("delivered", "read"),
        )
        for emoji, shown in (("👍", ["👍"]), ("", [])):
            answer = await client.call_tool("react_to_message", message | {"emoji": emoji})
            assert not answer.is_error, answer.content
            await until(
                partial(client.call_tool, "get_message", message), partial(has_reactions, shown)
            )
        refused = await client.call_tool("react_to_message", message | {"emoji": "abc"})
    assert "one emoji" in error_of(refused)["detail"]
