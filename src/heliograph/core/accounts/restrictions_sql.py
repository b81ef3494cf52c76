"""Restrictions of accounts, in the table `accounts`, and what they mean for messages."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from heliograph.core.accounts.model import COUNTED, WaitingMessages
from heliograph.core.tenants.model import Tenant
from heliograph.platform.database.pool import Connection
from heliograph.platform.database.rows import reads

# They may have written under another of their addresses.
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
