"""No hot statement reads a table from end to end, or more of it than it needs.

What happens to messages, webhooks and keys is played over tables with tens of thousands of rows of
two tenants, with statistics and without. Each statement is explained with its real values, as it is
planned for them and as it is planned for any.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest
import pytest_asyncio
from msgspec.structs import replace

from core_scene import ADA, AT, BOB, PEOPLE, SHARD, Scene, arrival, playing, receipt, sent_to
from explained import ExplainingConnection, complaints, explaining, without_index
from explained import analyzed as analyzed
from explained import explained_url as explained_url
from heliograph.core.cluster import due_sql as due
from heliograph.core.cluster.model import Lease
from heliograph.core.cluster.sql import WEBHOOK_LEASES, claim_leases, list_owned_leases
from heliograph.core.dispatch.claims import requeue_claimed
from heliograph.core.inbox.conversations import ConversationService
from heliograph.core.ingest.model import MessagePostponed, MessageTaken, ReportedEvent
from heliograph.core.jobs.sql import claim_jobs
from heliograph.core.keys.service import KeyService
from heliograph.core.messages.model import Message
from heliograph.core.messages.statistics.service import StatisticsService
from heliograph.core.tenants.model import Tenant
from heliograph.core.upkeep.janitor import Janitor
from heliograph.core.webhooks.deliveries.report import DeliveryReportService
from heliograph.core.webhooks.deliveries.service import DeliveryService
from heliograph.core.webhooks.model import (
    ClaimedDelivery,
    ClaimRequest,
    DeliveryFilter,
    DeliveryStatus,
    Outcome,
)
from heliograph.core.webhooks.posting.outcomes_sql import record_outcomes
from heliograph.core.webhooks.queue.cancel_sql import cancel_expired_deliveries
from heliograph.core.webhooks.queue.sql import claim_deliveries
from heliograph.core.webhooks.subscriptions.sql import list_destinations
from heliograph.networks.content import Text
from heliograph.networks.port import Changed, ContactSeen, Cursor, GroupSeen
from heliograph.networks.sandbox.mailbox import delete_updates, list_due, list_next_due
from heliograph.platform.database.floors import START
from heliograph.platform.database.pool import Connection
from large_tables import BIG, analyze, fill
from many_tenants import TenantOfScene, add_tenants
from media_scene import media_of

READS_AT_MOST = 1_000
"""Rows that a step of a plan may look at; each big table has 40,000."""

pytestmark = [
    pytest.mark.timeout(300),
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.one_server("explains plans, which are those of one server"),
]


@dataclass
class World:
    scene: Scene
    webhook: Lease
    others: Sequence[TenantOfScene]
    """Tenants on shards of their own."""
    keys: list[str] = field(default_factory=list)
    """The idempotency keys of the messages that were sent last."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def world(explained_url: str, analyzed: bool) -> AsyncIterator[World]:
    """One for all tests with statistics, and one for all without: to fill it takes seconds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("heliograph.platform.database.pool.PoolConnection", ExplainingConnection)
        async with playing(explained_url) as scene:
            made = await scene.webhooks.create(scene.principal, "http://127.0.0.1:9/hook")
            webhook = await own_webhook(scene)
            others = await add_tenants(scene, SHARD + 1, SHARD + 2)
            tenant, new_id = scene.principal.tenant, scene.database.clock.new_id
            await fill(explained_url, tenant, scene.account.id, made.webhook.id)
            await fill(explained_url, Tenant(tenant.shard, new_id()), new_id(), new_id())
            await fill(explained_url, others[0].principal.tenant, others[0].account.id, new_id())
            if analyzed:
                await analyze(explained_url)
            yield World(scene, webhook, others)


async def own_webhook(scene: Scene) -> Lease:
    async def own(connection: Connection) -> Sequence[Lease]:
        await claim_leases(
            connection, WEBHOOK_LEASES, scene.principal.tenant.shard, scene.node_id, [], 10
        )
        return await list_owned_leases(connection, WEBHOOK_LEASES, scene.node_id)

    return (await scene.database.transact(own))[0]


# --- what is played ---


async def send(world: World) -> Message:
    """Messages are accepted, claimed, sent, put off, delivered and read."""
    scene = world.scene
    world.keys = [f"key {uuid4()}" for _ in range(4)]
    ids = [
        await scene.accept(f"{n}", (ADA, BOB)[n % 2], key=key) for n, key in enumerate(world.keys)
    ]
    await scene.claim()
    await scene.report(
        MessagePostponed(ids[3], scene.database.clock.now(), "later", is_attempt=True)
    )
    await scene.report(MessageTaken(ids[0], sent_to(ADA)), MessageTaken(ids[1], sent_to(BOB)))
    message = await scene.message(ids[0])
    await scene.report(receipt(message, "delivered"), receipt(message, "read"))
    await scene.database.transact(requeue_claimed, lease=scene.lease)
    return message


async def arrive(world: World) -> None:
    """Messages arrive, people and groups are met, two contacts turn out to be one."""
    lid = "777@lid"
    await world.scene.report(arrival("A1", ADA), arrival("A2", "15550100099@sandbox"))
    await world.scene.report(arrival("A3", lid), GroupSeen("1@g.sandbox", "Group"))
    await world.scene.report(ContactSeen(lid, phone_number="+15550100099", chat_name="Lid"))


async def report_together(world: World) -> None:
    """The reports of tenants on several shards are written at once."""
    scene = world.scene
    own = TenantOfScene(scene, scene.principal, scene.account, scene.lease)
    sent = [(tenant, await tenant.claim("together")) for tenant in (own, *world.others)]
    lid = "778@lid"

    async def report(*events: Callable[[Message], ReportedEvent]) -> None:
        parts = [tenant.reports(*[make(message) for make in events]) for tenant, message in sent]
        await scene.reports.report([report for part in parts for report in part])

    await report(
        lambda message: MessageTaken(message.id, sent_to(ADA)),
        lambda _: arrival("B1", "15550100098@sandbox"),
        lambda _: arrival("B2", lid, reply_to_chat_message_id="B1"),
        lambda _: GroupSeen("2@g.sandbox", "Group"),
        lambda _: Cursor(ADA, "9"),
    )
    await report(
        lambda message: receipt(message, "read"),
        lambda _: ContactSeen(lid, phone_number="+15550100098"),
        lambda _: Changed("edited", ADA, lid, lid, "B2", "E1", AT, content=Text("Bye")),
    )


async def read(world: World, message: Message, folder: Path) -> None:
    """Endpoints 6 to 10, and what asks them: a key."""
    scene, database = world.scene, world.scene.database
    principal = scene.principal
    media = media_of(database, folder.as_uri())
    assert message.conversation_id is not None
    conversations = ConversationService(database, PEOPLE, media, scene.changes)
    await conversations.get(principal, message.conversation_id)
    for message_id in (message.id, await scene.accept("not yet taken", BOB)):
        await scene.messages.get(principal, message_id)
    await scene.accounts.list(principal)
    await StatisticsService(database).summary(principal)
    deliveries = DeliveryService(database, scene.changes, scene.webhooks)
    await deliveries.list_events(principal, 50, 0)
    page = await deliveries.search(principal, DeliveryFilter())
    await deliveries.search(principal, DeliveryFilter(), before=page.more)
    await deliveries.find_body(principal, page.deliveries[0])
    await scene.rows("UPDATE webhooks SET failing_since = now()")
    report = DeliveryReportService(database, scene.webhooks)
    endpoints = await report.list_failing_endpoints(principal)
    assert len(endpoints) == 1
    await report.summarize_deliveries(principal, endpoints)
    feed = deliveries.follow(principal)
    await feed.start()
    await scene.report(arrival("A4", ADA))
    assert await feed.read()
    keys = KeyService(database, scene.notifications, scene.changes)
    minted = await keys.mint(principal, "Backend")
    await keys.authenticate_key(minted.text)
    await keys.usage.flush()


async def deliver(world: World) -> None:
    """Deliveries are looked for, claimed, recorded; what has waited too long ends."""
    database, lease = world.scene.database, world.webhook
    now = database.clock.now()
    assert await database.read(due.list_due_webhooks, looked_for=[(lease, START)], now=now)
    asking = [ClaimRequest(lease, 20)]
    own = [(lease.tenant.organization_id, lease.resource_id)]
    for shards in (lease.tenant.shard, {lease.tenant.organization_id: lease.tenant.shard}):
        claimed = await database.read(claim_deliveries, shards=shards, requests=asking, now=now)
        _, one, *_, tried = claimed
        again = replace(tried, attempt_count=1, is_recorded=True)
        firsts = [outcome(world, one), postponed(world, tried)]
        for ended in (firsts, [outcome(world, again)]):
            assert await database.transact(record_outcomes, shards=shards, outcomes=ended)
        assert await database.read(list_destinations, shards=shards, webhooks=own)
    before = now - timedelta(days=5)
    await database.read(due.list_overdue_shards, leases=[lease], disabled_before=before)
    await database.transact(
        cancel_expired_deliveries,
        tenant=lease.tenant,
        webhook_id=lease.resource_id,
        disabled_before=before,
        now=now,
        limit=100,
    )


def outcome(world: World, claimed: ClaimedDelivery) -> Outcome:
    now = world.scene.database.clock.now()
    return Outcome(
        lease=world.webhook,
        delivery=claimed,
        webhook_url="http://127.0.0.1:9/",
        number=claimed.attempt_count + 1,
        started_at=now,
        ended_at=now,
        duration_ms=1,
        status=DeliveryStatus.DELIVERED,
        next_attempt_at=None,
        response_code=200,
        response_body=None,
        error_message=None,
        address=None,
    )


def postponed(world: World, claimed: ClaimedDelivery) -> Outcome:
    later = world.scene.database.clock.now() + timedelta(minutes=1)
    delivered = outcome(world, claimed)
    return replace(delivered, status=DeliveryStatus.PENDING, next_attempt_at=later)


async def look(world: World) -> None:
    """The loops look for what is due: once a second, on every node."""
    scene, database = world.scene, world.scene.database
    now = database.clock.now()
    await database.read(due.list_due_accounts, looked_for=[(scene.lease, START)], now=now)
    await database.transact(claim_jobs, lease=scene.lease, limit=16)
    await scene.schedule_all()
    janitor = Janitor(database, scene.notifications, scene.changes)
    await janitor.start_scheduled()
    until = now + timedelta(seconds=1)
    assert len(await list_due(database.pool, [(scene.account.id, START)], now)) > 90
    await list_next_due(database.pool, [(scene.account.id, START)], now, until)
    await delete_updates(database.pool, [1, 2, 3])


async def sweep(world: World) -> None:
    """Once a minute, where something has expired: without statistics it may read a shard's keys."""
    scene = world.scene
    expire = (
        "UPDATE idempotency_keys SET expires_at = created_at "
        "WHERE shard = $1 AND organization_id = $2 AND key = $3"
    )
    await scene.rows(expire, *scene.principal.tenant, world.keys[0])
    await scene.janitor.forget_expired_keys()


