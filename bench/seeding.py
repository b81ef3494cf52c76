"""Stored messages by the million, written by SQL as the gateway would have left them.

Each message is read and has its conversation, contact and counts. One in ten, evenly over all time,
has the rest as well: its row in the sandbox network, an event, and a delivery with its attempt.
Their contents are copied from one message that was really sent. 100 messages make a conversation.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import asyncpg

from bench.gateway import Gateway

CHUNK = 50_000
PER_CONVERSATION = 100
WRITERS = 2
"""Connections that write at the same time."""

_PREPARE = (
    """
    CREATE TABLE bench_accounts (
        n bigint PRIMARY KEY, shard integer, organization_id uuid, account_id uuid,
        account_jid text, webhook_id uuid, webhook_url text
    )
    """,
    """
    INSERT INTO bench_accounts
    SELECT row_number() OVER (ORDER BY a.id) - 1, a.shard, a.organization_id, a.id,
        coalesce(d.jid, ''), w.id, w.url
    FROM accounts AS a JOIN webhooks AS w USING (shard, organization_id)
    LEFT JOIN sandbox.devices AS d ON d.account_id = a.id
    """,
    # Like the gateway's own ids (UUID v7) these grow with time.
    """
    CREATE FUNCTION bench_id(at timestamptz, name text) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
        SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0')
            || '7' || substr(md5(name), 1, 3) || '8' || substr(md5(name), 4, 15))::uuid
    $$
    """,
    # Message `i` belongs to account `i mod accounts`, whose `j`th it is, and to conversation `k`.
    """
    CREATE FUNCTION bench_messages(first bigint, last bigint, start timestamptz)
    RETURNS TABLE (
        shard integer, organization_id uuid, account_id uuid, account_jid text, webhook_id uuid,
        webhook_url text, id uuid, j bigint, conversation_id uuid, contact_id uuid, jid text,
        chat_message_id text, at timestamptz, digest text
    ) LANGUAGE sql STABLE AS $$
        SELECT a.shard, a.organization_id, a.account_id, a.account_jid, a.webhook_id, a.webhook_url,
            bench_id(m.at, m.digest), m.j, md5('conversation ' || a.n || ' ' || m.j / 100)::uuid,
            md5('contact ' || a.n || ' ' || m.j / 100)::uuid,
            (15551000000 + 100000 * a.n + m.j / 100) || '@sandbox',
            'SBX0' || upper(substr(m.digest, 1, 18)), m.at, m.digest
        FROM (
            SELECT i % c.accounts AS n, i / c.accounts AS j, md5('message ' || i) AS digest,
                start + i * interval '250 ms' AS at
            FROM generate_series(first, last) AS i
            CROSS JOIN (SELECT count(*) AS accounts FROM bench_accounts) AS c
        ) AS m JOIN bench_accounts AS a ON a.n = m.n
    $$
    """,
)

_PEOPLE = (
    """
    INSERT INTO contacts
        (shard, organization_id, id, phone_number, chat_name, created_at, updated_at)
    SELECT shard, organization_id, md5('contact ' || n || ' ' || k)::uuid,
        '+' || 15551000000 + 100000 * n + k, 'Person ' || k, $3, $3
    FROM bench_accounts CROSS JOIN generate_series($1::bigint, $2::bigint) AS k
    """,
    """
    INSERT INTO contact_addresses
        (shard, organization_id, network, remote_jid, contact_id, created_at)
    SELECT shard, organization_id, 'sandbox', 15551000000 + 100000 * n + k || '@sandbox',
        md5('contact ' || n || ' ' || k)::uuid, $3
    FROM bench_accounts CROSS JOIN generate_series($1::bigint, $2::bigint) AS k
    """,
    """
    INSERT INTO conversations (
        shard, organization_id, id, account_id, remote_jid, status, unread_count, contact_id,
        phone_number, is_group, agent_paused, last_message_preview, last_message_at,
        last_outbound_at, pinned, created_at, updated_at
    )
    SELECT shard, organization_id, md5('conversation ' || n || ' ' || k)::uuid, account_id,
        15551000000 + 100000 * n + k || '@sandbox', 'open', 0,
        md5('contact ' || n || ' ' || k)::uuid, '+' || 15551000000 + 100000 * n + k, false, false,
        'Message', $3, $3, false, $3, $3
    FROM bench_accounts CROSS JOIN generate_series($1::bigint, $2::bigint) AS k
    """,
    """
    INSERT INTO sandbox.phones (account_id, jid, chat_name)
    SELECT account_id, 15551000000 + 100000 * n + k || '@sandbox', 'Person ' || k
    FROM bench_accounts CROSS JOIN generate_series($1::bigint, $2::bigint) AS k
    WHERE $3::timestamptz IS NOT NULL
    """,
)

_MESSAGES = """
INSERT INTO messages (
    shard, organization_id, id, account_id, conversation_id, contact_id, direction, status,
    message_type, chat_type, recipient, remote_jid, phone_number, content, chat_message_id, run_id,
    retry_count, connected_seconds, claim_epoch, queued_at, sent_at, delivered_at, read_at,
    created_at, updated_at
)
SELECT m.shard, m.organization_id, m.id, m.account_id, m.conversation_id, m.contact_id, t.direction,
    t.status, t.message_type, t.chat_type, m.jid, m.jid, '+' || split_part(m.jid, '@', 1),
    t.content, m.chat_message_id, 'run_' || m.digest, 0, 0, 1, m.at, m.at, m.at, m.at, m.at, m.at
