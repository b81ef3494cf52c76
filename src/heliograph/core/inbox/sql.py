"""Conversations by their last activity and their messages, in pages; and what people change of one
conversation."""

from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import UUID

from msgspec.structs import replace

from heliograph.core.contacts.people_sql import PersonIds
from heliograph.core.inbox.conversations_sql import conversation_of, find_conversation, with_names
from heliograph.core.inbox.model import (
    Conversation,
    ConversationCursor,
    ConversationState,
    InboxCursor,
    InboxFilter,
    ThreadMessage,
)
from heliograph.core.labels.sql import list_labels_of
from heliograph.core.messages.lists.names_sql import sender_of
from heliograph.core.messages.model import Message
from heliograph.core.messages.sql import message_of
from heliograph.core.tenants.model import Tenant
from heliograph.platform.database.pool import Connection, Row
from heliograph.platform.database.rows import reads
from heliograph.platform.folding import sql_of_fold

_cursor_of = reads(InboxCursor)
_state_of = reads(ConversationState, label_ids=lambda row: tuple(row["label_ids"]))

START = InboxCursor(datetime(9999, 12, 31, tzinfo=UTC), UUID(int=0))

END = InboxCursor(datetime(1, 1, 1, tzinfo=UTC), UUID(int=2**128 - 1))
"""The cursor behind all conversations, newest first: its time is before any of theirs."""


def _matching(statement: str) -> str:
    """Fill in the names, and in `{filter}` the condition of `_filters`, which are `$4` to `$13`."""
    return with_names(statement).replace(
        "{filter}",
        """
WHERE ($4::uuid IS NULL OR v.account_id = $4)
  AND ($5::text IS NULL OR v.status = $5)
  AND ($6::uuid IS NULL OR EXISTS (
      SELECT 1 FROM conversation_labels
      WHERE shard = $1 AND organization_id = $2 AND conversation_id = v.id AND label_id = $6
      OFFSET 0
  ))
  AND ($7::uuid IS NULL OR v.assignee_user_id = $7)
  AND (NOT $8::boolean OR v.assignee_user_id IS NULL OR NOT EXISTS (
      SELECT 1 FROM members
      WHERE shard = $1 AND organization_id = $2 AND user_id = v.assignee_user_id
      OFFSET 0
  ))
  AND (
      $9::text IS NULL
      OR strpos(concat_ws(
          E'\\n', c.searched, g.searched, v.phone_number,
          CASE WHEN $9 ~ '[@.]' THEN {jid} ELSE split_part({jid}, '@', 1) END
      ), $9) > 0
      OR strpos(coalesce(v.phone_number, v.remote_jid), $10::text) > 0
  )
  AND ($11::boolean IS NULL OR (v.unread_count > 0) = $11)
  AND ($12::boolean IS NULL OR v.is_group = $12)
  AND ($13::uuid[] IS NULL OR v.account_id = ANY($13))
""".replace("{jid}", sql_of_fold("v.remote_jid")),
    )


LIST = _matching("""
SELECT v.*, {contact_and_group}
FROM (
    SELECT * FROM conversations
    WHERE shard = $1 AND organization_id = $2 AND (NOT pinned OR updated_at >= $19)
      AND last_message_at <= $14 AND (last_message_at < $14 OR id > $15)
      AND last_message_at >= $16 AND (last_message_at > $16 OR id <= $17)
    ORDER BY last_message_at DESC, id LIMIT $18
) AS v
{their_names}
{filter}
ORDER BY v.last_message_at DESC, v.id LIMIT $3
""")


async def list_conversations(
    connection: Connection,
    tenant: Tenant,
    only: InboxFilter,
    *,
    after: InboxCursor,
    until: InboxCursor,
    limit: int,
    scan: int,
    pinned_since: datetime,
) -> list[Conversation]:
    """Return the matching ones of at most `scan` conversations, newest activity first: from after
    the cursor `after` to `until`, that one included; those that are pinned only if they have
    changed since `pinned_since`."""
    bounds = (after.last_message_at, after.id, until.last_message_at, until.id)
    rows = await connection.fetch(
        LIST, *tenant, limit, *_filters(only), *bounds, scan, pinned_since
    )
    return await _labeled(connection, tenant, rows)


LIST_PINNED = _matching("""
SELECT v.*, {contact_and_group}
FROM (
    SELECT * FROM conversations
    WHERE shard = $1 AND organization_id = $2 AND pinned
    LIMIT $3
) AS v
{their_names}
{filter}
ORDER BY v.last_message_at DESC NULLS LAST, v.id
""")


