"""Deleting deliveries that are over, in the tables `deliveries`, `delivery_attempts` and
`delivery_counts`."""

from datetime import datetime
from uuid import UUID

from heliograph.core.tenants.model import Tenant
from heliograph.core.tenants.old_rows import Batch, batch_of, fetch_old
from heliograph.platform.database.pool import Connection

DELETE_DELIVERIES = """
DELETE FROM deliveries
WHERE shard = $1 AND organization_id = $2 AND id = ANY(ARRAY(
    SELECT id FROM deliveries
    WHERE shard = $1 AND organization_id = $2 AND id > $3 AND id < $4 AND updated_at < $5
      AND status IN ('delivered', 'failed', 'canceled')
    ORDER BY id LIMIT $6 FOR UPDATE SKIP LOCKED
))
RETURNING id
"""
DELETE_ATTEMPTS = """
DELETE FROM delivery_attempts
WHERE shard = $1 AND organization_id = $2 AND delivery_id = ANY($3::uuid[])
"""
COUNT_DELETED = """
INSERT INTO delivery_counts (shard, organization_id, stripe, n, deleted) VALUES ($1, $2, 0, 0, $3)
ON CONFLICT (shard, organization_id, stripe) DO UPDATE
SET deleted = delivery_counts.deleted + excluded.deleted
"""


async def delete_deliveries(
    connection: Connection, tenant: Tenant, after: UUID, before: datetime, limit: int
) -> Batch:
    """Delete deliveries that are over, with their attempts: three statements of one transaction."""
    ids = await fetch_old(connection, DELETE_DELIVERIES, tenant, after, before, limit)
    await connection.execute(DELETE_ATTEMPTS, *tenant, ids)
    if ids:
        await connection.execute(COUNT_DELETED, *tenant, len(ids))
    return batch_of(ids, after)
