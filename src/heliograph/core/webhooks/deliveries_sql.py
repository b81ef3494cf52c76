"""Deliveries: rows of `deliveries`, their attempts, and how many were made and deleted.

`delivery_counts` moves in the transaction that inserts or deletes, by the rows it really did. It is
striped so that an organization's busy transactions don't queue for one row.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from itertools import groupby
from typing import NamedTuple
from uuid import UUID

from heliograph.core.tenants.model import Tenant
from heliograph.core.tenants.rows import tenant_columns, tenant_of
from heliograph.core.webhooks.model import (
    Delivery,
    DeliveryAttempt,
    DeliveryCount,
    DeliveryFilter,
    DeliveryStatus,
    NewDelivery,
)
from heliograph.platform.database.pool import Connection
from heliograph.platform.database.rows import Columns, reads

STRIPES = 16

delivery_of = reads(Delivery, tenant=tenant_of)
_attempt_of = reads(DeliveryAttempt)

_NEW = tenant_columns(
    "id uuid, webhook_id uuid, webhook_url text, event_id uuid, event_type text, order_key uuid,"
    " created_at timestamptz, updated_at timestamptz",
    updated_at="created_at",
)
_INSERT = _NEW.fill("""
    INSERT INTO deliveries (shard, status, retry_count, attempt_count, {names})
    SELECT $1, 'pending', 0, 0, {values} FROM {rows_in_order} ORDER BY k.position
    ON CONFLICT (shard, organization_id, id) DO NOTHING
    RETURNING organization_id
""")

_COUNTS = Columns("organization_id uuid, n bigint", first=3)
_COUNT = _COUNTS.fill("""
    INSERT INTO delivery_counts (shard, stripe, {names}) SELECT $1, $2, {values} FROM {rows}
    ON CONFLICT (shard, organization_id, stripe) DO UPDATE
        SET n = delivery_counts.n + excluded.n
