"""Deliveries as a queue: claimed under an epoch, given back, and their outcomes recorded.

What a claim marked `delivering` belongs to the epoch in `claim_epoch`. A later epoch takes it over;
an outcome is only written under the epoch that claimed, while that lease is held.

Of a batch, only the first delivery is claimed, as long as that has not ended: `batch_sql` has the
others.
"""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from msgspec.structs import replace

from heliograph.core.cluster.model import Lease
from heliograph.core.tenants.model import Tenant
from heliograph.core.webhooks.batch_sql import add_members
from heliograph.core.webhooks.model import ClaimedDelivery, ClaimRequest, Outcome
from heliograph.platform.database.pool import Connection, Row
from heliograph.platform.database.rows import Columns


def _array(ids: Sequence[UUID]) -> str:
    """Write ids as an array literal: an array of arrays must be rectangular."""
    return "{" + ",".join(map(str, ids)) + "}"


_ASKING = Columns(
    "organization_id uuid, webhook_id uuid, epoch bigint, room integer, busy text, known text",
    first=3,
    alias="asking",
    organization_id="lease.tenant.organization_id",
    webhook_id="lease.resource_id",
    epoch="lease.epoch",
    busy=lambda request: _array(request.busy),
    known=lambda request: None if request.known is None else _array(request.known),
)
# Not a later delivery of a batch, unless the first has ended without it, as when a webhook was
# being deleted. A scalar look-up: the planner would read the whole table once for EXISTS.
_CLAIMABLE = """(f.batch_id IS NULL OR f.batch_id = f.id OR coalesce((
                      SELECT h.status NOT IN ('pending', 'delivering') FROM deliveries AS h
                      WHERE h.shard = $1 AND h.organization_id = f.organization_id
                        AND h.id = f.batch_id
                  ), true))"""
_ASKED_BY_OWNERS = _ASKING.fill("""SELECT asking.*
            FROM {asking}
            JOIN webhook_leases AS l
              ON l.shard = $1 AND l.organization_id = asking.organization_id
             AND l.webhook_id = asking.webhook_id AND l.epoch = asking.epoch
            JOIN webhooks AS w
              ON w.shard = $1 AND w.organization_id = asking.organization_id
             AND w.id = asking.webhook_id""")
# What an epoch that is over has left, and where a claim is in doubt, what nobody holds.
_LEFT_OVER = """status = 'delivering' AND claim_epoch <= wanted.epoch
                  AND (claim_epoch < wanted.epoch OR id <> ALL(wanted.known::uuid[]))"""
_CLAIM = (
    """
    UPDATE deliveries AS d
    SET status = 'delivering', updated_at = $2,
        batch_id = CASE WHEN d.batch_id = d.id THEN d.batch_id END,
        claim_epoch = ($5::bigint[])[array_position($4::uuid[], d.webhook_id)]
    WHERE d.shard = $1 AND d.ctid = ANY(ARRAY(
        SELECT found.place FROM (
            {asked_by_owners} AND w.enabled
            OFFSET 0
        ) AS wanted
        CROSS JOIN LATERAL (
            SELECT place FROM (
                SELECT ctid AS place FROM deliveries AS f
                WHERE shard = $1 AND organization_id = wanted.organization_id
                  AND webhook_id = wanted.webhook_id AND {left_over} AND {claimable}
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
""".replace("{asked_by_owners}", _ASKED_BY_OWNERS)
    .replace("{left_over}", _LEFT_OVER)
    .replace("{claimable}", _CLAIMABLE)
)
# The same, where the webhook is disabled: no claim would return what is left over.
_PUT_BACK = """
    UPDATE deliveries AS d SET status = 'pending', updated_at = $2
    WHERE d.shard = $1 AND d.ctid = ANY(ARRAY(
        SELECT found.place FROM (
            {asked_by_owners} AND NOT w.enabled
            OFFSET 0
        ) AS wanted
        CROSS JOIN LATERAL (
            SELECT ctid AS place FROM deliveries
            WHERE shard = $1 AND organization_id = wanted.organization_id
              AND webhook_id = wanted.webhook_id AND {left_over}
            FOR UPDATE SKIP LOCKED
        ) AS found
    ))
""".replace("{asked_by_owners}", _ASKED_BY_OWNERS).replace("{left_over}", _LEFT_OVER)

