"""The table `messages`: all messages, sent and to be sent. No index contains a column that a change
of status writes, so that such an update is HOT: it touches no index."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

import msgspec

from heliograph.core.cluster.model import Lease
from heliograph.core.messages.model import (
    Message,
    MessageStatus,
    NewMessage,
    Reaction,
    SentBy,
)
from heliograph.core.messages.queue.schedule_sql import insert_scheduled
from heliograph.core.messages.queue.sql import insert_new
from heliograph.core.tenants.insertion import insertion
from heliograph.core.tenants.rows import (
    ROW_KEYS,
    RowWrite,
    Shards,
    statement,
    tenant_columns,
    tenant_of,
)
from heliograph.core.tenants.together import write_together
from heliograph.networks.content import (
    CHOICE_KINDS,
    NOTHING,
    Content,
    Referral,
    decode_content,
    encode_content,
    message_type,
)
from heliograph.platform.database.pool import Connection
from heliograph.platform.database.rows import Columns, reads

_sent_by = msgspec.json.Decoder(SentBy)
_referral = msgspec.json.Decoder(Referral)
_reactions = msgspec.json.Decoder(tuple[Reaction, ...])


def _json(value: object) -> str | None:
    return None if value is None else msgspec.json.encode(value).decode()


message_of = reads(
    Message,
    tenant=tenant_of,
    content=lambda row: decode_content(row["content"]),
    variable_values=lambda row: (
        msgspec.json.decode(row["variable_values"]) if row["variable_values"] else None
    ),
    metadata=lambda row: msgspec.json.decode(row["metadata"]) if row["metadata"] else None,
    sent_by=lambda row: _sent_by.decode(row["sent_by"]) if row["sent_by"] else None,
    reactions=lambda row: _reactions.decode(row["reactions"]) if row["reactions"] else (),
    referral=lambda row: _referral.decode(row["referral"]) if row["referral"] else None,
)

NONE_CLAIMED: Mapping[UUID, int] = {}

_OF_NEW = (
    "id uuid, account_id uuid, message_type text, chat_type text, recipient text,"
    " phone_number text, content jsonb, chat_message_id text, run_id text,"
    " scheduled_for timestamptz, conversation_id uuid, created_at timestamptz, sent_by jsonb,"
    " expires_at timestamptz, reply_to_message_id uuid, reply_to_chat_message_id text,"
    " media_type text, media_url text, metadata jsonb, trace_context text"
)
_NEW = tenant_columns(
    _OF_NEW,
    message_type=lambda message: message_type(message.content),
    content=lambda message: encode_content(message.content),
    sent_by=lambda message: _json(message.sent_by),
    metadata=lambda message: _json(message.metadata),
)
# Columns that are derived from others are not sent.
INSERT_OUTBOUND = insertion(
    """
INSERT INTO messages (
    shard, direction, retry_count, connected_seconds, status, queued_at, updated_at, {names}
)
SELECT {shard}, 'outbound', 0, 0,
    CASE WHEN k.scheduled_for IS NOT NULL THEN 'scheduled'
         WHEN k.claim_epoch IS NULL THEN 'queued' ELSE 'sending' END,
    CASE WHEN k.scheduled_for IS NULL THEN k.created_at END, k.created_at, {values}
