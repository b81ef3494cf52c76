"""The table `message_expiries`: messages that must not be sent after a certain time. A row stays
until then, whatever happens to its message, and longer while the message is being sent, since it
may be requeued."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from heliograph.core.messages.model import Message, NewMessage
from heliograph.core.messages.sql import message_of
from heliograph.core.tenants.insertion import insertion
from heliograph.core.tenants.rows import ROW_KEYS, Shards, tenant_columns
from heliograph.platform.database.pool import Connection

_EXPIRIES = tenant_columns("message_id uuid, expires_at timestamptz", message_id="id")
INSERT = insertion(
    """
INSERT INTO message_expiries (shard, {names}) SELECT {shard}, {values} FROM {rows}
ON CONFLICT (shard, organization_id, message_id) DO NOTHING
""",
    _EXPIRIES,
)


async def insert_expiries(
    connection: Connection, shards: Shards, messages: Sequence[NewMessage]
) -> None:
    await INSERT.insert(connection, shards, messages)


TAKE_EXPIRED = """
WITH due AS MATERIALIZED (
    SELECT organization_id, message_id FROM message_expiries
    WHERE shard = $1 AND expires_at <= $2
    ORDER BY expires_at LIMIT $3 FOR UPDATE SKIP LOCKED
)
DELETE FROM message_expiries AS e
USING due
WHERE e.shard = $1 AND e.organization_id = due.organization_id AND e.message_id = due.message_id
  AND e.organization_id = ANY(ARRAY(SELECT organization_id FROM due))
  AND e.message_id = ANY(ARRAY(SELECT message_id FROM due))
RETURNING e.organization_id, e.message_id
"""


async def take_expired(
    connection: Connection, shard: int, now: datetime, limit: int
) -> list[tuple[UUID, UUID]]:
    """Delete due rows; return (organization id, message id) of each."""
    rows = await connection.fetch(TAKE_EXPIRED, shard, now, limit)
    return sorted((row["organization_id"], row["message_id"]) for row in rows)


LOCK_UNSENT = ROW_KEYS.fill("""
SELECT m.* FROM {rows}
CROSS JOIN LATERAL (
    SELECT * FROM messages
    WHERE shard = $1 AND organization_id = k.organization_id AND id = k.id
      AND status IN ('scheduled', 'queued', 'sending')
    FOR UPDATE
) AS m
""")


async def lock_unsent(
    connection: Connection, shard: int, keys: Sequence[tuple[UUID, UUID]]
) -> list[Message]:
    """Lock the messages that are waiting or being sent, among those given by (organization id,
    id)."""
    rows = await connection.fetch(LOCK_UNSENT, shard, *ROW_KEYS.transpose(keys))
    return [message_of(row) for row in rows]


INSERT_AGAIN = ROW_KEYS.fill("""
INSERT INTO message_expiries (shard, organization_id, message_id, expires_at)
SELECT $1, k.organization_id, k.id, $4 FROM {rows}
""")


async def look_again(
    connection: Connection, shard: int, messages: Sequence[Message], at: datetime
) -> None:
    """Insert the rows of these messages again, to be checked at this time."""
    keys = [(message.tenant.organization_id, message.id) for message in messages]
    await connection.execute(INSERT_AGAIN, shard, *ROW_KEYS.transpose(keys), at)
