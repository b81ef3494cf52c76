"""Deliveries as a queue: claimed under an epoch, given back, and their outcomes recorded.

What a claim marked `delivering` belongs to the epoch in `claim_epoch`. A later epoch takes it over;
an outcome is only written under the epoch that claimed, while that lease is held.
"""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import msgspec

from heliograph.core.cluster.model import Lease
from heliograph.core.tenants.organization import Tenant
from heliograph.core.webhooks.model import DeliveryStatus
from heliograph.platform.database.pool import Connection, Row


class ClaimRequest(msgspec.Struct, frozen=True):
    """At most `room` first attempts and as many retries of one webhook.

    `busy` are order keys of which there are enough in memory. `known` is given after a claim whose
    answer was lost: what else the epoch has claimed is then handed out again.
    """

    lease: Lease
    room: int
    busy: Sequence[UUID] = ()
    known: Sequence[UUID] | None = None


class ClaimedDelivery(msgspec.Struct, frozen=True):
    """A delivery to attempt now. `attempt_count` attempts came before; `payload` is the body.

    `webhook_updated_at` tells whether what is known of the webhook is still true.
    """

    tenant: Tenant
    id: UUID
    seq: int
    webhook_id: UUID
    event_id: UUID
    order_key: UUID
    attempt_count: int
    payload: bytes
    webhook_updated_at: datetime | None = None


class Outcome(msgspec.Struct, frozen=True):
    """One attempt that has ended, and what follows from it for its delivery.

    `number` counts from 1. `next_attempt_at` is set when `status` is pending.
    """

    lease: Lease
    delivery_id: UUID
    webhook_url: str
    number: int
    started_at: datetime
    ended_at: datetime
    duration_ms: int
    status: DeliveryStatus
    next_attempt_at: datetime | None
    response_code: int | None
    response_body: str | None
    error_message: str | None
    address: str | None


_CLAIM = """
    UPDATE deliveries AS d
    SET status = 'delivering', updated_at = $2,
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
                SELECT ctid AS place FROM deliveries
                WHERE shard = $1 AND organization_id = wanted.organization_id
                  AND webhook_id = wanted.webhook_id AND status = 'delivering'
                  AND claim_epoch <= wanted.epoch
                  AND (claim_epoch < wanted.epoch OR id <> ALL(wanted.known::uuid[]))
                FOR UPDATE SKIP LOCKED
            ) AS left_over
            UNION ALL
            SELECT place FROM (
                SELECT ctid AS place FROM deliveries
                WHERE shard = $1 AND organization_id = wanted.organization_id
                  AND webhook_id = wanted.webhook_id AND status = 'pending'
                  AND next_attempt_at IS NULL AND order_key <> ALL(wanted.busy::uuid[])
                ORDER BY seq LIMIT wanted.room FOR UPDATE SKIP LOCKED
            ) AS firsts
            UNION ALL
            SELECT place FROM (
                SELECT ctid AS place FROM deliveries
                WHERE shard = $1 AND organization_id = wanted.organization_id
                  AND webhook_id = wanted.webhook_id AND status = 'pending'
                  AND next_attempt_at <= $2
                ORDER BY next_attempt_at LIMIT wanted.room FOR UPDATE SKIP LOCKED
            ) AS retries
        ) AS found
    ))
    RETURNING d.organization_id, d.id, d.seq, d.webhook_id, d.event_id, d.order_key,
              d.attempt_count
"""

_LIST_PAYLOADS = """
    SELECT e.id, e.payload, wanted.webhook_id, w.updated_at
    FROM unnest($2::uuid[], $3::uuid[], $4::uuid[])
        AS wanted (organization_id, webhook_id, event_id)
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
"""


async def claim_deliveries(
    connection: Connection, shard: int, requests: Sequence[ClaimRequest], now: datetime
) -> list[ClaimedDelivery]:
    """Claim what is due for these enabled webhooks of one shard, by `seq`.

    One statement, and one that reads the payloads when there were any. What earlier epochs left is
    taken over whole, so that order survives a take-over. An epoch that is over takes nothing: its
    node may have stood still, or been without a database, since it asked. Both statements leave the
    planner no choice that old statistics could spoil: what is due is found once, rows are addressed
    by their place, payloads one by one.
    """
    rows = await connection.fetch(
        _CLAIM,
        shard,
        now,
        [each.lease.tenant.organization_id for each in requests],
        [each.lease.resource_id for each in requests],
        [each.lease.epoch for each in requests],
        [each.room for each in requests],
        [_array(each.busy) for each in requests],
        [None if each.known is None else _array(each.known) for each in requests],
    )
    if not rows:
        return []
    contents = await _list_contents(connection, shard, rows)
    found = [
        _claimed(shard, row, content)
        for row in rows
        if (content := contents.get((row["webhook_id"], row["event_id"])))
    ]
    return sorted(found, key=lambda each: each.seq)


