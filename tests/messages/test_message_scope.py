"""What messages say is shown, streamed and posted to nobody without `messages:read`.

All faces are walked with all other scopes: services, the API, the tool server, the dashboard's
roles. A word that a person wrote, and an endpoint's answer that repeats it, must not be seen.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest
from mcp.shared.exceptions import MCPError

from each_case import for_each
from heliograph.core.members.model import MemberRole, granted_scopes
from heliograph.core.services import Services
from heliograph.core.tenants.model import Principal
from heliograph.core.tenants.scopes import SCOPES, implied_scopes
from heliograph.errors import MissingScopeError
from heliograph.faces.api.app import list_operations
from heliograph.faces.mcp.prompts import PROMPTS
from heliograph.faces.mcp.server import TOOLS
from live_gateway import LiveGateway
from mcp_calls import ADA, fill, until
from mcp_scene import McpScene, error_of
from webhook_receiver import Received, answer, receiving

pytest_plugins = ("live_fixtures",)
WORD = "rumpelstiltskin"
OTHER_SCOPES = [scope for scope in SCOPES if "messages:read" not in implied_scopes([scope])]


@dataclass(frozen=True)
class Written:
    """Where the word stands: a message, the delivery of its event, the webhook it went to."""

    scene: McpScene
    message_id: UUID
    conversation_id: UUID
    contact_id: UUID
    webhook_id: UUID
    delivery_id: UUID

    @property
    def names(self) -> dict[str, str]:
        """The ids by the names that operations and tools have for them."""
        found = {name: str(value) for name, value in vars(self).items() if name.endswith("_id")}
        others = dict.fromkeys(("media_id", "device_id", "key_id", "label_id"), str(uuid4()))
        return others | found | {"subscription_id": str(self.webhook_id)}

    def run(self, work: Callable[[Services, Principal], Awaitable[Any]]) -> Any:
        """What the services make of a caller with all other scopes."""

        async def as_other(gateway: Services) -> Any:
            demo = await gateway.keys.authenticate_key(self.scene.key)
            return await work(gateway, Principal(demo.tenant, implied_scopes(OTHER_SCOPES)))

        return self.scene.live.run(as_other)


@pytest.fixture(scope="module")
def written(gateway: LiveGateway) -> Iterator[Written]:
    with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
        yield runner.run(write(McpScene(gateway)))


async def write(scene: McpScene) -> Written:
    """Let a phone say the word to the account while a webhook is told; it repeats what it gets."""
    async with receiving(repeat) as receiver, scene.client() as client:
        given = {"url": receiver.url(), "events": ["message.received"]}
        hook = (await client.call_tool("create_webhook", given)).structured_content
        said = {"phone_number": ADA, "action": "say", "text": WORD}
        await client.call_tool("act_as_phone", said)
        await receiver.wait_for(1)
        page = await until(
            lambda: client.call_tool("list_org_webhook_events", {}),
            lambda page: [event["status"] for event in page["events"]] == ["delivered"],
        )
        [event] = receiver.received
        message = event.json["data"]
        return Written(
            scene=scene,
            message_id=UUID(message["id"]),
            conversation_id=UUID(message["conversation_id"]),
            contact_id=UUID(message["contact_id"]),
            webhook_id=UUID(hook["id"]),
            delivery_id=UUID(page["events"][0]["id"]),
        )


async def repeat(request: Received) -> bytes:
    return answer(200, body=request.body)


SHOWN: dict[str, Callable[[Services, Principal, Written], Awaitable[Any]]] = {
    "a message": lambda g, p, w: g.messages.get(p, w.message_id),
    "a thread": lambda g, p, w: g.inbox.thread(p, w.conversation_id),
    "a message's history": lambda g, p, w: g.message_history.get(p, w.message_id),
    "a delivery": lambda g, p, w: g.deliveries.get(p, w.delivery_id),
    "a delivery's body": lambda g, p, w: find_body(g, p, w.delivery_id),
}
STREAMED: dict[str, Callable[[Services, Principal, Written], Awaitable[Any]]] = {
    "all events": lambda g, p, _: follow(g, p, ["*"]),
    "a pattern of events": lambda g, p, _: follow(g, p, ["device.*", "message.*"]),
    "a type of events": lambda g, p, _: follow(g, p, ["message.read"]),
    "live pages": lambda g, p, _: g.live.watch(p).__aenter__(),
}
POSTED: dict[str, Callable[[Services, Principal, Written], Awaitable[Any]]] = {
    "a webhook for all": lambda g, p, _: g.webhooks.create(p, "https://example.com/h"),
    "a webhook for a type": lambda g, p, _: g.webhooks.create(
        p, "https://example.com/h", ["message.received"]
    ),
    "another URL": lambda g, p, w: g.webhooks.update(p, w.webhook_id, url="https://example.com/h"),
    "more events": lambda g, p, w: g.webhooks.update(p, w.webhook_id, events=["*"]),
    "a delivery again": lambda g, p, w: g.deliveries.redeliver(p, w.delivery_id),
    "a range again": lambda g, p, w: redeliver_range(g, p, w.webhook_id, None),
    "chosen ones again": lambda g, p, w: redeliver_range(g, p, w.webhook_id, ["message.*"]),
}
WAYS = SHOWN | STREAMED | POSTED


async def find_body(gateway: Services, principal: Principal, delivery_id: UUID) -> bytes | None:
    everything = Principal(principal.tenant, frozenset(SCOPES))
    delivery = (await gateway.deliveries.get(everything, delivery_id)).delivery
    return await gateway.deliveries.find_body(principal, delivery)


async def follow(gateway: Services, principal: Principal, types: list[str]) -> None:
    await gateway.deliveries.follow(principal, types).start()


async def redeliver_range(
    gateway: Services, principal: Principal, webhook_id: UUID, types: list[str] | None
) -> int:
    now = gateway.database.clock.now()
    return await gateway.deliveries.redeliver_range(
        principal, webhook_id, now - timedelta(hours=1), now, types=types
    )


@for_each("way", WAYS)
def test_no_service_shows_streams_or_posts_them(written: Written, way: str) -> None:
    with pytest.raises(MissingScopeError) as refused:
        written.run(lambda gateway, principal: WAYS[way](gateway, principal, written))
    assert refused.value.members == {"required_scope": "messages:read"}


def test_what_is_of_no_message_takes_no_more_than_before(written: Written) -> None:
    async def work(gateway: Services, principal: Principal) -> None:
        made = await gateway.webhooks.create(principal, "https://example.com/h", ["device.*"])
        webhook_id = made.webhook.id
        await gateway.webhooks.update(principal, webhook_id, description="Phones")
        await gateway.webhooks.update(principal, webhook_id, events=["device.connected"])
        ping = await gateway.webhooks.ping(principal, webhook_id)
        assert (await gateway.deliveries.get(principal, ping)).delivery.id == ping
        assert await find_body(gateway, principal, ping)
        await follow(gateway, principal, ["device.*"])
        await redeliver_range(gateway, principal, webhook_id, None)
        await gateway.webhooks.delete(principal, webhook_id)

    written.run(work)


async def test_no_operation_of_the_api_shows_them(written: Written) -> None:
    key = await asyncio.to_thread(written.scene.mint, OTHER_SCOPES)
    headers = {"Authorization": f"Bearer {key}"}
    async with httpx.AsyncClient(
        base_url=written.scene.live.base_url, headers=headers, timeout=60
    ) as client:
        for operation in list_operations():
            method = next(iter(operation.methods or ()))
            if method != "GET":
                continue
            names = written.names | {"job_id": str(written.message_id)}  # of no synchronization
            found = await client.get(operation.path.format(**names))
            # 422: the conversation is no group
            made_up = ("{job_id}", "{media_id}", "{device_id}", "{key_id}", "{label_id}")
            is_made_up = any(name in operation.path for name in made_up)
            expected = (403, 404) if is_made_up else (200, 403, 422)
            assert found.status_code in expected, operation.operation_id
            assert WORD not in found.text, operation.operation_id
        listed = await client.get("/api/v1/webhooks/subscriptions/events")
    assert listed.json()["events"]  # that they were posted is no secret


async def test_no_tool_shows_them(written: Written) -> None:
    async with written.scene.client() as client:
        calls = await fill(client)
    key = await asyncio.to_thread(written.scene.mint, OTHER_SCOPES)
    async with written.scene.client(key) as client:
        listed = {tool.name for tool in (await client.list_tools()).tools}
        assert listed < TOOLS.keys()
        for name in listed:
            about = {k: v for k, v in written.names.items() if k in TOOLS[name].input.model_fields}
            assert WORD not in str(await client.call_tool(name, calls[name] | about)), name
        refused = await client.call_tool(
            "get_webhook_event", {"delivery_id": written.names["delivery_id"]}
        )
        subscribed = await client.call_tool("create_webhook", {"url": "https://example.com/hook"})
    for result in (refused, subscribed):
        assert error_of(result)["code"] == "missing_scope"
        assert error_of(result)["required_scope"] == "messages:read"


async def test_no_prompt_and_no_resource_shows_them(written: Written) -> None:
    key = await asyncio.to_thread(written.scene.mint, OTHER_SCOPES)
    given = written.names | {"framework": "FastAPI"}
    async with written.scene.client(key) as client:
        for prompt in PROMPTS.values():
            wanted = {
                argument.name: given[argument.name]
                for argument in prompt.arguments
                if argument.required
            }
            with suppress(MCPError):
                assert WORD not in str(await client.get_prompt(prompt.name, wanted)), prompt.name
        for resource in (await client.list_resources()).resources:
            assert WORD not in str(await client.read_resource(str(resource.uri)))


@for_each("role", MemberRole)
def test_a_role_that_sees_deliveries_reads_messages(role: MemberRole) -> None:
    granted = granted_scopes(role)
    if "webhooks:read" in granted:
        assert "messages:read" in granted
