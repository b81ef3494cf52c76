"""Cancels a webhook's waiting deliveries: they leave the queue and are kept as canceled.

The rows of the queue are locked first, so that an outcome is written earlier or not at all.
"""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from heliograph.core.tenants.model import Tenant
from heliograph.platform.database.pool import Connection

# In two parts, each with an index of its own: otherwise each page of a long backlog would read the
# organization's whole queue.
LOCK_FREE = """
SELECT id FROM (
    SELECT id FROM delivery_queue
    WHERE shard = $1 AND organization_id = $2 AND webhook_id = $3 AND next_attempt_at IS NULL
    ORDER BY seq LIMIT $4 FOR UPDATE SKIP LOCKED
) AS firsts
UNION ALL
SELECT id FROM (
    SELECT id FROM delivery_queue
    WHERE shard = $1 AND organization_id = $2 AND webhook_id = $3 AND next_attempt_at IS NOT NULL
    ORDER BY next_attempt_at LIMIT $4 FOR UPDATE SKIP LOCKED
) AS retries
LIMIT $4
"""
# This waits for locked rows, so they are found without locks first and then locked in one order.
LOCK = """
SELECT id FROM delivery_queue
WHERE shard = $1 AND organization_id = $2 AND id = ANY(ARRAY(
    SELECT id FROM (
        SELECT id FROM delivery_queue
        WHERE shard = $1 AND organization_id = $2 AND webhook_id = $3 AND next_attempt_at IS NULL
        ORDER BY seq LIMIT $4
    ) AS firsts
    UNION ALL
    SELECT id FROM (
        SELECT id FROM delivery_queue
        WHERE shard = $1 AND organization_id = $2 AND webhook_id = $3
          AND next_attempt_at IS NOT NULL
        ORDER BY next_attempt_at LIMIT $4
    ) AS retries
    LIMIT $4
))
ORDER BY seq FOR UPDATE
"""
INSERT_CANCELED = """
INSERT INTO deliveries (
    shard, organization_id, id, seq, webhook_id, webhook_url, event_id, event_type, status,
    retry_count, attempt_count, created_at, updated_at, delivery_batch_id
)
SELECT shard, organization_id, id, seq, webhook_id, $4, event_id, event_type, 'canceled',
    0, 0, created_at, $5, delivery_batch_id
FROM delivery_queue
WHERE shard = $1 AND organization_id = $2 AND id = ANY($3::uuid[]) AND NOT recorded
"""
UPDATE_CANCELED = """
UPDATE deliveries SET status = 'canceled', next_attempt_at = NULL, updated_at = $4
WHERE shard = $1 AND organization_id = $2 AND id = ANY($3::uuid[]) AND status = 'pending'
"""
DELETE_QUEUED = """
DELETE FROM delivery_queue WHERE shard = $1 AND organization_id = $2 AND id = ANY($3::uuid[])
"""


async def cancel_free_deliveries(
    connection: Connection, tenant: Tenant, webhook_id: UUID, url: str, now: datetime, limit: int
) -> int:
    """Cancel at most `limit` unfinished deliveries of a webhook, except for locked ones, in a
    transaction. Returns how many."""
    rows = await connection.fetch(LOCK_FREE, *tenant, webhook_id, limit)
    return await _cancel(connection, tenant, [row["id"] for row in rows], url, now)


async def cancel_deliveries(
    connection: Connection, tenant: Tenant, webhook_id: UUID, url: str, now: datetime, limit: int
) -> int:
    """Cancel at most `limit` unfinished deliveries of a webhook, in a transaction. Returns how
    many.

    Must be called after the lease was deleted: outcomes are recorded in a different order.
    """
    rows = await connection.fetch(LOCK, *tenant, webhook_id, limit)
    return await _cancel(connection, tenant, [row["id"] for row in rows], url, now)


async def _cancel(
    connection: Connection, tenant: Tenant, ids: Sequence[UUID], url: str, now: datetime
) -> int:
    """Cancel deliveries whose rows in the queue this transaction has locked."""
    if ids:
        await connection.execute(INSERT_CANCELED, *tenant, ids, url, now)
        await connection.execute(UPDATE_CANCELED, *tenant, ids, now)
        await connection.execute(DELETE_QUEUED, *tenant, ids)
    return len(ids)


LIST_DISABLED = """
SELECT organization_id, id FROM webhooks
WHERE shard = $1 AND NOT enabled AND disabled_at < $2
ORDER BY organization_id, id
"""


async def list_disabled_webhooks(
    connection: Connection, shard: int, before: datetime
) -> list[tuple[Tenant, UUID]]:
    """List (tenant, id) of the shard's webhooks that were disabled before this time."""
    rows = await connection.fetch(LIST_DISABLED, shard, before)
    return [(Tenant(shard, row["organization_id"]), row["id"]) for row in rows]


# The webhook can't be enabled until the transaction ends.
LOCK_DISABLED = """
SELECT url FROM webhooks
WHERE shard = $1 AND organization_id = $2 AND id = $3 AND NOT enabled AND disabled_at < $4
FOR SHARE
"""


async def cancel_expired_deliveries(
    connection: Connection,
    tenant: Tenant,
    webhook_id: UUID,
    disabled_before: datetime,
    now: datetime,
    limit: int,
) -> int:
    """Cancel at most `limit` deliveries of a webhook that has been disabled for this long, in a
    transaction. Returns how many."""
    url = await connection.fetchval(LOCK_DISABLED, *tenant, webhook_id, disabled_before)
    if url is None:
        return 0
    return await cancel_free_deliveries(connection, tenant, webhook_id, url, now, limit)
