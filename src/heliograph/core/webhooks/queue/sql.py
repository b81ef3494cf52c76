"""The table `delivery_queue`: deliveries to be attempted now or later.

A claim writes nothing: the lease on the webhook keeps other nodes away, and deliveries that the
owner holds in memory are claimed again by the next owner. The transaction that ends a delivery
deletes its row, which decides between an outcome and a cancelation.

The first attempts of a webhook are scanned from its floor on (`platform.database.floors`): no row
returns to them with an old `seq`, since a delivery that has been attempted has a `next_attempt_at`.

Of a batch, only the first delivery is claimed, until it has ended, and the others come with it.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from msgspec.structs import replace

from heliograph.core.cluster.counter_rounds_sql import ASK_ROUND, STRIPES
from heliograph.core.events.payload_sql import unpack
from heliograph.core.tenants.insertion import insertion
from heliograph.core.tenants.model import Tenant
from heliograph.core.tenants.rows import (
    ROW_KEYS,
    RowWrite,
    Shards,
    shards_of,
    statement,
    tenant_columns,
    tenant_of,
)
from heliograph.core.tenants.together import write_together
from heliograph.core.webhooks.model import ClaimedDelivery, ClaimRequest, NewDelivery
from heliograph.platform.database.horizon import Numbering
from heliograph.platform.database.pool import Connection, Row
from heliograph.platform.database.rows import Columns

QUEUED = Numbering("delivery_queue_seq_seq", ("delivery_queue",))

QUEUE = insertion(
    """
INSERT INTO delivery_queue (shard, {names})
SELECT {shard}, {values} FROM {rows_in_order} ORDER BY k.position
""",
    tenant_columns(
        "id uuid, webhook_id uuid, event_id uuid, event_type text, order_key uuid,"
        " created_at timestamptz, trace_context text"
    ),
)
COUNT = insertion(
    """
INSERT INTO delivery_counts AS c (shard, stripe, {names})
SELECT {shard}, $2 + 16 * {asked}, {values} FROM {rows} ORDER BY k.organization_id
ON CONFLICT (shard, organization_id, stripe) DO UPDATE SET n = c.n + excluded.n
""",
    Columns("organization_id uuid, n bigint", first=3),
    asked=ASK_ROUND,
)


async def insert_deliveries(connection: Connection, deliveries: Sequence[NewDelivery]) -> None:
    """Queue deliveries, in the given order, and count them.

    Must be called in a transaction. The ids must be new: a caller that may be repeated with the
    same ids checks first (`list_made`).
    """
    if deliveries:
        shards = shards_of(delivery.tenant for delivery in deliveries)
        await write_together(connection, shards, writes_of_deliveries(deliveries))


def writes_of_deliveries(deliveries: Sequence[NewDelivery]) -> list[RowWrite]:
    """List the writes that queue and count deliveries, as `insert_deliveries` does."""
    if not deliveries:
        return []
    counts = Counter(delivery.tenant.organization_id for delivery in deliveries)
    stripe = deliveries[0].id.int % STRIPES
    return [QUEUE.write(deliveries), COUNT.write_rows(counts.items(), stripe)]


LIST_QUEUED = """
SELECT id FROM delivery_queue WHERE shard = $1 AND organization_id = $2 AND id = ANY($3::uuid[])
UNION ALL
SELECT id FROM deliveries WHERE shard = $1 AND organization_id = $2 AND id = ANY($3::uuid[])
"""


async def list_made(
    connection: Connection, tenant: Tenant, delivery_ids: Sequence[UUID]
) -> set[UUID]:
    """Return the ids of those deliveries that exist already, ended or not."""
    rows = await connection.fetch(LIST_QUEUED, *tenant, list(delivery_ids))
    return {row["id"] for row in rows}


# --- claiming -------------------------------------------------------------------------------------


def claimed_of(
    row: Row, payload: bytes = b"", webhook_updated_at: datetime | None = None
) -> ClaimedDelivery:
    """Build a claimed delivery from a row of the queue, and from its body and its webhook's
    state."""
    return ClaimedDelivery(
        tenant=tenant_of(row),
        id=row["id"],
        seq=row["seq"],
        webhook_id=row["webhook_id"],
        event_id=row["event_id"],
        event_type=row["event_type"],
        order_key=row["order_key"],
        created_at=row["created_at"],
        attempt_count=row["attempt_count"],
        is_recorded=row["recorded"],
        payload=payload,
        webhook_updated_at=webhook_updated_at,
        trace_context=row["trace_context"],
    )


# Sub-selects with OFFSET keep the planner from making this a join that reads the whole table.
LIST_MEMBERS = statement(
    """