FROM bench_messages($1, $2, $3) AS m CROSS JOIN (SELECT * FROM messages WHERE id = $4) AS t
"""

_COUNTS = """
INSERT INTO message_counts AS c (shard, organization_id, day, direction, status, stripe, n)
SELECT shard, organization_id, at::date, 'outbound', 'read', $4, count(*)
FROM bench_messages($1, $2, $3) GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
ON CONFLICT (shard, organization_id, day, direction, status, stripe)
DO UPDATE SET n = c.n + excluded.n
"""

_SANDBOX = """
INSERT INTO sandbox.messages
    (account_id, chat_message_id, chat_jid, sender_jid, content, sent_at, progress)
SELECT m.account_id, m.chat_message_id, m.jid, m.account_jid, t.content, m.at, t.progress
FROM bench_messages($1, $2, $3) AS m CROSS JOIN (
    SELECT s.* FROM sandbox.messages AS s JOIN messages USING (account_id, chat_message_id)
    WHERE messages.id = $4
) AS t
WHERE m.j % 10 = 0
"""

_EVENTS = """
INSERT INTO events (
    shard, organization_id, id, type, account_id, conversation_id, message_id, payload, created_at
)
SELECT m.shard, m.organization_id, bench_id(m.at, 'event ' || m.digest), t.type, m.account_id,
    m.conversation_id, m.id, t.payload, m.at
FROM bench_messages($1, $2, $3) AS m CROSS JOIN (
    SELECT type, payload FROM events WHERE message_id = $4 AND type = 'message.read'
) AS t
WHERE m.j % 10 = 0
"""

_DELIVERIES = """
INSERT INTO deliveries (
    shard, organization_id, id, seq, webhook_id, webhook_url, event_id, event_type, status,
    retry_count, attempt_count, response_code, delivered_at, created_at, updated_at
)
SELECT shard, organization_id, bench_id(at, 'delivery ' || digest),
    nextval('delivery_queue_seq_seq'), webhook_id, webhook_url,
    bench_id(at, 'event ' || digest), 'message.read', 'delivered', 0, 1, 200, at, at, at