FROM {rows_in_order}
ORDER BY k.position
RETURNING id, seq
""",
    tenant_columns(f"{_OF_NEW}, claim_epoch bigint"),
)


async def insert_outbound(
    connection: Connection,
    shards: Shards,
    messages: Sequence[NewMessage],
    epochs: Mapping[UUID, int] = NONE_CLAIMED,
    others: Sequence[RowWrite] = (),
) -> dict[UUID, int]:
    """Queue or schedule new messages in this order, and make the other writes; return the `seq` of
    each message.

    Messages of the accounts in `epochs` are claimed already, under this epoch of the lease.
    """
    claim_epochs = [epochs.get(message.account_id) for message in messages]
    insertion = RowWrite(INSERT_OUTBOUND, [*_NEW.of(messages), claim_epochs])
    rows = await write_together(connection, shards, [*others, insertion])
    seqs: dict[UUID, int] = {row["id"]: row["seq"] for row in rows}
    queued = [
        (message, seqs[message.id])
        for message in messages
        if message.scheduled_for is None and message.account_id not in epochs
    ]
    if queued:
        await insert_new(connection, shards, queued)
    if scheduled := [message for message in messages if message.scheduled_for is not None]:
        await insert_scheduled(connection, shards, scheduled)
    return seqs


def initial_status(message: NewMessage) -> MessageStatus:
    return MessageStatus.SCHEDULED if message.scheduled_for else MessageStatus.QUEUED


_FROM_NETWORK = tenant_columns(
    "id uuid, account_id uuid, conversation_id uuid, contact_id uuid,"
    " direction text, status text, message_type text, chat_type text, recipient text,"
    " remote_jid text, sender_jid text, phone_number text, content jsonb, chat_message_id text,"
    " reply_to_message_id uuid, reply_to_chat_message_id text, sent_at timestamptz,"
    " created_at timestamptz, updated_at timestamptz, media_type text, media_url text,"
    " sent_by jsonb, read_at timestamptz, referral jsonb",
    content=lambda message: encode_content(message.content),
    updated_at="created_at",
    sent_by=lambda message: _json(message.sent_by),
    referral=lambda message: _json(message.referral),
)
INSERT_ARRIVED = insertion(
    """
INSERT INTO messages (shard, retry_count, connected_seconds, {names})
SELECT {shard}, 0, 0, {values}
FROM {rows_in_order}
ORDER BY k.position
""",
    _FROM_NETWORK,
)


def insertion_of_arrived(messages: Sequence[Message]) -> RowWrite:
    """Return the write that stores inbound messages, in this order. They are new, since this
    transaction has inserted their keys."""
    return INSERT_ARRIVED.write(messages)


_INBOUND_KEYS = Columns(
    "organization_id uuid, account_id uuid, chat_jid text, sender_jid text, chat_message_id text,"
    " message_id uuid",
    first=3,
)
INSERT_INBOUND_KEYS = insertion(
    """
INSERT INTO inbound_keys (shard, created_at, {names}) SELECT {shard}, $2, {values} FROM {rows}
ORDER BY k.organization_id, k.account_id, k.chat_jid, k.sender_jid, k.chat_message_id
ON CONFLICT (shard, organization_id, account_id, chat_jid, sender_jid, chat_message_id) DO NOTHING
RETURNING message_id
""",
    _INBOUND_KEYS,
)


async def insert_inbound_keys(
    connection: Connection,
    shards: Shards,
    keys: Sequence[tuple[Lease, str, str, str, UUID]],
    at: datetime,
) -> set[UUID]:
    """Store (account, chat, sender, network id, our id) of arrivals; return our ids of new ones."""
    rows = [(lease.tenant.organization_id, lease.resource_id, *key) for lease, *key in keys]
    new = await INSERT_INBOUND_KEYS.insert_rows(connection, shards, rows, at)
    return {row["message_id"] for row in new}


_NETWORK_KEYS = Columns(
    "organization_id uuid, account_id uuid, chat_jid text, sender_jid text, chat_message_id text"
)
LIST_IDS_BY_INBOUND_KEY = statement(
    """
SELECT i.account_id, i.chat_jid, i.sender_jid, i.chat_message_id, i.message_id
FROM {rows}
CROSS JOIN LATERAL (
    SELECT * FROM inbound_keys
    WHERE shard = {shard} AND organization_id = k.organization_id AND account_id = k.account_id
      AND chat_jid = k.chat_jid AND sender_jid = k.sender_jid
      AND chat_message_id = k.chat_message_id
    OFFSET 0
) AS i
""",
    _NETWORK_KEYS,
)


async def list_ids_by_inbound_key(
    connection: Connection, shards: Shards, keys: Sequence[tuple[UUID, UUID, str, str, str]]
) -> dict[tuple[UUID, str, str, str], UUID]:
    """Return our ids of inbound messages, by (account id, chat, sender, network id).

    `keys` begin with the organization id.
    """
    rows = await connection.fetch(*LIST_IDS_BY_INBOUND_KEY.transpose(shards, keys))
    return {tuple(key): message_id for *key, message_id in rows}


_CONTENTS = tenant_columns(
    "id uuid, content jsonb, message_type text, edited_at timestamptz, deleted_at timestamptz,"
    " reactions jsonb, media_type text, media_url text, referral jsonb,"
    " reply_to_message_id uuid, reply_to_chat_message_id text",
    keys=2,
    content=lambda message: encode_content(message.content),
    reactions=lambda message: _json(message.reactions or None),
    referral=lambda message: _json(message.referral),
)
UPDATE_CONTENTS = statement(
    """
