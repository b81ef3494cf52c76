"""Reports of many tenants are written in one transaction, as if each had one of its own."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

import asyncpg
import pytest

from core_scene import ADA, AT, BOB, Scene, arrival, playing, receipt, sent_to
from heliograph.core.ingest.model import MessagePostponed, MessageRefused, MessageTaken, Report
from heliograph.networks.content import Text
from heliograph.networks.port import (
    AccountStatus,
    Changed,
    ContactSeen,
    Cursor,
    GroupSeen,
    SessionState,
)
from heliograph.platform.database.pool import PoolConnection
from many_tenants import TenantOfScene, add_tenants

GROUP, LID, NUMBER = "424242@g.sandbox", "777@lid", "+15550100099"
PEER = "15550100099@sandbox"


class NotingConnection(PoolConnection):
    """Notes each statement that has arguments."""

    statements: set[str]

    async def fetch(self, query: str, *args: Any, **more: Any) -> Any:
        self.statements.add(query)
        return await super().fetch(query, *args, **more)

    async def execute(self, query: str, *args: Any, **more: Any) -> Any:
        self.statements.add(query)
        return await super().execute(query, *args, **more)


@pytest.fixture
async def scene(database_url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Scene]:
    monkeypatch.setattr(NotingConnection, "statements", set(), raising=False)
    monkeypatch.setattr("heliograph.platform.database.pool.PoolConnection", NotingConnection)
    async with playing(database_url) as scene:
        yield scene


def statements_of_many_shards() -> list[str]:
    return [text for text in NotingConnection.statements if "unnest($1::integer[]" in text]


async def stages(tenant: TenantOfScene) -> list[list[Report]]:
    """What happens to one tenant, in parts that follow each other."""
    sent, refused, later = [await tenant.claim(text, BOB) for text in ("sent", "refused", "later")]
    in_group: dict[str, Any] = {"chat_jid": GROUP, "is_group": True, "group_subject": "Trip"}
    edit = Changed("edited", ADA, ADA, ADA, "A1", "E1", AT, content=Text("Bye"))
    return [
        tenant.reports(
            SessionState(AccountStatus.CONNECTED, remote_jid="1@sandbox"),
            MessageTaken(sent.id, sent_to(BOB)),
            MessageRefused(refused.id, "There is nobody."),
            MessagePostponed(later.id, None, "later", is_attempt=True),
            arrival("A1"),
            arrival("A1"),
            arrival("A2", ADA, **in_group),
            arrival("A3", LID),
            arrival("A4", PEER, sender_phone_number=NUMBER),
            GroupSeen("1@g.sandbox", "Group"),
            Cursor(ADA, "7"),
        ),
        tenant.reports(
            receipt(sent, "delivered"),
            edit,
            ContactSeen(LID, phone_number=NUMBER, chat_name="Lid"),
            arrival("A5", BOB, reply_to_chat_message_id=sent.chat_message_id),
            arrival("A6", "2@sandbox", chat_jid="2@sandbox", from_me=True),
        ),
        tenant.reports(receipt(sent, "read")),
    ]


TABLES = {
    "messages": "content::text, direction, status, recipient, remote_jid, phone_number,"
    " retry_count, failure_reason, conversation_id IS NULL, reply_to_message_id IS NULL, edited_at",
    "message_queue": "recipient, next_attempt_at",
    "conversations": "remote_jid, status, unread_count, phone_number, last_message_preview",
    "contacts": "phone_number, name, chat_name, merged_into IS NULL",
    "contact_addresses": "network, remote_jid",
    "chat_groups": "remote_jid, subject",
    "inbound_keys": "chat_jid, sender_jid, chat_message_id",
    "accounts": "status, remote_jid",
    "account_totals": "round, sent, received, sent_on, sent_that_day",
    "account_cursors": "chat_jid, position",
    "audit_entries": "action, details::text",
    "delivery_queue": "event_type, attempt_count",
}
COUNTED = {
    "message_counts": "direction, status",
    "account_message_counts": "direction, status",
    "delivery_counts": "shard",
}


async def stored(tenant: TenantOfScene) -> dict[str, list[tuple[Any, ...]]]:
    """What the tables say of a tenant, but for ids and times."""
    scene, organization_id = tenant.scene, tenant.principal.organization_id
    shard = tenant.principal.tenant.shard
    found = {}
    for table, columns in TABLES.items():
        text = f"SELECT {columns} FROM {table} WHERE shard = $1 AND organization_id = $2"  # noqa: S608 - our own names
        found[table] = sorted(map(tuple, await scene.rows(text, shard, organization_id)), key=str)
    for table, columns in COUNTED.items():
        text = (
            f"SELECT {columns}, sum(n)::int FROM {table} WHERE shard = $1 AND organization_id = $2"  # noqa: S608 - our own names
            f" GROUP BY {columns} HAVING sum(n) <> 0"
        )
        rows = await scene.rows(text, shard, organization_id)
        found[table] = sorted(tuple(row)[0 if table != "delivery_counts" else 1 :] for row in rows)
    text = "SELECT type FROM events WHERE shard = $1 AND organization_id = $2 ORDER BY seq"
    found["events"] = [tuple(row) for row in await scene.rows(text, shard, organization_id)]
    return found


@pytest.mark.one_server("runs a statement on many shards")
async def test_a_batch_of_many_tenants_does_for_each_what_its_own_would(scene: Scene) -> None:
    *tenants, alone = await add_tenants(scene, 7, 7, 8, 9, 9)
    for reports in await stages(alone):
        await scene.reports.report(reports)
    assert not statements_of_many_shards()

    for parts in zip(*[await stages(tenant) for tenant in tenants], strict=True):
        before = await scene.rows("SELECT coalesce(max(seq), 0) FROM events")
        await scene.reports.report([report for reports in parts for report in reports])
        written = await scene.rows("SELECT xmin::text FROM events WHERE seq > $1", before[0][0])
        assert len({row[0] for row in written}) == 1
    assert len(statements_of_many_shards()) > 25

    expected = await stored(alone)
    assert all(expected.values())
    for tenant in tenants:
        assert await stored(tenant) == expected


async def test_a_distributed_database_gets_statements_on_one_shard_alone(scene: Scene) -> None:
    scene.database.is_distributed = True
    tenants = await add_tenants(scene, 7, 7, 8)
    for parts in zip(*[await stages(tenant) for tenant in tenants], strict=True):
        await scene.reports.report([report for reports in parts for report in reports])

    assert not statements_of_many_shards()
    first, second, third = [await stored(tenant) for tenant in tenants]
    assert first == second == third
    assert all(first.values())


@pytest.mark.parametrize("table", ["messages", "accounts", "account_leases", "webhooks"])
async def test_a_locked_row_delays_nobody_else(scene: Scene, database_url: str, table: str) -> None:
    held, *others = await add_tenants(scene, 7, 7, 8)
    messages = [await tenant.claim("Hello") for tenant in (held, *others)]
    column = "account_id" if table == "account_leases" else "id"
    ids = {
        "messages": messages[0].id,
        "webhooks": (await scene.webhooks.list(held.principal))[0].id,
    }
    other = await asyncpg.connect(database_url)
    transaction = other.transaction()
    await transaction.start()
    await other.fetch(
        f"SELECT 1 FROM {table} WHERE shard = $1 AND {column} = $2 FOR UPDATE",  # noqa: S608 - our own names
        held.principal.tenant.shard,
        ids.get(table, held.account.id),
    )

    def submit(tenant: TenantOfScene, number: int) -> "Sequence[asyncio.Future[None]]":
        message = messages[number]
        taken = MessageTaken(message.id, sent_to(ADA))
        reports = tenant.reports(arrival("A1"), taken, receipt(message, "delivered"))
        return [scene.reports.submit(report) for report in reports]

    waiting = submit(held, 0)
    for number, tenant in enumerate(others, 1):
        await asyncio.gather(*submit(tenant, number))
        assert (await tenant.message(messages[number].id)).status == "delivered"
    later = [scene.reports.submit(report) for report in held.reports(arrival("A2"))]
    await asyncio.gather(*[scene.reports.submit(each) for each in others[0].reports(arrival("A2"))])
    assert not any(future.done() for future in (*waiting, *later))

    await transaction.rollback()
    await other.close()
    await asyncio.gather(*waiting, *later)
    assert (await held.message(messages[0].id)).status == "delivered"
    rows = await scene.rows(
        "SELECT type FROM events WHERE organization_id = $1 ORDER BY seq",
        held.principal.organization_id,
    )
    received = "message.received"
    expected = [received, "message.sent", "message.delivered", received]
    types = [row["type"] for row in rows]
    assert [each for each in types if each.startswith("message.")] == expected