async def list_pinned(
    connection: Connection, tenant: Tenant, only: InboxFilter, limit: int
) -> list[Conversation]:
    """Return the matching ones of at most `limit` pinned conversations, newest activity first."""
    rows = await connection.fetch(LIST_PINNED, *tenant, limit, *_filters(only))
    return await _labeled(connection, tenant, rows)


LIST_SILENT = _matching("""
SELECT v.*, {contact_and_group}
FROM (
    SELECT * FROM conversations
    WHERE shard = $1 AND organization_id = $2 AND last_message_at IS NULL AND id < $14 AND id >= $15
      AND (NOT pinned OR updated_at >= $17)
    ORDER BY id DESC LIMIT $16
) AS v
{their_names}
{filter}
ORDER BY v.id DESC LIMIT $3
""")


async def list_silent(
    connection: Connection,
    tenant: Tenant,
    only: InboxFilter,
    *,
    before: UUID,
    end: UUID,
    limit: int,
    scan: int,
    pinned_since: datetime,
) -> list[Conversation]:
    """Return the matching ones of at most `scan` conversations in which nothing was said, newest
    first: from before the id `before` to `end`, that one included; of those that are pinned as
    above."""
    bounds = (before, end, scan, pinned_since)
    rows = await connection.fetch(LIST_SILENT, *tenant, limit, *_filters(only), *bounds)
    return await _labeled(connection, tenant, rows)


# A contact has few conversations, one on each account; what is no contact's is looked up on each.
LIST_WITH_PERSON = _matching("""
SELECT v.*, {contact_and_group}
FROM (
    SELECT o.* FROM unnest($16::uuid[]) AS k (id)
    CROSS JOIN LATERAL (
        SELECT * FROM conversations
        WHERE shard = $1 AND organization_id = $2 AND contact_id = k.id
        OFFSET 0
    ) AS o
    UNION ALL
    SELECT o.* FROM unnest($17::text[]) AS k (jid)
    CROSS JOIN (SELECT id FROM accounts WHERE shard = $1 AND organization_id = $2) AS a
    CROSS JOIN LATERAL (
        SELECT * FROM conversations
        WHERE shard = $1 AND organization_id = $2 AND account_id = a.id AND remote_jid = k.jid
        OFFSET 0
    ) AS o
) AS v
{their_names}
{filter}
  AND CASE
      WHEN $14::timestamptz IS NULL THEN v.last_message_at IS NULL AND v.id < $15
      ELSE v.last_message_at IS NULL OR v.last_message_at < $14
          OR (v.last_message_at = $14 AND v.id > $15)
  END
ORDER BY v.last_message_at DESC NULLS LAST,
    CASE WHEN v.last_message_at IS NOT NULL THEN v.id END, v.id DESC
LIMIT $3
""")


async def list_with_person(
    connection: Connection,
    tenant: Tenant,
    only: InboxFilter,
    person: PersonIds,
    after: ConversationCursor,
    limit: int,
) -> list[Conversation]:
    """Return the matching ones with this person after the cursor, in the order of all."""
    addresses = () if person.ids else person.addresses
    place = (after.last_message_at, after.id)
    rows = await connection.fetch(
        LIST_WITH_PERSON, *tenant, limit, *_filters(only), *place, person.ids, addresses
    )
    return await _labeled(connection, tenant, rows)


LIST_MOVED = _matching("""
SELECT v.*, {contact_and_group}
FROM (
    SELECT * FROM conversations
    WHERE shard = $1 AND organization_id = $2
      AND last_message_at >= $14 AND (last_message_at > $14 OR id < $15)
    ORDER BY last_message_at, id DESC LIMIT $16
) AS v
{their_names}
{filter}
ORDER BY v.last_message_at, v.id DESC LIMIT $3
""")


async def list_moved(
    connection: Connection,
    tenant: Tenant,
    only: InboxFilter,
    after: InboxCursor,
    limit: int,
    scan: int,
) -> list[Conversation]:
    """Return the matching ones of at most `scan` conversations after the cursor, the oldest
    activity first: who reads in this order is never overtaken."""
    place = (after.last_message_at, after.id)
    rows = await connection.fetch(LIST_MOVED, *tenant, limit, *_filters(only), *place, scan)
    return await _labeled(connection, tenant, rows)


FIND_MOVED_END = """
SELECT last_message_at, id FROM conversations
WHERE shard = $1 AND organization_id = $2
  AND last_message_at >= $3 AND (last_message_at > $3 OR id < $4)
ORDER BY last_message_at, id DESC OFFSET $5 LIMIT 1
"""


