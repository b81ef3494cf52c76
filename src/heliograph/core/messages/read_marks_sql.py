"""Marks inbound messages as read: here, or by the account's owner on another device."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

import msgspec

from heliograph.core.messages.model import Direction, MessageStatus
from heliograph.core.messages.statistics.sql import CountChanges
from heliograph.core.tenants.model import Tenant
from heliograph.core.tenants.rows import Shards, statement
from heliograph.platform.database.pool import Connection
from heliograph.platform.database.rows import Columns, reads

MAX_READ = 1_000
"""How many of a conversation's newest messages are checked; older ones stay as they are."""

# Unread inbound messages of the conversation `k`, newest first.
_RECEIVED = """
            SELECT id, sent_at FROM (
                SELECT id, seq, direction, status, sent_at FROM messages
                WHERE shard = {shard} AND organization_id = {organization_id}
                  AND conversation_id = {conversation_id}
                ORDER BY seq DESC LIMIT {most}
            ) AS newest
            WHERE direction = 'inbound' AND status = 'received'
            ORDER BY seq DESC
"""
_UNREAD_COUNT = """(
                SELECT unread_count FROM conversations
                WHERE shard = {shard} AND organization_id = {organization_id}
                  AND id = {conversation_id}
            )"""


def _of_one(template: str) -> str:
    """Fill in the conversation, whose key is `$1` to `$3`."""
    for name, value in (("shard", "$1"), ("organization_id", "$2"), ("conversation_id", "$3")):
        template = template.replace(f"{{{name}}}", value)
    return template


class ReadMessage(msgspec.Struct, frozen=True):
    """A message that has just become `read`."""

    account_id: UUID
    created_at: datetime


# Locked in the order of their ids, and before the conversation, as reports do.
MARK_READ = _of_one(
    """
UPDATE messages SET status = 'read', read_at = $4, updated_at = $4
WHERE shard = $1 AND organization_id = $2 AND id = ANY(ARRAY(
    SELECT id FROM messages
    WHERE shard = $1 AND organization_id = $2 AND status = 'received' AND id = ANY(ARRAY(
        SELECT id FROM ({received} LIMIT {unread_count}) AS unread
    ))
    ORDER BY id FOR NO KEY UPDATE
))
RETURNING account_id, created_at
""".replace("{received}", _RECEIVED.replace("{most}", "$5")).replace(
        "{unread_count}", _UNREAD_COUNT
    )
)
_read_of = reads(ReadMessage)


async def mark_messages_read(
    connection: Connection, tenant: Tenant, conversation_id: UUID, now: datetime
) -> Sequence[ReadMessage]:
    """Mark those of the conversation's newest messages that came in as read."""
    rows = await connection.fetch(MARK_READ, *tenant, conversation_id, now, MAX_READ)
    return [_read_of(row) for row in rows]


class ReadUntil(NamedTuple):
    """How far a conversation was read, at `read_at`: messages sent up to `until`, and messages that
    came no later than the message `place`."""

    organization_id: UUID
    conversation_id: UUID
    until: datetime | None
    place: UUID | None
    read_at: datetime


# Only as many as are unread: earlier inbound messages have been read.
_READ_UNTIL = Columns(
    "organization_id uuid, conversation_id uuid, until timestamptz, place uuid, read_at timestamptz"
)
LIST_READ = statement(
    """
SELECT k.organization_id, m.id, k.read_at
FROM {rows}
CROSS JOIN LATERAL ({received} LIMIT {unread_count}) AS m
WHERE m.sent_at <= k.until OR m.id <= k.place
""".replace("{received}", _RECEIVED)
    .replace("{unread_count}", _UNREAD_COUNT)
    .replace("{organization_id}", "k.organization_id")
    .replace("{conversation_id}", "k.conversation_id")
    .replace("{most}", "$7"),
    _READ_UNTIL,
)


async def list_read(
    connection: Connection, shards: Shards, read: Sequence[ReadUntil]
) -> list[tuple[UUID, UUID, datetime]]:
    """Return the unread messages of these conversations that have been read: (organization id, id,
    when)."""
    rows = await connection.fetch(*LIST_READ.transpose(shards, read, MAX_READ))
    return [tuple(row) for row in rows]


_READ = Columns("organization_id uuid, id uuid, read_at timestamptz")
MARK_THESE = statement(
    """
UPDATE messages AS m SET status = 'read', read_at = k.read_at, updated_at = $5
FROM {rows}
WHERE m.shard = {shard} AND m.organization_id = k.organization_id AND m.id = k.id
  AND m.status = 'received'
RETURNING m.organization_id, m.account_id, m.created_at
""",
    _READ,
)


async def mark_these_read(
    connection: Connection,
    shards: Shards,
    counts: CountChanges,
    read: Sequence[tuple[UUID, UUID, datetime]],
    now: datetime,
) -> None:
    """Mark locked messages, given as `list_read` returns them, and change their counts."""
    for row in await connection.fetch(*MARK_THESE.transpose(shards, read, now)):
        _count_read(counts, *row)


def count_reads(counts: CountChanges, tenant: Tenant, found: Sequence[ReadMessage]) -> None:
    for message in found:
        _count_read(counts, tenant.organization_id, message.account_id, message.created_at)


def _count_read(
    counts: CountChanges, organization_id: UUID, account_id: UUID, created_at: datetime
) -> None:
    counts.move(
        organization_id,
        account_id,
        created_at,
        Direction.INBOUND,
        MessageStatus.RECEIVED,
        MessageStatus.READ,
    )


COUNT_UNREAD = _of_one(
    """
SELECT count(*) FROM ({received} LIMIT {unread_count}) AS unread
""".replace("{received}", _RECEIVED.replace("{most}", "$4")).replace(
        "{unread_count}", _UNREAD_COUNT
    )
)


async def count_unread(connection: Connection, tenant: Tenant, conversation_id: UUID) -> int:
    """Count the inbound messages of a locked conversation that are still unread. Its counter says
    only how many there were."""
    found: int = await connection.fetchval(COUNT_UNREAD, *tenant, conversation_id, MAX_READ)
    return found


_CONVERSATIONS = Columns("organization_id uuid, conversation_id uuid")
LIST_PLACES = statement(
    """
SELECT k.conversation_id, m.chat_message_id, m.id
FROM {rows}
CROSS JOIN LATERAL (
    SELECT id, chat_message_id FROM messages
    WHERE shard = {shard} AND organization_id = k.organization_id
      AND conversation_id = k.conversation_id
    ORDER BY seq DESC LIMIT $5
) AS m
WHERE m.chat_message_id = ANY($4::text[])
""",
    _CONVERSATIONS,
)


async def list_places(
    connection: Connection,
    shards: Shards,
    conversations: Collection[tuple[UUID, UUID]],
    chat_message_ids: Collection[str],
) -> dict[tuple[UUID, str], UUID]:
    """Return our ids of messages by conversation and network id, looking at the newest messages of
    these conversations, given by (organization id, id)."""
    wanted = (sorted(chat_message_ids), MAX_READ)
    rows = await connection.fetch(*LIST_PLACES.transpose(shards, sorted(conversations), *wanted))
    return {(row["conversation_id"], row["chat_message_id"]): row["id"] for row in rows}
