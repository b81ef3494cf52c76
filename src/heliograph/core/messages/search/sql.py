"""The tables `message_words`, with the words of messages, and `word_marks`, which say how far
messages have been indexed.

Nobody waits for them: messages are indexed some seconds after they are stored, in the order of
their ids, which begin with the time. Edits and redactions change the words together with the
message itself.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

import msgspec

from heliograph.core.tenants.insertion import insertion
from heliograph.core.tenants.model import Tenant
from heliograph.core.tenants.old_rows import Batch
from heliograph.core.tenants.rows import ROW_KEYS, Shards, statement
from heliograph.platform.database.clock import first_id
from heliograph.platform.database.pool import Connection
from heliograph.platform.database.rows import Columns, reads

# --- writing -------------------------------------------------------------------------------------

FIND_MARK = "SELECT name, read_up_to FROM word_marks WHERE name = $1"
LOCK_MARK = "SELECT name, read_up_to FROM word_marks WHERE name = $1 FOR UPDATE SKIP LOCKED"
SET_MARK = "UPDATE word_marks SET read_up_to = $2 WHERE name = $1"


class Mark(msgspec.Struct, frozen=True):
    """All messages up to this id have been indexed; None at first."""

    name: str
    read_up_to: UUID | None


_mark_of = reads(Mark)


async def find_mark(connection: Connection, name: str) -> Mark:
    """Return the mark of this name; the migrations have inserted all of them."""
    [row] = await connection.fetch(FIND_MARK, name)
    return _mark_of(row)


async def find_free_mark(connection: Connection, name: str) -> Mark | None:
    """Lock the mark of this name; None while another node works from it."""
    row = await connection.fetchrow(LOCK_MARK, name)
    return None if row is None else _mark_of(row)


async def set_mark(connection: Connection, name: str, read_up_to: UUID) -> None:
    await connection.execute(SET_MARK, name, read_up_to)


class ListedMessage(NamedTuple):
    """A message that may have to be indexed; `size` is the stored size of its content, 0 if its
    words are stored already."""

    shard: int
    organization_id: UUID
    id: UUID
    size: int

    @property
    def tenant(self) -> Tenant:
        return Tenant(self.shard, self.organization_id)


# Sub-selects with LIMIT make the planner look each up by its key instead of reading a whole table.
LIST_NEXT_TO_READ = """
SELECT m.shard, m.organization_id, m.id,
    CASE WHEN w.message_id IS NULL THEN coalesce(pg_column_size(m.content), 0) ELSE 0 END AS size
FROM messages AS m
LEFT JOIN LATERAL (
    SELECT message_id FROM message_words
    WHERE shard = m.shard AND organization_id = m.organization_id AND message_id = m.id
    LIMIT 1
) AS w ON true
WHERE m.id > $1 AND m.id < $2
ORDER BY m.id LIMIT $3
"""


async def list_next_to_read(
    connection: Connection, after: UUID, before: datetime, limit: int
) -> list[ListedMessage]:
    """List the next messages of all tenants after this id, created before this time."""
    rows = await connection.fetch(LIST_NEXT_TO_READ, after, first_id(before), limit)
    return [ListedMessage(*row) for row in rows]


class Unread(NamedTuple):
    """A message to be indexed. `content` is None if it is not needed: its words are stored already
    (`is_known`), or its account keeps no contents (not `keeps_content`)."""

    shard: int
    organization_id: UUID
    id: UUID
    account_id: UUID
    is_known: bool
    keeps_content: bool
    content: str | None

    @property
    def tenant(self) -> Tenant:
        return Tenant(self.shard, self.organization_id)


FIND_UNREAD = statement(
    """
SELECT m.shard, m.organization_id, m.id, m.account_id, w.message_id IS NOT NULL AS is_known,
    coalesce(a.message_logging_enabled, r.message_logging_enabled, true) AS keeps_content,
    CASE WHEN coalesce(a.message_logging_enabled, r.message_logging_enabled, true)
        AND w.message_id IS NULL THEN m.content END AS content