_WANTED = Columns("organization_id uuid, webhook_id uuid, event_id uuid", alias="wanted")
_LIST_PAYLOADS = _WANTED.fill("""
    SELECT e.id, e.payload, wanted.webhook_id, w.updated_at
    FROM {wanted}
    CROSS JOIN LATERAL (
        SELECT id, payload FROM events
        WHERE shard = $1 AND organization_id = wanted.organization_id AND id = wanted.event_id
        LIMIT 1
    ) AS e
    LEFT JOIN LATERAL (
        SELECT updated_at FROM webhooks
        WHERE shard = $1 AND organization_id = wanted.organization_id AND id = wanted.webhook_id
        LIMIT 1
    ) AS w ON true
""")


async def claim_deliveries(
    connection: Connection, shard: int, requests: Sequence[ClaimRequest], now: datetime
) -> list[ClaimedDelivery]:
    """Claim what is due for these enabled webhooks of one shard, by `seq`.

    One statement, and one that reads the payloads when there were any. What earlier epochs left is
    taken over whole, so that order survives a take-over, or put back where the webhook is disabled.
    An epoch that is over takes nothing: its node may have stood still, or been without a database,
    since it asked. The statements leave the planner no choice that old statistics could spoil: what
    is due is found once, rows are addressed by their place, payloads one by one.
    """
    in_doubt = [request for request in requests if request.known is not None]
    if in_doubt:
        await connection.execute(_PUT_BACK, shard, now, *_ASKING.of(in_doubt))
    rows = await connection.fetch(_CLAIM, shard, now, *_ASKING.of(requests))
    if not rows:
        return []
    contents = await _list_contents(connection, shard, rows)
    found = [
        _claimed(shard, row, content)
        for row in rows
        if (content := contents.get((row["webhook_id"], row["event_id"])))
    ]
    firsts = {row["id"] for row in rows if row["batch_id"] is not None}
    if firsts:
        found = await add_members(connection, shard, found, firsts)
    return sorted(found, key=lambda delivery: delivery.seq)


async def _list_contents(
    connection: Connection, shard: int, claimed: Sequence[Row]
) -> dict[tuple[UUID, UUID], Row]:
    """List payloads and the states of webhooks, by webhook and event."""
    wanted = {(row["organization_id"], row["webhook_id"], row["event_id"]) for row in claimed}
    rows = await connection.fetch(_LIST_PAYLOADS, shard, *_WANTED.transpose(wanted))
    return {(row["webhook_id"], row["id"]): row for row in rows}


def _claimed(shard: int, row: Row, content: Row) -> ClaimedDelivery:
    return ClaimedDelivery(
        tenant=Tenant(shard, row["organization_id"]),
        id=row["id"],
        seq=row["seq"],
        webhook_id=row["webhook_id"],
        event_id=row["event_id"],
        order_key=row["order_key"],
        attempt_count=row["attempt_count"],
        payload=content["payload"],
        webhook_updated_at=content["updated_at"],
    )


RELEASE_DELIVERIES = """
UPDATE deliveries AS d SET status = 'pending', updated_at = $6
WHERE d.shard = $1 AND d.organization_id = $2 AND d.id = ANY(ARRAY(
    SELECT id FROM deliveries
    WHERE shard = $1 AND organization_id = $2 AND webhook_id = $3
      AND status = 'delivering' AND claim_epoch = $4 AND id = ANY($5::uuid[])
    ORDER BY seq FOR NO KEY UPDATE
))
"""


async def release_deliveries(
    connection: Connection, lease: Lease, delivery_ids: Sequence[UUID], now: datetime
) -> None:
    """Give back what was claimed under this lease's epoch and not begun."""
    await connection.execute(
        RELEASE_DELIVERIES, *lease.tenant, lease.resource_id, lease.epoch, list(delivery_ids), now
    )


