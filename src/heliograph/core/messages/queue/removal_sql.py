"""Ending the messages that wait for an account that was removed."""

from datetime import datetime
from uuid import UUID

import msgspec

from heliograph.core.messages.model import Direction, MessageStatus
from heliograph.core.messages.queue.sql import list_claimed
from heliograph.core.tenants.model import Tenant
from heliograph.platform.database.pool import Connection
from heliograph.platform.database.rows import reads


class EndedMessage(msgspec.Struct, frozen=True):
    """A message that will not be sent any more."""

    id: UUID
    created_at: datetime
    direction: Direction
    old: MessageStatus
    new: MessageStatus
    run_id: str | None


LIST_WAITING = """
SELECT id, seq FROM (
    SELECT message_id AS id, seq FROM message_queue
    WHERE shard = $1 AND organization_id = $2 AND account_id = $3
    ORDER BY seq LIMIT $4
) AS queued
UNION ALL
SELECT id, seq FROM messages
WHERE shard = $1 AND organization_id = $2 AND id = ANY($5::uuid[]) AND status = 'sending'
UNION ALL
SELECT id, seq FROM (
    SELECT message_id AS id, NULL::bigint AS seq FROM message_schedule
    WHERE shard = $1 AND organization_id = $2 AND account_id = $3
    ORDER BY message_id LIMIT $4
) AS scheduled
LIMIT $4
"""
DELETE_SCHEDULED = """
DELETE FROM message_schedule
WHERE shard = $1 AND organization_id = $2 AND account_id = $3 AND message_id = ANY($4::uuid[])
"""
END_WAITING = """
WITH waiting AS MATERIALIZED (
    SELECT id, status, status = 'sending' OR in_doubt AS may_have_left FROM messages
    WHERE shard = $1 AND organization_id = $2 AND account_id = $3
      AND status IN ('scheduled', 'queued', 'sending') AND id = ANY($6::uuid[])
    ORDER BY id FOR UPDATE
)
UPDATE messages AS m
SET status = CASE WHEN waiting.may_have_left THEN 'failed' ELSE 'canceled' END,
    failed_at = CASE WHEN waiting.may_have_left THEN $4::timestamptz END,
    failure_reason = CASE WHEN waiting.may_have_left THEN $7 ELSE $5 END,
    in_doubt = waiting.may_have_left, next_attempt_at = NULL, updated_at = $4
FROM waiting
WHERE m.shard = $1 AND m.organization_id = $2 AND m.id = waiting.id AND m.id = ANY($6::uuid[])
RETURNING m.id, m.created_at, m.direction, m.run_id, waiting.status AS old, m.status AS new
"""
DELETE_QUEUED = """
DELETE FROM message_queue
WHERE shard = $1 AND organization_id = $2 AND account_id = $3 AND seq = ANY($4::bigint[])
"""
DELETE_CLAIMS = """
DELETE FROM message_claims WHERE shard = $1 AND organization_id = $2 AND account_id = $3
"""

_ended_of = reads(EndedMessage)


async def end_waiting_messages(
    connection: Connection,
    tenant: Tenant,
    account_id: UUID,
    at: datetime,
    reasons: tuple[str, str],
    limit: int,
) -> tuple[int, list[EndedMessage]]:
    """End messages that an account will not send any more: with the first of these reasons those of
    which nothing may have left, with the second all others.

    Returns how many were looked at, at most `limit`, and those that have ended now.
    """
    account = (*tenant, account_id)
    claimed = await list_claimed(connection, tenant, account_id)
    found = await connection.fetch(LIST_WAITING, *account, limit, list(claimed))
    ids = [row["id"] for row in found]
    # before the messages are locked, as when they are started
    await connection.execute(DELETE_SCHEDULED, *account, ids)
    canceled, failed = reasons
    rows = await connection.fetch(END_WAITING, *account, at, canceled, ids, failed)
    seqs = [row["seq"] for row in found if row["seq"] is not None]
    await connection.execute(DELETE_QUEUED, *account, seqs)
    if len(found) < limit:
        await connection.execute(DELETE_CLAIMS, *account)
    return len(found), [_ended_of(row) for row in rows]
