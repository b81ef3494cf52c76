"""What waits costs nobody who has nothing to do with it.

The statements that every node runs again and again, and those that end a backlog, are explained
where one account and one webhook have 150,000 rows waiting and all others have none, and where all
others have and one has none. The server knows its tables as they are, or as they were when they
were small.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from uuid import UUID

import pytest

import backlogs
from core_scene import SHARD, Scene, playing
from explained import ExplainingConnection, Plan, complaints, explaining
from heliograph.core.accounts.sql import list_queues
from heliograph.core.cluster import due_sql as due
from heliograph.core.cluster.backlog_sql import count_backlog
from heliograph.core.cluster.model import Lease
from heliograph.core.cluster.sql import (
    ACCOUNT_LEASES,
    WEBHOOK_LEASES,
    claim_leases,
    list_owned_leases,
)
from heliograph.core.dispatch.claims import claim_messages, requeue_claimed
from heliograph.core.jobs.sql import claim_jobs
from heliograph.core.messages.queue.removal_sql import end_waiting_messages
from heliograph.core.messages.queue.sql import is_sending
from heliograph.core.tenants.model import operator
from heliograph.core.webhooks.model import ClaimRequest
from heliograph.core.webhooks.queue.cancel_sql import (
    cancel_deliveries,
    cancel_expired_deliveries,
    cancel_free_deliveries,
)
from heliograph.core.webhooks.queue.sql import claim_deliveries
from heliograph.platform.database.floors import START
from heliograph.platform.database.pool import Connection
from placing import place_organization

WAITING = 150_000
OTHERS = 15
PAGE = 30
READS_AT_MOST = 1_000
"""Rows that a step of a plan may look at."""
COUNTS_AT_MOST = 101_000
"""The same for what counts up to a limit."""

pytestmark = [
    pytest.mark.extra_fault,
    pytest.mark.timeout(300),
    pytest.mark.one_server("explains plans, which are those of one server"),
]


@dataclass
class World:
    """The accounts' and the webhooks' leases; the first of each is in the minority."""

    scene: Scene
    url: str
    accounts: list[Lease] = field(default_factory=list)
    webhooks: list[Lease] = field(default_factory=list)

    async def explain(self, *plays: "Callable[[World], Awaitable[None]]") -> list[Plan]:
        """The plans of what is played."""
        with explaining() as plans:
            for play in plays:
                await play(self)
        assert plans, "the statements were not seen"
        return plans


@pytest.fixture(params=["one waits", "all others wait"])
async def world(
    request: pytest.FixtureRequest, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[World]:
    """The server was told of its tables when a few hundred rows were in them, and all waited."""
    monkeypatch.setattr("heliograph.platform.database.pool.PoolConnection", ExplainingConnection)
    await backlogs.prepare(database_url)
    async with playing(database_url) as scene:
        world = World(scene, database_url)
        for number in range(OTHERS):
            await add_tenant(world, number)
        waiting = slice(0, 1) if request.param == "one waits" else slice(1, None)
        await let_wait(world, waiting, 300)
        await backlogs.analyze(database_url)
        await let_wait(world, waiting, WAITING)
        yield world


async def add_tenant(world: World, number: int) -> None:
    scene = world.scene
    organization = await place_organization(scene.database, f"Tenant {number}", SHARD)
    principal = operator(organization.tenant)
    account = await scene.accounts.create(principal, "sandbox", "Phone", "phone", {})
    made = await scene.webhooks.create(principal, "http://127.0.0.1:9/hook")
    world.accounts.append(Lease(organization.tenant, account.id, scene.node_id, 1))
    world.webhooks.append(Lease(organization.tenant, made.webhook.id, scene.node_id, 1))

    async def own(connection: Connection) -> None:
        for table in (ACCOUNT_LEASES, WEBHOOK_LEASES):
            await claim_leases(connection, table, SHARD, scene.node_id, [], 10)
            assert await list_owned_leases(connection, table, scene.node_id)

    await scene.database.transact(own)


async def let_wait(world: World, which: slice, rows: int) -> None:
    pairs = list(zip(world.accounts, world.webhooks, strict=True))[which]
    for account, webhook in pairs:
        ids = (account.resource_id, webhook.resource_id)
        await backlogs.let_wait(world.url, account.tenant, *ids, rows // len(pairs))


def from_start(leases: Sequence[Lease]) -> list[due.LookedFor]:
    return [(lease, START) for lease in leases]


def ids_of(leases: Iterable[Lease]) -> set[UUID]:
    return {lease.resource_id for lease in leases}


# --- what is played ---


async def look(world: World) -> None:
    """Once a second on every node, and once a minute."""
    database = world.scene.database
    now = database.clock.now()
    await database.read(due.list_due_accounts, looked_for=from_start(world.accounts), now=now)
    await database.read(due.list_due_webhooks, looked_for=from_start(world.webhooks), now=now)
    overdue = partial(due.list_overdue_shards, leases=world.webhooks)
    await database.read(overdue, disabled_before=now - timedelta(days=5))


async def claim(world: World) -> None:
    """By who has much, and by who has nothing."""
    database = world.scene.database
    now = database.clock.now()
    for lease in world.accounts[:2]:
        mine = partial(claim_messages, lease=lease, limit=PAGE, now=now)
        await database.transact(mine)
        await database.transact(requeue_claimed, lease=lease)
        await database.transact(claim_jobs, lease=lease, limit=PAGE)
    for lease in world.webhooks[:2]:
        asking = [ClaimRequest(lease, PAGE)]
        await database.read(claim_deliveries, shards=SHARD, requests=asking, now=now)
    everybody = [ClaimRequest(lease, PAGE) for lease in world.webhooks]
    shards = {lease.tenant.organization_id: SHARD for lease in world.webhooks}
    await database.read(claim_deliveries, shards=shards, requests=everybody, now=now)


async def show(world: World) -> None:
    """What a page asks, again and again while it is open."""
    database = world.scene.database
    for lease in world.accounts[:2]:
        someone = (lease.tenant, lease.resource_id, "1@sandbox")
        await database.read(lambda connection, of=someone: is_sending(connection, *of))  # type: ignore[misc]  # mypy infers no lambda with a default


async def count(world: World) -> None:
    """For the metrics and the pages: up to a limit."""
    database = world.scene.database
    now = database.clock.now()
    await database.read(count_backlog, now=now)
    for lease in world.accounts[:2]:
        await database.read(list_queues, tenant=lease.tenant)


async def end(world: World) -> None:
    """A webhook is disabled for too long, another deleted, an account removed: page by page."""
    scene, database = world.scene, world.scene.database
    now = database.clock.now()
    await scene.rows("UPDATE webhooks SET enabled = false, disabled_at = now() - interval '9 days'")
    asking = [ClaimRequest(lease, PAGE) for lease in world.webhooks[:2]]
    assert not await database.read(claim_deliveries, shards=SHARD, requests=asking, now=now)
    before = now - timedelta(days=5)
    overdue = partial(due.list_overdue_shards, leases=world.webhooks, disabled_before=before)
    assert await database.read(overdue) == [SHARD]
    ended = 0
    for lease in world.webhooks[:2]:
        expired = partial(cancel_expired_deliveries, tenant=lease.tenant, disabled_before=before)
        page = partial(expired, webhook_id=lease.resource_id, now=now, limit=PAGE)
        ended += await database.transact(page)
    assert ended == PAGE
    for webhook, account in zip(world.webhooks[:2], world.accounts[:2], strict=True):
        of = (webhook.tenant, webhook.resource_id, "http://127.0.0.1:9/", now, PAGE)
        ended += await database.transact(_cancel_both_ways, of)
        gone = partial(end_waiting_messages, tenant=account.tenant, account_id=account.resource_id)
        _, messages = await database.transact(gone, at=now, reasons=("Gone.", "Gone?"), limit=PAGE)
        ended += len(messages)
    assert ended == 4 * PAGE, "a page each of the one that has a backlog"


async def _cancel_both_ways(connection: Connection, of: tuple[object, ...]) -> int:
    free = await cancel_free_deliveries(connection, *of)  # type: ignore[arg-type]  # as made above
    return free + await cancel_deliveries(connection, *of)  # type: ignore[arg-type]


# --- what must hold ---


async def check_due(world: World) -> None:
    """What is due is found, and nothing else."""
    now = world.scene.database.clock.now()
    read = world.scene.database.read
    accounts = await read(
        partial(due.list_due_accounts, looked_for=from_start(world.accounts), now=now)
    )
    waiting = await world.scene.rows("SELECT DISTINCT account_id FROM messages")
    assert ids_of(accounts) == {row["account_id"] for row in waiting}
    webhooks = await read(
        partial(due.list_due_webhooks, looked_for=from_start(world.webhooks), now=now)
    )
    waiting = await world.scene.rows("SELECT DISTINCT webhook_id FROM delivery_queue")
    assert ids_of(webhooks) == {row["webhook_id"] for row in waiting}


async def test_a_backlog_costs_nobody_who_has_none(world: World) -> None:
    await check_due(world)
    for knows in ("what was", "what is"):
        if knows == "what is":
            await backlogs.analyze(world.url)
        found = complaints(await world.explain(look, claim, show), backlogs.TABLES, READS_AT_MOST)
        found += complaints(await world.explain(count), backlogs.TABLES, COUNTS_AT_MOST)
        assert not found, f"the server knows {knows}\n{found}"
    found = complaints(await world.explain(end), backlogs.TABLES, READS_AT_MOST)
    assert not found, found