async def find_moved_end(
    connection: Connection, tenant: Tenant, after: InboxCursor, n: int
) -> InboxCursor | None:
    """Return the last of the `n` conversations that `list_moved` looks at, None if there are
    fewer."""
    row = await connection.fetchrow(FIND_MOVED_END, *tenant, after.last_message_at, after.id, n - 1)
    return None if row is None else _cursor_of(row)


FIND_SILENT_END = """
SELECT id FROM conversations
WHERE shard = $1 AND organization_id = $2 AND last_message_at IS NULL AND id < $3
ORDER BY id DESC OFFSET $4 LIMIT 1
"""


async def find_silent_end(
    connection: Connection, tenant: Tenant, before: UUID, n: int
) -> UUID | None:
    """Return the last of the `n` silent conversations before this id, None if there are fewer."""
    found: UUID | None = await connection.fetchval(FIND_SILENT_END, *tenant, before, n - 1)
    return found


FIND_LAST_OF = """
SELECT last_message_at, id FROM (
    SELECT last_message_at, id, count(*) OVER () AS n FROM (
        SELECT last_message_at, id FROM conversations
        WHERE shard = $1 AND organization_id = $2
          AND last_message_at <= $3 AND (last_message_at < $3 OR id > $4)
        ORDER BY last_message_at DESC, id LIMIT $5
    ) AS looked_at
) AS counted
WHERE n = $5
ORDER BY last_message_at, id DESC LIMIT 1
"""


async def find_last_of(
    connection: Connection, tenant: Tenant, after: InboxCursor, n: int
) -> InboxCursor | None:
    """Return the last of the `n` conversations after this cursor, None if there are fewer."""
    row = await connection.fetchrow(FIND_LAST_OF, *tenant, after.last_message_at, after.id, n)
    return None if row is None else _cursor_of(row)


# The index has those of every status, and many may have been closed unread: as with a filter of the
# list, only so many are looked at.
COUNT_UNREAD = """
SELECT count(*) FROM (
    SELECT 1 FROM (
        SELECT status, account_id FROM conversations
        WHERE shard = $1 AND organization_id = $2 AND unread_count > 0
        ORDER BY id DESC LIMIT $5
    ) AS unread
    WHERE status = 'open' AND ($3::uuid[] IS NULL OR account_id = ANY($3))
    LIMIT $4
) AS counted
"""


async def count_unread(
    connection: Connection,
    tenant: Tenant,
    account_ids: Sequence[UUID] | None,
    most: int,
    scan: int,
) -> int:
    """Count the open ones of at most `scan` conversations with unread messages, the newest, at most
    `most`: those of these accounts, or of all."""
    return int(await connection.fetchval(COUNT_UNREAD, *tenant, account_ids, most, scan))


COUNT_PINNED = """
SELECT count(*) FROM (
    SELECT 1 FROM conversations
    WHERE shard = $1 AND organization_id = $2 AND pinned AND id <> $3
    LIMIT $4
) AS pinned
"""


async def count_pinned(connection: Connection, tenant: Tenant, but: UUID, *, most: int) -> int:
    """Count the pinned conversations up to `most`, except the one with the id `but`."""
    return int(await connection.fetchval(COUNT_PINNED, *tenant, but, most))


LOCK = """
SELECT 1 FROM conversations WHERE shard = $1 AND organization_id = $2 AND id = $3
FOR NO KEY UPDATE
"""


async def lock_conversation(
    connection: Connection, tenant: Tenant, conversation_id: UUID
) -> Conversation | None:
    """Lock and return the conversation, with its names and labels."""
    if await connection.fetchval(LOCK, *tenant, conversation_id) is None:
        return None
    return await find_conversation(connection, tenant, conversation_id)


UPDATE = """
UPDATE conversations
SET status = $4, unread_count = $5, assignee_user_id = $6, agent_paused = $7, pinned = $8,
    subject = $9, snoozed_until = $10, updated_at = now()
WHERE shard = $1 AND organization_id = $2 AND id = $3
RETURNING updated_at
"""


async def update_conversation(connection: Connection, conversation: Conversation) -> Conversation:
    """Write what people change in a locked conversation, and return it as it is then."""
    updated_at = await connection.fetchval(
        UPDATE,
        *conversation.tenant,
        conversation.id,
        conversation.status,
        conversation.unread_count,
        conversation.assignee_user_id,
        conversation.agent_paused,
        conversation.pinned,
        conversation.subject,
        conversation.snoozed_until,
    )
    return replace(conversation, updated_at=updated_at)


