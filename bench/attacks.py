"""The attacks: what a malicious caller does, or a program that has run away."""

import asyncio
import itertools
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import TypeAlias
from uuid import UUID, uuid4

import msgspec

from bench.attacking import PER_SECOND, Attack, attacking
from bench.client import BUTTONS, Client, ask_all
from bench.gateway import AT_ONCE, Customer, Gateway
from bench.reading import message_path
from bench.stage import PATIENCE, SendResult
from bench.visitor import Visitor, sign_in
from heliograph.core.services import Services
from heliograph.core.tenants.model import Principal, operator
from heliograph.core.tenants.plans import PRO, UNLIMITED
from heliograph.faces.coding_tools import HEADER

LARGE = 1_000_000  # bytes
ALLOWED = 60_000  # bytes, of the 64 KiB that a body may have
_GROUPS = "/api/v1/conversations/groups"
_AHEAD = 100  # requests in one piece
_HUGE_PICTURE = "+15550109016"
_UNANSWERED = 200  # webhooks with names that nobody answers for

Attacking: TypeAlias = AbstractAsyncContextManager[Counter[int]]
"""The attack while the block lasts; yields what fills with how often which status was answered."""


@dataclass(frozen=True, slots=True)
class Attackers:
    """An organization with the limits of an ordinary plan, its key, one of its people, a contact
    with a huge picture, and a caller without a key."""

    gateway: Gateway
    client: Client
    nobody: Client
    visitor: Visitor
    contact_id: str

    def ask(self, *requests: bytes, holds: bool = False) -> Attacking:
        return attacking(Attack(self.gateway.port, list(requests), holds))


async def make_attackers(gateway: Gateway, number: int) -> Attackers:
    """Make the attackers of one attack, with all of their quotas unused."""
    async with gateway.services() as services:
        organization = await services.organizations.create(f"Attackers {number}", plan=PRO)
        principal = operator(organization.tenant)
        minted = await services.keys.mint(principal, "run away", scopes=["admin:write"])
        account = await services.accounts.create(
            principal, "sandbox", "Attackers", "attackers", AT_ONCE
        )
    client = Client(gateway.base_url, minted.text)
    customer = Customer(organization.tenant, client, account.id, account.id)
    return Attackers(
        gateway,
        client,
        Client(gateway.base_url, "of nobody"),
        await sign_in(gateway, customer, f"attacker-{number}"),
        await _meet(client, account.id),
    )


async def _make_unanswered(services: Services) -> tuple[Principal, list[UUID]]:
    # each round makes its own, and no two have one name
    organization = await services.organizations.create(f"Unanswered {uuid4()}", plan=UNLIMITED)
    principal = operator(organization.tenant)
    urls = [f"https://hook-{number}.example.com/hook" for number in range(_UNANSWERED)]
    made = [await services.webhooks.create(principal, url, ["device.*"]) for url in urls]
    return principal, [webhook.webhook.id for webhook in made]


async def _meet(client: Client, account_id: UUID) -> str:
    """Write to the contact with the huge picture, until the message says which contact that is."""
    send = client.send_buttons(_HUGE_PICTURE, account_id, "Hi")
    async with client.connections(1) as connections:
        [sent] = await ask_all(connections, [send], patience=PATIENCE)
        path = message_path(msgspec.json.decode(sent.body, type=SendResult).message_id)
        async with asyncio.timeout(PATIENCE):
            while True:
                [read] = await ask_all(connections, [client.get(path)], patience=PATIENCE)
                if contact_id := msgspec.json.decode(read.body).get("contact_id"):
                    return str(contact_id)
                await asyncio.sleep(0.1)


def harmless(attackers: Attackers) -> Attacking:
    """Send as many requests that cost next to nothing, to compare the attacks with."""
    return attackers.ask(attackers.nobody.get("/healthz"))


def _start_to_sign_in(attackers: Attackers) -> Attacking:
    return attackers.ask(attackers.nobody.get("/dashboard/sign-in/start"))


def _send_large_bodies(attackers: Attackers) -> Attacking:
    return attackers.ask(_buttons_of(attackers.client, LARGE))


def _send_bodies_as_large_as_allowed(attackers: Attackers) -> Attacking:
    return attackers.ask(_buttons_of(attackers.client, ALLOWED))