""")


async def insert_deliveries(connection: Connection, deliveries: Sequence[NewDelivery]) -> None:
    """Insert in the order given and count them: two statements for each shard.

    To be called in a transaction. What is there already is left alone and not counted again.
    """
    by_shard = sorted(deliveries, key=lambda delivery: delivery.tenant.shard)
    for shard, group in groupby(by_shard, key=lambda delivery: delivery.tenant.shard):
        new = list(group)
        inserted = await connection.fetch(_INSERT, shard, *_NEW.of(new))
        await _count(connection, shard, new[0].id, (row["organization_id"] for row in inserted))


async def _count(
    connection: Connection, shard: int, any_id: UUID, organization_ids: Iterable[UUID]
) -> None:
    """Count what was inserted. Locks are taken in the order of organizations, as by every
    transaction that holds several."""
    counts = sorted(Counter(organization_ids).items())
    if counts:
        stripe = any_id.int % STRIPES
        await connection.execute(_COUNT, shard, stripe, *_COUNTS.transpose(counts))


COUNT_WAITING = """
SELECT count(*) FROM (
    (SELECT 1 FROM deliveries
     WHERE shard = $1 AND organization_id = $2 AND webhook_id = $3
       AND status = 'pending' AND next_attempt_at IS NULL
     LIMIT $4)
    UNION ALL
    (SELECT 1 FROM deliveries
     WHERE shard = $1 AND organization_id = $2 AND webhook_id = $3
       AND status = 'pending' AND next_attempt_at IS NOT NULL
     LIMIT $4)
) AS waiting
"""


async def count_waiting(
    connection: Connection, tenant: Tenant, webhook_id: UUID, *, at_most: int
) -> int:
    """Count the deliveries of a webhook that wait: up to `at_most` for a first attempt, and as many
    for another one."""
    count: int = await connection.fetchval(COUNT_WAITING, *tenant, webhook_id, at_most)
    return count


_WEBHOOKS = Columns("id uuid", first=3, alias="w")
# In parts, each of which has an index of its own.
COUNT_WAITING_BY_WEBHOOK = _WEBHOOKS.fill("""
SELECT w.id, f.n + r.n + c.n AS n, l.error_message, l.response_code
FROM {w}
CROSS JOIN LATERAL (SELECT count(*) AS n FROM (
    SELECT 1 FROM deliveries WHERE shard = $1 AND organization_id = $2 AND webhook_id = w.id
      AND status = 'pending' AND next_attempt_at IS NULL LIMIT $4
) AS first) AS f
CROSS JOIN LATERAL (SELECT count(*) AS n FROM (
    SELECT 1 FROM deliveries WHERE shard = $1 AND organization_id = $2 AND webhook_id = w.id
      AND status = 'pending' AND next_attempt_at IS NOT NULL LIMIT $4
) AS again) AS r
CROSS JOIN LATERAL (SELECT count(*) AS n FROM (
    SELECT 1 FROM deliveries WHERE shard = $1 AND organization_id = $2 AND webhook_id = w.id
      AND status = 'delivering' LIMIT $4
) AS claimed) AS c
LEFT JOIN LATERAL (
    SELECT error_message, response_code FROM deliveries
    WHERE shard = $1 AND organization_id = $2 AND webhook_id = w.id
      AND status = 'pending' AND next_attempt_at IS NOT NULL
    ORDER BY next_attempt_at DESC LIMIT 1
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


COUNT_RECENT = """
SELECT count(*) FILTER (WHERE status = 'delivered') AS delivered,
    count(*) FILTER (WHERE status = 'failed') AS failed,
    count(*) FILTER (
        WHERE status IN ('pending', 'delivering') AND attempt_count > 0 AND webhook_id <> ALL($4)
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
    """Return how many of the newest `limit` deliveries were delivered, failed, or are being tried
    again to webhooks other than those in `but`."""
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
SELECT count(*) FROM deliveries
WHERE shard = $1 AND organization_id = $2 AND seq > 0 AND webhook_id = ANY($3::uuid[])
"""


async def count_deliveries_of(
    connection: Connection, tenant: Tenant, webhook_ids: Sequence[UUID]
) -> DeliveryCount:
    """Count the deliveries to these webhooks that are kept; how many were made is not known."""
    kept = int(await connection.fetchval(COUNT_OF_WEBHOOKS, *tenant, list(webhook_ids)))
    return DeliveryCount(kept, kept)


COUNT_DELETED = """
INSERT INTO delivery_counts (shard, organization_id, stripe, n, deleted) VALUES ($1, $2, 0, 0, $3)
ON CONFLICT (shard, organization_id, stripe) DO UPDATE
SET deleted = delivery_counts.deleted + excluded.deleted
"""


async def count_deleted(connection: Connection, tenant: Tenant, deleted: int) -> None:
    """Count deliveries that this transaction has deleted."""
    if deleted:
        await connection.execute(COUNT_DELETED, *tenant, deleted)


class Visible(NamedTuple):
    """What a caller sees who is limited to some accounts: deliveries to these webhooks, and of them
    only those of events of these accounts, or of none. An earlier filter may have let others in."""

    webhook_ids: Sequence[UUID]
    account_ids: Collection[UUID]


_EVERYTHING = (None, None)
_IS_OWN = """coalesce((
      SELECT e.account_id FROM events AS e
      WHERE e.shard = $1 AND e.organization_id = $2 AND e.id = d.event_id
  ) = ANY({accounts}::uuid[]), true)"""

LIST_DELIVERIES = """
SELECT * FROM deliveries AS d
WHERE shard = $1 AND organization_id = $2 AND seq > 0
  AND ($3::uuid IS NULL OR webhook_id = $3)
  AND ($4::text[] IS NULL OR status = ANY($4))
  AND ($7::uuid[] IS NULL OR webhook_id = ANY($7) AND {is_own})
ORDER BY seq DESC LIMIT $5 OFFSET $6
""".replace("{is_own}", _IS_OWN.replace("{accounts}", "$8"))


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
    """List the organization's deliveries that are `visible`, newest first; None is any webhook, any
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


SEARCH_DELIVERIES = """
SELECT * FROM (
    SELECT * FROM deliveries
    WHERE shard = $1 AND organization_id = $2 AND seq > 0 AND seq < $3
    ORDER BY seq DESC LIMIT $4
) AS d
WHERE ($5::uuid IS NULL OR webhook_id = $5)
  AND ($6::text IS NULL OR event_type = $6)
  AND ($7::text IS NULL OR status = $7)
  AND ($9::uuid[] IS NULL OR webhook_id = ANY($9) AND {is_own})
ORDER BY seq DESC LIMIT $8
""".replace("{is_own}", _IS_OWN.replace("{accounts}", "$10"))


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
    """Search the newest `scan` deliveries before this `seq`, newest first, for those that are
    `visible`; None is all.

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
    )
    return [delivery_of(row) for row in rows]


