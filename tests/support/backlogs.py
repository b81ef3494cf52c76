"""Backlogs of hundreds of thousands of rows, and what the server is left to know of them."""

from uuid import UUID

from connections import connected
from heliograph.core.tenants.model import Tenant

TABLES = ("messages", "message_queue", "delivery_queue")

MESSAGES = """
INSERT INTO messages (
    shard, organization_id, id, account_id, direction, status, message_type, chat_type, recipient,
    phone_number, content, chat_message_id, retry_count, connected_seconds, queued_at, created_at,
    updated_at
)
SELECT $1, $2, gen_random_uuid(), $3, 'outbound', 'queued', 'text', 'individual', n || '@sandbox',
    '+' || n, '{"type": "text", "body": "x"}', 'waiting ' || n, 0, 0, now(), now(), now()
FROM generate_series(1, $4::int) AS n
"""
QUEUED = """
INSERT INTO message_queue (
    shard, organization_id, account_id, seq, message_id, queued_at, recipient, fresh
)
SELECT shard, organization_id, account_id, seq, id, queued_at, recipient, true FROM messages
WHERE shard = $1 AND organization_id = $2 AND account_id = $3 AND status = 'queued'
ON CONFLICT DO NOTHING
"""

# One event for all of them: what they bring is not what is looked at here.
EVENT = """
INSERT INTO events (shard, organization_id, id, type, payload, created_at)
VALUES ($1, $2, $3, 'message.read', '{}', now())
"""

DELIVERIES = """
INSERT INTO delivery_queue (
    shard, organization_id, id, webhook_id, event_id, event_type, order_key, attempt_count,
    next_attempt_at, created_at
)
SELECT $1, $2, gen_random_uuid(), $3, $5, 'message.read', gen_random_uuid(), n % 2,
    CASE n % 2 WHEN 1 THEN now() + interval '1 day' END, now()
FROM generate_series(1, $4::int) AS n
"""


async def prepare(database_url: str) -> None:
    """Let the server know of these tables what it is told, and fill them without a log."""
    settings = ("SET (autovacuum_enabled = off)", "SET UNLOGGED")
    statements = [f"ALTER TABLE {table} {setting}" for table in TABLES for setting in settings]
    await _execute(database_url, *statements)


async def let_wait(
    database_url: str, tenant: Tenant, account_id: UUID, webhook_id: UUID, rows: int
) -> None:
    """So many messages in the account's queue, so many deliveries for the webhook: every other one
    has been tried and waits for a later time."""
    async with connected(database_url) as connection:
        event_id = await connection.fetchval("SELECT gen_random_uuid()")
        await connection.execute(EVENT, *tenant, event_id)
        await connection.execute(MESSAGES, *tenant, account_id, rows)
        await connection.execute(QUEUED, *tenant, account_id)
        await connection.execute(DELIVERIES, *tenant, webhook_id, rows, event_id)


async def analyze(database_url: str) -> None:
    await _execute(database_url, *(f"ANALYZE {table}" for table in TABLES))


async def _execute(database_url: str, *statements: str) -> None:
    async with connected(database_url) as connection:
        for statement in statements:
            await connection.execute(statement)