UPDATE messages AS m SET {changes} FROM {rows}
WHERE m.shard = {shard} AND m.organization_id = k.organization_id AND m.id = k.id
""",
    _CONTENTS,
)


async def update_contents(
    connection: Connection, shards: Shards, messages: Sequence[Message]
) -> None:
    """Write the contents, edits, deletions and reactions of locked messages."""
    await connection.execute(*UPDATE_CONTENTS.of(shards, messages))


_NETWORK_IDS = Columns("organization_id uuid, account_id uuid, chat_message_id text")
LIST_IDS_BY_NETWORK_ID = statement(
    """
SELECT m.account_id, m.chat_message_id, m.id
FROM {rows}
CROSS JOIN LATERAL (
    SELECT * FROM messages
    WHERE shard = {shard} AND organization_id = k.organization_id AND account_id = k.account_id
      AND chat_message_id = k.chat_message_id AND chat_message_id > '' AND direction = 'outbound'
    OFFSET 0
) AS m
""",
    _NETWORK_IDS,
)


async def list_ids_by_network_id(
    connection: Connection, shards: Shards, keys: Sequence[tuple[UUID, UUID, str]]
) -> dict[tuple[UUID, str], UUID]:
    """Return our ids of outbound messages by (account id, chat_message_id).

    `keys` begin with the organization id.
    """
    rows = await connection.fetch(*LIST_IDS_BY_NETWORK_ID.transpose(shards, keys))
    return {tuple(key): id_ for *key, id_ in rows}


LOCK_BY_ID = statement(
    """
SELECT m.* FROM {rows}
CROSS JOIN LATERAL (
    SELECT * FROM messages
    WHERE shard = {shard} AND organization_id = k.organization_id AND id = k.id
    FOR UPDATE
) AS m
""",
    ROW_KEYS,
)


async def lock_messages(
    connection: Connection, shards: Shards, keys: Sequence[tuple[UUID, UUID]]
) -> dict[UUID, Message]:
    """Lock messages, given by (organization id, id), in this order."""
    rows = await connection.fetch(*LOCK_BY_ID.transpose(shards, keys))
    return {row["id"]: message_of(row) for row in rows}


LOCK_ALONE = statement(
    """
SELECT m.id FROM {rows}
CROSS JOIN LATERAL (
    SELECT id FROM messages
    WHERE shard = {shard} AND organization_id = k.organization_id AND id = k.id
    FOR UPDATE
) AS m
""",
    ROW_KEYS,
)


async def lock_alone(
    connection: Connection, shards: Shards, keys: Sequence[tuple[UUID, UUID]]
) -> None:
    """Lock messages as `lock_messages` does, but without reading them."""
    await connection.fetch(*LOCK_ALONE.transpose(shards, keys))


_CHANGED = tenant_columns(
    "id uuid, status text, conversation_id uuid, contact_id uuid,"
    " remote_jid text, phone_number text, retry_count int, next_attempt_at timestamptz,"
    " connected_seconds float8, failure_reason text, sent_at timestamptz,"
    " delivered_at timestamptz, read_at timestamptz, failed_at timestamptz,"
    " updated_at timestamptz, chat_type text",
    keys=2,
)
UPDATE = statement(
    """
UPDATE messages AS m SET {changes}
FROM {rows}
WHERE m.shard = {shard} AND m.organization_id = k.organization_id AND m.id = k.id
""",
    _CHANGED,
)


async def update_messages(
    connection: Connection, shards: Shards, messages: Sequence[Message]
) -> None:
    """Write the columns of locked messages that can change."""
    await write_together(connection, shards, [update_of(messages)])


def update_of(messages: Sequence[Message]) -> RowWrite:
    """Return the write of the columns of locked messages that can change."""
    return UPDATE.write(messages)


LIST_STORED_IDS = statement(
    """