FROM bench_messages($1, $2, $3) WHERE j % 10 = 0
"""

_ATTEMPTS = """
INSERT INTO delivery_attempts (
    shard, organization_id, delivery_id, number, started_at, duration_ms, response_code,
    response_body, address
)
SELECT shard, organization_id, bench_id(at, 'delivery ' || digest), 1, at, 1, 200, '', '127.0.0.1'
FROM bench_messages($1, $2, $3) WHERE j % 10 = 0
"""

_DELIVERY_COUNTS = """
INSERT INTO delivery_counts AS c (shard, organization_id, stripe, n)
SELECT shard, organization_id, $4, count(*) FROM bench_messages($1, $2, $3)
WHERE j % 10 = 0 GROUP BY 1, 2 ORDER BY 1, 2
ON CONFLICT (shard, organization_id, stripe) DO UPDATE SET n = c.n + excluded.n
"""

_TABLES = (
    "messages, message_counts, conversations, contacts, contact_addresses, events, deliveries, "
    "delivery_attempts, delivery_counts, sandbox.messages, sandbox.phones"
)


@dataclass(slots=True)
class Seeding:
    """How far one gateway's database is filled. `template` is the message that was really sent."""

    gateway: Gateway
    template: UUID
    start: datetime
    accounts: int
    stored: int = 0
    conversations: int = 0

    @classmethod
    async def begin(cls, gateway: Gateway, template: str) -> "Seeding":
        async with gateway.database() as connection:
            for command in _PREPARE:
                await connection.execute(command)
            accounts = await connection.fetchval("SELECT count(*) FROM bench_accounts")
        start = datetime.now(UTC) - timedelta(days=30)
        return cls(gateway, UUID(template), start, accounts)

    async def fill(self, wanted: int, move: Callable[[int], None]) -> None:
        """Store messages until there are so many, and give the planner its statistics."""
        await self._fill_people(-(-wanted // (self.accounts * PER_CONVERSATION)))
        async with self.gateway.database() as connection, _without_index(connection):
            await self._write(wanted, move)
        self.stored = wanted
        async with self.gateway.database() as connection:
            await connection.execute("VACUUM (ANALYZE) " + _TABLES)
        await self.gateway.checkpoint()

    async def _write(self, wanted: int, move: Callable[[int], None]) -> None:
        firsts = iter(range(self.stored, wanted, CHUNK))

        async def write(stripe: int) -> None:
            async with self.gateway.database() as connection:
                await connection.execute("SET synchronous_commit = off")
                for first in firsts:
                    last = min(first + CHUNK, wanted) - 1
                    async with connection.transaction():
                        await self._fill_messages(connection, first, last, stripe)
                    move(last - first + 1)

        await asyncio.gather(*(write(stripe) for stripe in range(WRITERS)))

    async def _fill_people(self, wanted: int) -> None:
        async with self.gateway.database() as connection, connection.transaction():
            for command in _PEOPLE:
                await connection.execute(command, self.conversations, wanted - 1, self.start)
        self.conversations = wanted

    async def _fill_messages(
        self, connection: "asyncpg.Connection[Any]", first: int, last: int, stripe: int
    ) -> None:
        for command in (_MESSAGES, _SANDBOX, _EVENTS):
            await connection.execute(command, first, last, self.start, self.template)
        for command in (_DELIVERIES, _ATTEMPTS):
            await connection.execute(command, first, last, self.start)
        for command in (_COUNTS, _DELIVERY_COUNTS):
            await connection.execute(command, first, last, self.start, stripe)

    async def list_ids(self, count: int) -> list[str]:
        """Return messages of the first customer, evenly over all that are stored."""
        async with self.gateway.database() as connection:
            rows = await connection.fetch(
                """
                SELECT m.id FROM generate_series(0, $1::bigint - 1, $2::bigint) AS i
                CROSS JOIN (
                    SELECT n, count(*) OVER () AS accounts FROM bench_accounts
                ) AS a
                CROSS JOIN LATERAL bench_messages(
                    i / a.accounts * a.accounts + a.n, i / a.accounts * a.accounts + a.n, $3
                ) AS m
                WHERE m.organization_id = $4
                """,
                self.stored - self.stored % self.accounts,
                max(1, self.stored // count),
                self.start,
                self.gateway.customer.tenant.organization_id,
            )
        return [str(row["id"]) for row in rows]


@asynccontextmanager
async def _without_index(connection: "asyncpg.Connection[Any]") -> AsyncIterator[None]:
    """Drop the index by the network's ids, and stop autovacuum of messages, while much is written:
    such ids are in no order, so that each row would have to read and write a page of the index."""
    definition = await connection.fetchval(
        "SELECT indexdef FROM pg_indexes WHERE indexname = 'messages_chat_message_id'"
    )
    await connection.execute("DROP INDEX messages_chat_message_id")
    await connection.execute("ALTER TABLE messages SET (autovacuum_enabled = off)")
    yield
    await connection.execute("SET maintenance_work_mem = '512MB'")
    await connection.execute(definition)
    await connection.execute("ALTER TABLE messages RESET (autovacuum_enabled)")
