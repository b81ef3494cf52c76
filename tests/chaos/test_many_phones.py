"""A thousand phones write at one moment: nothing of one person reaches another's record."""

import asyncio
import time
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import asyncpg
import httpx
import pytest

from chaos.conftest import Form
from chaos.counters import miscounted
from chaos.ledger import Promise
from chaos.load import GIVE_UP, HANG, Load
from chaos.postgres import Queried
from chaos.verdict import judge
from chaos.world import TenantOfTest, World, made_world
from heliograph.core.accounts.model import Account
from heliograph.networks.content import Text
from heliograph.networks.sandbox.addresses import address, new_message_id
from heliograph.networks.sandbox.chats import ArrivingMessage, insert_arriving
from heliograph.networks.sandbox.phones import generated, insert_phones

pytestmark = pytest.mark.extra_fault

PHONES = 1000
KNOWN_TO_ALL = 20
"""Phones that write to every account of every tenant."""
ANSWERED = 300
"""Phones that are written to by their account at the moment at which they write."""
READERS = 16

Person = tuple[str, str, str]
"""Tenant, account and phone."""

CONVERSATIONS = "SELECT id, organization_id, account_id, phone_number FROM conversations"
CONTACTS = "SELECT id, organization_id, phone_number, chat_name FROM contacts"


@pytest.mark.timeout(900)
async def test_a_thousand_phones_at_once_are_never_mixed_up(
    folder: Path, given: Queried | None, form: Form
) -> None:
    async with made_world(
        folder, database=given, machines=2, nodes=2, tenants=5, accounts=2
    ) as world:
        world.endpoints.keeps_data = True
        load = Load(world)
        await everybody_writes(world, load)
        await judge(form, world, "1,000 phones write at once", load.outcomes, times=PHONES)
        assert len(world.ledger.heard) == PHONES + KNOWN_TO_ALL * 10
        contacts = await check_contacts(world)
        check_webhooks(world, contacts)
        async with httpx.AsyncClient(base_url=world.machines[0].base_url, timeout=HANG) as client:
            await check_records(client, world, contacts)
            await check_conversations(client, world, contacts)
        assert await miscounted(world) == []


async def everybody_writes(world: World, load: Load) -> None:
    """All phones in one statement, so that the nodes meet all of it at one moment, while many of
    them are written to."""
    writing = said(world)
    arriving = [arriving_message(account.id, promise) for _, account, promise in writing]
    async with asyncpg.create_pool(world.database.url, min_size=1, max_size=1) as pool:
        for _, account in world.accounts:
            phones = [generated(address(p.phone)) for _, a, p in writing if a is account]
            await insert_phones(pool, account.id, phones)
        async with asyncio.TaskGroup() as group:
            group.create_task(send_all(load, writing[:ANSWERED]))
            group.create_task(insert_arriving(pool, arriving))


def arriving_message(account_id: UUID, promise: Promise) -> ArrivingMessage:
    jid, now = address(promise.phone), datetime.now(UTC)
    return ArrivingMessage(account_id, jid, jid, new_message_id(), Text(promise.tag), now)


def said(world: World) -> list[tuple[TenantOfTest, Account, Promise]]:
    """Who writes what to whom, noted in the ledger."""
    pairs = [(f"+1555030{n:04}", n % 10) for n in range(PHONES)]
    pairs += [(f"+1555060{n:04}", account) for n in range(KNOWN_TO_ALL) for account in range(10)]
    made = []
    for phone, number in pairs:
        tenant, account = world.accounts[number]
        promise = tenant.promise(account, f"{phone} to {account.id}", phone)
        world.ledger.said[promise.tag] = promise
        made.append((tenant, account, promise))
    return made


async def send_all(load: Load, to: Sequence[tuple[TenantOfTest, Account, Promise]]) -> None:
    """Every account's client sends all that it has at once."""
    async with asyncio.TaskGroup() as group:
        for _, account in load.world.accounts:
            group.create_task(send_from(load, [pair for pair in to if pair[1] is account]))


async def send_from(load: Load, to: Sequence[tuple[TenantOfTest, Account, Promise]]) -> None:
    async with httpx.AsyncClient(timeout=HANG) as client, asyncio.TaskGroup() as group:
        for tenant, account, heard in to:
            promise = tenant.promise(account, f"{account.id} to {heard.phone}", heard.phone)
            group.create_task(load.send(client, promise))