SELECT m.id FROM {rows}
CROSS JOIN LATERAL (
    SELECT id FROM messages
    WHERE shard = {shard} AND organization_id = k.organization_id AND id = k.id LIMIT 1
) AS m
""",
    ROW_KEYS,
)


async def list_stored_ids(
    connection: Connection, shards: Shards, keys: Sequence[tuple[UUID, UUID]]
) -> set[UUID]:
    """Return the ids of those messages that exist, among those given by (organization id, id)."""
    rows = await connection.fetch(*LIST_STORED_IDS.transpose(shards, keys))
    return {row["id"] for row in rows}


LIST_KNOWN_IDS = "SELECT id FROM messages WHERE id = ANY($1::uuid[])"


async def list_known_ids(connection: Connection, message_ids: Sequence[UUID]) -> set[UUID]:
    """Return the ids that exist in any organization. Only for distinguishing 403 from 404."""
    return {row["id"] for row in await connection.fetch(LIST_KNOWN_IDS, list(message_ids))}


class ChoiceMessage(msgspec.Struct, frozen=True):
    """One of our messages that offers choices.

    `asked_at` is when the network accepted it, if known, `followed_at` when it accepted the next
    message.
    """

    message_id: UUID
    chat_message_id: str
    content: Content
    asked_at: datetime
    followed_at: datetime | None

    def was_followed(self, at: datetime) -> bool:
        """Return whether we had sent another message by then."""
        return self.followed_at is not None and self.followed_at <= at


_question_of = reads(ChoiceMessage, content=lambda row: decode_content(row["content"]))
_ASKED = Columns("organization_id uuid, conversation_id uuid, last_asked timestamptz")
LIST_QUESTIONS = statement(
    """
SELECT k.conversation_id, q.id AS message_id, q.chat_message_id, q.content, q.asked_at,
    q.followed_at
FROM {rows}
CROSS JOIN LATERAL (
    SELECT * FROM (
        SELECT r.id, r.seq, r.chat_message_id, r.content, r.message_type,
            coalesce(r.sent_at, r.created_at) AS asked_at,
            lead(coalesce(r.sent_at, r.created_at)) OVER (ORDER BY r.seq) AS followed_at
        FROM (
            SELECT * FROM messages
            WHERE shard = {shard} AND organization_id = k.organization_id
              AND conversation_id = k.conversation_id
            ORDER BY seq DESC LIMIT 100
        ) AS r
        WHERE r.direction = 'outbound'
          AND r.status NOT IN ('scheduled', 'queued', 'failed', 'canceled')
    ) AS said
    WHERE said.message_type IN ({choice_kinds}) AND said.asked_at <= k.last_asked
    ORDER BY said.seq DESC LIMIT 5
) AS q
ORDER BY k.conversation_id, q.seq DESC
""".replace("{choice_kinds}", ", ".join(f"'{kind}'" for kind in sorted(CHOICE_KINDS))),
    _ASKED,
)


async def list_questions(
    connection: Connection, shards: Shards, conversations: Mapping[tuple[UUID, UUID], datetime]
) -> dict[UUID, list[ChoiceMessage]]:
    """Return the newest questions by conversation id, newest first: at most five of each, among its
    newest hundred messages.

    `conversations` has, by (organization id, id), the time up to which questions count.
    """
    asked = [(*key, last_asked) for key, last_asked in sorted(conversations.items())]
    rows = await connection.fetch(*LIST_QUESTIONS.transpose(shards, asked))
    found: defaultdict[UUID, list[ChoiceMessage]] = defaultdict(list)
    for row in rows:
        found[row["conversation_id"]].append(_question_of(row))
    return found


EMPTY_CONTENTS = statement(
    """
UPDATE messages AS m SET content = $4::jsonb FROM {rows}
WHERE m.shard = {shard} AND m.organization_id = k.organization_id AND m.id = k.id
""",
    ROW_KEYS,
)


async def empty_contents(
    connection: Connection, shards: Shards, keys: Sequence[tuple[UUID, UUID]]
) -> None:
    """Empty the contents of messages, given by (organization id, id)."""
    nothing = encode_content(NOTHING)
    await connection.execute(*EMPTY_CONTENTS.transpose(shards, keys, nothing))
