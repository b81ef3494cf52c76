"""The queue of deliveries becomes a table of its own while nodes of the release before are at work.

Their statements, as they ran them, go on against `deliveries` alone: during the revision that
expands the schema, and beside nodes of this release after it.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import pytest

from heliograph.core.cluster.model import Lease
from heliograph.core.tenants.model import Tenant
from heliograph.core.webhooks.model import (
    ClaimedDelivery,
    ClaimRequest,
    DeliveryStatus,
    NewDelivery,
    Outcome,
)
from heliograph.core.webhooks.posting.outcomes_sql import record_outcomes
from heliograph.core.webhooks.queue.sql import claim_deliveries, insert_deliveries
from heliograph.platform.database.pool import Database
from schema_revisions import BEFORE, CONTRACTED, EXPANDED, migrate_to

WAITING = 4_000
TENANT = Tenant(5, uuid4())
HOOKS = [uuid4() for _ in range(3)]
EARLIER_NODE, NODE = uuid4(), uuid4()
URL = "https://example.com/hook"
AttemptsOf = Counter[UUID]

WEBHOOK = """
INSERT INTO webhooks (
    shard, organization_id, id, url, description, events, secret, enabled, created_at, updated_at
) VALUES ($1, $2, $3, $4, '', '{*}', '', true, now(), now())
"""
LEASE = """
INSERT INTO webhook_leases (shard, organization_id, webhook_id, node_id, epoch)
VALUES ($1, $2, $3, $4, 2)
"""
EVENT = """
INSERT INTO events (shard, organization_id, id, type, payload, created_at)
VALUES ($1, $2, $3, 'message.sent', '{}', now())
"""
UNDER_WAY = """
INSERT INTO deliveries (
    shard, organization_id, id, webhook_id, webhook_url, event_id, event_type, order_key, status,
    retry_count, attempt_count, next_attempt_at, claim_epoch, created_at, updated_at
)
SELECT $1, $2, gen_random_uuid(), $3, $4, $5, 'message.sent', gen_random_uuid(), $6, 0, $7,
    CASE WHEN $6 = 'pending' AND $7 > 0 THEN now() END,
    CASE $6 WHEN 'delivering' THEN $8::bigint END, now(), now()
FROM generate_series(1, $9::int)
"""

# --- as nodes of the release before ran them ------------------------------------------------------

INSERT = """
    INSERT INTO deliveries (shard, status, retry_count, attempt_count, organization_id, id,
        webhook_id, webhook_url, event_id, event_type, order_key, created_at, updated_at)
    SELECT $1, 'pending', 0, 0, k.organization_id, k.id, k.webhook_id, k.webhook_url, k.event_id,
        k.event_type, k.order_key, k.created_at, k.updated_at
    FROM unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::uuid[], $7::text[], $8::uuid[],
        $9::timestamptz[], $10::timestamptz[]) WITH ORDINALITY AS k (organization_id, id,
        webhook_id, webhook_url, event_id, event_type, order_key, created_at, updated_at, position)
    ORDER BY k.position
    ON CONFLICT (shard, organization_id, id) DO NOTHING
    RETURNING organization_id
"""
_CLAIMABLE = """(f.batch_id IS NULL OR f.batch_id = f.id OR coalesce((
                      SELECT h.status NOT IN ('pending', 'delivering') FROM deliveries AS h
                      WHERE h.shard = $1 AND h.organization_id = f.organization_id
                        AND h.id = f.batch_id
                  ), true))"""
CLAIM = """
    UPDATE deliveries AS d
    SET status = 'delivering', updated_at = $2,
        batch_id = CASE WHEN d.batch_id = d.id THEN d.batch_id END,
        claim_epoch = ($5::bigint[])[array_position($4::uuid[], d.webhook_id)]
    WHERE d.shard = $1 AND d.ctid = ANY(ARRAY(
        SELECT found.place FROM (
            SELECT asking.*
            FROM unnest($3::uuid[], $4::uuid[], $5::bigint[], $6::integer[], $7::text[], $8::text[])
                AS asking (organization_id, webhook_id, epoch, room, busy, known)
            JOIN webhook_leases AS l
              ON l.shard = $1 AND l.organization_id = asking.organization_id
             AND l.webhook_id = asking.webhook_id AND l.epoch = asking.epoch
            JOIN webhooks AS w
              ON w.shard = $1 AND w.organization_id = asking.organization_id
             AND w.id = asking.webhook_id AND w.enabled
            OFFSET 0
        ) AS wanted
        CROSS JOIN LATERAL (
            SELECT place FROM (
                SELECT ctid AS place FROM deliveries AS f
                WHERE shard = $1 AND organization_id = wanted.organization_id
                  AND webhook_id = wanted.webhook_id AND status = 'delivering'
                  AND claim_epoch <= wanted.epoch
                  AND (claim_epoch < wanted.epoch OR id <> ALL(wanted.known::uuid[]))
                  AND {claimable}
                FOR UPDATE SKIP LOCKED
            ) AS left_over
            UNION ALL
            SELECT place FROM (
                SELECT ctid AS place FROM deliveries AS f
                WHERE shard = $1 AND organization_id = wanted.organization_id
                  AND webhook_id = wanted.webhook_id AND status = 'pending'
                  AND next_attempt_at IS NULL AND {claimable}
                  AND (order_key <> ALL(wanted.busy::uuid[]) OR batch_id IS NOT NULL)
                ORDER BY seq LIMIT wanted.room FOR UPDATE SKIP LOCKED
            ) AS firsts
            UNION ALL
            SELECT place FROM (
                SELECT ctid AS place FROM deliveries AS f
                WHERE shard = $1 AND organization_id = wanted.organization_id
                  AND webhook_id = wanted.webhook_id AND status = 'pending'
                  AND next_attempt_at <= $2 AND {claimable}
                ORDER BY next_attempt_at LIMIT wanted.room FOR UPDATE SKIP LOCKED
            ) AS retries
        ) AS found
    ))
    RETURNING d.organization_id, d.id, d.seq, d.webhook_id, d.event_id, d.order_key,
              d.attempt_count, d.batch_id