async def _list_contents(
    connection: Connection, shard: int, claimed: Sequence[Row]
) -> dict[tuple[UUID, UUID], Row]:
    """Payload and state of the webhook, by webhook and event."""
    wanted = {(row["webhook_id"], row["event_id"]): row["organization_id"] for row in claimed}
    rows = await connection.fetch(
        _LIST_PAYLOADS,
        shard,
        list(wanted.values()),
        [webhook_id for webhook_id, _ in wanted],
        [event_id for _, event_id in wanted],
    )
    return {(row["webhook_id"], row["id"]): row for row in rows}


def _array(ids: Sequence[UUID]) -> str:
    """As an array literal: an array of arrays must be rectangular."""
    return "{" + ",".join(map(str, ids)) + "}"


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


async def release_deliveries(
    connection: Connection, lease: Lease, delivery_ids: Sequence[UUID], now: datetime
) -> None:
    """Give back what was claimed under this lease's epoch and not begun."""
    await connection.execute(
        """
        UPDATE deliveries AS d SET status = 'pending', updated_at = $6
        WHERE d.shard = $1 AND d.organization_id = $2 AND d.id = ANY(ARRAY(
            SELECT id FROM deliveries
            WHERE shard = $1 AND organization_id = $2 AND webhook_id = $3
              AND status = 'delivering' AND claim_epoch = $4 AND id = ANY($5::uuid[])
            ORDER BY seq FOR NO KEY UPDATE
        ))
        """,
        *lease.tenant,
        lease.resource_id,
        lease.epoch,
        list(delivery_ids),
        now,
    )


_RECORD = """
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
                    $11::timestamptz[], $12::integer[], $13::text[], $14::text[],
                    $15::timestamptz[], $16::timestamptz[], $17::integer[], $18::text[],
                    $19::text[])
            AS o (organization_id, webhook_id, id, status, number, next_attempt_at,
                  response_code, error_message, webhook_url, started_at, ended_at, duration_ms,
                  response_body, address)
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
        RETURNING o.*
    ), attempts AS (
        INSERT INTO delivery_attempts (
            shard, organization_id, delivery_id, number, started_at, duration_ms, response_code,
            response_body, error_message, address
        )
        SELECT $1, organization_id, id, number, started_at, duration_ms, response_code,
            response_body, error_message, address
        FROM written
        ON CONFLICT (shard, organization_id, delivery_id, number) DO NOTHING
    )
    SELECT id, failing_since FROM written
"""
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
    leases = list({each.lease.resource_id: each.lease for each in outcomes}.values())
    rows = await connection.fetch(
        _RECORD, shard, *_lease_columns(leases), *_outcome_columns(outcomes)
    )
    return {row["id"]: row["failing_since"] for row in rows}


def _lease_columns(leases: Sequence[Lease]) -> tuple[list[object], ...]:
    return (
        [lease.tenant.organization_id for lease in leases],
        [lease.resource_id for lease in leases],
        [lease.node_id for lease in leases],
        [lease.epoch for lease in leases],
    )


def _outcome_columns(outcomes: Sequence[Outcome]) -> tuple[list[object], ...]:
    return (
        [each.lease.tenant.organization_id for each in outcomes],
        [each.lease.resource_id for each in outcomes],
        [each.delivery_id for each in outcomes],
        [each.status.value for each in outcomes],
        [each.number for each in outcomes],
        [each.next_attempt_at for each in outcomes],
        [each.response_code for each in outcomes],
        [each.error_message for each in outcomes],
        [each.webhook_url for each in outcomes],
        [each.started_at for each in outcomes],
        [each.ended_at for each in outcomes],
        [each.duration_ms for each in outcomes],
        [each.response_body for each in outcomes],
        [each.address for each in outcomes],
    )


async def cancel_expired_deliveries(
    connection: Connection, shard: int, disabled_before: datetime, now: datetime, limit: int
) -> int:
    """Cancel at most `limit` deliveries of webhooks that have been disabled for that long."""
    rows = await connection.fetch(
        """
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
        """,
        shard,
        disabled_before,
        now,
        limit,
    )
    return len(rows)
