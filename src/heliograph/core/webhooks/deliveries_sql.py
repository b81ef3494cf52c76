"""Deliveries for lists: those waiting for their first attempt in `delivery_queue`, those in
`deliveries` with their attempts, and the counts of created and deleted ones.

`delivery_counts` changes in the transaction that inserts or deletes, by the actual number of rows.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from heliograph.core.tenants.model import Tenant
from heliograph.core.tenants.rows import tenant_of
from heliograph.core.webhooks.model import (
    Delivery,
    DeliveryAttempt,
    DeliveryCount,
    DeliveryFilter,
    DeliveryStatus,
)
from heliograph.platform.database.clock import ID_SLACK, first_id
from heliograph.platform.database.pool import Connection
from heliograph.platform.database.rows import Columns, reads

delivery_of = reads(Delivery, tenant=tenant_of)
_attempt_of = reads(DeliveryAttempt)

COUNT_WAITING = """
SELECT count(*) FROM (
    (SELECT 1 FROM delivery_queue
     WHERE shard = $1 AND organization_id = $2 AND webhook_id = $3 AND next_attempt_at IS NULL
     LIMIT $4)
    UNION ALL
    (SELECT 1 FROM delivery_queue
     WHERE shard = $1 AND organization_id = $2 AND webhook_id = $3 AND next_attempt_at IS NOT NULL
     LIMIT $4)
) AS waiting
"""


async def count_waiting(
    connection: Connection, tenant: Tenant, webhook_id: UUID, *, at_most: int
) -> int:
    """Count the waiting deliveries of a webhook: up to `at_most` for a first attempt, and as many
    for a retry."""
    count: int = await connection.fetchval(COUNT_WAITING, *tenant, webhook_id, at_most)
    return count


_WEBHOOKS = Columns("id uuid", first=3, alias="w")
# In parts, each with an index of its own.
COUNT_WAITING_BY_WEBHOOK = _WEBHOOKS.fill("""
SELECT w.id, f.n + r.n AS n, l.error_message, l.response_code
FROM {w}
CROSS JOIN LATERAL (SELECT count(*) AS n FROM (
    SELECT 1 FROM delivery_queue
    WHERE shard = $1 AND organization_id = $2 AND webhook_id = w.id AND next_attempt_at IS NULL
    LIMIT $4
) AS first) AS f
CROSS JOIN LATERAL (SELECT count(*) AS n FROM (
    SELECT 1 FROM delivery_queue
    WHERE shard = $1 AND organization_id = $2 AND webhook_id = w.id AND next_attempt_at IS NOT NULL
    ORDER BY next_attempt_at LIMIT $4
) AS again) AS r
LEFT JOIN LATERAL (
    SELECT d.error_message, d.response_code
    FROM (
        SELECT id FROM delivery_queue
        WHERE shard = $1 AND organization_id = $2 AND webhook_id = w.id
          AND next_attempt_at IS NOT NULL
        ORDER BY next_attempt_at DESC LIMIT 1
    ) AS newest
    CROSS JOIN LATERAL (
        SELECT error_message, response_code FROM deliveries
        WHERE shard = $1 AND organization_id = $2 AND id = newest.id LIMIT 1
    ) AS d
) AS l ON true
""")


async def count_waiting_by_webhook(
    connection: Connection, tenant: Tenant, webhook_ids: Sequence[UUID], most: int
) -> dict[UUID, tuple[int, str | None]]:
    """Return how many deliveries wait for each of these webhooks, and the error of the newest
    attempt among them. In each state, they are counted up to `most`."""
    rows = await connection.fetch(COUNT_WAITING_BY_WEBHOOK, *tenant, webhook_ids, most)
    return {
        id_: (n, error or (None if code is None else f"It answered {code}."))
        for id_, n, error, code in rows
    }


# Deliveries that wait for their first attempt are in none of these counts.
COUNT_RECENT = """
SELECT count(*) FILTER (WHERE status = 'delivered') AS delivered,
    count(*) FILTER (WHERE status = 'failed') AS failed,
    count(*) FILTER (
        WHERE status = 'pending' AND attempt_count > 0 AND webhook_id <> ALL($4)
    ) AS repeated