""".replace("{claimable}", _CLAIMABLE)
RECORD = """
    WITH held AS (
        SELECT l.webhook_id, l.epoch, w.failing_since
        FROM unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::bigint[])
            AS mine (organization_id, webhook_id, node_id, epoch)
        JOIN webhook_leases AS l
          ON l.shard = $1 AND l.organization_id = mine.organization_id
         AND l.webhook_id = mine.webhook_id
         AND l.node_id = mine.node_id AND l.epoch = mine.epoch
        JOIN webhooks AS w
          ON w.shard = $1 AND w.organization_id = mine.organization_id AND w.id = mine.webhook_id
        ORDER BY l.organization_id, l.webhook_id
        FOR SHARE OF l
    ), outcomes AS (
        SELECT o.*, held.epoch, held.failing_since
        FROM unnest($6::uuid[], $7::uuid[], $8::uuid[], $9::text[], $10::integer[],
                $11::timestamptz[], $12::integer[], $13::text[], $14::text[], $15::timestamptz[],
                $16::timestamptz[], $17::integer[], $18::text[], $19::text[])
            AS o (organization_id, webhook_id, id, status, number, next_attempt_at, response_code,
                error_message, webhook_url, started_at, ended_at, duration_ms, response_body,
                address)
        JOIN held ON held.webhook_id = o.webhook_id
    ), written AS (
        UPDATE deliveries AS d
        SET status = o.status, attempt_count = o.number, retry_count = o.number - 1,
            next_attempt_at = o.next_attempt_at, response_code = o.response_code,
            error_message = o.error_message, webhook_url = o.webhook_url,
            updated_at = o.ended_at,
            delivered_at = CASE WHEN o.status = 'delivered' THEN o.ended_at END
        FROM outcomes AS o
        WHERE d.shard = $1 AND d.organization_id = o.organization_id AND d.id = o.id
          AND d.status NOT IN ('pending', 'canceled') AND d.claim_epoch = o.epoch
          AND d.attempt_count = o.number - 1
        RETURNING o.*, d.batch_id
    ), attempts AS (
        INSERT INTO delivery_attempts (
            shard, organization_id, delivery_id, number, started_at, duration_ms, response_code,
            response_body, error_message, address
        )
        SELECT $1, organization_id, id, number, started_at, duration_ms, response_code,
            response_body, error_message, address
        FROM written
        WHERE batch_id IS NULL OR batch_id = id
        ON CONFLICT (shard, organization_id, delivery_id, number) DO NOTHING
    )
    SELECT id, failing_since FROM written
"""
CANCEL = """
    UPDATE deliveries AS d SET status = 'canceled', next_attempt_at = NULL, updated_at = $4
    WHERE d.shard = $1 AND d.organization_id = $2 AND d.id = ANY(ARRAY(
        SELECT id FROM (
            SELECT id FROM deliveries
            WHERE shard = $1 AND organization_id = $2 AND webhook_id = $3 AND status = 'pending'
              AND next_attempt_at IS NULL
            ORDER BY seq LIMIT $5 FOR UPDATE SKIP LOCKED
        ) AS firsts
        LIMIT $5
    ))
    RETURNING 1
