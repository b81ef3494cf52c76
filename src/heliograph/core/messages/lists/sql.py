"""Pages of messages, newest first: those of an organization by id, those of a conversation in the
order in which the gateway accepted them (`seq`).

Neither order ever changes, so no page repeats or omits an existing message. Filters have no index,
since every change of a message would pay for it: a page checks a bounded number of the newest
messages before its cursor.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from heliograph.core.tenants.model import Tenant
from heliograph.platform.database.pool import Connection
from heliograph.platform.folding import sql_of_fold


class Conditions(NamedTuple):
    """The parameters of `{fits}`, in their order."""

    account_ids: Sequence[UUID] | None
    direction: str | None
    status: str | None
    message_type: str | None
    batch_id: UUID | None
    since: datetime | None
    until: datetime | None
    contact_ids: Sequence[UUID] | None
    addresses: Sequence[str]
    phone_numbers: Sequence[str]
    reason: str | None


_FITS = """
    ($3::uuid[] IS NULL OR m.account_id = ANY($3))
    AND ($4::text IS NULL OR m.direction = $4)
    AND ($5::text IS NULL OR m.status = $5)
    AND ($6::text IS NULL OR m.message_type = $6)
    AND ($7::uuid IS NULL OR m.batch_id = $7)
    AND ($8::timestamptz IS NULL OR m.created_at >= $8)
    AND ($9::timestamptz IS NULL OR m.created_at < $9)
    AND ($10::uuid[] IS NULL OR m.contact_id = ANY($10) OR (
        m.contact_id IS NULL AND m.chat_type = 'individual'
        AND (m.recipient = ANY($11::text[]) OR m.phone_number = ANY($12::text[]))
    ) OR (m.chat_type = 'group' AND m.recipient = ANY($11)))
    AND ($13::text IS NULL OR strpos({reason}, $13) > 0)
""".replace("{reason}", sql_of_fold("m.failure_reason"))


def _filtered(statement: str) -> str:
    """Fill in the conditions on the message `m`; their parameters are `$3` to `$13`."""
    return statement.replace("{fits}", _FITS)


LIST_IDS = _filtered("""
SELECT m.id FROM (
    SELECT * FROM messages
    WHERE shard = $1 AND organization_id = $2 AND id >= $14 AND id < $15
    ORDER BY id DESC LIMIT $16
) AS m
WHERE {fits}
ORDER BY m.id DESC LIMIT $17
""")


class IdSpan(NamedTuple):
    """The ids between which messages are checked, the first included, and how many at most."""

    first: UUID
    before: UUID
    scan: int


async def list_ids(
    connection: Connection, tenant: Tenant, fits: Conditions, span: IdSpan, limit: int
) -> list[UUID]:
    """Return the newest matches among the newest messages of the span."""
    rows = await connection.fetch(LIST_IDS, *tenant, *fits, *span, limit)
    return [row["id"] for row in rows]


FIND_END = """
SELECT id FROM messages
WHERE shard = $1 AND organization_id = $2 AND id >= $3 AND id < $4
ORDER BY id DESC OFFSET $5 LIMIT 1
"""


async def find_end(
    connection: Connection, tenant: Tenant, span: IdSpan, *, of_words: bool = False
) -> UUID | None:
    """Return the last message that a list of this span, or `scan_words`, checks; None if there are
    fewer."""
    statement = FIND_SCAN_END if of_words else FIND_END
    found: UUID | None = await connection.fetchval(
        statement, *tenant, span.first, span.before, span.scan - 1
    )
    return found


class MessagePlace(NamedTuple):
    """A message, and its position in its conversation."""

    id: UUID
    seq: int


LIST_THREAD = _filtered("""
SELECT m.id, m.seq FROM (
    SELECT * FROM messages
    WHERE shard = $1 AND organization_id = $2 AND conversation_id = $14 AND seq < $15
    ORDER BY seq DESC LIMIT $16
) AS m
WHERE {fits} AND ($18::text IS NULL OR EXISTS (
    SELECT 1 FROM message_words
    WHERE shard = $1 AND organization_id = $2 AND message_id = m.id AND words @@ $18::tsquery
    OFFSET 0
))
ORDER BY m.seq DESC LIMIT $17
""")


class Thread(NamedTuple):
    """A conversation before this position, and how many messages to check at most."""

    conversation_id: UUID
    before: int
    scan: int


async def list_thread(
    connection: Connection,
    tenant: Tenant,
    fits: Conditions,
    thread: Thread,
    limit: int,
    query: str | None,
) -> list[MessagePlace]:
    """Return the newest matches among the newest messages of the conversation; `query` is a
    `tsquery`."""
    rows = await connection.fetch(LIST_THREAD, *tenant, *fits, *thread, limit, query)
    return [MessagePlace(*row) for row in rows]


FIND_THREAD_END = """
SELECT seq FROM messages
WHERE shard = $1 AND organization_id = $2 AND conversation_id = $3 AND seq < $4
ORDER BY seq DESC OFFSET $5 LIMIT 1
"""


async def find_thread_end(connection: Connection, tenant: Tenant, thread: Thread) -> int | None:
    """Return the last position that a list of this thread checks, or None if there are fewer."""
    found: int | None = await connection.fetchval(
        FIND_THREAD_END, *tenant, thread.conversation_id, thread.before, thread.scan - 1
    )
    return found


# --- messages by an id that others know -----------------------------------------------------------

_BY_REFERENCE = """
SELECT m.id FROM (
    SELECT * FROM messages
    WHERE shard = $1 AND organization_id = $2 AND {reference} > '' AND {reference} = $14
    OFFSET 0
) AS m
WHERE {fits} AND m.id < $15 AND ($16::uuid IS NULL OR m.conversation_id = $16)
  AND ($17::text IS NULL OR m.chat_message_id = $17)
  AND ($18::text IS NULL OR EXISTS (
      SELECT 1 FROM message_words
      WHERE shard = $1 AND organization_id = $2 AND message_id = m.id AND words @@ $18::tsquery
      OFFSET 0
  ))