FIND_SEARCH_END = """
SELECT seq FROM deliveries
WHERE shard = $1 AND organization_id = $2 AND seq > 0 AND seq < $3
ORDER BY seq DESC OFFSET $4 LIMIT 1
"""


async def find_search_end(
    connection: Connection, tenant: Tenant, *, before: int, scan: int
) -> int | None:
    """Find the `seq` of the last of the newest `scan` deliveries before this. None where they end
    sooner."""
    found: int | None = await connection.fetchval(FIND_SEARCH_END, *tenant, before, scan - 1)
    return found


FIND_DELIVERY = "SELECT * FROM deliveries WHERE shard = $1 AND organization_id = $2 AND id = $3"


async def find_delivery(
    connection: Connection, tenant: Tenant, delivery_id: UUID
) -> Delivery | None:
    row = await connection.fetchrow(FIND_DELIVERY, *tenant, delivery_id)
    return None if row is None else delivery_of(row)


LIST_ATTEMPTS = """
SELECT delivery_id, number, started_at, duration_ms, response_code, response_body,
       error_message, address
FROM delivery_attempts
WHERE shard = $1 AND organization_id = $2 AND delivery_id = $3 ORDER BY number
"""


async def list_attempts(connection: Connection, delivery: Delivery) -> list[DeliveryAttempt]:
    """List a delivery's attempts: those of its batch are kept with the batch's first delivery."""
    rows = await connection.fetch(LIST_ATTEMPTS, *delivery.tenant, delivery.batch_id or delivery.id)
    return [_attempt_of(row) for row in rows]


# In three parts, each of which has an index of its own.
FIND_WAITING_OF_OTHERS = """
SELECT EXISTS (
    SELECT 1 FROM (
        SELECT event_id FROM deliveries
        WHERE shard = $1 AND organization_id = $2 AND webhook_id = $3 AND status = 'pending'
          AND next_attempt_at IS NULL
        UNION ALL
        SELECT event_id FROM deliveries
        WHERE shard = $1 AND organization_id = $2 AND webhook_id = $3 AND status = 'pending'
          AND next_attempt_at IS NOT NULL
        UNION ALL
        SELECT event_id FROM deliveries
        WHERE shard = $1 AND organization_id = $2 AND webhook_id = $3 AND status = 'delivering'
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
    """Whether an event of another account than these waits to be posted to the webhook."""
    found: bool = await connection.fetchval(
        FIND_WAITING_OF_OTHERS, *tenant, webhook_id, account_ids
    )
    return found


# In three parts, each of which has an index of its own: else each page of a long backlog reads the
# organization's whole history.
_CANCEL_FREE = """
    UPDATE deliveries AS d SET status = 'canceled', next_attempt_at = NULL, updated_at = $4
    WHERE d.shard = $1 AND d.organization_id = $2 AND d.id = ANY(ARRAY(
        SELECT id FROM (
            SELECT id FROM deliveries
            WHERE shard = $1 AND organization_id = $2 AND webhook_id = $3 AND status = 'pending'
              AND next_attempt_at IS NULL
            ORDER BY seq LIMIT $5 FOR UPDATE SKIP LOCKED
        ) AS firsts
        UNION ALL
        SELECT id FROM (
            SELECT id FROM deliveries
            WHERE shard = $1 AND organization_id = $2 AND webhook_id = $3 AND status = 'pending'
              AND next_attempt_at IS NOT NULL
            ORDER BY next_attempt_at LIMIT $5 FOR UPDATE SKIP LOCKED
        ) AS retries
        UNION ALL
        SELECT id FROM (
            SELECT id FROM deliveries
            WHERE shard = $1 AND organization_id = $2 AND webhook_id = $3 AND status = 'delivering'
            FOR UPDATE SKIP LOCKED
        ) AS claimed
        LIMIT $5
    ))
    RETURNING 1
