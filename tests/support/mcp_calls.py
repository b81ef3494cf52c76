"""Calls of the tool server's tools that find or do something."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from mcp_types import CallToolResult

from later import in_a_month
from mcp import Client

BUTTONS = [{"id": "yes", "title": "Yes"}, {"id": "no", "title": "No"}]
ADA = "+15550100001"


async def until(call: Callable[[], Awaitable[CallToolResult]], fits: Callable[[Any], bool]) -> Any:
    """The first structured result that fits, asked for again and again for a minute."""
    for _ in range(600):
        result = await call()
        if not result.is_error and fits(result.structured_content):
            return result.structured_content
        await asyncio.sleep(0.1)
    raise AssertionError(f"it did not come to that: {result.structured_content}")


async def send(client: Client, text: str = "Pizza?", **more: object) -> Any:
    given = {"phone_number": ADA, "body": text, "buttons": BUTTONS, **more}
    answer = await client.call_tool("send_button_message", given)
    assert not answer.is_error, answer.content
    return answer.structured_content


async def fill(client: Client) -> dict[str, dict[str, Any]]:
    """A call of each tool that finds or does something."""
    [device] = (await client.call_tool("list_devices", {})).structured_content["devices"]
    sent = await send(client)
    await until(
        lambda: client.call_tool("get_message", {"message_id": sent["message_id"]}),
        lambda message: message["status"] in ("delivered", "read"),
    )
    message = await client.call_tool("get_message", {"message_id": sent["message_id"]})
    hello = {"phone_number": ADA, "body": "Hello"}
    text = (await client.call_tool("send_text_message", hello)).structured_content
    at_last = {"phone_number": ADA, "content": {"type": "text", "body": "Later"}}
    scheduled = await client.call_tool("send_message", at_last | {"scheduled_for": in_a_month()})
    later = scheduled.structured_content["message_id"]
    page = (await client.call_tool("list_conversations", {})).structured_content
    hook = await client.call_tool("create_webhook", {"url": "https://example.com/h"})
    webhook_id = hook.structured_content["id"]
    ping = await client.call_tool("ping_webhook", {"webhook_id": webhook_id})
    link = await client.call_tool(
        "act_as_phone", {"phone_number": ADA, "action": "invite", "subject": "Choir"}
    )
    delivery = {"delivery_id": ping.structured_content["delivery_id"]}
    account = {"chat_account_id": device["id"]}
    conversation = {"conversation_id": page["conversations"][0]["id"]}
    return {
        "send_button_message": {"phone_number": ADA, "body": "?", "buttons": BUTTONS},
        "send_text_message": {"phone_number": ADA, "body": "Hello"},
        "send_message": {"phone_number": ADA, "content": {"type": "text", "body": "Hello"}},
        "cancel_message": {"message_id": later},
        "edit_message": {"message_id": sent["message_id"], "text": "Pasta?"},
        "react_to_message": {"message_id": sent["message_id"], "emoji": "👍"},
        "delete_message": {"message_id": text["message_id"]},
        "get_message": {"message_id": sent["message_id"]},
        "get_message_stats": {},
        "explain_message": {"message_id": sent["message_id"]},
        "get_conversation": conversation,
        "list_conversations": {"search": "Ada"},
        "list_messages": conversation,
        "list_contacts": {"search": "ada"},
        "get_contact": {"contact_id": message.structured_content["contact_id"]},
        "list_phones": {},
        "read_phone": {"phone_number": ADA},
        "act_as_phone": {"phone_number": ADA, "action": "press", "button": "yes"},
        "list_webhooks": {},
        "create_webhook": {"url": "https://example.com/hook"},
        "ping_webhook": {"webhook_id": webhook_id},
        "enable_webhook": {"webhook_id": webhook_id},
        "list_org_webhook_events": {"limit": 5},
        "list_events": {"after": "oldest", "limit": 5},
        "get_webhook_event": delivery,
        "redeliver_webhook_event": delivery,
        "list_devices": {"status": "connected"},
        "create_conversation_group": account | {"subject": "Trip", "participants": [ADA]},
        "join_group": {
            "session_name": device["session_name"],
            "invite_link": link.structured_content["done"],
        },
        "sync_contacts": account,
        "get_contact_profile_picture": {
            "contact_id": message.structured_content["contact_id"],
        },
    }
