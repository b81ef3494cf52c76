"""Deleting events that are too old."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from heliograph.core.events.log_sql import record_deleted
from heliograph.core.tenants.model import Tenant
from heliograph.core.tenants.old_rows import fetch_old
from heliograph.platform.database.pool import Connection

# Whoever inserts another delivery of an event holds a lock on it meanwhile: it is passed over.
LOCK_EVENTS = """
SELECT id FROM events
WHERE shard = $1 AND organization_id = $2 AND id > $3 AND id < $4 AND created_at < $5
ORDER BY id LIMIT $6 FOR UPDATE SKIP LOCKED
"""


async def lock_old_events(
    connection: Connection, tenant: Tenant, after: UUID, before: datetime, limit: int
) -> Sequence[UUID]:
    """Lock the next events after this id that were created before this time."""
    return await fetch_old(connection, LOCK_EVENTS, tenant, after, before, limit)


DELETE_EVENTS = """
DELETE FROM events WHERE shard = $1 AND organization_id = $2 AND id = ANY($3::uuid[])
RETURNING seq
"""


async def delete_locked_events(
    connection: Connection, tenant: Tenant, event_ids: Sequence[UUID]
) -> None:
    """Delete locked events, and record up to which `seq`, for the readers of the log."""
    deleted = await connection.fetch(DELETE_EVENTS, *tenant, event_ids)
    if deleted:
        await record_deleted(connection, tenant, max(row["seq"] for row in deleted))