FROM (
    SELECT status, attempt_count, webhook_id FROM deliveries
    WHERE shard = $1 AND organization_id = $2 AND seq > 0
    ORDER BY seq DESC LIMIT $3
) AS recent
"""


async def count_recent(
    connection: Connection, tenant: Tenant, limit: int, but: Sequence[UUID]
) -> tuple[int, int, int]:
    """Return how many of the newest `limit` deliveries were delivered, failed, or wait for a retry
    to webhooks other than those in `but`."""
    row = await connection.fetchrow(COUNT_RECENT, *tenant, limit, but)
    assert row is not None  # noqa: S101 - an aggregate always has a row
    delivered, failed, repeated = row
    return delivered, failed, repeated


COUNT_DELIVERIES = """
SELECT coalesce(sum(n), 0)::bigint AS made, coalesce(sum(deleted), 0)::bigint AS deleted
FROM delivery_counts WHERE shard = $1 AND organization_id = $2
"""


async def count_deliveries(connection: Connection, tenant: Tenant) -> DeliveryCount:
    row = await connection.fetchrow(COUNT_DELIVERIES, *tenant)
    assert row is not None  # noqa: S101 - an aggregate always has a row
    return DeliveryCount(row["made"], max(0, row["made"] - row["deleted"]))


COUNT_OF_WEBHOOKS = """
SELECT (
    SELECT count(*) FROM deliveries
    WHERE shard = $1 AND organization_id = $2 AND seq > 0 AND webhook_id = ANY($3::uuid[])
) + (
    SELECT count(*) FROM delivery_queue
    WHERE shard = $1 AND organization_id = $2 AND webhook_id = ANY($3::uuid[])
      AND next_attempt_at IS NULL
)
"""


async def count_deliveries_of(
    connection: Connection, tenant: Tenant, webhook_ids: Sequence[UUID]
) -> DeliveryCount:
    """Count the kept deliveries to these webhooks; the number ever created is not known."""
    kept = int(await connection.fetchval(COUNT_OF_WEBHOOKS, *tenant, list(webhook_ids)))
    return DeliveryCount(kept, kept)


class Visible(NamedTuple):
    """The deliveries visible to a caller who is limited to some accounts: those to these webhooks,
    and only of events of these accounts or of none. An earlier filter may have admitted others."""

    webhook_ids: Sequence[UUID]
    account_ids: Collection[UUID]


_EVERYTHING = (None, None)


def _is_own(accounts: str) -> str:
    """Make the condition that a delivery's event is of one of these accounts, or of none."""
    return """coalesce((
      SELECT e.account_id FROM events AS e
      WHERE e.shard = $1 AND e.organization_id = $2 AND e.id = d.event_id
  ) = ANY({accounts}::uuid[]), true)""".replace("{accounts}", accounts)


_COLUMNS = """shard, organization_id, id, webhook_id, webhook_url, event_id, event_type, status,
        retry_count, attempt_count, next_attempt_at, response_code, error_message, delivered_at,
        created_at, seq, delivery_batch_id"""
# The same for deliveries that wait for their first attempt.
_WAITING_COLUMNS = """d.shard, d.organization_id, d.id, d.webhook_id, w.url, d.event_id,
        d.event_type, 'pending', 0, 0, NULL::timestamptz, NULL::integer, NULL::text,
        NULL::timestamptz, d.created_at, d.seq, d.delivery_batch_id"""


def _with_columns(template: str) -> str:
    return template.replace("{columns}", _COLUMNS).replace("{waiting_columns}", _WAITING_COLUMNS)


def _newest_waiting(most: str, *, where: str = "true", of: str = "true") -> str:
    """Make the query for the newest deliveries of the webhooks `of` that wait for their first
    attempt. It goes webhook by webhook, as the index does."""
    return (
        _with_columns("""(SELECT {waiting_columns}
    FROM webhooks AS w
    CROSS JOIN LATERAL (
        SELECT * FROM delivery_queue AS d
        WHERE d.shard = $1 AND d.organization_id = $2 AND d.webhook_id = w.id
          AND d.next_attempt_at IS NULL AND {where}
        ORDER BY d.seq DESC LIMIT {most}
    ) AS d
    WHERE w.shard = $1 AND w.organization_id = $2 AND {of}
    ORDER BY d.seq DESC LIMIT {most})""")
        .replace("{where}", where)
        .replace("{of}", of)
        .replace("{most}", most)
    )


# No list is that long, and a larger number would be out of range.
_UP_TO_PAGE = "$5::bigint + least($6::bigint, 1000000000000)"
LIST_DELIVERIES = (
    _with_columns("""
SELECT * FROM (
    (SELECT {columns} FROM deliveries AS d
     WHERE shard = $1 AND organization_id = $2 AND seq > 0
       AND ($3::uuid IS NULL OR webhook_id = $3)
       AND ($4::text[] IS NULL OR status = ANY($4))
       AND ($7::uuid[] IS NULL OR webhook_id = ANY($7) AND {is_own})
     ORDER BY seq DESC LIMIT {most})
    UNION ALL
    {waiting}
) AS d
ORDER BY seq DESC LIMIT $5 OFFSET $6
""")
    .replace("{is_own}", _is_own("$8"))
    .replace("{most}", _UP_TO_PAGE)
    .replace(
        "{waiting}",
        _newest_waiting(
            _UP_TO_PAGE,
            where=f"($7::uuid[] IS NULL OR {_is_own('$8')})",
            of="($3::uuid IS NULL OR w.id = $3) AND ($4::text[] IS NULL OR 'pending' = ANY($4))"
            " AND ($7::uuid[] IS NULL OR w.id = ANY($7))",
        ),
    )
)


