"""The table `messages`: the queue of what is to be sent, and the record of what was said."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from uuid import UUID

import msgspec
from msgspec.structs import replace

from heliograph.core.cluster.model import Lease
from heliograph.core.messages.model import Message, MessageStatus, Names, NewMessage, Sender
from heliograph.core.tenants.rows import KEYS, tenant_columns, tenant_of
from heliograph.networks.content import Content, decode_content, encode_content, message_type
from heliograph.platform.database.pool import Connection, Row
from heliograph.platform.database.rows import Columns, reads

message_of = reads(
    Message,
    tenant=tenant_of,
    content=lambda row: decode_content(row["content"]),
    variable_values=lambda row: (
        msgspec.json.decode(row["variable_values"]) if row["variable_values"] else None
    ),
)


class NamedMessage(msgspec.Struct, frozen=True):
    message: Message
    names: Names


_NEW = tenant_columns(
    "id uuid, account_id uuid, status text, message_type text,"
    " chat_type text, recipient text, phone_number text, content jsonb, chat_message_id text,"
    " run_id text, scheduled_for timestamptz, queued_at timestamptz, conversation_id uuid,"
    " created_at timestamptz, updated_at timestamptz",
    status=lambda message: initial_status(message),
    message_type=lambda message: message_type(message.content),
    content=lambda message: encode_content(message.content),
    queued_at=lambda message: None if message.scheduled_for else message.created_at,
    updated_at="created_at",
)
INSERT_OUTBOUND = _NEW.fill("""
INSERT INTO messages (shard, direction, retry_count, connected_seconds, {names})
SELECT $1, 'outbound', 0, 0, {values}
FROM {rows_in_order}
ORDER BY k.position
ON CONFLICT (shard, organization_id, id) DO NOTHING
RETURNING id
""")

_ARRIVED = tenant_columns(
    "id uuid, account_id uuid, conversation_id uuid, contact_id uuid,"
    " direction text, status text, message_type text, chat_type text, recipient text,"
    " remote_jid text, sender_jid text, phone_number text, content jsonb, chat_message_id text,"
    " reply_to_message_id uuid, reply_to_chat_message_id text, sent_at timestamptz,"
    " created_at timestamptz, updated_at timestamptz, media_type text, media_url text",
    content=lambda message: encode_content(message.content),
    updated_at="created_at",
)
INSERT_INBOUND = _ARRIVED.fill("""
INSERT INTO messages (shard, retry_count, connected_seconds, {names})
SELECT $1, 0, 0, {values}
FROM {rows_in_order}
ORDER BY k.position
ON CONFLICT (shard, organization_id, id) DO NOTHING
""")

# What is due is found once, whatever the planner knows: as a join it may be run again for each row,
# which is slow and, with SKIP LOCKED, exceeds the limit. OFFSET keeps the look behind a message in
# backoff one look into its index.
CLAIM = """
UPDATE messages AS m
SET status = 'sending', claim_epoch = $4, updated_at = now()
WHERE m.shard = $1 AND m.organization_id = $2 AND m.id = ANY(ARRAY(
    SELECT id FROM messages AS q
    WHERE shard = $1 AND organization_id = $2 AND account_id = $3 AND status = 'queued'
      AND (next_attempt_at IS NULL OR next_attempt_at <= $6)
      AND NOT EXISTS (
          SELECT 1 FROM messages AS e
          WHERE e.shard = $1 AND e.organization_id = $2 AND e.account_id = $3
            AND e.recipient = q.recipient AND e.seq < q.seq AND e.status = 'queued'
            AND e.next_attempt_at > $6
          OFFSET 0
      )
    ORDER BY seq LIMIT $5 FOR UPDATE SKIP LOCKED
))
RETURNING m.*
"""

TAKE_BACK = """
UPDATE messages AS m
SET status = 'queued', retry_count = retry_count + 1, updated_at = now()
WHERE m.shard = $1 AND m.organization_id = $2 AND m.id = ANY(ARRAY(
    SELECT id FROM messages
    WHERE shard = $1 AND organization_id = $2 AND account_id = $3 AND status = 'sending'
      AND claim_epoch <= $4 AND id <> ALL($5::uuid[])
    ORDER BY id FOR NO KEY UPDATE
))
RETURNING m.*
"""

LOCK_BY_ID = KEYS.fill("""
SELECT m.* FROM {rows}
CROSS JOIN LATERAL (
    SELECT * FROM messages
    WHERE shard = $1 AND organization_id = k.organization_id AND id = k.id
    FOR UPDATE
) AS m
""")

_NETWORK_IDS = Columns("organization_id uuid, account_id uuid, chat_message_id text")
LIST_IDS_BY_NETWORK_ID = _NETWORK_IDS.fill("""
SELECT m.organization_id, m.id, m.account_id, m.chat_message_id
FROM {rows}
CROSS JOIN LATERAL (
    SELECT * FROM messages
    WHERE shard = $1 AND organization_id = k.organization_id AND account_id = k.account_id
      AND chat_message_id = k.chat_message_id AND direction = 'outbound'
    OFFSET 0
) AS m
""")

_CHANGED = tenant_columns(
    "id uuid, status text, conversation_id uuid, contact_id uuid,"
    " remote_jid text, phone_number text, retry_count int, next_attempt_at timestamptz,"
    " connected_seconds float8, failure_reason text, sent_at timestamptz,"
    " delivered_at timestamptz, read_at timestamptz, failed_at timestamptz,"
    " updated_at timestamptz, chat_type text",
    keys=2,
)
UPDATE = _CHANGED.fill("""
UPDATE messages AS m SET {changes}
FROM {rows}
WHERE m.shard = $1 AND m.organization_id = k.organization_id AND m.id = k.id
""")

# `r` is whom a message goes to that the network has not taken yet: it is looked up here, and not
# where messages are accepted, which is done more often and waits for a commit.
LIST_WITH_NAMES = KEYS.fill("""
SELECT m.*, coalesce(c.name, c.chat_name) AS contact_name, g.subject AS group_subject,
    s.id AS sender_id, s.phone_number AS sender_phone_number,
    coalesce(s.name, s.chat_name) AS sender_name,
    coalesce(m.contact_id, v.contact_id, r.id) AS known_contact_id,
    coalesce(r.name, r.chat_name) AS recipient_name
