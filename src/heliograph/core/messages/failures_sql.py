"""Messages that failed, and what waits for webhooks that do."""

from collections.abc import Sequence
from uuid import UUID

from heliograph.core.tenants.organization import Tenant
from heliograph.platform.database.pool import Connection
from heliograph.platform.database.rows import Columns

MOST_WAITING = 1000
"""How far what waits for one webhook is counted, in each of the states of waiting."""

LIST_FAILED = """
SELECT id FROM (
    SELECT id, status FROM messages
    WHERE shard = $1 AND organization_id = $2 AND id < $3 ORDER BY id DESC LIMIT $4
) AS recent
WHERE status = 'failed' ORDER BY id DESC LIMIT $5
"""

FIND_END = """
SELECT id FROM messages
WHERE shard = $1 AND organization_id = $2 AND id < $3 ORDER BY id DESC OFFSET $4 LIMIT 1
"""

_CHATS = Columns("id uuid, account_id uuid, remote_jid text", first=3)
LIST_CONVERSATIONS = _CHATS.fill("""
SELECT k.id, v.id AS conversation_id
FROM {rows}
CROSS JOIN LATERAL (
    SELECT id FROM conversations
    WHERE shard = $1 AND organization_id = $2 AND account_id = k.account_id
      AND remote_jid = k.remote_jid
    OFFSET 0
) AS v
""")

# In parts, each of which has an index of its own.
COUNT_WAITING = """
SELECT w.id, f.n + r.n + c.n AS n, l.error_message, l.response_code
FROM unnest($3::uuid[]) AS w (id)
CROSS JOIN LATERAL (SELECT count(*) AS n FROM (
    SELECT 1 FROM deliveries WHERE shard = $1 AND organization_id = $2 AND webhook_id = w.id
      AND status = 'pending' AND next_attempt_at IS NULL LIMIT $4
) AS first) AS f
CROSS JOIN LATERAL (SELECT count(*) AS n FROM (
    SELECT 1 FROM deliveries WHERE shard = $1 AND organization_id = $2 AND webhook_id = w.id
      AND status = 'pending' AND next_attempt_at IS NOT NULL LIMIT $4
) AS again) AS r
CROSS JOIN LATERAL (SELECT count(*) AS n FROM (
    SELECT 1 FROM deliveries WHERE shard = $1 AND organization_id = $2 AND webhook_id = w.id
      AND status = 'delivering' LIMIT $4
) AS claimed) AS c
LEFT JOIN LATERAL (
    SELECT error_message, response_code FROM deliveries
    WHERE shard = $1 AND organization_id = $2 AND webhook_id = w.id
      AND status = 'pending' AND next_attempt_at IS NOT NULL
    ORDER BY next_attempt_at DESC LIMIT 1
) AS l ON true
"""

COUNT_RECENT = """
SELECT count(*) FILTER (WHERE status = 'delivered') AS delivered,
    count(*) FILTER (WHERE status = 'failed') AS failed,
    count(*) FILTER (
        WHERE status IN ('pending', 'delivering') AND attempt_count > 0 AND webhook_id <> ALL($4)
    ) AS repeated
FROM (
    SELECT status, attempt_count, webhook_id FROM deliveries
    WHERE shard = $1 AND organization_id = $2 AND seq > 0
    ORDER BY seq DESC LIMIT $3
) AS recent
"""


async def list_failed_ids(
    connection: Connection, tenant: Tenant, *, before: UUID, scan: int, limit: int
) -> list[UUID]:
    """Those among the newest `scan` messages before this id, newest first.

    No index knows which failed, for few do: how far is looked bounds what a page can cost.
    """
    rows = await connection.fetch(LIST_FAILED, *tenant, before, scan, limit)
    return [row["id"] for row in rows]


async def find_scan_end(
    connection: Connection, tenant: Tenant, *, before: UUID, scan: int
) -> UUID | None:
    """The last of the newest `scan` messages before this id; None where they end sooner."""
    found: UUID | None = await connection.fetchval(FIND_END, *tenant, before, scan - 1)
    return found


async def list_conversations_of(
    connection: Connection, tenant: Tenant, chats: Sequence[tuple[UUID, UUID, str]]
) -> dict[UUID, UUID]:
    """The conversation of each (any id, account id, remote JID), by the first."""
    rows = await connection.fetch(LIST_CONVERSATIONS, *tenant, *_CHATS.transpose(chats))
    return {row["id"]: row["conversation_id"] for row in rows}


async def count_waiting(
    connection: Connection, tenant: Tenant, webhook_ids: Sequence[UUID]
) -> dict[UUID, tuple[int, str | None]]:
    """What waits for each of these webhooks, and what the newest attempt of it came to."""
    rows = await connection.fetch(COUNT_WAITING, *tenant, webhook_ids, MOST_WAITING)
    return {
        row["id"]: (row["n"], row["error_message"] or _told(row["response_code"])) for row in rows
    }


def _told(response_code: int | None) -> str | None:
    return None if response_code is None else f"It answered {response_code}."


async def count_recent(
    connection: Connection, tenant: Tenant, limit: int, but: Sequence[UUID]
) -> tuple[int, int, int]:
    """Of the newest so many deliveries: delivered, failed, and tried again to webhooks that are
    not among these."""
    row = await connection.fetchrow(COUNT_RECENT, *tenant, limit, but)
    assert row is not None  # noqa: S101 - an aggregate always has a row
    return row["delivered"], row["failed"], row["repeated"]