"""

# Here rows are waited for, so they are found without locks first and then locked in one order.
_CANCEL = """
    UPDATE deliveries AS d SET status = 'canceled', next_attempt_at = NULL, updated_at = $4
    WHERE d.shard = $1 AND d.organization_id = $2 AND d.id = ANY(ARRAY(
        SELECT id FROM deliveries
        WHERE shard = $1 AND organization_id = $2 AND status IN ('pending', 'delivering')
          AND id = ANY(ARRAY(
            SELECT id FROM (
                SELECT id FROM deliveries
                WHERE shard = $1 AND organization_id = $2 AND webhook_id = $3
                  AND status = 'pending' AND next_attempt_at IS NULL
                ORDER BY seq LIMIT $5
            ) AS firsts
            UNION ALL
            SELECT id FROM (
                SELECT id FROM deliveries
                WHERE shard = $1 AND organization_id = $2 AND webhook_id = $3
                  AND status = 'pending' AND next_attempt_at IS NOT NULL
                ORDER BY next_attempt_at LIMIT $5
            ) AS retries
            UNION ALL
            SELECT id FROM deliveries
            WHERE shard = $1 AND organization_id = $2 AND webhook_id = $3
              AND status = 'delivering'
            LIMIT $5
          ))
        ORDER BY seq FOR UPDATE
    ))
    RETURNING 1
"""


async def cancel_free_deliveries(
    connection: Connection, tenant: Tenant, webhook_id: UUID, now: datetime, limit: int
) -> int:
    """Cancel at most `limit` of a webhook's deliveries that have not ended, but for those that are
    being written now. Returns how many."""
    return len(await connection.fetch(_CANCEL_FREE, *tenant, webhook_id, now, limit))


async def cancel_deliveries(
    connection: Connection, tenant: Tenant, webhook_id: UUID, now: datetime, limit: int
) -> int:
    """Cancel at most `limit` of a webhook's deliveries that have not ended. Returns how many.

    To be called after the lease was deleted: outcomes are recorded in an order of their own.
    """
    return len(await connection.fetch(_CANCEL, *tenant, webhook_id, now, limit))


LIST_AWAITED_EVENTS = """
SELECT event_id FROM deliveries
WHERE shard = $1 AND organization_id = $2 AND status = 'pending' AND next_attempt_at IS NULL
  AND event_id = ANY($3::uuid[])
UNION ALL
SELECT event_id FROM deliveries
WHERE shard = $1 AND organization_id = $2 AND status = 'pending'
  AND next_attempt_at IS NOT NULL
  AND event_id = ANY($3::uuid[])
UNION ALL
SELECT event_id FROM deliveries
WHERE shard = $1 AND organization_id = $2 AND status = 'delivering'
  AND event_id = ANY($3::uuid[])
"""


async def list_awaited_events(
    connection: Connection, tenant: Tenant, event_ids: Sequence[UUID]
) -> set[UUID]:
    """Find which of the events a delivery is still to bring."""
    rows = await connection.fetch(LIST_AWAITED_EVENTS, *tenant, list(event_ids))
    return {row["event_id"] for row in rows}
