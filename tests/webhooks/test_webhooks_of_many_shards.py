"""What is claimed and recorded together for tenants of many shards is what each would get alone."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from uuid import UUID, uuid4

import pytest
from msgspec.structs import replace

from connections import connected
from heliograph.core.cluster.model import Lease
from heliograph.core.cluster.sql import WEBHOOK_LEASES, claim_leases, list_owned_leases
from heliograph.core.events.model import Event
from heliograph.core.tenants.model import Tenant, operator
from heliograph.core.tenants.rows import shards_of
from heliograph.core.webhooks.fan_out import fan_out
from heliograph.core.webhooks.model import ClaimedDelivery, ClaimRequest, DeliveryStatus, Outcome
from heliograph.core.webhooks.posting.outcomes import OutcomeWriter, Recorded
from heliograph.core.webhooks.posting.outcomes_sql import record_outcomes
from heliograph.core.webhooks.queue.batch_sql import commit_batch
from heliograph.core.webhooks.queue.sql import claim_deliveries
from statements import counting_statements
from waiting import until
from webhook_receiver import receiving
from webhook_scene import PATIENCE, Scene

SHARDS = (2, 3, 5, 7)
EACH = 6
OF_MANY_SHARDS = "unnest($1::integer[]"
LATER = timedelta(minutes=5)
of_many_shards = pytest.mark.one_server("runs a statement on many shards")


async def own_webhooks(scene: Scene) -> list[Lease]:
    """Make a tenant with a webhook on each shard, all of one node, and return their leases."""
    node_id = uuid4()
    for shard in SHARDS:
        tenant = Tenant(shard, scene.database.clock.new_id())
        await scene.webhooks.create(operator(tenant), "http://127.0.0.1:9/")
        await scene.database.transact(claim_leases, WEBHOOK_LEASES, shard, node_id, [], 1)
    leases = await scene.database.read(list_owned_leases, WEBHOOK_LEASES, node_id)
    return sorted(leases, key=lambda lease: lease.tenant.shard)


async def happen(scene: Scene, tenant: Tenant, count: int) -> None:
    events: list[Event] = [scene.event(tenant=tenant, of=UUID(int=n % 3)) for n in range(count)]
    await scene.database.transact(fan_out, tenant.shard, events, scene.database.clock)


async def claim(
    scene: Scene, requests: Sequence[ClaimRequest], *, now: datetime
) -> list[ClaimedDelivery]:
    shards = shards_of(request.lease.tenant for request in requests)
    return await scene.database.read(claim_deliveries, shards, requests, now)


async def record(scene: Scene, outcomes: Sequence[Outcome]) -> dict[UUID, datetime | None]:
    shards = shards_of(outcome.lease.tenant for outcome in outcomes)
    return await scene.database.transact(record_outcomes, shards, outcomes)


def outcome(
    lease: Lease,
    delivery: ClaimedDelivery,
    at: datetime,
    status: DeliveryStatus = DeliveryStatus.DELIVERED,
    code: int = 200,
) -> Outcome:
    return Outcome(
        lease=lease,
        delivery=delivery,
        webhook_url="http://127.0.0.1:9/",
        number=delivery.attempt_count + 1,
        started_at=at,
        ended_at=at,
        duration_ms=7,
        status=status,
        next_attempt_at=at + LATER if status is DeliveryStatus.PENDING else None,
        response_code=code,
        response_body="body",
        error_message=None if status is DeliveryStatus.DELIVERED else f"It answered {code}.",
        address="127.0.0.1",
    )


@of_many_shards
async def test_a_claim_of_many_shards_finds_what_claims_of_their_own_would(scene: Scene) -> None:
    leases = await own_webhooks(scene)
    now = scene.database.clock.now()
    for lease in leases:
        await happen(scene, lease.tenant, EACH)
    first, in_batch, disabled, lost = leases
    requests = [ClaimRequest(lease, 20) for lease in leases]
    [one, *others] = await claim(scene, requests[:1], now=now)
    await record(scene, [outcome(first, one, now, DeliveryStatus.PENDING, 500)])
    requests[0] = ClaimRequest(first, 20, [others[0].order_key], [others[1].seq])
    members = await claim(scene, requests[1:2], now=now)
    await scene.database.transact(commit_batch, in_batch, [it.id for it in members[:3]])
    await scene.webhooks.disable(operator(disabled.tenant), disabled.resource_id)
    requests[3] = ClaimRequest(replace(lost, epoch=lost.epoch + 1), 20)

    now += LATER * 2
    together = await claim(scene, requests, now=now)
    alone = [each for request in requests for each in await claim(scene, [request], now=now)]

    assert together == sorted(alone, key=lambda each: each.seq)
    found = [[each.members for each in together if each.tenant == it.tenant] for it in leases]
    assert [len(each) for each in found] == [3, EACH - 2, 0, 0]
    assert [len(members) for members in found[1]] == [3, 0, 0, 0]


KEPT = """
SELECT d.shard, d.status, d.attempt_count, d.retry_count, d.next_attempt_at, d.delivered_at,
    d.response_code, d.error_message, d.webhook_url, d.first_started_at, d.first_duration_ms,
    d.first_response_code, d.first_error_message, d.delivery_batch_id IS NOT NULL AS in_batch,
    q.order_key, q.attempt_count AS queued, q.next_attempt_at AS queued_until, q.recorded,
    a.number, a.response_code AS newest_code, w.enabled, w.failing_since, w.disabled_reason