SELECT member.*
FROM {rows}
CROSS JOIN LATERAL (
    SELECT shard, organization_id, id, seq, webhook_id, event_id, event_type, order_key, created_at,
        attempt_count, delivery_batch_id, recorded, trace_context
    FROM delivery_queue
    WHERE shard = {shard} AND organization_id = k.organization_id AND delivery_batch_id = k.id
    OFFSET 0
) AS member
ORDER BY member.seq
""",
    ROW_KEYS,
)


async def _add_members(
    connection: Connection,
    shards: Shards,
    claimed: Sequence[ClaimedDelivery],
    firsts: Sequence[tuple[UUID, UUID]],
) -> list[ClaimedDelivery]:
    """Return the claimed deliveries, with the members of the batches that begin with `firsts`,
    given by (organization id, id)."""
    wanted = {id_ for _, id_ in firsts}
    rows = await connection.fetch(*LIST_MEMBERS.transpose(shards, firsts))
    members: defaultdict[UUID, list[ClaimedDelivery]] = defaultdict(list)
    for row in rows:
        members[row["delivery_batch_id"]].append(claimed_of(row))
    # a batch without members was canceled after it was claimed
    return [
        replace(each, payload=b"", members=tuple(members[each.id])) if each.id in wanted else each
        for each in claimed
        if each.id not in wanted or each.id in members
    ]


def _array(numbers: Sequence[object]) -> str:
    """Write an array literal: an array of arrays must be rectangular."""
    return "{" + ",".join(map(str, numbers)) + "}"


_ASKING = Columns(
    "organization_id uuid, webhook_id uuid, epoch bigint, room integer, floor bigint,"
    " server timestamptz, busy text, held text",
    first=3,
    alias="asking",
    organization_id="lease.tenant.organization_id",
    webhook_id="lease.resource_id",
    epoch="lease.epoch",
    floor="floor.seq",
    server="floor.server",
    busy=lambda request: _array(request.busy),
    held=lambda request: _array(request.held),
)
# Excludes later deliveries of a batch, unless the first has ended without them, as when a webhook
# was being deleted. A scalar look-up, since the planner would read the whole table once for EXISTS.
_CLAIMABLE = """(q.delivery_batch_id IS NULL OR q.delivery_batch_id = q.id OR (
                  SELECT h.id FROM delivery_queue AS h
                  WHERE h.shard = {wanted} AND h.organization_id = q.organization_id
                    AND h.id = q.delivery_batch_id
              ) IS NULL)"""
# Arrays are parsed once for each webhook, not for each row. Sub-selects with LIMIT keep the planner
# from turning these look-ups into joins that read whole tables if it has no statistics.
CLAIM = statement(
    """
SELECT due.shard, wanted.organization_id, wanted.webhook_id, wanted.updated_at, due.id, due.seq,
    due.event_id, due.event_type, due.order_key, due.created_at, due.attempt_count,
    due.delivery_batch_id, due.recorded, due.trace_context, e.payload
FROM (
    SELECT {shard}::integer AS shard, asking.organization_id, asking.webhook_id, asking.room,
        asking.floor, asking.server, asking.held::bigint[] AS held,
        asking.busy::uuid[] AS busy, w.updated_at
    FROM {asking}
    JOIN webhook_leases AS l
      ON l.shard = {shard} AND l.organization_id = asking.organization_id
     AND l.webhook_id = asking.webhook_id AND l.epoch = asking.epoch
    JOIN webhooks AS w
      ON w.shard = {shard} AND w.organization_id = asking.organization_id
     AND w.id = asking.webhook_id AND w.enabled
    OFFSET 0
) AS wanted
CROSS JOIN LATERAL (
    SELECT * FROM (
        SELECT * FROM delivery_queue AS q
        WHERE shard = {wanted} AND organization_id = wanted.organization_id
          AND webhook_id = wanted.webhook_id AND next_attempt_at IS NULL
          AND seq >= greatest(
              0, wanted.floor * (wanted.server = pg_postmaster_start_time())::integer
          )
          AND seq <> ALL(wanted.held) AND {claimable}
          AND (order_key <> ALL(wanted.busy) OR delivery_batch_id IS NOT NULL)
        ORDER BY seq LIMIT wanted.room
    ) AS firsts
    UNION ALL
    SELECT * FROM (
        SELECT * FROM delivery_queue AS q
        WHERE shard = {wanted} AND organization_id = wanted.organization_id
          AND webhook_id = wanted.webhook_id AND next_attempt_at <= $2
          AND seq <> ALL(wanted.held) AND {claimable}
        ORDER BY next_attempt_at LIMIT wanted.room
    ) AS retries
) AS due
CROSS JOIN LATERAL (
    SELECT payload FROM events
    WHERE shard = {wanted} AND organization_id = wanted.organization_id AND id = due.event_id
    LIMIT 1
) AS e
""".replace("{claimable}", _CLAIMABLE),
    _ASKING,
    wanted="wanted.shard",
)


async def claim_deliveries(
    connection: Connection, shards: Shards, requests: Sequence[ClaimRequest], now: datetime
) -> list[ClaimedDelivery]:
    """Return the due deliveries of these enabled webhooks that are not held yet, by `seq`.

    One statement, and another for the members of batches if there are any. Returns nothing under an
    old epoch.
    """
    rows = await connection.fetch(*CLAIM.of(shards, requests, now))
    claimed = [claimed_of(row, unpack(row["payload"]), row["updated_at"]) for row in rows]
    batches = [
        (row["organization_id"], row["id"]) for row in rows if row["delivery_batch_id"] == row["id"]
    ]
    if batches:
        claimed = await _add_members(connection, shards, claimed, batches)
    return sorted(claimed, key=lambda delivery: delivery.seq)
