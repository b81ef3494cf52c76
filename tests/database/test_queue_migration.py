"""The queue of messages becomes a table of its own while nodes of the release before are at work.

Their statements, as they ran them, go on against `messages` alone: during the revision that expands
the schema, and after it.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from random import Random
from uuid import UUID, uuid4

import asyncpg
import pytest

from schema_revisions import BEFORE, CONTRACTED, EXPANDED, migrate_to

WAITING = 12_000
SHARD, ORGANIZATION = 5, uuid4()
ACCOUNTS = [uuid4() for _ in range(3)]
TENANT = (SHARD, ORGANIZATION)

INSERT = """
INSERT INTO messages (
    shard, organization_id, id, account_id, direction, status, message_type, chat_type, recipient,
    phone_number, content, chat_message_id, retry_count, connected_seconds, scheduled_for,
    next_attempt_at, claim_epoch, queued_at, created_at, updated_at
)
SELECT $1, $2, gen_random_uuid(), $3, 'outbound', $4, 'text', 'individual',
    n % 50 || '@sandbox', '+1', '{"type": "text", "body": "x"}', gen_random_uuid(), 0, 0,
    CASE $4 WHEN 'scheduled' THEN now() END,
    CASE WHEN $4 = 'queued' AND n % 10 = 0 THEN now() + interval '1 hour' END,
    CASE $4 WHEN 'sending' THEN 1 END, CASE $4 WHEN 'queued' THEN now() END, now(), now()
FROM generate_series(1, $5::int) AS n
"""
CLAIM = """
UPDATE messages AS m SET status = 'sending', claim_epoch = 1, updated_at = now()
WHERE m.shard = $1 AND m.organization_id = $2 AND m.id = ANY(ARRAY(
    SELECT id FROM messages
    WHERE shard = $1 AND organization_id = $2 AND account_id = $3 AND status = 'queued'
      AND (next_attempt_at IS NULL OR next_attempt_at <= now())
    ORDER BY seq LIMIT 20 FOR UPDATE SKIP LOCKED
))
RETURNING m.id
"""
TAKEN = """
UPDATE messages SET status = 'sent', sent_at = now(), conversation_id = $3
WHERE shard = $1 AND organization_id = $2 AND id = ANY($4::uuid[])
"""
POSTPONE = """
UPDATE messages SET status = 'queued', next_attempt_at = now() + interval '1 hour'
WHERE shard = $1 AND organization_id = $2 AND id = ANY($3::uuid[])
"""
CANCEL = """
UPDATE messages SET status = 'canceled'
WHERE shard = $1 AND organization_id = $2 AND id = ANY(ARRAY(
    SELECT id FROM messages
    WHERE shard = $1 AND organization_id = $2 AND account_id = $3 AND status = 'queued'
    ORDER BY seq DESC LIMIT 3 FOR UPDATE SKIP LOCKED
))
"""
RELEASE = """
UPDATE messages SET next_attempt_at = NULL
WHERE shard = $1 AND organization_id = $2 AND id = ANY(ARRAY(
    SELECT id FROM messages
    WHERE shard = $1 AND organization_id = $2 AND account_id = $3 AND status = 'queued'
      AND next_attempt_at IS NOT NULL
    ORDER BY seq LIMIT 5 FOR UPDATE SKIP LOCKED
))
"""
START = """
UPDATE messages SET status = 'queued', queued_at = now()
WHERE shard = $1 AND organization_id = $2 AND id = ANY(ARRAY(
    SELECT id FROM messages WHERE shard = $1 AND status = 'scheduled'
    ORDER BY scheduled_for LIMIT 2 FOR UPDATE SKIP LOCKED
))
"""

NOT_IN_QUEUE = """
SELECT count(*) FROM messages AS m
WHERE m.status = 'queued' AND NOT EXISTS (
    SELECT 1 FROM message_queue AS q
    WHERE q.shard = m.shard AND q.organization_id = m.organization_id
      AND q.account_id = m.account_id AND q.seq = m.seq AND q.message_id = m.id
      AND q.recipient = m.recipient AND q.next_attempt_at IS NOT DISTINCT FROM m.next_attempt_at
)
"""
NOT_IN_SCHEDULE = """
SELECT count(*) FROM messages AS m
WHERE m.status = 'scheduled' AND NOT EXISTS (
    SELECT 1 FROM message_schedule AS s
    WHERE s.shard = m.shard AND s.organization_id = m.organization_id
      AND s.account_id = m.account_id AND s.message_id = m.id
      AND s.scheduled_for = m.scheduled_for
)
"""
NOT_AMONG_CLAIMED = """
SELECT count(*) FROM messages AS m
WHERE m.status = 'sending' AND NOT EXISTS (
    SELECT 1 FROM message_claims AS c
    WHERE c.shard = m.shard AND c.organization_id = m.organization_id
      AND c.account_id = m.account_id AND m.id = ANY(c.message_ids)
)
"""
STALE = """
SELECT count(*) FROM message_queue AS q JOIN messages AS m ON m.id = q.message_id
WHERE m.status <> 'queued'
"""
INDEXES = """
SELECT indexname FROM pg_indexes WHERE schemaname = 'public' AND tablename = 'messages'
ORDER BY indexname
"""


class OlderNode:
    """Does with an account's messages what chance wants, until it is told to stop."""

    def __init__(self, url: str, account_id: UUID, seed: int) -> None:
        self._url = url
        self._account = (*TENANT, account_id)
        self._random = Random(seed)  # noqa: S311 - keeps no secret
        self.acts = 0

    async def work(self, over: asyncio.Event) -> None:
        connection = await asyncpg.connect(self._url)
        while not over.is_set():
            async with connection.transaction():
                await self._act(connection)
            self.acts += 1
        await connection.close()

    async def _act(self, connection: "asyncpg.Connection[asyncpg.Record]") -> None:
        what = self._random.randint(0, 6)
        if what == 0:
            await connection.execute(INSERT, *self._account, "queued", 10)
        elif what == 1:
            await connection.execute(INSERT, *self._account, "scheduled", 1)
        elif what == 2:
            await connection.execute(CANCEL, *self._account)
        elif what == 3:
            await connection.execute(RELEASE, *self._account)
        elif what == 4:
            await connection.execute(START, *TENANT)
        else:
            ids = [row["id"] for row in await connection.fetch(CLAIM, *self._account)]
            await connection.execute(TAKEN, *TENANT, uuid4(), ids[:8])
            await connection.execute(POSTPONE, *TENANT, ids[8:16])