FROM webhooks AS w
LEFT JOIN deliveries AS d ON d.webhook_id = w.id
LEFT JOIN delivery_queue AS q ON q.id = d.id
LEFT JOIN delivery_attempts AS a ON a.delivery_id = d.id
WHERE w.organization_id = ANY($1)
ORDER BY d.shard, d.seq
"""


async def list_kept(scene: Scene, leases: Sequence[Lease]) -> list[tuple[object, ...]]:
    """What is kept of these webhooks and of their deliveries, without ids."""
    organizations = [lease.tenant.organization_id for lease in leases]
    return [tuple(row) for row in await scene.rows(KEPT, organizations)]


async def attempt_all(scene: Scene, leases: Sequence[Lease], at: datetime) -> list[list[Outcome]]:
    """Two rounds of outcomes of each kind for each webhook; the last is not its node's any more."""
    ended: list[list[Outcome]] = []
    for place, lease in enumerate(leases):
        await happen(scene, lease.tenant, EACH)
        tried, *others = await claim(scene, [ClaimRequest(lease, 20)], now=at)
        await record(scene, [outcome(lease, tried, at, DeliveryStatus.PENDING, 503)])
        batch = replace(others[0], members=tuple(others[:2]))
        await scene.database.transact(commit_batch, lease, batch.delivery_ids)
        again = replace(tried, attempt_count=1, is_recorded=True)
        own = lease if place < len(leases) - 1 else replace(lease, epoch=lease.epoch - 1)
        last = (DeliveryStatus.FAILED, 410) if place == 1 else (DeliveryStatus.FAILED, 500)
        ended.append(
            [
                outcome(own, batch, at),
                outcome(own, others[2], at, DeliveryStatus.PENDING, 500),
                outcome(own, again, at, DeliveryStatus.PENDING if place else last[0], 502),
                outcome(own, others[3], at + timedelta(seconds=1), *last),
            ]
        )
    return ended


@of_many_shards
async def test_outcomes_of_many_shards_are_recorded_as_outcomes_of_their_own(scene: Scene) -> None:
    at = scene.database.clock.now()
    together, alone = await own_webhooks(scene), await own_webhooks(scene)
    writer = OutcomeWriter(scene.database, lambda _: True)
    mixed = [each for own in await attempt_all(scene, together, at) for each in own]
    with counting_statements() as statements:
        recorded = await asyncio.gather(*[writer.record(each) for each in mixed])
    single: list[Recorded] = []
    for each in await attempt_all(scene, alone, at):
        # one after the other, as those of one webhook and one tick share a transaction
        single += await asyncio.gather(*[writer.record(own) for own in each])

    assert any(OF_MANY_SHARDS in statement for statement in statements)
    assert await list_kept(scene, together) == await list_kept(scene, alone)
    assert [each.written for each in recorded] == [True] * 12 + [False] * 4
    assert [each.written for each in recorded] == [each.written for each in single]
    # those before the last are told of it, too, where one transaction has them all
    assert single[7].disabled


@asynccontextmanager
async def locking(scene: Scene, statement: str, *values: object) -> AsyncIterator[None]:
    """Somebody else holds these rows until the block ends."""
    async with connected(scene.database_url) as connection, connection.transaction():
        assert await connection.fetch(statement, *values)
        yield


@of_many_shards
@pytest.mark.parametrize(
    "rows",
    [
        "SELECT 1 FROM delivery_queue WHERE organization_id = $1 LIMIT 1 FOR UPDATE",
        "SELECT 1 FROM webhook_leases WHERE organization_id = $1 FOR UPDATE",
    ],
    ids=["delivery", "lease"],
)
async def test_who_is_locked_keeps_nobody_else_waiting(scene: Scene, rows: str) -> None:
    leases = await own_webhooks(scene)
    now = scene.database.clock.now()
    for lease in leases:
        await happen(scene, lease.tenant, EACH)
    claimed = await claim(scene, [ClaimRequest(lease, 20) for lease in leases], now=now)
    by_tenant = {lease.tenant: lease for lease in leases}
    writer = OutcomeWriter(scene.database, lambda _: True)
    async with locking(scene, rows, leases[0].tenant.organization_id):
        tasks = {
            each.id: asyncio.create_task(writer.record(outcome(by_tenant[each.tenant], each, now)))
            for each in claimed
        }
        own = [tasks[each.id] for each in claimed if each.tenant == leases[0].tenant]
        others = [task for task in tasks.values() if task not in own]
        async with asyncio.timeout(PATIENCE):
            assert all([(await task).written for task in others])
        assert not any(task.done() for task in own)
    async with asyncio.timeout(PATIENCE):
        assert all([(await task).written for task in own])
    assert await scene.rows("SELECT 1 FROM delivery_queue") == []


@pytest.mark.parametrize("is_distributed", [pytest.param(False, marks=of_many_shards), True])
async def test_no_statement_names_two_shards_of_a_distributed_database(
    scene: Scene, *, is_distributed: bool
) -> None:
    async with receiving() as receiver:
        scene.database.is_distributed = is_distributed
        tenants = [Tenant(shard, scene.database.clock.new_id()) for shard in SHARDS]
        for tenant in tenants:
            await scene.webhooks.create(operator(tenant), receiver.url())
            await happen(scene, tenant, EACH)
        with counting_statements() as statements:
            async with scene.node():

                async def is_done() -> bool:
                    return not await scene.rows("SELECT 1 FROM delivery_queue")

                await until(is_done)
        rows = await scene.rows("SELECT DISTINCT shard, status FROM deliveries ORDER BY shard")

    assert [tuple(row) for row in rows] == [(shard, "delivered") for shard in SHARDS]
    assert any(OF_MANY_SHARDS in each for each in statements) is not is_distributed