FROM {rows}
CROSS JOIN LATERAL (
    SELECT * FROM messages
    WHERE shard = $1 AND organization_id = k.organization_id AND id = k.id LIMIT 1
) AS m
LEFT JOIN LATERAL (
    SELECT account_id, remote_jid, contact_id, chat_group_id FROM conversations
    WHERE shard = $1 AND organization_id = k.organization_id AND id = m.conversation_id LIMIT 1
) AS v ON true
LEFT JOIN LATERAL (
    SELECT name, chat_name FROM contacts
    WHERE shard = $1 AND organization_id = k.organization_id AND id = v.contact_id LIMIT 1
) AS c ON true
LEFT JOIN LATERAL (
    SELECT subject FROM chat_groups
    WHERE shard = $1 AND organization_id = k.organization_id AND account_id = v.account_id
      AND remote_jid = v.remote_jid AND id = v.chat_group_id LIMIT 1
) AS g ON true
LEFT JOIN LATERAL (
    SELECT id, phone_number, name, chat_name FROM contacts
    WHERE shard = $1 AND organization_id = k.organization_id
      AND m.chat_type = 'group' AND m.direction = 'inbound' AND id = coalesce((
        SELECT merged_into FROM contacts
        WHERE shard = $1 AND organization_id = k.organization_id AND id = m.contact_id
    ), m.contact_id)
    LIMIT 1
) AS s ON true
LEFT JOIN LATERAL (
    SELECT id, name, chat_name FROM contacts
    WHERE shard = $1 AND organization_id = k.organization_id
      AND v.contact_id IS NULL AND m.chat_type = 'individual' AND id = coalesce((
        SELECT contact_id FROM contact_addresses
        WHERE shard = $1 AND organization_id = k.organization_id AND remote_jid = m.recipient
          AND network = (
            SELECT network FROM accounts
            WHERE shard = $1 AND organization_id = k.organization_id AND id = m.account_id
        )
    ), (
        SELECT id FROM contacts
        WHERE shard = $1 AND organization_id = k.organization_id AND phone_number = m.phone_number
          AND merged_into IS NULL
    ))
    LIMIT 1
) AS r ON true
""")

LIST_SENDERS = KEYS.fill("""
SELECT m.id, s.id AS sender_id, s.phone_number AS sender_phone_number,
    coalesce(s.name, s.chat_name) AS sender_name