FROM {rows}
CROSS JOIN LATERAL (
    SELECT shard, organization_id, id, account_id, content FROM messages
    WHERE shard = {shard} AND organization_id = k.organization_id AND id = k.id
    LIMIT 1
) AS m
LEFT JOIN LATERAL (
    SELECT message_id FROM message_words
    WHERE shard = {shard} AND organization_id = k.organization_id AND message_id = k.id
    LIMIT 1
) AS w ON true
LEFT JOIN LATERAL (
    SELECT message_logging_enabled FROM accounts
    WHERE shard = {shard} AND organization_id = k.organization_id AND id = m.account_id
    LIMIT 1
) AS a ON true
LEFT JOIN LATERAL (
    SELECT message_logging_enabled FROM removed_accounts
    WHERE shard = {shard} AND organization_id = k.organization_id AND account_id = m.account_id
    LIMIT 1
) AS r ON true
""",
    ROW_KEYS,
)


async def find_unread(
    connection: Connection, shards: Shards, keys: Sequence[tuple[UUID, UUID]]
) -> list[Unread]:
    """Return those messages with these (organization id, id) that still exist."""
    rows = await connection.fetch(*FIND_UNREAD.transpose(shards, keys))
    return [Unread(*row) for row in rows]


class Words(NamedTuple):
    """`words` is a `tsvector`."""

    organization_id: UUID
    message_id: UUID
    account_id: UUID
    words: str


_WORDS = Columns("organization_id uuid, message_id uuid, account_id uuid, words text")
INSERT_WORDS = insertion(
    """
INSERT INTO message_words (shard, {names})
SELECT {shard}, k.organization_id, k.message_id, k.account_id, k.words::tsvector FROM {rows}
ORDER BY k.organization_id, k.message_id
ON CONFLICT (shard, organization_id, message_id) DO NOTHING
""",
    _WORDS,
)


async def insert_words(connection: Connection, shards: Shards, words: Sequence[Words]) -> None:
    """Store words of messages that have none yet."""
    await INSERT_WORDS.insert_rows(connection, shards, words)


PUT_WORDS = insertion(
    """
INSERT INTO message_words (shard, {names})
SELECT {shard}, k.organization_id, k.message_id, k.account_id, k.words::tsvector FROM {rows}
ORDER BY k.organization_id, k.message_id
ON CONFLICT (shard, organization_id, message_id) DO UPDATE SET words = excluded.words
""",
    _WORDS,
)


async def put_words(connection: Connection, shards: Shards, words: Sequence[Words]) -> None:
    """Replace the words of edited messages."""
    await PUT_WORDS.insert_rows(connection, shards, words)


# Even if they have not been indexed yet: an indexer at work may still have the old content.
CHANGE_WORDS = """
INSERT INTO message_words (shard, organization_id, message_id, account_id, words)
SELECT $1, $2, $3, $4, $5::text::tsvector FROM accounts
WHERE shard = $1 AND organization_id = $2 AND id = $4 AND message_logging_enabled
ON CONFLICT (shard, organization_id, message_id) DO UPDATE SET words = excluded.words
"""


async def change_words(
    connection: Connection, tenant: Tenant, message_id: UUID, account_id: UUID, words: str
) -> None:
    """Replace the words of a message that still waits, unless its account keeps no contents."""
    await connection.execute(CHANGE_WORDS, *tenant, message_id, account_id, words)


DELETE_WORDS = statement(
    """
DELETE FROM message_words AS w USING {rows}
WHERE w.shard = {shard} AND w.organization_id = k.organization_id AND w.message_id = k.id
""",
    ROW_KEYS,
)


async def delete_words(
    connection: Connection, shards: Shards, keys: Sequence[tuple[UUID, UUID]]
) -> None:
    """Delete the words of messages, given by (organization id, id)."""
    await connection.execute(*DELETE_WORDS.transpose(shards, keys))


LIST_OLD_WORDS = """
SELECT message_id FROM message_words
WHERE shard = $1 AND organization_id = $2 AND message_id > $3 AND message_id < $4
ORDER BY message_id LIMIT $5
"""
DELETE_ORPHANS = """
DELETE FROM message_words AS w
WHERE w.shard = $1 AND w.organization_id = $2 AND w.message_id = ANY($3::uuid[])
  AND NOT EXISTS (
    SELECT 1 FROM messages
    WHERE shard = $1 AND organization_id = $2 AND id = w.message_id
  )
"""


async def delete_orphans(
    connection: Connection, tenant: Tenant, after: UUID, before: datetime, limit: int
) -> Batch:
    """Delete the words of messages that were created before this time and no longer exist.

    Checks the next `limit` rows after this id.
    """
    values = (*tenant, after, first_id(before), limit)
    looked_at = [row["message_id"] for row in await connection.fetch(LIST_OLD_WORDS, *values)]
    status = await connection.execute(DELETE_ORPHANS, *tenant, looked_at)
    deleted = int(status.removeprefix("DELETE "))
    return Batch(deleted, len(looked_at), max(looked_at, default=after))
