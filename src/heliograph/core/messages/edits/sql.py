"""The table `message_changes`: edits, deletions and reactions that the network has not accepted
yet.

A row stays until its outcome is written. An attempt writes nothing beforehand: the account's lease
keeps other nodes away, and a change has the same id on the network at each attempt.
"""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import msgspec

from heliograph.core.cluster.model import Lease
from heliograph.core.messages.model import Message, MessageChange, SentBy
from heliograph.core.messages.sql import message_of
from heliograph.core.tenants.model import Tenant
from heliograph.core.tenants.rows import ROW_KEYS, Shards, statement, tenant_columns, tenant_of
from heliograph.networks.content import decode_content, encode_content
from heliograph.networks.port import ChangeKind
from heliograph.platform.database.pool import Connection, Row
from heliograph.platform.database.rows import reads

_sent_by = msgspec.json.Decoder(SentBy)
_change_of = reads(
    MessageChange,
    tenant=tenant_of,
    content=lambda row: decode_content(row["content"]) if row["content"] else None,
    sent_by=lambda row: _sent_by.decode(row["sent_by"]) if row["sent_by"] else None,
)

INSERT = """
INSERT INTO message_changes (
    shard, organization_id, id, account_id, message_id, kind, content, emoji, change_id, run_id,
    sent_by, retry_count, connected_seconds, created_at
) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 0, 0, $12)
ON CONFLICT (shard, organization_id, id) DO NOTHING
"""


async def insert_change(connection: Connection, change: MessageChange) -> None:
    await connection.execute(
        INSERT,
        *change.tenant,
        change.id,
        change.account_id,
        change.message_id,
        change.kind,
        None if change.content is None else encode_content(change.content),
        change.emoji,
        change.change_id,
        change.run_id,
        None if change.sent_by is None else msgspec.json.encode(change.sent_by).decode(),
        change.created_at,
    )


FIND = """
SELECT * FROM message_changes
WHERE shard = $1 AND organization_id = $2 AND message_id = $3 AND kind = $4
ORDER BY seq LIMIT 1
"""


async def find_change(
    connection: Connection, tenant: Tenant, message_id: UUID, kind: ChangeKind
) -> MessageChange | None:
    """Return the first change of this kind that waits for the network."""
    row = await connection.fetchrow(FIND, *tenant, message_id, kind)
    return None if row is None else _change_of(row)


LIST_DUE = """
SELECT c.* FROM message_changes AS c
WHERE c.shard = $1 AND c.organization_id = $2 AND c.account_id = $3
  AND (c.next_attempt_at IS NULL OR c.next_attempt_at <= $4)
  AND NOT EXISTS (
      SELECT 1 FROM message_changes AS e
      WHERE e.shard = $1 AND e.organization_id = $2 AND e.message_id = c.message_id
        AND e.seq < c.seq
      OFFSET 0
  )
  AND NOT EXISTS (
      SELECT 1 FROM messages AS m
      WHERE m.shard = $1 AND m.organization_id = $2 AND m.id = c.message_id
        AND m.status IN ('scheduled', 'queued', 'sending')
      OFFSET 0
  )
ORDER BY c.seq LIMIT $5
"""


async def list_due_changes(
    connection: Connection, lease: Lease, now: datetime, limit: int
) -> list[MessageChange]:
    """Return the account's due changes, of each sent message the first, in the order of the
    requests."""
    rows = await connection.fetch(LIST_DUE, *lease.tenant, lease.resource_id, now, limit)
    return [_change_of(row) for row in rows]


LIST_MESSAGES = """
SELECT m.* FROM unnest($3::uuid[]) AS k (id)
CROSS JOIN LATERAL (
    SELECT * FROM messages WHERE shard = $1 AND organization_id = $2 AND id = k.id LIMIT 1
) AS m
"""


async def list_messages_by_id(
    connection: Connection, tenant: Tenant, message_ids: Sequence[UUID]
) -> dict[UUID, Message]:
    rows = await connection.fetch(LIST_MESSAGES, *tenant, list(message_ids))
    return {row["id"]: message_of(row) for row in rows}


DELETE = statement(
    """
DELETE FROM message_changes AS c USING {rows}
WHERE c.shard = {shard} AND c.organization_id = k.organization_id AND c.id = k.id
RETURNING c.id
""",
    ROW_KEYS,
)


async def end_changes(
    connection: Connection, shards: Shards, changes: Sequence[MessageChange]
) -> set[UUID]:
    """Delete changes that have ended; return the ids of those that still existed."""
    keys = [(change.tenant.organization_id, change.id) for change in changes]
    rows = await connection.fetch(*DELETE.transpose(shards, keys))
    return {row["id"] for row in rows}


_POSTPONED = tenant_columns(
    "id uuid, retry_count int, next_attempt_at timestamptz, connected_seconds float8", keys=2
)
POSTPONE = statement(
    """
UPDATE message_changes AS c SET {changes} FROM {rows}
WHERE c.shard = {shard} AND c.organization_id = k.organization_id AND c.id = k.id
""",
    _POSTPONED,
)


async def postpone_changes(
    connection: Connection,
    shards: Shards,
    rows: Sequence[tuple[UUID, UUID, int, datetime, float]],
) -> None:
    """Postpone changes, given by (organization id, id, tries, next attempt, connected seconds)."""
    await connection.execute(*POSTPONE.transpose(shards, rows))


# A change that is taken by these is not returned to the queue: its failure is reported in the same
# transaction.

TAKE_OF_ACCOUNT = """
DELETE FROM message_changes
WHERE shard = $1 AND organization_id = $2 AND account_id = $3 AND seq = ANY(ARRAY(
    SELECT seq FROM message_changes
    WHERE shard = $1 AND organization_id = $2 AND account_id = $3
    ORDER BY seq LIMIT $4 FOR UPDATE
))
RETURNING *
"""


async def take_changes_of(
    connection: Connection, tenant: Tenant, account_id: UUID, limit: int
) -> list[MessageChange]:
    """Delete the first changes that wait for an account, and return them in their order."""
    return _in_order(await connection.fetch(TAKE_OF_ACCOUNT, *tenant, account_id, limit))


TAKE_BEHIND = ROW_KEYS.fill("""
DELETE FROM message_changes AS c USING {rows}
WHERE c.shard = $1 AND c.organization_id = k.organization_id AND c.message_id = k.id
RETURNING c.*
""")


async def take_changes_behind(
    connection: Connection, shard: int, keys: Sequence[tuple[UUID, UUID]]
) -> list[MessageChange]:
    """Delete the changes that wait behind messages, given by (organization id, id), and return them
    in their order."""
    return _in_order(await connection.fetch(TAKE_BEHIND, shard, *ROW_KEYS.transpose(keys)))


def _in_order(rows: Sequence[Row]) -> list[MessageChange]:
    return [_change_of(row) for row in sorted(rows, key=lambda row: row["seq"])]
