"""Deleting jobs that ended long ago."""

from datetime import datetime
from uuid import UUID

from heliograph.core.tenants.model import Tenant
from heliograph.core.tenants.old_rows import Batch, batch_of, fetch_old
from heliograph.platform.database.pool import Connection

DELETE_JOBS = """
DELETE FROM jobs
WHERE shard = $1 AND organization_id = $2 AND id = ANY(ARRAY(
    SELECT id FROM jobs
    WHERE shard = $1 AND organization_id = $2 AND id > $3 AND id < $4 AND finished_at < $5
      AND status IN ('completed', 'failed', 'unknown')
    ORDER BY id LIMIT $6 FOR UPDATE SKIP LOCKED
))
RETURNING id
"""


async def delete_jobs(
    connection: Connection, tenant: Tenant, after: UUID, before: datetime, limit: int
) -> Batch:
    """Delete jobs that ended before this."""
    ids = await fetch_old(connection, DELETE_JOBS, tenant, after, before, limit)
    return batch_of(ids, after)
