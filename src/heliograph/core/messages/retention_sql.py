"""Deleting messages that are too old, and the keys of those that arrived."""

from datetime import datetime
from uuid import UUID

from heliograph.core.tenants.model import Tenant
from heliograph.core.tenants.old_rows import Batch, batch_of, fetch_old
from heliograph.platform.database.pool import Connection

DELETE_MESSAGES = """
DELETE FROM messages
WHERE shard = $1 AND organization_id = $2 AND id = ANY(ARRAY(
    SELECT id FROM messages AS m
    WHERE shard = $1 AND organization_id = $2 AND id > $3 AND id < $4 AND updated_at < $5
      AND status IN ('sent', 'delivered', 'read', 'failed', 'canceled', 'received')
      AND NOT EXISTS (
          SELECT 1 FROM message_changes AS c
          WHERE c.shard = $1 AND c.organization_id = $2 AND c.message_id = m.id
          OFFSET 0
      )
    ORDER BY id LIMIT $6 FOR UPDATE SKIP LOCKED
))
RETURNING id
"""


async def delete_messages(
    connection: Connection, tenant: Tenant, after: UUID, before: datetime, limit: int
) -> Batch:
    """Delete messages that have ended and were made, and last changed, before this. One that
    somebody has asked to change stays until the change has ended, since its event needs the
    record."""
    ids = await fetch_old(connection, DELETE_MESSAGES, tenant, after, before, limit)
    return batch_of(ids, after)


DELETE_INBOUND_KEYS = """
DELETE FROM inbound_keys
WHERE shard = $1 AND organization_id = $2 AND ctid = ANY(ARRAY(
    SELECT ctid FROM inbound_keys
    WHERE shard = $1 AND organization_id = $2 AND created_at < $3
    ORDER BY created_at LIMIT $4 FOR UPDATE SKIP LOCKED
))
"""


async def delete_inbound_keys(
    connection: Connection, tenant: Tenant, after: UUID, before: datetime, limit: int
) -> Batch:
    """Delete the keys by which messages are recognized that the network gives twice. They have no
    id."""
    status = await connection.execute(DELETE_INBOUND_KEYS, *tenant, before, limit)
    deleted = int(status.removeprefix("DELETE "))
    return Batch(deleted, deleted, after)
