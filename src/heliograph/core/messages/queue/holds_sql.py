"""Messages that a restriction of their account holds, in the tables `messages` and `message_queue`.

A held message is `queued`, and its next attempt is at the very time at which the restriction ends:
by then it is due like any other, on whichever node.
"""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from heliograph.core.accounts.model import Restriction
from heliograph.core.tenants.model import Tenant
from heliograph.core.tenants.rows import Shards, statement
from heliograph.platform.database.pool import Connection
from heliograph.platform.database.rows import Columns

HOLD_BATCH = 1000

# Who has a conversation may have it under another of their addresses.
HOLD_NEW_CONVERSATIONS = """
UPDATE messages AS m SET next_attempt_at = $4, failure_reason = $6, updated_at = $5
WHERE m.shard = $1 AND m.organization_id = $2 AND m.id = ANY(ARRAY(
    SELECT locked.id FROM (
        SELECT w.seq, w.message_id, w.recipient FROM message_queue AS w
        WHERE w.shard = $1 AND w.organization_id = $2 AND w.account_id = $3
          AND (w.next_attempt_at IS NULL OR w.next_attempt_at <= $5)
          AND NOT EXISTS (
              SELECT 1 FROM conversations AS c
              WHERE c.shard = $1 AND c.organization_id = $2 AND c.account_id = $3
                AND c.remote_jid = w.recipient
              OFFSET 0
          )
          AND NOT EXISTS (
              SELECT 1 FROM contact_addresses AS a
              JOIN conversations AS c ON c.shard = $1 AND c.organization_id = $2
                AND c.contact_id = a.contact_id AND c.account_id = $3
              WHERE a.shard = $1 AND a.organization_id = $2 AND a.network = $7
                AND a.remote_jid = w.recipient
              OFFSET 0
          )
        ORDER BY w.seq OFFSET 0
    ) AS q
    CROSS JOIN LATERAL (
        SELECT id FROM messages
        WHERE shard = $1 AND organization_id = $2 AND id = q.message_id AND status = 'queued'
          AND conversation_id IS NULL AND chat_type = 'individual'
        FOR UPDATE SKIP LOCKED
    ) AS locked
    ORDER BY q.seq LIMIT $8
))
RETURNING m.seq
"""
CHANGE_QUEUE = """
UPDATE message_queue SET next_attempt_at = $5, fresh = false
WHERE shard = $1 AND organization_id = $2 AND account_id = $3 AND seq = ANY($4::bigint[])
"""


async def hold_new_conversations(
    connection: Connection,
    tenant: Tenant,
    account_id: UUID,
    restriction: Restriction,
    network: str,
    now: datetime,
) -> int:
    """Hold the next due messages to people without a conversation; return how many they were, at
    most `HOLD_BATCH`."""
    rows = await connection.fetch(
        HOLD_NEW_CONVERSATIONS,
        *tenant,
        account_id,
        restriction.until,
        now,
        restriction.reason,
        network,
        HOLD_BATCH,
    )
    seqs = [row["seq"] for row in rows]
    await connection.execute(CHANGE_QUEUE, *tenant, account_id, seqs, restriction.until)
    return len(seqs)


RELEASE = """
UPDATE messages AS m SET next_attempt_at = NULL, failure_reason = NULL, updated_at = $5
WHERE m.shard = $1 AND m.organization_id = $2 AND m.id = ANY(ARRAY(
    SELECT id FROM messages
    WHERE shard = $1 AND organization_id = $2 AND account_id = $3 AND status = 'queued'
      AND next_attempt_at = $4 AND id = ANY(ARRAY(
          SELECT message_id FROM message_queue
          WHERE shard = $1 AND organization_id = $2 AND account_id = $3 AND next_attempt_at = $4
      ))
    ORDER BY id FOR NO KEY UPDATE
))
RETURNING m.seq
"""


async def release_held(
    connection: Connection, tenant: Tenant, account_id: UUID, until: datetime, now: datetime
) -> None:
    """Release all messages that are held until this time."""
    rows = await connection.fetch(RELEASE, *tenant, account_id, until, now)
    seqs = [row["seq"] for row in rows]
    await connection.execute(CHANGE_QUEUE, *tenant, account_id, seqs, None)


_CHATS = Columns(
    "organization_id uuid, account_id uuid, contact_id uuid, chat_jid text, until timestamptz",
    first=3,
)
RELEASE_CHATS = statement(
    """
UPDATE messages AS m SET next_attempt_at = NULL, failure_reason = NULL, updated_at = $2
FROM (
    SELECT w.shard, w.organization_id, w.id
    FROM {rows}
    JOIN message_queue AS q ON q.shard = {shard} AND q.organization_id = k.organization_id
        AND q.account_id = k.account_id AND q.next_attempt_at = k.until
        AND q.recipient = ANY(ARRAY(
            SELECT k.chat_jid
            UNION ALL
            SELECT a.remote_jid FROM contact_addresses AS a
            WHERE a.shard = {shard} AND a.organization_id = k.organization_id
              AND a.contact_id = k.contact_id
        ))
    JOIN messages AS w ON w.shard = {shard} AND w.organization_id = k.organization_id
        AND w.id = q.message_id AND w.status = 'queued' AND w.next_attempt_at = k.until
    ORDER BY w.organization_id, w.id FOR NO KEY UPDATE OF w
) AS k
WHERE m.shard = {shard} AND m.organization_id = k.organization_id AND m.id = k.id
RETURNING m.organization_id, m.account_id, m.seq
""",
    _CHATS,
)
_RELEASED = Columns("organization_id uuid, account_id uuid, seq bigint")
RELEASE_IN_QUEUE = statement(
    """
UPDATE message_queue AS q SET next_attempt_at = NULL FROM {rows}
WHERE q.shard = {shard} AND q.organization_id = k.organization_id AND q.account_id = k.account_id
  AND q.seq = k.seq
""",
    _RELEASED,
)

Chat = tuple[UUID, UUID, UUID | None, str, datetime]
"""Organization id, account id, contact id, the chat's JID, and until when its messages are held."""


async def release_chats(
    connection: Connection, shards: Shards, chats: Sequence[Chat], now: datetime
) -> None:
    """Release what is held of chats, in which somebody has written now."""
    rows = await connection.fetch(*RELEASE_CHATS.transpose(shards, sorted(chats, key=str), now))
    if rows:
        await connection.execute(*RELEASE_IN_QUEUE.transpose(shards, rows))