async def check_contacts(world: World) -> dict[tuple[str, str], str]:
    """One for each phone that a tenant knows, under that phone's name; their ids by both."""
    rows = await world.database.fetch(CONTACTS)
    found = {(str(row["organization_id"]), row["phone_number"]): str(row["id"]) for row in rows}
    promises = world.ledger.said.values()
    assert found.keys() == {(promise.tenant, promise.phone) for promise in promises}
    assert len(rows) == len(found)
    for row in rows:
        assert row["chat_name"] == name_of(row["phone_number"])
    return found


def check_webhooks(world: World, contacts: dict[tuple[str, str], str]) -> None:
    """Each names its own person; the audit has seen to the rest."""
    assert len(world.endpoints.data) == len(world.ledger.posted)
    for tenant, data in world.endpoints.data:
        check_person(data, contacts, tenant)


def check_person(data: dict[str, Any], contacts: dict[tuple[str, str], str], tenant: str) -> None:
    assert data["contact_id"] == contacts[tenant, data["phone_number"]], data
    assert data["contact_name"] == name_of(data["phone_number"]), data


async def check_records(
    client: httpx.AsyncClient, world: World, contacts: dict[tuple[str, str], str]
) -> None:
    """What its own tenant reads of each message, and what another does: that it is not theirs."""
    wanted = [(row.tenant, f"/api/v1/messages/{row.message_id}") for row in world.ledger.stored]
    records = await read_all(client, world, wanted)
    for row, record in zip(world.ledger.stored, records, strict=True):
        seen = (record["chat_account_id"], record["phone_number"], record["content"])
        assert seen == (row.account_id, row.phone, row.tag)
        assert record["direction"] == row.direction
        check_person(record, contacts, row.tenant)
    others = [(world.tenants[place % 5], path) for place, (_, path) in enumerate(wanted)]
    foreign = [
        (other.id, path)
        for (other, path), (owner, _) in zip(others, wanted, strict=True)
        if other.id != owner
    ]
    await read_all(client, world, foreign[::10], status=403)


async def check_conversations(
    client: httpx.AsyncClient, world: World, contacts: dict[tuple[str, str], str]
) -> None:
    """One for each person and account, with nothing in it that another has said."""
    tags: dict[Person, set[str]] = defaultdict(set)
    for row in world.ledger.stored:
        tags[row.tenant, row.account_id, row.phone].add(row.tag)
    rows = await world.database.fetch(CONVERSATIONS)
    wanted = [(str(row["organization_id"]), f"/api/v1/conversations/{row['id']}") for row in rows]
    found: set[Person] = set()
    for (tenant, _), record in zip(wanted, await read_all(client, world, wanted), strict=True):
        person = (tenant, record["chat_account_id"], record["phone_number"])
        assert record["last_message_preview"] in tags[person], record
        assert record["contact_id"] == contacts[tenant, record["phone_number"]], record
        assert record["contact_chat_name"] == name_of(record["phone_number"]), record
        assert record["unread_count"] == 1, record
        found.add(person)
    assert found == tags.keys()
    assert len(rows) == len(found)


async def read_all(
    client: httpx.AsyncClient, world: World, wanted: Sequence[tuple[str, str]], *, status: int = 200
) -> list[dict[str, Any]]:
    """What each tenant's key reads at each path; some at a time."""
    keys = {tenant.id: f"Bearer {tenant.api_key}" for tenant in world.tenants}
    at_once = asyncio.Semaphore(READERS)

    async def read(tenant: str, path: str) -> dict[str, Any]:
        headers, deadline = {"Authorization": keys[tenant]}, time.monotonic() + GIVE_UP
        async with at_once:
            while (answer := await client.get(path, headers=headers)).status_code == 503:
                assert time.monotonic() < deadline, answer.text
                await asyncio.sleep(0.2)
        assert answer.status_code == status, answer.text
        return dict(answer.json())

    return list(await asyncio.gather(*[read(tenant, path) for tenant, path in wanted]))


def name_of(phone: str) -> str:
    return generated(address(phone)).chat_name
