"""The table `removed_accounts`, and the messages that wait for an account that is no more."""

from datetime import datetime
from uuid import UUID

import msgspec

from heliograph.core.accounts.model import Account
from heliograph.core.messages.model import Direction, MessageStatus
from heliograph.core.tenants.model import Tenant
from heliograph.core.tenants.rows import tenant_of
from heliograph.platform.database.pool import Connection
from heliograph.platform.database.rows import reads


class RemovedAccount(msgspec.Struct, frozen=True):
    tenant: Tenant
    account_id: UUID
    message_logging_enabled: bool
    removed_at: datetime


class EndedMessage(msgspec.Struct, frozen=True):
    """A message that will not be sent any more."""

    id: UUID
    created_at: datetime
    direction: Direction
    old: MessageStatus
    new: MessageStatus
    run_id: str | None


INSERT_REMOVED = """
INSERT INTO removed_accounts (
    shard, organization_id, account_id, message_logging_enabled, removed_at
) VALUES ($1, $2, $3, $4, $5)
"""


async def insert_removed(connection: Connection, account: Account, at: datetime) -> RemovedAccount:
    removed = RemovedAccount(account.tenant, account.id, account.message_logging_enabled, at)
    await connection.execute(
        INSERT_REMOVED, *removed.tenant, account.id, removed.message_logging_enabled, at
    )
    return removed


LIST_REMOVED = """
SELECT shard, organization_id, account_id, message_logging_enabled, removed_at
FROM removed_accounts
"""

_removed_of = reads(RemovedAccount, tenant=tenant_of)


async def list_removed(connection: Connection) -> list[RemovedAccount]:
    return [_removed_of(row) for row in await connection.fetch(LIST_REMOVED)]


DELETE_REMOVED = """
DELETE FROM removed_accounts WHERE shard = $1 AND organization_id = $2 AND account_id = $3
"""


async def delete_removed(connection: Connection, removed: RemovedAccount) -> None:
    await connection.execute(DELETE_REMOVED, *removed.tenant, removed.account_id)


# Found in three parts, each of which has an index of its own, and then locked in one order.
END_WAITING = """
WITH waiting AS MATERIALIZED (
    SELECT id, status FROM messages
    WHERE shard = $1 AND organization_id = $2 AND account_id = $3
      AND status IN ('scheduled', 'queued', 'sending')
      AND id = ANY(ARRAY(
        SELECT id FROM (
            SELECT id FROM messages
            WHERE shard = $1 AND organization_id = $2 AND account_id = $3 AND status = 'queued'
            ORDER BY seq LIMIT $6
        ) AS queued
        UNION ALL
        SELECT id FROM messages
        WHERE shard = $1 AND organization_id = $2 AND account_id = $3 AND status = 'sending'
        UNION ALL
        SELECT id FROM (
            SELECT id FROM messages
            WHERE shard = $1 AND organization_id = $2 AND account_id = $3 AND status = 'scheduled'
            ORDER BY scheduled_for LIMIT $6
        ) AS scheduled
        LIMIT $6
      ))
    ORDER BY id FOR UPDATE
)
UPDATE messages AS m
SET status = CASE waiting.status WHEN 'sending' THEN 'failed' ELSE 'canceled' END,
    failed_at = CASE waiting.status WHEN 'sending' THEN $4::timestamptz END,
    failure_reason = $5, next_attempt_at = NULL, updated_at = $4
FROM waiting
WHERE m.shard = $1 AND m.organization_id = $2 AND m.id = waiting.id
  AND m.id = ANY(ARRAY(SELECT id FROM waiting))
RETURNING m.id, m.created_at, m.direction, m.run_id, waiting.status AS old, m.status AS new
"""

_ended_of = reads(EndedMessage)


async def end_waiting_messages(
    connection: Connection, tenant: Tenant, account_id: UUID, at: datetime, reason: str, limit: int
) -> list[EndedMessage]:
    """End at most `limit` messages that an account will not send any more."""
    rows = await connection.fetch(END_WAITING, *tenant, account_id, at, reason, limit)
    return [_ended_of(row) for row in rows]
