"""Restrictions and the messages that they hold, in the tables `accounts`, `messages` and
`message_queue`.

A held message is `queued`, and its next attempt is due exactly when the restriction ends. From then
on it is due like any other, on any node.
"""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from heliograph.core.accounts.model import COUNTED, Restriction, WaitingMessages
from heliograph.core.tenants.model import Tenant
from heliograph.core.tenants.rows import Shards, statement
from heliograph.platform.database.pool import Connection
from heliograph.platform.database.rows import Columns, reads

HOLD_BATCH = 1000

# A person's conversation may be under another of their addresses.
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
    """Hold the next due messages to people without a conversation. Returns how many, at most
    `HOLD_BATCH`."""
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


# As above: they may have written from another of their addresses.
HAS_WRITTEN = """
SELECT EXISTS (
    SELECT 1 FROM conversations
    WHERE shard = $1 AND organization_id = $2 AND account_id = $3 AND remote_jid = $5
      AND last_inbound_at IS NOT NULL
) OR EXISTS (
    SELECT 1 FROM contact_addresses AS a
    JOIN conversations AS c ON c.shard = $1 AND c.organization_id = $2
      AND c.contact_id = a.contact_id AND c.account_id = $3
    WHERE a.shard = $1 AND a.organization_id = $2 AND a.network = $4 AND a.remote_jid = $5
      AND c.last_inbound_at IS NOT NULL
)
"""


async def has_written(
    connection: Connection, tenant: Tenant, account_id: UUID, network: str, remote_jid: str
) -> bool:
    """Return whether the person has written to the account."""
    return bool(await connection.fetchval(HAS_WRITTEN, *tenant, account_id, network, remote_jid))


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
    """Release the held messages of chats in which somebody has written now."""
    rows = await connection.fetch(*RELEASE_CHATS.transpose(shards, sorted(chats, key=str), now))
    if rows:
        await connection.execute(*RELEASE_IN_QUEUE.transpose(shards, rows))


LIST_ENDED_RESTRICTIONS = """
SELECT shard, organization_id, id FROM accounts
WHERE restriction_until IS NOT NULL AND restriction_until <= $1
LIMIT 500
"""


async def list_ended_restrictions(
    connection: Connection, now: datetime
) -> list[tuple[Tenant, UUID]]:
    """List accounts of all tenants with an expired restriction that has not been ended yet."""
    rows = await connection.fetch(LIST_ENDED_RESTRICTIONS, now)
    return [(Tenant(row["shard"], row["organization_id"]), row["id"]) for row in rows]


CLEAR = """
UPDATE accounts
SET restriction_kind = NULL, restriction_until = NULL, restriction_reason = NULL, updated_at = $4
WHERE shard = $1 AND organization_id = $2 AND id = $3
"""


async def clear_restriction(
    connection: Connection, tenant: Tenant, account_id: UUID, now: datetime
) -> None:
    await connection.execute(CLEAR, *tenant, account_id, now)


COUNT_WAITING = """
SELECT a.id AS account_id, q.queued, q.held
FROM accounts AS a CROSS JOIN LATERAL (
    SELECT count(*) AS queued,
        count(*) FILTER (WHERE first.next_attempt_at = a.restriction_until) AS held
    FROM (
        SELECT q.next_attempt_at FROM message_queue AS q
        WHERE q.shard = $1 AND q.organization_id = $2 AND q.account_id = a.id
        ORDER BY q.seq LIMIT $4
    ) AS first
) AS q
WHERE a.shard = $1 AND a.organization_id = $2 AND a.id = ANY($3)
"""

_waiting_of = reads(WaitingMessages)


async def count_waiting(
    connection: Connection, tenant: Tenant, account_ids: Sequence[UUID]
) -> dict[UUID, WaitingMessages]:
    """Count the waiting messages of each account, and how many of them a restriction holds."""
    rows = await connection.fetch(COUNT_WAITING, *tenant, account_ids, COUNTED)
    return {waiting.account_id: waiting for waiting in map(_waiting_of, rows)}