_HELD = Columns(
    "organization_id uuid, webhook_id uuid, node_id uuid, epoch bigint",
    alias="mine",
    organization_id="tenant.organization_id",
    webhook_id="resource_id",
)
_OUTCOMES = Columns(
    "organization_id uuid, webhook_id uuid, id uuid, status text, number integer,"
    " next_attempt_at timestamptz, response_code integer, error_message text, webhook_url text,"
    " started_at timestamptz, ended_at timestamptz, duration_ms integer, response_body text,"
    " address text",
    first=6,
    alias="o",
    organization_id="lease.tenant.organization_id",
    webhook_id="lease.resource_id",
    id="delivery_id",
    status="status.value",
)
_RECORD = _HELD.fill(
    _OUTCOMES.fill("""
    WITH held AS (
        SELECT l.webhook_id, l.epoch, w.failing_since
        FROM {mine}
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
        FROM {o}
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
        WHERE batch_id IS NULL OR batch_id = id -- a batch's are kept once, for its first
        ON CONFLICT (shard, organization_id, delivery_id, number) DO NOTHING
    )
    SELECT id, failing_since FROM written
""")
)
# Not `status = 'delivering'`: with that the index of what is claimed looks as good as the key.


async def record_outcomes(
    connection: Connection, shard: int, outcomes: Sequence[Outcome]
) -> dict[UUID, datetime | None]:
    """Write outcomes and attempts, of the leases that are still held: one statement.

    The leases stay locked until the transaction ends. Returns what was written: by delivery, its
    webhook's `failing_since`. What another epoch has claimed, or was canceled, is left alone.
    """
    if not outcomes:
        return {}
    leases = list({outcome.lease.resource_id: outcome.lease for outcome in outcomes}.values())
    each = [single for outcome in outcomes for single in _of_each(outcome)]
    rows = await connection.fetch(_RECORD, shard, *_HELD.of(leases), *_OUTCOMES.of(each))
    return {row["id"]: row["failing_since"] for row in rows}


def _of_each(outcome: Outcome) -> Sequence[Outcome]:
    """The outcome of each delivery of a batch: all are written by one statement, or none."""
    if not outcome.members:
        return (outcome,)
    return [replace(outcome, delivery_id=delivery_id) for delivery_id in outcome.members]


CANCEL_EXPIRED_DELIVERIES = """
UPDATE deliveries AS d SET status = 'canceled', next_attempt_at = NULL, updated_at = $3
WHERE d.shard = $1 AND d.ctid = ANY(ARRAY(
    SELECT found.place FROM (
        SELECT organization_id, id FROM webhooks
        WHERE shard = $1 AND NOT enabled AND disabled_at < $2
        OFFSET 0
    ) AS w
    CROSS JOIN LATERAL (
        SELECT place FROM (
            SELECT ctid AS place FROM deliveries
            WHERE shard = $1 AND organization_id = w.organization_id
              AND webhook_id = w.id AND status = 'pending' AND next_attempt_at IS NULL
            ORDER BY seq LIMIT $4 FOR UPDATE SKIP LOCKED
        ) AS firsts
        UNION ALL
        SELECT place FROM (
            SELECT ctid AS place FROM deliveries
            WHERE shard = $1 AND organization_id = w.organization_id
              AND webhook_id = w.id AND status = 'pending' AND next_attempt_at IS NOT NULL
            ORDER BY next_attempt_at LIMIT $4 FOR UPDATE SKIP LOCKED
        ) AS retries
    ) AS found
    LIMIT $4
))
RETURNING 1
"""


async def cancel_expired_deliveries(
    connection: Connection, shard: int, disabled_before: datetime, now: datetime, limit: int
) -> int:
    """Cancel at most `limit` deliveries of webhooks that have been disabled for that long."""
    rows = await connection.fetch(CANCEL_EXPIRED_DELIVERIES, shard, disabled_before, now, limit)
    return len(rows)
