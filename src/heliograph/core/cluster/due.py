"""What is due: asked once a second for all that a node owns, without locks.

These are the only statements that look at several tenants at once, of whatever shards: they lock
nothing and change nothing. What they find is then claimed shard by shard, tenant by tenant.
"""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from heliograph.core.cluster.model import Lease
from heliograph.platform.database.pool import Connection

# "Is there any" is asked as "which is the first": with EXISTS the planner expects to meet one soon
# wherever it reads, and where one account has a long queue it reads the whole table for each of
# those that have none. An order is had from the index alone.
LIST_ACCOUNTS = """
SELECT a.account_id FROM unnest($1::int[], $2::uuid[], $3::uuid[])
    AS a (shard, organization_id, account_id)
WHERE (
    SELECT m.seq FROM messages AS m
    WHERE m.shard = a.shard AND m.organization_id = a.organization_id
      AND m.account_id = a.account_id AND m.status = 'queued'
      AND (m.next_attempt_at IS NULL OR m.next_attempt_at <= $4)
    ORDER BY m.seq LIMIT 1
) IS NOT NULL OR (
    SELECT j.seq FROM jobs AS j
    WHERE j.shard = a.shard AND j.organization_id = a.organization_id
      AND j.account_id = a.account_id AND j.status = 'pending'
    ORDER BY j.seq LIMIT 1
) IS NOT NULL
"""

# What is `delivering` under this lease's own epoch is in its owner's hands.
LIST_WEBHOOKS = """
SELECT w.webhook_id FROM unnest($1::int[], $2::uuid[], $3::uuid[], $4::bigint[])
    AS w (shard, organization_id, webhook_id, epoch)
WHERE (
    SELECT d.seq FROM deliveries AS d
    WHERE d.shard = w.shard AND d.organization_id = w.organization_id
      AND d.webhook_id = w.webhook_id AND d.status = 'pending' AND d.next_attempt_at IS NULL
    ORDER BY d.seq LIMIT 1
) IS NOT NULL OR (
    SELECT d.next_attempt_at FROM deliveries AS d
    WHERE d.shard = w.shard AND d.organization_id = w.organization_id
      AND d.webhook_id = w.webhook_id AND d.status = 'pending' AND d.next_attempt_at <= $5
    ORDER BY d.next_attempt_at LIMIT 1
) IS NOT NULL OR (
    SELECT min(d.claim_epoch) FROM deliveries AS d
    WHERE d.shard = w.shard AND d.organization_id = w.organization_id
      AND d.webhook_id = w.webhook_id AND d.status = 'delivering'
) < w.epoch
"""

LIST_OVERDUE_SHARDS = """
SELECT DISTINCT k.shard FROM unnest($1::int[], $2::uuid[], $3::uuid[])
    AS k (shard, organization_id, webhook_id)
JOIN webhooks AS w
  ON w.shard = k.shard AND w.organization_id = k.organization_id AND w.id = k.webhook_id
WHERE NOT w.enabled AND w.disabled_at < $4 AND ((
    SELECT d.seq FROM deliveries AS d
    WHERE d.shard = k.shard AND d.organization_id = k.organization_id
      AND d.webhook_id = k.webhook_id AND d.status = 'pending' AND d.next_attempt_at IS NULL
    ORDER BY d.seq LIMIT 1
) IS NOT NULL OR (
    SELECT d.next_attempt_at FROM deliveries AS d
    WHERE d.shard = k.shard AND d.organization_id = k.organization_id
      AND d.webhook_id = k.webhook_id AND d.status = 'pending' AND d.next_attempt_at IS NOT NULL
    ORDER BY d.next_attempt_at LIMIT 1
) IS NOT NULL)
"""

LIST_SCHEDULED_SHARDS = """
SELECT DISTINCT shard FROM messages WHERE status = 'scheduled' AND scheduled_for <= $1
"""

FIND_NEXT_SCHEDULED = """
SELECT scheduled_for FROM messages WHERE status = 'scheduled' ORDER BY scheduled_for LIMIT 1
"""

LIST_EXPIRED_KEY_SHARDS = """
SELECT DISTINCT shard FROM idempotency_keys WHERE expires_at <= $1
"""


async def list_due_accounts(
    connection: Connection, leases: Sequence[Lease], now: datetime
) -> set[UUID]:
    """The accounts under these leases that have a message to send or a job to do."""
    rows = await connection.fetch(LIST_ACCOUNTS, *_columns(leases), now)
    return {row["account_id"] for row in rows}


async def list_due_webhooks(
    connection: Connection, leases: Sequence[Lease], now: datetime
) -> set[UUID]:
    """The webhooks under these leases, of any shards, that have a delivery to claim."""
    epochs = [lease.epoch for lease in leases]
    rows = await connection.fetch(LIST_WEBHOOKS, *_columns(leases), epochs, now)
    return {row["webhook_id"] for row in rows}


async def list_overdue_shards(
    connection: Connection, leases: Sequence[Lease], disabled_before: datetime
) -> list[int]:
    """The shards in which something waits for one of these webhooks, disabled for that long."""
    rows = await connection.fetch(LIST_OVERDUE_SHARDS, *_columns(leases), disabled_before)
    return sorted(row["shard"] for row in rows)


def _columns(leases: Sequence[Lease]) -> tuple[list[int], list[UUID], list[UUID]]:
    return (
        [lease.tenant.shard for lease in leases],
        [lease.tenant.organization_id for lease in leases],
        [lease.resource_id for lease in leases],
    )


async def list_scheduled_shards(connection: Connection, now: datetime) -> list[int]:
    rows = await connection.fetch(LIST_SCHEDULED_SHARDS, now)
    return sorted(row["shard"] for row in rows)


async def find_next_scheduled(connection: Connection) -> datetime | None:
    """When the next scheduled message is due, whosever it is; None when there is none."""
    at: datetime | None = await connection.fetchval(FIND_NEXT_SCHEDULED)
    return at


async def list_expired_key_shards(connection: Connection, now: datetime) -> list[int]:
    rows = await connection.fetch(LIST_EXPIRED_KEY_SHARDS, now)
    return sorted(row["shard"] for row in rows)