FROM {rows}
CROSS JOIN LATERAL (
    SELECT id, contact_id FROM messages
    WHERE shard = $1 AND organization_id = k.organization_id AND id = k.id LIMIT 1
) AS m
CROSS JOIN LATERAL (
    SELECT id, phone_number, name, chat_name FROM contacts
    WHERE shard = $1 AND organization_id = k.organization_id AND id = coalesce((
        SELECT merged_into FROM contacts
        WHERE shard = $1 AND organization_id = k.organization_id AND id = m.contact_id
    ), m.contact_id)
    LIMIT 1
) AS s
""")

LIST_STORED_IDS = KEYS.fill("""
SELECT m.id FROM {rows}
CROSS JOIN LATERAL (
    SELECT id FROM messages
    WHERE shard = $1 AND organization_id = k.organization_id AND id = k.id LIMIT 1
) AS m
""")

LIST_KNOWN_IDS = "SELECT id FROM messages WHERE id = ANY($1::uuid[])"

_INBOUND_KEYS = Columns(
    "organization_id uuid, account_id uuid, chat_jid text, sender_jid text, chat_message_id text,"
    " message_id uuid",
    first=3,
)
INSERT_INBOUND_KEYS = _INBOUND_KEYS.fill("""
INSERT INTO inbound_keys (shard, created_at, {names}) SELECT $1, $2, {values} FROM {rows}
ORDER BY k.organization_id, k.account_id, k.chat_jid, k.sender_jid, k.chat_message_id
ON CONFLICT (shard, organization_id, account_id, chat_jid, sender_jid, chat_message_id) DO NOTHING
RETURNING message_id
""")

_ARRIVED_KEYS = Columns(
    "organization_id uuid, account_id uuid, chat_jid text, sender_jid text, chat_message_id text"
)
LIST_ARRIVED_IDS = _ARRIVED_KEYS.fill("""
SELECT i.account_id, i.chat_jid, i.sender_jid, i.chat_message_id, i.message_id
FROM {rows}
JOIN inbound_keys AS i ON i.shard = $1 AND i.organization_id = k.organization_id
    AND i.account_id = k.account_id AND i.chat_jid = k.chat_jid AND i.sender_jid = k.sender_jid
    AND i.chat_message_id = k.chat_message_id
""")

_CONTENTS = Columns("organization_id uuid, id uuid, content jsonb, message_type text", keys=2)
UPDATE_CONTENTS = _CONTENTS.fill("""
UPDATE messages AS m SET {changes} FROM {rows}
WHERE m.shard = $1 AND m.organization_id = k.organization_id AND m.id = k.id
""")

# Twice `due`, so that the rows are found by their key, whatever the planner knows.
START_SCHEDULED = """
WITH due AS MATERIALIZED (
    SELECT organization_id, id FROM messages
    WHERE shard = $1 AND status = 'scheduled' AND scheduled_for <= $3
    ORDER BY scheduled_for LIMIT $2 FOR UPDATE SKIP LOCKED
)
UPDATE messages AS m SET status = 'queued', queued_at = $3, updated_at = $3
FROM due
WHERE m.shard = $1 AND m.organization_id = due.organization_id AND m.id = due.id
  AND m.organization_id = ANY(ARRAY(SELECT organization_id FROM due))
  AND m.id = ANY(ARRAY(SELECT id FROM due))
