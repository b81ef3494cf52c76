"""The table `message_schedule`: messages that are to be queued at a certain time. A row stays until
then, whatever happens to its message."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from heliograph.core.messages.model import NewMessage
from heliograph.core.tenants.insertion import insertion
from heliograph.core.tenants.rows import ROW_KEYS, Shards, tenant_columns
from heliograph.platform.database.pool import Connection

_SCHEDULED = tenant_columns(
    "account_id uuid, message_id uuid, scheduled_for timestamptz", message_id="id"
)
INSERT = insertion(
    """
INSERT INTO message_schedule (shard, {names}) SELECT {shard}, {values} FROM {rows}
""",
    _SCHEDULED,
)


async def insert_scheduled(
    connection: Connection, shards: Shards, messages: Sequence[NewMessage]
) -> None:
    await INSERT.insert(connection, shards, messages)


TAKE_DUE = """
WITH due AS MATERIALIZED (
    SELECT organization_id, account_id, message_id FROM message_schedule
    WHERE shard = $1 AND scheduled_for <= $2
    ORDER BY scheduled_for LIMIT $3 FOR UPDATE SKIP LOCKED
)
DELETE FROM message_schedule AS s
USING due
WHERE s.shard = $1 AND s.organization_id = due.organization_id AND s.account_id = due.account_id
  AND s.message_id = due.message_id
  AND s.organization_id = ANY(ARRAY(SELECT organization_id FROM due))
  AND s.account_id = ANY(ARRAY(SELECT account_id FROM due))
  AND s.message_id = ANY(ARRAY(SELECT message_id FROM due))
RETURNING s.organization_id, s.message_id
"""


async def take_due(
    connection: Connection, shard: int, now: datetime, limit: int
) -> list[tuple[UUID, UUID]]:
    """Delete due rows; return (organization id, message id) of each."""
    rows = await connection.fetch(TAKE_DUE, shard, now, limit)
    return sorted((row["organization_id"], row["message_id"]) for row in rows)


START = ROW_KEYS.fill("""
UPDATE messages AS m SET status = 'queued', queued_at = $4, updated_at = $4
FROM {rows}
WHERE m.shard = $1 AND m.organization_id = k.organization_id AND m.id = k.id
""")


async def start_messages(
    connection: Connection, shard: int, keys: Sequence[tuple[UUID, UUID]], now: datetime
) -> None:
    """Queue locked messages of one shard, given by (organization id, id)."""
    await connection.execute(START, shard, *ROW_KEYS.transpose(keys), now)
