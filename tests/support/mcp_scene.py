"""The tool server over real HTTP, spoken to with the protocol's own client."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from types import MappingProxyType
from typing import Any, TypeVar
from uuid import UUID, uuid4

import httpx
import httpx2
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult
from msgspec.json import decode

from heliograph.core.accounts.model import Account
from heliograph.core.inbox.model import Conversation, InboxPage
from heliograph.core.messages.model import Message
from heliograph.core.services import Services
from heliograph.core.tenants.model import Principal, operator
from heliograph.core.tenants.plans import UNLIMITED
from heliograph.faces.coding_tools import HEADER
from heliograph.networks.phone_actions import Say
from heliograph.networks.port import AccountStatus
from live_gateway import LiveGateway
from mcp import Client

CURRENT = "2026-07-28"
T = TypeVar("T")


@dataclass(frozen=True)
class Stranger:
    """Another organization: a key that may do everything, and what somebody wrote to it."""

    key: str
    account_id: UUID
    session_name: str
    webhook_id: UUID
    delivery_id: UUID
    conversation_id: UUID
    message_id: UUID
    contact_id: UUID


@dataclass(frozen=True)
class McpScene:
    live: LiveGateway

    @property
    def url(self) -> str:
        return f"{self.live.base_url}/mcp"

    @property
    def key(self) -> str:
        return self.live.demo.api_key

    def mint(
        self,
        scopes: Sequence[str] | None = None,
        *,
        lasts: timedelta | None = None,
        account_ids: Sequence[UUID] | None = None,
    ) -> str:
        """A key of the demo organization."""

        async def work(gateway: Services) -> str:
            demo = await gateway.keys.authenticate_key(self.key)
            ends = None if lasts is None else gateway.database.clock.now() + lasts
            principal = operator(demo.tenant)
            minted = await gateway.keys.mint(
                principal, "test", scopes=scopes, expires_at=ends, account_ids=account_ids
            )
            return minted.text

        return self.live.run(work)

    def limit(self, requests: int) -> str:
        """A key of an organization whose keys may make so many requests a minute."""

        async def work(gateway: Services) -> str:
            name = f"limited-{uuid4().hex[:8]}"
            await gateway.plans.put(name, {"key_requests_per_minute": requests})
            organization = await gateway.organizations.create(name, plan=name)
            return (await gateway.keys.mint(operator(organization.tenant), "limited")).text

        return self.live.run(work)

    def revoke(self, key: str) -> None:
        async def work(gateway: Services) -> None:
            principal = await gateway.keys.authenticate_key(key)
            assert principal.key_id is not None
            await gateway.keys.revoke(operator(principal.tenant), principal.key_id)

        self.live.run(work)

    def invite_stranger(self) -> Stranger:
        async def work(gateway: Services) -> Stranger:
            organization = await gateway.organizations.create("Globex", plan=UNLIMITED)
            principal = operator(organization.tenant)
            key = await gateway.keys.mint(principal, "test")
            name = f"globex-{uuid4().hex[:8]}"
            form = {"pair_automatically": "true"}
            account = await gateway.accounts.create(principal, "sandbox", name, name, form)
            webhook = (await gateway.webhooks.create(principal, "https://example.com/hook")).webhook
            conversation, message = await _write_to(gateway, principal, account.id)
            assert conversation.contact_id is not None
            return Stranger(
                key=key.text,
                account_id=account.id,
                session_name=name,
                webhook_id=webhook.id,
                delivery_id=await gateway.webhooks.ping(principal, webhook.id),
                conversation_id=conversation.id,
                message_id=message.id,
                contact_id=conversation.contact_id,
            )

        return self.live.run(work)

    @asynccontextmanager
    async def client(self, key: str | None = None, mode: str = CURRENT) -> AsyncIterator[Client]:
        async with connect(self.url, key or self.key, mode) as client:
            yield client

    async def call(self, tool: str, key: str | None = None, **arguments: Any) -> CallToolResult:
        async with self.client(key) as client:
            return await client.call_tool(tool, arguments)

    async def post(
        self,
        method: str,
        params: dict[str, Any] | None = None,
        headers: Mapping[str, str | bytes] = MappingProxyType({}),
    ) -> httpx.Response:
        """A request of the protocol without its client, to see the HTTP answer."""
        meta = {
            "io.modelcontextprotocol/protocolVersion": CURRENT,
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        body = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": method,
            "params": {"_meta": meta, **(params or {})},
        }
        given: dict[str, str | bytes] = {
            "accept": "application/json, text/event-stream",
            "mcp-protocol-version": CURRENT,
            "mcp-method": method,
            **({"mcp-name": params["name"]} if params and "name" in params else {}),
            **headers,
        }
        raw = [
            (name.encode(), value.encode() if isinstance(value, str) else value)
            for name, value in given.items()
        ]
        async with httpx.AsyncClient(timeout=60) as client:
            return await client.post(self.url, json=body, headers=raw)


@asynccontextmanager
async def connect(url: str, key: str, mode: str = CURRENT) -> AsyncIterator[Client]:
    async with httpx2.AsyncClient(headers={HEADER: key}, timeout=120) as http:
        transport = streamable_http_client(url, http_client=http)
        async with Client(transport, mode=mode) as client:
            yield client


async def _write_to(
    gateway: Services, principal: Principal, account_id: UUID
) -> tuple[Conversation, Message]:
    """Let a virtual phone write to an account, once that is connected."""

    async def connected() -> Account | None:
        found = await gateway.accounts.get(principal, account_id)
        return found if found.status is AccountStatus.CONNECTED else None

    async def arrived() -> InboxPage | None:
        found = await gateway.inbox.list(principal)
        return found if found.conversations else None

    await gateway.simulator.of(await _until(connected)).act(Say("+15550100001", "A secret word"))
    page = await _until(arrived)
    [conversation] = page.conversations
    [entry] = (await gateway.inbox.thread(principal, conversation.id)).messages
    return conversation, entry.message


async def _until(look: Callable[[], Awaitable[T | None]]) -> T:
    """What is seen in the end, within a minute."""
    for _ in range(1200):
        if (found := await look()) is not None:
            return found
        await asyncio.sleep(0.05)
    raise TimeoutError


def text_of(block: Any) -> str:
    """The text of a block that is one of text."""
    return str(block.text)


def error_of(result: CallToolResult) -> Any:
    """What a tool has refused with."""
    assert result.is_error
    assert result.structured_content is None
    [block] = result.content
    return decode(text_of(block))