def _send_half_bodies(attackers: Attackers) -> Attacking:
    return attackers.ask(_buttons_of(attackers.nobody, LARGE)[: LARGE // 2], holds=True)


def _send_half_allowed_bodies(attackers: Attackers) -> Attacking:
    return attackers.ask(_buttons_of(attackers.client, ALLOWED)[: ALLOWED // 2], holds=True)


def _send_long_cookies(attackers: Attackers) -> Attacking:
    cookie = b'cookie: a="' + b"\\" * ALLOWED + b'"\r\n\r\n'
    return attackers.ask(attackers.nobody.get("/dashboard").removesuffix(b"\r\n") + cookie)


def _send_long_addresses(attackers: Attackers) -> Attacking:
    return attackers.ask(
        attackers.nobody.get("/dashboard/sign-in?" + "a&" * 3_500),
        attackers.nobody.get("/dashboard/static/0/" + "a/" * 3_500),
    )


def _guess_keys(attackers: Attackers) -> Attacking:
    return attackers.ask(attackers.nobody.get("/api/v1/messages/stats/summary"))


def _make_groups_of_wrong_people(attackers: Attackers) -> Attacking:
    account_id = str(attackers.visitor.customer.account_id)
    body = {"chat_account_id": account_id, "subject": "Wrong", "participants": ["!" * 58] * 1_000}
    return attackers.ask(attackers.client.post(_GROUPS, body))


def _make_large_groups(attackers: Attackers) -> Attacking:
    account_id = str(attackers.visitor.customer.account_id)
    people = [f"+1555{number:07}" for number in range(1_000)]
    body = {"chat_account_id": account_id, "subject": "Large", "participants": people}
    return attackers.ask(attackers.client.post(_GROUPS, body))


def _list_tools(attackers: Attackers) -> Attacking:
    return _ask_tool_server(attackers, method="tools/list")


def _read_largest_resource(attackers: Attackers) -> Attacking:
    asked = {"uri": "heliograph://openapi.json"}
    return _ask_tool_server(attackers, method="resources/read", params=asked)


def _ask_tool_server(attackers: Attackers, **call: object) -> Attacking:
    body = msgspec.json.encode({"jsonrpc": "2.0", "id": 1} | call)
    head = (
        "POST /mcp HTTP/1.1",
        f"host: 127.0.0.1:{attackers.gateway.port}",
        f"{HEADER}: {attackers.client.api_key}",
        "accept: application/json, text/event-stream",
        "content-type: application/json",
        f"content-length: {len(body)}",
    )
    return attackers.ask("\r\n".join(head).encode() + b"\r\n\r\n" + body)


def _send_ahead(attackers: Attackers) -> Attacking:
    return attackers.ask(attackers.nobody.get("/healthz") * _AHEAD)


def _run_away(attackers: Attackers) -> Attacking:
    return attackers.ask(attackers.client.get("/api/v1/devices"))


def _ask_for_huge_pictures(attackers: Attackers) -> Attacking:
    path = f"/api/v1/contacts/{attackers.contact_id}/profile-picture"
    return attackers.ask(attackers.client.get(path), attackers.client.get(f"{path}?preview=true"))


def _open_live_pages(attackers: Attackers) -> Attacking:
    return attackers.ask(attackers.visitor.get("live"), holds=True)


def _read_pages(attackers: Attackers) -> Attacking:
    return attackers.ask(attackers.visitor.get("inbox"), attackers.visitor.get(""))


def _search(attackers: Attackers) -> Attacking:
    """For what no message has, which is looked for among all."""
    texts = ("we", "wel", "hi", "+1555", "nobody")
    return attackers.ask(
        *[attackers.client.get(f"/api/v1/messages?search={text}") for text in texts],
        attackers.client.get("/api/v1/contacts?search=555"),
        attackers.client.get("/api/v1/conversations?search=nobody"),
        attackers.visitor.get("inbox?q=nobody"),
    )


def _export(attackers: Attackers) -> Attacking:
    return attackers.ask(
        attackers.visitor.get("messages/export?format=csv"),
        attackers.visitor.get("messages/export?format=jsonl"),
    )


def _ask_for_statistics(attackers: Attackers) -> Attacking:
    return attackers.ask(
        attackers.client.get("/api/v1/messages/stats/summary"),
        attackers.visitor.get("statistics"),
        attackers.visitor.get(""),
    )


def _list_all(attackers: Attackers) -> Attacking:
    paths = ("media", "messages?status=failed", "contacts", "conversations?status=closed")
    return attackers.ask(*[attackers.client.get(f"/api/v1/{path}") for path in paths])


@asynccontextmanager
async def _post_to_unanswered_names(attackers: Attackers) -> AsyncIterator[Counter[int]]:
    async with attackers.gateway.services() as services:
        principal, webhook_ids = await _make_unanswered(services)

        async def go_on() -> None:
            for webhook_id in itertools.cycle(webhook_ids):
                await services.webhooks.ping(principal, webhook_id)
                await asyncio.sleep(1 / PER_SECOND)

        pinging = asyncio.create_task(go_on())
        try:
            yield Counter()
        finally:
            pinging.cancel()
            await asyncio.wait([pinging])


UNANSWERED_NAMES = "webhooks to names that nobody answers for"
ATTACKS: Mapping[str, Callable[[Attackers], Attacking]] = {
    "starts to sign in": _start_to_sign_in,
    "bodies of 1 MB": _send_large_bodies,
    "bodies of 60 KB": _send_bodies_as_large_as_allowed,
    "half-sent bodies without a key": _send_half_bodies,
    "half-sent bodies": _send_half_allowed_bodies,
    "long cookies": _send_long_cookies,
    "long addresses": _send_long_addresses,
    "guessed keys": _guess_keys,
    "requests sent ahead": _send_ahead,
    "groups of wrong people": _make_groups_of_wrong_people,
    "large groups": _make_large_groups,
    "lists of tools": _list_tools,
    "the tool server's largest resource": _read_largest_resource,
    "a key that runs away": _run_away,
    "huge pictures": _ask_for_huge_pictures,
    "live pages": _open_live_pages,
    "pages": _read_pages,
    "searches": _search,
    "exports": _export,
    "statistics": _ask_for_statistics,
    "lists, of files as well": _list_all,
    UNANSWERED_NAMES: _post_to_unanswered_names,
}


def _buttons_of(client: Client, size: int) -> bytes:
    """Make a request to endpoint 2 of this size, by a field that the endpoint does not know."""
    body = {
        "phone_number": "+15551000001",
        "body": "Well?",
        "buttons": [{"id": "yes", "title": "Yes"}],
        "ignored": [{"a": "b"}] * (size // 10),
    }
    return client.post(BUTTONS, body)