async def list_deliveries(
    connection: Connection,
    tenant: Tenant,
    *,
    limit: int,
    offset: int = 0,
    webhook_id: UUID | None = None,
    statuses: Sequence[DeliveryStatus] | None = None,
    visible: Visible | None = None,
) -> list[Delivery]:
    """List the organization's `visible` deliveries, newest first; None means any webhook, any
    status, all."""
    rows = await connection.fetch(
        LIST_DELIVERIES,
        *tenant,
        webhook_id,
        None if statuses is None else [status.value for status in statuses],
        limit,
        offset,
        *(visible or _EVERYTHING),
    )
    return [delivery_of(row) for row in rows]


_NEWEST_BEFORE = _with_columns("""SELECT * FROM (
    (SELECT {columns} FROM deliveries
     WHERE shard = $1 AND organization_id = $2 AND seq > 0 AND seq < $3
     ORDER BY seq DESC LIMIT $4)
    UNION ALL
    {waiting}
) AS newest""").replace("{waiting}", _newest_waiting("$4", where="d.seq < $3"))
SEARCH_DELIVERIES = """
SELECT * FROM (
    {newest_before}
    ORDER BY seq DESC LIMIT $4
) AS d
WHERE ($5::uuid IS NULL OR webhook_id = $5)
  AND ($6::text IS NULL OR event_type = $6)
  AND ($7::text IS NULL OR status = $7)
  AND ($9::uuid[] IS NULL OR webhook_id = ANY($9) AND {is_own})
  AND ($11::timestamptz IS NULL OR created_at >= $11)
  AND ($12::timestamptz IS NULL OR created_at < $12)
ORDER BY seq DESC LIMIT $8
""".replace("{newest_before}", _NEWEST_BEFORE).replace("{is_own}", _is_own("$10"))


async def search_deliveries(
    connection: Connection,
    tenant: Tenant,
    wanted: DeliveryFilter,
    *,
    before: int,
    scan: int,
    limit: int,
    visible: Visible | None = None,
) -> list[Delivery]:
    """Search the newest `scan` deliveries before this `seq`, newest first, for `visible` ones; None
    means all.

    No index has webhook, type and status; `scan` bounds what a search can cost.
    """
    rows = await connection.fetch(
        SEARCH_DELIVERIES,
        *tenant,
        before,
        scan,
        wanted.webhook_id,
        wanted.event_type,
        wanted.status,
        limit,
        *(visible or _EVERYTHING),
        wanted.since,
        wanted.until,
    )
    return [delivery_of(row) for row in rows]


FIND_SEARCH_END = """
SELECT seq FROM (
    SELECT seq, created_at FROM (
        {newest_before}
    ) AS d
    ORDER BY seq DESC OFFSET $4 - 1 LIMIT 1
) AS last
WHERE $5::timestamptz IS NULL OR created_at >= $5
""".replace("{newest_before}", _NEWEST_BEFORE)


async def find_search_end(
    connection: Connection, tenant: Tenant, *, before: int, scan: int, since: datetime | None
) -> int | None:
    """Find the `seq` of the last of the newest `scan` deliveries before this one. None if there are
    fewer, or if that one was created before `since`."""
    found: int | None = await connection.fetchval(FIND_SEARCH_END, *tenant, before, scan, since)
    return found


# By the time in the ids, which is indexed. Two that are created at the same time may have their
# `seq` in the opposite order, so the greatest of many is taken.
FIND_SEQ_AT = """
SELECT max(seq) FROM (
    (SELECT seq FROM deliveries
     WHERE shard = $1 AND organization_id = $2 AND id < $3 ORDER BY id DESC LIMIT 1000)
    UNION ALL
    (SELECT seq FROM delivery_queue
     WHERE shard = $1 AND organization_id = $2 AND id < $3 ORDER BY id DESC LIMIT 1000)
) AS newest
"""


async def find_seq_at(connection: Connection, tenant: Tenant, until: datetime) -> int | None:
    """Find a `seq` after which no delivery was created before `until`, or None."""
    found: int | None = await connection.fetchval(FIND_SEQ_AT, *tenant, first_id(until + ID_SLACK))
    return found


FIND_DELIVERY = _with_columns("""
SELECT {columns} FROM deliveries WHERE shard = $1 AND organization_id = $2 AND id = $3
UNION ALL
SELECT {waiting_columns}
FROM delivery_queue AS d
JOIN webhooks AS w ON w.shard = $1 AND w.organization_id = $2 AND w.id = d.webhook_id
WHERE d.shard = $1 AND d.organization_id = $2 AND d.id = $3 AND NOT d.recorded
""")