LIST_STATES = """
SELECT c.id AS conversation_id, c.status, c.assignee_user_id, c.agent_paused, c.pinned, ARRAY(
    SELECT x.label_id FROM conversation_labels AS x
    WHERE x.shard = $1 AND x.organization_id = $2 AND x.conversation_id = c.id
    ORDER BY x.label_id
) AS label_ids
FROM conversations AS c
WHERE c.shard = $1 AND c.organization_id = $2 AND c.id = ANY($3::uuid[])
"""


async def list_conversation_states(
    connection: Connection, tenant: Tenant, conversation_ids: Sequence[UUID]
) -> list[ConversationState]:
    rows = await connection.fetch(LIST_STATES, *tenant, conversation_ids)
    return [_state_of(row) for row in rows]


def _filters(only: InboxFilter) -> tuple[object, ...]:
    return (
        only.account_id,
        only.status,
        only.label_id,
        only.assignee_user_id,
        only.unassigned,
        only.text,
        only.digits,
        only.unread,
        only.is_group,
        only.account_ids,
    )


async def _labeled(
    connection: Connection, tenant: Tenant, rows: Sequence[Row]
) -> list[Conversation]:
    labels = await list_labels_of(connection, tenant, [row["id"] for row in rows]) if rows else {}
    return [replace(conversation_of(row), labels=labels.get(row["id"], ())) for row in rows]


LAST_SEQ = 2**63 - 1
"""A `seq` that no message has."""

LIST_THREAD = """
SELECT m.*, c.id AS sender_id, c.phone_number AS sender_phone_number,
    coalesce(c.name, c.chat_name) AS sender_name
FROM (
    SELECT * FROM messages
    WHERE shard = $1 AND organization_id = $2 AND conversation_id = $3 AND seq < $4
    ORDER BY seq DESC LIMIT $5
) AS m
LEFT JOIN LATERAL (
    SELECT id, phone_number, name, chat_name FROM contacts
    WHERE shard = $1 AND organization_id = $2 AND m.direction = 'inbound' AND id = coalesce((
        SELECT merged_into FROM contacts
        WHERE shard = $1 AND organization_id = $2 AND id = m.contact_id
    ), m.contact_id)
    OFFSET 0
) AS c ON true
ORDER BY m.seq DESC
"""


async def list_thread(
    connection: Connection, tenant: Tenant, conversation_id: UUID, before: int, limit: int
) -> list[ThreadMessage]:
    """Return messages of a conversation with a `seq` below `before`, newest first."""
    rows = await connection.fetch(LIST_THREAD, *tenant, conversation_id, before, limit)
    return [ThreadMessage(message_of(row), sender_of(row)) for row in rows]


# one index lookup for each: without statistics the planner would read all rows of a tenant
LIST_QUOTED = """
SELECT m.* FROM unnest($4::uuid[]) AS k (id)
CROSS JOIN LATERAL (
    SELECT * FROM messages WHERE shard = $1 AND organization_id = $2 AND id = k.id
    OFFSET 0
) AS m
WHERE m.conversation_id = $3
"""


async def list_quoted(
    connection: Connection, tenant: Tenant, conversation_id: UUID, message_ids: Sequence[UUID]
) -> dict[UUID, Message]:
    """Return those of these messages that are in the conversation, by their ids."""
    rows = await connection.fetch(LIST_QUOTED, *tenant, conversation_id, list(message_ids))
    return {row["id"]: message_of(row) for row in rows}


LIST_UNREAD_ARRIVALS = """
SELECT chat_message_id, sender_jid FROM (
    SELECT seq, chat_message_id, sender_jid, direction, status FROM messages
    WHERE shard = $1 AND organization_id = $2 AND conversation_id = $3
    ORDER BY seq DESC LIMIT 2 * $4
) AS newest
WHERE direction = 'inbound' AND status = 'received'
ORDER BY seq DESC LIMIT least($4, (
    SELECT unread_count FROM conversations
    WHERE shard = $1 AND organization_id = $2 AND id = $3
))
"""


async def list_unread_arrivals(
    connection: Connection, tenant: Tenant, conversation_id: UUID, limit: int
) -> list[tuple[str, str]]:
    """Return the network's ids and senders of what has not been read here, oldest first, the newest
    `limit` at most."""
    rows = await connection.fetch(LIST_UNREAD_ARRIVALS, *tenant, conversation_id, limit)
    return [(row["chat_message_id"], row["sender_jid"]) for row in reversed(rows)]