ORDER BY m.id DESC LIMIT $19
"""
LIST_BY_CHAT_MESSAGE_ID, LIST_BY_RUN_ID = (
    _filtered(_BY_REFERENCE.replace("{reference}", name)) for name in ("chat_message_id", "run_id")
)


class Reference(NamedTuple):
    """An external reference to messages: the network's id, the run id of one send, or both."""

    chat_message_id: str | None
    run_id: str | None


async def list_by_reference(
    connection: Connection,
    tenant: Tenant,
    fits: Conditions,
    reference: Reference,
    *,
    conversation_id: UUID | None,
    before: UUID,
    query: str | None,
    limit: int,
) -> list[UUID]:
    """Return the newest matches with this reference. There are few, so all of them are checked."""
    statement, sought = LIST_BY_RUN_ID, reference.run_id
    if sought is None:
        statement, sought = LIST_BY_CHAT_MESSAGE_ID, reference.chat_message_id
    place = (before, conversation_id, reference.chat_message_id, query)
    rows = await connection.fetch(statement, *tenant, *fits, sought, *place, limit)
    return [row["id"] for row in rows]


# --- messages with some words --------------------------------------------------------------------

# Sequentially, from the newest: for a common word.
SCAN_WORDS = _filtered("""
SELECT w.message_id AS id FROM (
    SELECT message_id, account_id, words FROM message_words
    WHERE shard = $1 AND organization_id = $2 AND message_id >= $14 AND message_id < $15
    ORDER BY message_id DESC LIMIT $16
) AS w
CROSS JOIN LATERAL (
    SELECT * FROM messages
    WHERE shard = $1 AND organization_id = $2 AND id = w.message_id
    OFFSET 0
) AS m
WHERE w.words @@ $18::tsquery AND ($3::uuid[] IS NULL OR w.account_id = ANY($3)) AND {fits}
ORDER BY w.message_id DESC LIMIT $17
""")


async def scan_words(
    connection: Connection, tenant: Tenant, fits: Conditions, span: IdSpan, limit: int, query: str
) -> list[UUID]:
    """Return the newest matches with the words among the newest messages of the span."""
    rows = await connection.fetch(SCAN_WORDS, *tenant, *fits, *span, limit, query)
    return [row["id"] for row in rows]


FIND_SCAN_END = """
SELECT message_id FROM message_words
WHERE shard = $1 AND organization_id = $2 AND message_id >= $3 AND message_id < $4
ORDER BY message_id DESC OFFSET $5 LIMIT 1
"""


# By the word index, which is unordered: for a rare word. The organization is part of each indexed
# word. With conditions on the tenant here, a planner without statistics would rather read all rows
# of the tenant.
LOOK_UP_WORDS = _filtered("""
WITH found AS MATERIALIZED (
    SELECT shard, organization_id, message_id, account_id FROM message_words
    WHERE words @@ (SELECT $18::tsquery)
    LIMIT $16
)
SELECT (SELECT count(*) FROM found) AS candidates, ARRAY(
    SELECT w.message_id FROM (
        SELECT message_id FROM found
        WHERE message_id >= $14 AND message_id < $15
          AND ($3::uuid[] IS NULL OR account_id = ANY($3))
          AND organization_id = $2 AND shard = $1
        ORDER BY message_id DESC
        OFFSET 0
    ) AS w
    CROSS JOIN LATERAL (
        SELECT * FROM messages
        WHERE shard = $1 AND organization_id = $2 AND id = w.message_id
        OFFSET 0
    ) AS m
    WHERE {fits}
    ORDER BY w.message_id DESC LIMIT $17
) AS ids
""")


async def look_up_words(
    connection: Connection, tenant: Tenant, fits: Conditions, span: IdSpan, limit: int, query: str
) -> list[UUID] | None:
    """Return the newest matches of the span with the words, or None if more than `span.scan`
    messages have the words: then it is not known which are the newest."""
    [row] = await connection.fetch(LOOK_UP_WORDS, *tenant, *fits, *span, limit, query)
    return None if row["candidates"] >= span.scan else list(row["ids"])


# --- conversations -------------------------------------------------------------------------------

FIND_ACCOUNT = """
SELECT account_id FROM conversations WHERE shard = $1 AND organization_id = $2 AND id = $3
"""


async def find_account_of(
    connection: Connection, tenant: Tenant, conversation_id: UUID
) -> UUID | None:
    """Return the conversation's account, None if there is no such conversation."""
    found: UUID | None = await connection.fetchval(FIND_ACCOUNT, *tenant, conversation_id)
    return found
