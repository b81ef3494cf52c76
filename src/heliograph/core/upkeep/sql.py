"""Deleting what is too old: a tenant's rows of one table at a time, in small batches.

Rows are found by the time in their ids, from an id on, so that rows that must stay are read once.
Rows that are locked are left for the next night. Counts of what was made are not lowered.
"""

from collections.abc import Sequence
from datetime import date, datetime
from typing import NamedTuple
from uuid import UUID

from heliograph.core.events.log_sql import record_deleted
from heliograph.core.messages.search.sql import delete_orphans
from heliograph.core.messages.statistics.sql import PAST
from heliograph.core.tenants.model import Tenant
from heliograph.core.webhooks.deliveries_sql import count_deleted, list_awaited_events
from heliograph.platform.database.clock import first_id
from heliograph.platform.database.pool import Connection

NIL = UUID(int=0)


class Batch(NamedTuple):
    """How many rows were deleted, of how many, and the last id, where the next batch goes on."""

    deleted: int
    looked_at: int
    last: UUID


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
    ids = await _fetch(connection, DELETE_MESSAGES, tenant, after, before, limit)
    return _batch(ids, after)


async def delete_words(
    connection: Connection, tenant: Tenant, after: UUID, before: datetime, limit: int
) -> Batch:
    """Delete the words of messages that were made before this and have been deleted."""
    deleted, ids = await delete_orphans(connection, tenant, after, before, limit)
    return Batch(deleted, len(ids), max(ids, default=after))


DELETE_DELIVERIES = """
DELETE FROM deliveries
WHERE shard = $1 AND organization_id = $2 AND id = ANY(ARRAY(
    SELECT id FROM deliveries
    WHERE shard = $1 AND organization_id = $2 AND id > $3 AND id < $4 AND updated_at < $5
      AND status IN ('delivered', 'failed', 'canceled')
    ORDER BY id LIMIT $6 FOR UPDATE SKIP LOCKED
))
RETURNING id
"""
DELETE_ATTEMPTS = """
DELETE FROM delivery_attempts
WHERE shard = $1 AND organization_id = $2 AND delivery_id = ANY($3::uuid[])
"""


async def delete_deliveries(
    connection: Connection, tenant: Tenant, after: UUID, before: datetime, limit: int
) -> Batch:
    """Delete deliveries that are over, with their attempts: three statements of one transaction."""
    ids = await _fetch(connection, DELETE_DELIVERIES, tenant, after, before, limit)
    await connection.execute(DELETE_ATTEMPTS, *tenant, ids)
    await count_deleted(connection, tenant, len(ids))
    return _batch(ids, after)


# Whoever inserts another delivery of an event holds a lock on it meanwhile: it is passed over.
LOCK_EVENTS = """
SELECT id FROM events
WHERE shard = $1 AND organization_id = $2 AND id > $3 AND id < $4 AND created_at < $5
ORDER BY id LIMIT $6 FOR UPDATE SKIP LOCKED
"""
DELETE_EVENTS = """
DELETE FROM events WHERE shard = $1 AND organization_id = $2 AND id = ANY($3::uuid[])
RETURNING seq
"""


async def delete_events(
    connection: Connection, tenant: Tenant, after: UUID, before: datetime, limit: int
) -> Batch:
    """Delete events that no delivery waits for, and record up to where, for those who read on."""
    ids = await _fetch(connection, LOCK_EVENTS, tenant, after, before, limit)
    # asked once they are locked: only then can nobody begin to wait
    awaited = await list_awaited_events(connection, tenant, ids)
    over = [id_ for id_ in ids if id_ not in awaited]
    deleted = await connection.fetch(DELETE_EVENTS, *tenant, over)
    if deleted:
        await record_deleted(connection, tenant, max(row["seq"] for row in deleted))
    return Batch(len(over), len(ids), max(ids, default=after))


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
    ids = await _fetch(connection, DELETE_JOBS, tenant, after, before, limit)
    return _batch(ids, after)


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


DELETE_QUOTAS = """
DELETE FROM message_quotas WHERE shard = $1 AND organization_id = $2 AND starts_on < $3
"""


async def delete_quotas(connection: Connection, tenant: Tenant, before: date) -> None:
    """Delete what was counted against days and months that are long over."""
    await connection.execute(DELETE_QUOTAS, *tenant, before)


FOLD_COUNTS = """
WITH old AS MATERIALIZED (
    SELECT day, direction, status, stripe, n FROM message_counts
    WHERE shard = $1 AND organization_id = $2 AND day > $3 AND day < $4
    ORDER BY day, direction, status, stripe LIMIT $5 FOR UPDATE
), gone AS (
    DELETE FROM message_counts AS c USING old
    WHERE c.shard = $1 AND c.organization_id = $2 AND c.day = old.day
      AND c.direction = old.direction AND c.status = old.status AND c.stripe = old.stripe
), past AS (
    INSERT INTO message_counts AS c (shard, organization_id, day, direction, status, stripe, n)
    SELECT $1, $2, $3, direction, status, 0, sum(n) FROM old
    GROUP BY direction, status ORDER BY direction, status
    ON CONFLICT (shard, organization_id, day, direction, status, stripe)
    DO UPDATE SET n = c.n + excluded.n
)
SELECT count(*) FROM old
"""


async def fold_counts(connection: Connection, tenant: Tenant, before: date, limit: int) -> int:
    """Add the counts of days before this to those of the past, which is one row a state.

    The sums stay what they were. Returns how many rows that took.
    """
    folded: int = await connection.fetchval(FOLD_COUNTS, *tenant, PAST, before, limit)
    return folded


FOLD_ACCOUNT_COUNTS = """
WITH old AS MATERIALIZED (
    SELECT account_id, day, direction, status, stripe, n FROM account_message_counts
    WHERE shard = $1 AND organization_id = $2 AND day > $3 AND day < $4
    ORDER BY account_id, day, direction, status, stripe LIMIT $5 FOR UPDATE
), gone AS (
    DELETE FROM account_message_counts AS c USING old
    WHERE c.shard = $1 AND c.organization_id = $2 AND c.account_id = old.account_id
      AND c.day = old.day AND c.direction = old.direction AND c.status = old.status
      AND c.stripe = old.stripe
), past AS (
    INSERT INTO account_message_counts AS c (
        shard, organization_id, account_id, day, direction, status, stripe, n
    )
    SELECT $1, $2, account_id, $3, direction, status, 0, sum(n) FROM old
    GROUP BY account_id, direction, status ORDER BY account_id, direction, status
    ON CONFLICT (shard, organization_id, account_id, day, direction, status, stripe)
    DO UPDATE SET n = c.n + excluded.n
)
SELECT count(*) FROM old
"""


async def fold_account_counts(
    connection: Connection, tenant: Tenant, before: date, limit: int
) -> int:
    """Do the same with the counts of accounts."""
    folded: int = await connection.fetchval(FOLD_ACCOUNT_COUNTS, *tenant, PAST, before, limit)
    return folded


async def _fetch(
    connection: Connection,
    statement: str,
    tenant: Tenant,
    after: UUID,
    before: datetime,
    limit: int,
) -> Sequence[UUID]:
    rows = await connection.fetch(statement, *tenant, after, first_id(before), before, limit)
    return [row["id"] for row in rows]


def _batch(ids: Sequence[UUID], after: UUID) -> Batch:
    return Batch(len(ids), len(ids), max(ids, default=after))
