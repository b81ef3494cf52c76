"""What is due: asked once a second for all that a node owns, without locks.

These are the only statements that look at all tenants at once: they name no shard, lock nothing
and change nothing. What they find is then claimed shard by shard, tenant by tenant.
"""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from heliograph.store.database import Connection

LIST_ACCOUNTS = """
SELECT a.account_id FROM unnest($1::uuid[]) AS a (account_id)
WHERE EXISTS (
    SELECT 1 FROM messages AS m
    WHERE m.account_id = a.account_id AND m.status = 'queued'
      AND (m.next_attempt_at IS NULL OR m.next_attempt_at <= $2)
    OFFSET 0
) OR EXISTS (
    SELECT 1 FROM jobs AS j WHERE j.account_id = a.account_id AND j.status = 'pending' OFFSET 0
)
"""

LIST_SCHEDULED_SHARDS = """
SELECT DISTINCT shard FROM messages WHERE status = 'scheduled' AND scheduled_for <= $1
"""

LIST_EXPIRED_KEY_SHARDS = """
SELECT DISTINCT shard FROM idempotency_keys WHERE expires_at <= $1
"""


async def list_due_accounts(
    connection: Connection, account_ids: Sequence[UUID], now: datetime
) -> set[UUID]:
    """Those of these accounts that have a message to send or a job to do."""
    return {row["account_id"] for row in await connection.fetch(LIST_ACCOUNTS, account_ids, now)}


async def list_scheduled_shards(connection: Connection, now: datetime) -> list[int]:
    rows = await connection.fetch(LIST_SCHEDULED_SHARDS, now)
    return sorted(row["shard"] for row in rows)


async def list_expired_key_shards(connection: Connection, now: datetime) -> list[int]:
    rows = await connection.fetch(LIST_EXPIRED_KEY_SHARDS, now)
    return sorted(row["shard"] for row in rows)
