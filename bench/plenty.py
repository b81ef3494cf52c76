"""An organization with much to read, written by SQL: conversations by the thousand, and messages
that the search knows and the statistics count."""

from collections.abc import Sequence
from random import Random
from typing import Any
from uuid import UUID

import asyncpg

from bench.gateway import Customer
from heliograph.core.messages.search.words import vector_of

_CHUNK = 5_000
_WORDS, _VOCABULARY = 12, 5_000

_PEOPLE = (
    """
    INSERT INTO contacts
        (shard, organization_id, id, phone_number, chat_name, searched, created_at, updated_at)
    SELECT $1, $2, md5('contact ' || n)::uuid, '+' || 15551000000 + n, 'Person ' || n,
        'person ' || n || E'\\n+' || 15551000000 + n, now(), now()
    FROM generate_series(1, $4::bigint) AS n WHERE $3::uuid IS NOT NULL
    """,
    """
    INSERT INTO conversations (
        shard, organization_id, id, account_id, remote_jid, status, unread_count, contact_id,
        phone_number, is_group, agent_paused, last_message_preview, last_message_at,
        last_inbound_at, pinned, created_at, updated_at
    )
    SELECT $1, $2, md5('conversation ' || n)::uuid, $3, 15551000000 + n || '@sandbox', 'open', 1,
        md5('contact ' || n)::uuid, '+' || 15551000000 + n, false, false, 'Message',
        now() - n * interval '1 minute', now() - n * interval '1 minute', false, now(), now()
    FROM generate_series(1, $4::bigint) AS n
    """,
)
_MESSAGES = """
INSERT INTO messages (
    shard, organization_id, id, account_id, conversation_id, contact_id, direction, status,
    message_type, chat_type, recipient, remote_jid, phone_number, content, chat_message_id,
    retry_count, connected_seconds, queued_at, sent_at, delivered_at, read_at, created_at,
    updated_at
)
SELECT $1, $2, id, $3, md5('conversation ' || k)::uuid, md5('contact ' || k)::uuid,
    'outbound', 'read', t.message_type, 'individual', 15551000000 + k || '@sandbox',
    15551000000 + k || '@sandbox', '+' || 15551000000 + k,
    t.content || jsonb_build_object('body', body), 'old ' || n, 0, 0, at, at, at, at, at, at
FROM unnest($4::text[]) WITH ORDINALITY AS texts (body, position)
CROSS JOIN LATERAL (SELECT $5::bigint + position AS n) AS numbered
CROSS JOIN LATERAL (
    SELECT 1 + n % $7::bigint AS k, now() - ($6::bigint - n) * interval '1 minute' AS at
) AS placed
CROSS JOIN LATERAL (
    SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0')
        || '7' || left(md5(n::text), 3) || '8' || right(md5(n::text), 15))::uuid AS id
) AS ids
CROSS JOIN (SELECT message_type, content FROM messages WHERE id = $8) AS t
ORDER BY n
"""
_LIST_CONTENTS = """
SELECT id, content FROM messages WHERE shard = $1 AND organization_id = $2 AND id > $3
ORDER BY id LIMIT $4
"""
_INDEX = """
INSERT INTO message_words (shard, organization_id, message_id, account_id, words)
SELECT $1, $2, message_id, $3, words::tsvector
FROM unnest($4::uuid[], $5::text[]) AS k (message_id, words)
ON CONFLICT DO NOTHING
"""
_INDEXED = """
UPDATE word_marks SET read_up_to = $1 WHERE name = 'all'
"""
_COUNT = (
    """
    INSERT INTO message_counts (shard, organization_id, day, direction, status, stripe, n)
    SELECT shard, organization_id, created_at::date, direction, status, stripe, count(*) / 16
    FROM messages CROSS JOIN generate_series(0, 15) AS stripe
    WHERE shard = $1 AND organization_id = $2 GROUP BY 1, 2, 3, 4, 5, 6
    ON CONFLICT (shard, organization_id, day, direction, status, stripe)
    DO UPDATE SET n = excluded.n
    """,
    """
    INSERT INTO account_message_counts
        (shard, organization_id, account_id, day, direction, status, stripe, n)
    SELECT shard, organization_id, account_id, created_at::date, direction, status, stripe,
        count(*) / 16
    FROM messages CROSS JOIN generate_series(0, 15) AS stripe
    WHERE shard = $1 AND organization_id = $2 GROUP BY 1, 2, 3, 4, 5, 6, 7
    ON CONFLICT (shard, organization_id, account_id, day, direction, status, stripe)
    DO UPDATE SET n = excluded.n
    """,
)


async def insert_conversations(
    connection: "asyncpg.Connection[Any]", customer: Customer, count: int
) -> None:
    """Store so many conversations, each with a person."""
    for statement in _PEOPLE:
        await connection.execute(statement, *customer.tenant, customer.account_id, count)


async def insert_messages(
    connection: "asyncpg.Connection[Any]",
    customer: Customer,
    template: str,
    texts: Sequence[str],
    *,
    conversations: int = 1,
) -> None:
    """Store a message with each of these texts, a minute apart, in the first conversations in turn.
    Everything else is copied from the message `template`."""
    for begin in range(0, len(texts), _CHUNK):
        await connection.execute(
            _MESSAGES,
            *customer.tenant,
            customer.account_id,
            texts[begin : begin + _CHUNK],
            begin,
            len(texts),
            conversations,
            template,
        )


def make_texts(count: int) -> list[str]:
    """Make texts of twelve words each, of which a few are frequent and most are rare."""
    random = Random(count)  # noqa: S311 - no secrets

    def word() -> str:
        return f"word{int(_VOCABULARY * random.random() ** 3)}"

    return [" ".join(word() for _ in range(_WORDS)) for _ in range(count)]


async def index_messages(connection: "asyncpg.Connection[Any]", customer: Customer) -> None:
    """Store the words of all messages, and their counts by day."""
    last = UUID(int=0)
    while rows := await connection.fetch(_LIST_CONTENTS, *customer.tenant, last, _CHUNK):
        last = rows[-1]["id"]
        words = [vector_of(customer.tenant.organization_id, row["content"]) for row in rows]
        ids = [row["id"] for row in rows]
        await connection.execute(_INDEX, *customer.tenant, customer.account_id, ids, words)
    await connection.execute(_INDEXED, last)
    for statement in _COUNT:
        await connection.execute(statement, *customer.tenant)