@asynccontextmanager
async def older_nodes_at_work(url: str) -> AsyncIterator[list[OlderNode]]:
    over = asyncio.Event()
    nodes = [OlderNode(url, account, seed) for seed, account in enumerate(ACCOUNTS)]
    async with asyncio.TaskGroup() as group:
        for node in nodes:
            group.create_task(node.work(over))
        yield nodes
        over.set()


async def until_busy(nodes: list[OlderNode]) -> None:
    before = [node.acts for node in nodes]
    async with asyncio.timeout(60):
        while any(  # noqa: ASYNC110 - nobody tells
            node.acts < known + 20 for node, known in zip(nodes, before, strict=True)
        ):
            await asyncio.sleep(0.01)


@pytest.mark.timeout(300)
async def test_what_older_nodes_write_is_where_this_release_looks(empty_database_url: str) -> None:
    url = empty_database_url
    await migrate_to(url, BEFORE)
    connection = await asyncpg.connect(url)
    for account in ACCOUNTS:
        for status, rows in (("queued", WAITING), ("sending", 30), ("scheduled", 30)):
            await connection.execute(INSERT, *TENANT, account, status, rows)
    async with older_nodes_at_work(url) as nodes:
        await until_busy(nodes)
        await migrate_to(url, EXPANDED)
        await until_busy(nodes)
    assert await connection.fetchval(NOT_IN_QUEUE) == 0
    assert await connection.fetchval(NOT_IN_SCHEDULE) == 0
    assert await connection.fetchval(STALE) > 0, "no older node has claimed anything"

    await migrate_to(url, CONTRACTED)

    assert await connection.fetchval(NOT_IN_QUEUE) == 0
    assert await connection.fetchval(NOT_AMONG_CLAIMED) == 0
    assert await connection.fetchval(STALE) == 0
    assert [row["indexname"] for row in await connection.fetch(INDEXES)] == [
        "messages_chat_message_id",
        "messages_id",
        "messages_pkey",
        "messages_run_id",
        "messages_thread",
    ]
    await connection.close()