"""

# --- what must hold -------------------------------------------------------------------------------

NOT_THE_SAME = """
SELECT count(*)
FROM (SELECT * FROM deliveries WHERE status IN ('pending', 'delivering')) AS d
FULL JOIN delivery_queue AS q USING (shard, organization_id, id)
WHERE (q.seq, q.webhook_id, q.event_id, q.event_type, q.order_key, q.attempt_count,
       q.next_attempt_at)
    IS DISTINCT FROM (d.seq, d.webhook_id, d.event_id, d.event_type, d.order_key, d.attempt_count,
       d.next_attempt_at)
"""
COUNT_BY_STATUS = "SELECT status, count(*) FROM deliveries GROUP BY status"
TAKE_OVER = "UPDATE webhook_leases SET node_id = $2, epoch = epoch + 1 WHERE webhook_id = $1"
INDEXES = """
SELECT count(*) FROM pg_class
WHERE relname IN ('deliveries_first', 'deliveries_retry', 'deliveries_claimed')
"""


class EarlierNode:
    """Does with a webhook's deliveries what chance wants, until it is told to stop or has lost its
    lease. `delivered` counts outcomes that were written."""

    def __init__(self, url: str, webhook_id: UUID, seed: int, delivered: AttemptsOf) -> None:
        self._url = url
        self._webhook_id = webhook_id
        self._random = Random(seed)  # noqa: S311 - keeps no secret
        self._delivered = delivered
        self._event_id = uuid4()
        self.acts = 0

    async def work(self, over: asyncio.Event) -> None:
        connection = await asyncpg.connect(self._url)
        await connection.execute(EVENT, *TENANT, self._event_id)
        while not over.is_set():
            # A cancelation locks the delivery before its row in the queue, an outcome of this
            # release after it. Nodes repeat what ends in a deadlock.
            with suppress(asyncpg.DeadlockDetectedError):
                await self._act(connection)
            self.acts += 1
        await connection.close()

    async def _act(self, connection: "asyncpg.Connection[asyncpg.Record]") -> None:
        what = self._random.randint(0, 7)
        now = datetime.now(UTC)
        if what == 0:
            await self._insert(connection, now)
        elif what == 1:
            await connection.fetch(CANCEL, *TENANT, self._webhook_id, now, 2)
        else:
            claimed = await connection.fetch(
                *(CLAIM, TENANT.shard, now, [TENANT.organization_id], [self._webhook_id]),
                *([2], [20], ["{}"], [None]),
            )
            await self._record(connection, claimed[: self._random.randint(0, 20)], now)

    async def _insert(
        self, connection: "asyncpg.Connection[asyncpg.Record]", now: datetime
    ) -> None:
        size = 10
        await connection.fetch(
            *(INSERT, TENANT.shard, [TENANT.organization_id] * size),
            *([uuid4() for _ in range(size)], [self._webhook_id] * size, [URL] * size),
            *([self._event_id] * size, ["message.sent"] * size, [uuid4() for _ in range(size)]),
            *([now] * size, [now] * size),
        )

    async def _record(
        self,
        connection: "asyncpg.Connection[asyncpg.Record]",
        claimed: Sequence[asyncpg.Record],
        now: datetime,
    ) -> None:
        """Half of them were delivered; the others are tried again, now or much later."""
        size = len(claimed)
        is_over = [self._random.random() < 0.5 for _ in claimed]
        again = [now, now + timedelta(hours=1)]
        written = await connection.fetch(
            *(RECORD, TENANT.shard, [TENANT.organization_id], [self._webhook_id], [EARLIER_NODE]),
            *([2], [TENANT.organization_id] * size, [self._webhook_id] * size),
            *([row["id"] for row in claimed], [_status(over).value for over in is_over]),
            [row["attempt_count"] + 1 for row in claimed],
            [None if over else self._random.choice(again) for over in is_over],
            *([200 if over else 500 for over in is_over], [None] * size, [URL] * size),
            *([now] * size, [now] * size, [1] * size, [None] * size, [None] * size),
        )
        ended = {row["id"] for row, over in zip(claimed, is_over, strict=True) if over}
        self._delivered.update(row["id"] for row in written if row["id"] in ended)


def _status(is_over: bool) -> DeliveryStatus:
    return DeliveryStatus.DELIVERED if is_over else DeliveryStatus.PENDING


class Node:
    """This release: claims what is due for the webhooks that it has taken over, and delivers it."""

    def __init__(self, database: Database, delivered: AttemptsOf) -> None:
        self._database = database
        self._delivered = delivered

    async def take_over(self, webhook_id: UUID) -> Lease:
        await self._database.pool.execute(TAKE_OVER, webhook_id, NODE)
        return Lease(TENANT, webhook_id, NODE, 3)

    async def queue(self, webhook_id: UUID, event_id: UUID, count: int) -> None:
        now = datetime.now(UTC)
        made: list[Any] = [
            NewDelivery(
                tenant=TENANT,
                id=uuid4(),
                webhook_id=webhook_id,
                event_id=event_id,
                event_type="message.sent",
                order_key=uuid4(),
                created_at=now,
            )
            for _ in range(count)
        ]
        await self._database.transact(insert_deliveries, made)

    async def deliver(self, lease: Lease) -> int:
        """Deliver what is due, retries of any time included; return how many that were."""
        later = datetime.now(UTC) + timedelta(days=1)
        claimed: list[ClaimedDelivery] = await self._database.transact(
            claim_deliveries, TENANT.shard, [ClaimRequest(lease, room=100)], later
        )
        outcomes = [_delivered(lease, each) for each in claimed]
        written = await self._database.transact(record_outcomes, TENANT.shard, outcomes)
        self._delivered.update(list(written))
        return len(claimed)


def _delivered(lease: Lease, delivery: ClaimedDelivery) -> Outcome:
    now = datetime.now(UTC)
    return Outcome(
        lease=lease,
        delivery=delivery,
        webhook_url=URL,
        number=delivery.attempt_count + 1,
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


@asynccontextmanager
async def earlier_nodes_at_work(
    url: str, delivered: AttemptsOf
) -> AsyncIterator[list[EarlierNode]]:
    over = asyncio.Event()
    nodes = [EarlierNode(url, hook, seed, delivered) for seed, hook in enumerate(HOOKS)]
    async with asyncio.TaskGroup() as group:
        for node in nodes:
            group.create_task(node.work(over))
        yield nodes
        over.set()


async def until_busy(nodes: Sequence[EarlierNode]) -> None:
    before = [node.acts for node in nodes]
    async with asyncio.timeout(60):
        while any(  # noqa: ASYNC110 - nobody tells
            node.acts < known + 15 for node, known in zip(nodes, before, strict=True)
        ):
            await asyncio.sleep(0.01)


async def set_under_way(connection: "asyncpg.Connection[asyncpg.Record]") -> None:
    """Deliveries in every status: never attempted, tried again, and claimed, also by an owner that
    died."""
    event_id = uuid4()
    await connection.execute(EVENT, *TENANT, event_id)
    for hook in HOOKS:
        await connection.execute(WEBHOOK, *TENANT, hook, URL)
        await connection.execute(LEASE, *TENANT, hook, EARLIER_NODE)
        for status, attempts, epoch, rows in (
            ("pending", 0, 0, WAITING),
            ("pending", 2, 0, 100),
            ("delivering", 0, 2, 20),
            ("delivering", 1, 1, 20),
            ("delivered", 1, 0, 100),
        ):
            await connection.execute(
                UNDER_WAY, *TENANT, hook, URL, event_id, status, attempts, epoch, rows
            )


@pytest.mark.timeout(300)
async def test_nothing_is_lost_or_delivered_twice_on_the_way(empty_database_url: str) -> None:
    url, delivered = empty_database_url, AttemptsOf()
    await migrate_to(url, BEFORE)
    connection = await asyncpg.connect(url)
    await set_under_way(connection)
    async with earlier_nodes_at_work(url, delivered) as earlier:
        await until_busy(earlier)
        await migrate_to(url, EXPANDED)
        await until_busy(earlier)
        database = await Database.open(url)
        node = Node(database, delivered)
        lease = await node.take_over(HOOKS[0])
        for hook in HOOKS:  # any node may queue for any webhook
            await node.queue(hook, await connection.fetchval("SELECT id FROM events LIMIT 1"), 200)
        for _ in range(20):
            await node.deliver(lease)
        await until_busy(earlier[1:])
    assert await connection.fetchval(NOT_THE_SAME) == 0

    await migrate_to(url, CONTRACTED)
    leases = [lease, *[await node.take_over(hook) for hook in HOOKS[1:]]]
    event_id = await connection.fetchval("SELECT id FROM events LIMIT 1")
    for each in leases:
        await node.queue(each.resource_id, event_id, 50)
        while await node.deliver(each):
            pass

    assert await connection.fetchval("SELECT count(*) FROM delivery_queue") == 0
    counted = {row["status"]: row["count"] for row in await connection.fetch(COUNT_BY_STATUS)}
    assert counted.pop("canceled") > 0
    assert counted == {"delivered": len(delivered) + 100 * len(HOOKS)}
    assert set(delivered.values()) == {1}
    assert await connection.fetchval(INDEXES) == 0
    await database.close()
    await connection.close()