async def find_delivery(
    connection: Connection, tenant: Tenant, delivery_id: UUID
) -> Delivery | None:
    row = await connection.fetchrow(FIND_DELIVERY, *tenant, delivery_id)
    return None if row is None else delivery_of(row)


LIST_NEWEST_OF_EVENTS = _with_columns("""
SELECT * FROM (
    (SELECT {columns} FROM deliveries
     WHERE shard = $1 AND organization_id = $2 AND seq > 0
     ORDER BY seq DESC LIMIT $4)
    UNION ALL
    {waiting}
) AS newest
WHERE event_id = ANY($3::uuid[])
""").replace("{waiting}", _newest_waiting("$4"))


async def list_newest_of_events(
    connection: Connection, tenant: Tenant, event_ids: Sequence[UUID], newest: int
) -> list[Delivery]:
    """List the deliveries of these events that are among the newest of all."""
    rows = await connection.fetch(LIST_NEWEST_OF_EVENTS, *tenant, event_ids, newest)
    return [delivery_of(row) for row in rows]


LIST_OF_EVENTS_BETWEEN = _with_columns("""
SELECT {columns} FROM deliveries
WHERE shard = $1 AND organization_id = $2 AND id >= $3 AND id < $4 AND event_id = ANY($5::uuid[])
UNION ALL
SELECT {waiting_columns}
FROM delivery_queue AS d
JOIN webhooks AS w ON w.shard = $1 AND w.organization_id = $2 AND w.id = d.webhook_id
WHERE d.shard = $1 AND d.organization_id = $2 AND d.id >= $3 AND d.id < $4
  AND d.event_id = ANY($5::uuid[]) AND NOT d.recorded
""")


async def list_of_events_between(
    connection: Connection, tenant: Tenant, event_ids: Sequence[UUID], first: UUID, end: UUID
) -> list[Delivery]:
    """List the deliveries of these events whose ids are from `first` on and before `end`."""
    rows = await connection.fetch(LIST_OF_EVENTS_BETWEEN, *tenant, first, end, event_ids)
    return [delivery_of(row) for row in rows]


LIST_ATTEMPTS = """
SELECT delivery_id, number, started_at, duration_ms, response_code, response_body,
       error_message, address
FROM delivery_attempts
WHERE shard = $1 AND organization_id = $2 AND delivery_id = $3
UNION ALL
SELECT id, 1, first_started_at, first_duration_ms,
    CASE attempt_count WHEN 1 THEN response_code ELSE first_response_code END,
    first_response_body,
    CASE attempt_count WHEN 1 THEN error_message ELSE first_error_message END, first_address
FROM deliveries
WHERE shard = $1 AND organization_id = $2 AND id = $3 AND first_started_at IS NOT NULL
ORDER BY number
"""


async def list_attempts(connection: Connection, delivery: Delivery) -> list[DeliveryAttempt]:
    """List a delivery's attempts: those of its batch are kept with the batch's first delivery."""
    rows = await connection.fetch(
        LIST_ATTEMPTS, *delivery.tenant, delivery.delivery_batch_id or delivery.id
    )
    return [_attempt_of(row) for row in rows]


# In two parts, each with an index of its own.
FIND_WAITING_OF_OTHERS = """
SELECT EXISTS (
    SELECT 1 FROM (
        SELECT event_id FROM delivery_queue
        WHERE shard = $1 AND organization_id = $2 AND webhook_id = $3 AND next_attempt_at IS NULL
        UNION ALL
        SELECT event_id FROM delivery_queue
        WHERE shard = $1 AND organization_id = $2 AND webhook_id = $3
          AND next_attempt_at IS NOT NULL
    ) AS d
    CROSS JOIN LATERAL (
        SELECT account_id FROM events
        WHERE shard = $1 AND organization_id = $2 AND id = d.event_id
        OFFSET 0
    ) AS e
    WHERE e.account_id <> ALL($4::uuid[])
)
"""


async def has_waiting_of_others(
    connection: Connection, tenant: Tenant, webhook_id: UUID, account_ids: Collection[UUID]
) -> bool:
    """Whether an event of any other account waits to be posted to the webhook."""
    found: bool = await connection.fetchval(
        FIND_WAITING_OF_OTHERS, *tenant, webhook_id, account_ids
    )
    return found


LIST_AWAITED_EVENTS = """
SELECT event_id FROM delivery_queue
WHERE shard = $1 AND organization_id = $2 AND event_id = ANY($3::uuid[])
"""


async def list_awaited_events(
    connection: Connection, tenant: Tenant, event_ids: Sequence[UUID]
) -> set[UUID]:
    """Find which of these events still have a pending delivery."""
    rows = await connection.fetch(LIST_AWAITED_EVENTS, *tenant, list(event_ids))
    return {row["event_id"] for row in rows}