RETURNING m.organization_id, m.account_id, m.created_at
"""


async def insert_outbound(
    connection: Connection, shard: int, messages: Sequence[NewMessage]
) -> set[UUID]:
    """Queue messages of one shard in this order; the ids of those that were not there before."""
    rows = await connection.fetch(INSERT_OUTBOUND, shard, *_NEW.of(messages))
    return {row["id"] for row in rows}


def initial_status(message: NewMessage) -> MessageStatus:
    return MessageStatus.SCHEDULED if message.scheduled_for else MessageStatus.QUEUED


async def insert_arrived(connection: Connection, shard: int, messages: Sequence[Message]) -> None:
    """Store messages of one shard that came from the network, in this order."""
    await connection.execute(INSERT_INBOUND, shard, *_ARRIVED.of(messages))


async def insert_inbound_keys(
    connection: Connection,
    shard: int,
    keys: Sequence[tuple[Lease, str, str, str, UUID]],
    at: datetime,
) -> set[UUID]:
    """Remember (account, chat, sender, network id) of arrivals; the message ids that are new."""
    rows = await connection.fetch(
        INSERT_INBOUND_KEYS,
        shard,
        at,
        *_INBOUND_KEYS.transpose(
            (lease.tenant.organization_id, lease.resource_id, *key) for lease, *key in keys
        ),
    )
    return {row["message_id"] for row in rows}


async def list_arrived_ids(
    connection: Connection, shard: int, keys: Sequence[tuple[UUID, UUID, str, str, str]]
) -> dict[tuple[UUID, str, str, str], UUID]:
    """Our ids of messages that arrived, by (account id, chat, sender, network id); keys begin with
    the organization."""
    rows = await connection.fetch(LIST_ARRIVED_IDS, shard, *_ARRIVED_KEYS.transpose(keys))
    return {
        (row["account_id"], row["chat_jid"], row["sender_jid"], row["chat_message_id"]): row[
            "message_id"
        ]
        for row in rows
    }


async def update_contents(
    connection: Connection, shard: int, contents: Mapping[tuple[UUID, UUID], Content]
) -> None:
    """Write what locked messages of one shard say now, named by (organization id, id)."""
    rows = [
        (*key, encode_content(content), message_type(content)) for key, content in contents.items()
    ]
    await connection.execute(UPDATE_CONTENTS, shard, *_CONTENTS.transpose(rows))


async def claim_queued(
    connection: Connection, lease: Lease, limit: int, now: datetime
) -> list[Message]:
    """Mark the account's next due messages as `sending` under the lease's epoch, by `seq`.

    `now` is by the clock that `next_attempt_at` was set by. What waits behind a message in backoff
    to the same recipient is left alone.
    """
    tenant = lease.tenant
    rows = await connection.fetch(
        CLAIM, tenant.shard, tenant.organization_id, lease.resource_id, lease.epoch, limit, now
    )
    return sorted((message_of(row) for row in rows), key=lambda message: message.seq)


async def take_back_sending(
    connection: Connection, lease: Lease, but: Collection[UUID] = ()
) -> list[Message]:
    """Queue again what was left in `sending` by an earlier owner, or by this one, `but` what is
    under way."""
    tenant = lease.tenant
    rows = await connection.fetch(
        TAKE_BACK, tenant.shard, tenant.organization_id, lease.resource_id, lease.epoch, list(but)
    )
    return [message_of(row) for row in rows]


async def list_ids_by_network_id(
    connection: Connection, shard: int, keys: Sequence[tuple[UUID, UUID, str]]
) -> dict[tuple[UUID, str], UUID]:
    """Our ids of outbound messages, by (account id, chat_message_id); keys begin with the
    organization."""
    rows = await connection.fetch(LIST_IDS_BY_NETWORK_ID, shard, *_NETWORK_IDS.transpose(keys))
    return {(row["account_id"], row["chat_message_id"]): row["id"] for row in rows}


async def lock_messages(
    connection: Connection, shard: int, keys: Sequence[tuple[UUID, UUID]]
) -> dict[UUID, Message]:
    """Lock messages of one shard, named by (organization id, id), in this order."""
    rows = await connection.fetch(LOCK_BY_ID, shard, *KEYS.transpose(keys))
    return {row["id"]: message_of(row) for row in rows}


async def update_messages(connection: Connection, shard: int, messages: Sequence[Message]) -> None:
    """Write back what can change of locked messages of one shard."""
    await connection.execute(UPDATE, shard, *_CHANGED.of(messages))


async def start_scheduled(
    connection: Connection, shard: int, now: datetime, limit: int
) -> list[tuple[UUID, UUID, datetime]]:
    """Queue what is due; (organization id, account id, created at) of each."""
    rows = await connection.fetch(START_SCHEDULED, shard, limit, now)
    return [(row["organization_id"], row["account_id"], row["created_at"]) for row in rows]


async def list_with_names(
    connection: Connection, shard: int, keys: Sequence[tuple[UUID, UUID]]
) -> dict[tuple[UUID, UUID], NamedMessage]:
    """Messages of one shard by (organization id, id); those that are not there are absent."""
    rows = await connection.fetch(LIST_WITH_NAMES, shard, *KEYS.transpose(keys))
    return {
        (row["organization_id"], row["id"]): NamedMessage(_placed_message_of(row), _names_of(row))
        for row in rows
    }


def _placed_message_of(row: Row) -> Message:
    """The message with its contact, also before its network has taken it."""
    message, contact_id = message_of(row), row["known_contact_id"]
    return message if contact_id is None else replace(message, contact_id=contact_id)


def _names_of(row: Row) -> Names:
    contact_name = row["contact_name"] or row["sender_name"] or row["recipient_name"]
    return Names(contact_name, row["group_subject"], sender_of(row))


def sender_of(row: Row) -> Sender | None:
    if row["sender_id"] is None:
        return None
    return Sender(row["sender_id"], row["sender_phone_number"], row["sender_name"])


async def list_senders(
    connection: Connection, shard: int, keys: Sequence[tuple[UUID, UUID]]
) -> dict[UUID, Sender]:
    """Who wrote messages of one shard, named by (organization id, id); nobody unknown."""
    rows = await connection.fetch(LIST_SENDERS, shard, *KEYS.transpose(keys))
    return {row["id"]: sender for row in rows if (sender := sender_of(row)) is not None}


async def list_stored_ids(
    connection: Connection, shard: int, keys: Sequence[tuple[UUID, UUID]]
) -> set[UUID]:
    """Which of these messages of one shard, named by (organization id, id), there are."""
    rows = await connection.fetch(LIST_STORED_IDS, shard, *KEYS.transpose(keys))
    return {row["id"] for row in rows}


async def list_known_ids(connection: Connection, message_ids: Sequence[UUID]) -> set[UUID]:
    """Those ids that are a message's of any organization: asked only to tell 403 from 404."""
    return {row["id"] for row in await connection.fetch(LIST_KNOWN_IDS, list(message_ids))}