# --- what must hold ---


async def test_no_hot_statement_reads_more_than_it_needs(
    world: World, tmp_path: Path, analyzed: bool
) -> None:
    with explaining() as plans:
        message = await send(world)
        await arrive(world)
        await report_together(world)
        await read(world, message, tmp_path)
        await deliver(world)
        await look(world)
        if analyzed:
            await sweep(world)
    assert len({plan.statement for plan in plans}) > 50, "the statements were not seen"
    if not analyzed:
        # Of a table this small, such a server takes the index by age to be as good as the key.
        plans = [plan for plan in plans if "SELECT * FROM inbound_keys" not in plan.statement]
    if not analyzed and await major_version(world) < 17:
        # Such a server looks for ids that a statement finds itself among all of the tenant's.
        plans = [plan for plan in plans if "id = ANY(ARRAY(" not in plan.statement]
    assert not (found := complaints(plans, BIG, READS_AT_MOST)), found


async def major_version(world: World) -> int:
    [row] = await world.scene.rows("SHOW server_version_num")
    return int(row[0]) // 10_000


@pytest.mark.parametrize(
    ("index", "complaint"),
    [("messages_chat_message_id", "messages"), ("delivery_queue_first", "delivery_queue")],
)
async def test_a_missing_index_is_noticed(world: World, index: str, complaint: str) -> None:
    async with without_index(world.scene, index):
        with explaining() as plans:
            await send(world)
            await arrive(world)
            await deliver(world)
    assert complaint in complaints(plans, BIG, READS_AT_MOST)
