"""The tables `conversations`, `chat_groups` and the labels on conversations."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import TypeAlias
from uuid import UUID

from heliograph.core.inbox.conversations_model import Conversation, ConversationStatus, Label
from heliograph.core.messages.model import Names
from heliograph.core.tenants.organization import Tenant
from heliograph.platform.database.pool import Connection, RepeatTransactionError, Row

ConversationKey: TypeAlias = tuple[UUID, UUID, str]
"""An organization's id, an account's, and the remote JID."""

FIND = """
SELECT v.*, c.name AS contact_name, c.chat_name AS contact_chat_name, g.subject AS group_subject
FROM conversations AS v
LEFT JOIN LATERAL (
    SELECT name, chat_name FROM contacts
    WHERE shard = $1 AND organization_id = $2 AND id = v.contact_id
    OFFSET 0
) AS c ON true
LEFT JOIN LATERAL (
    SELECT subject FROM chat_groups
    WHERE shard = $1 AND organization_id = $2 AND account_id = v.account_id
      AND remote_jid = v.remote_jid AND id = v.chat_group_id
    OFFSET 0
) AS g ON true
WHERE v.shard = $1 AND v.organization_id = $2 AND v.id = $3
"""

LIST_LABELS = """
SELECT l.id, l.organization_id, l.name, l.color, l.created_at
FROM conversation_labels AS x
JOIN labels AS l
  ON l.shard = x.shard AND l.organization_id = x.organization_id AND l.id = x.label_id
WHERE x.shard = $1 AND x.organization_id = $2 AND x.conversation_id = $3
ORDER BY l.name
"""

FIND_ORGANIZATION = "SELECT organization_id FROM conversations WHERE id = $1"

ENSURE = """
INSERT INTO conversations (
    shard, organization_id, id, account_id, remote_jid, status, unread_count, contact_id,
    phone_number, is_group, chat_group_id, agent_paused, pinned, created_at, updated_at
)
SELECT $1, n.organization_id, n.id, n.account_id, n.remote_jid, 'open', 0, n.contact_id,
    n.phone_number, n.is_group, n.chat_group_id, false, false, n.at, n.at
FROM unnest(
    $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::uuid[], $7::text[], $8::bool[],
    $9::uuid[], $10::timestamptz[]
) AS n (
    organization_id, id, account_id, remote_jid, contact_id, phone_number, is_group,
    chat_group_id, at
)
ORDER BY n.organization_id, n.account_id, n.remote_jid
ON CONFLICT (shard, organization_id, account_id, remote_jid) WHERE account_id IS NOT NULL
DO NOTHING
"""

# Locks all or, where one is missing, none: who makes conversations must not hold others meanwhile.
LOCK = """
SELECT v.*, c.name AS contact_name, c.chat_name AS contact_chat_name, g.subject AS group_subject
FROM (
    SELECT l.* FROM unnest($2::uuid[], $3::uuid[], $4::text[])
        AS k (organization_id, account_id, remote_jid)
    CROSS JOIN LATERAL (
        SELECT * FROM conversations
        WHERE shard = $1 AND organization_id = k.organization_id AND account_id = k.account_id
          AND remote_jid = k.remote_jid
        FOR UPDATE
    ) AS l
    WHERE (
        SELECT count(*) FROM unnest($2::uuid[], $3::uuid[], $4::text[])
            AS k (organization_id, account_id, remote_jid)
        CROSS JOIN LATERAL (
            SELECT 1 FROM conversations
            WHERE shard = $1 AND organization_id = k.organization_id AND account_id = k.account_id
              AND remote_jid = k.remote_jid
            OFFSET 0
        ) AS there
    ) = cardinality($4::text[])
    OFFSET 0
) AS v
LEFT JOIN LATERAL (
    SELECT name, chat_name FROM contacts
    WHERE shard = $1 AND organization_id = v.organization_id AND id = v.contact_id
    OFFSET 0
) AS c ON true
LEFT JOIN LATERAL (
    SELECT subject FROM chat_groups
    WHERE shard = $1 AND organization_id = v.organization_id AND account_id = v.account_id
      AND remote_jid = v.remote_jid AND id = v.chat_group_id
    OFFSET 0
) AS g ON true
"""

LIST_OF_CONTACTS = """
SELECT v.organization_id, v.account_id, v.remote_jid
FROM unnest($2::uuid[], $3::uuid[]) AS k (organization_id, contact_id)
CROSS JOIN LATERAL (
    SELECT organization_id, account_id, remote_jid FROM conversations
    WHERE shard = $1 AND organization_id = k.organization_id AND contact_id = k.contact_id
    OFFSET 0
) AS v
"""

LIST_NAMES = """
SELECT k.id, c.name AS contact_name, c.chat_name AS contact_chat_name, g.subject AS group_subject
FROM unnest($2::uuid[], $3::uuid[]) AS k (organization_id, id)
CROSS JOIN LATERAL (
    SELECT account_id, remote_jid, contact_id, chat_group_id FROM conversations
    WHERE shard = $1 AND organization_id = k.organization_id AND id = k.id
    OFFSET 0
) AS v
LEFT JOIN LATERAL (
    SELECT name, chat_name FROM contacts
    WHERE shard = $1 AND organization_id = k.organization_id AND id = v.contact_id
    OFFSET 0
) AS c ON true
LEFT JOIN LATERAL (
    SELECT subject FROM chat_groups
    WHERE shard = $1 AND organization_id = k.organization_id AND account_id = v.account_id
      AND remote_jid = v.remote_jid AND id = v.chat_group_id
    OFFSET 0
) AS g ON true
"""

UPDATE = """
UPDATE conversations AS v
SET status = u.status, unread_count = u.unread_count, contact_id = u.contact_id,
    phone_number = u.phone_number, chat_group_id = u.chat_group_id,
    last_message_preview = u.last_message_preview, last_message_at = u.last_message_at,
    last_inbound_at = u.last_inbound_at, last_outbound_at = u.last_outbound_at,
    updated_at = u.updated_at
FROM unnest(
    $2::uuid[], $3::uuid[], $4::text[], $5::int[], $6::uuid[], $7::text[], $8::uuid[], $9::text[],
    $10::timestamptz[], $11::timestamptz[], $12::timestamptz[], $13::timestamptz[]
) AS u (
    organization_id, id, status, unread_count, contact_id, phone_number, chat_group_id,
    last_message_preview, last_message_at, last_inbound_at, last_outbound_at, updated_at
)
WHERE v.shard = $1 AND v.organization_id = u.organization_id AND v.id = u.id
"""

UPSERT_GROUP = """
INSERT INTO chat_groups AS g (
    shard, organization_id, id, account_id, remote_jid, subject, owner_jid, participants,
    group_created_at, created_at, updated_at
)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10)
ON CONFLICT (shard, organization_id, account_id, remote_jid) DO UPDATE
SET subject = excluded.subject, owner_jid = coalesce(excluded.owner_jid, g.owner_jid),
    participants = CASE WHEN cardinality(excluded.participants) > 0
                        THEN excluded.participants ELSE g.participants END,
    group_created_at = coalesce(excluded.group_created_at, g.group_created_at),
    updated_at = excluded.updated_at
RETURNING id
"""


async def find_conversation(
    connection: Connection, tenant: Tenant, conversation_id: UUID
) -> Conversation | None:
    """The conversation with its names and labels."""
    ids = (tenant.shard, tenant.organization_id, conversation_id)
    row = await connection.fetchrow(FIND, *ids)
    if row is None:
        return None
    labels = await connection.fetch(LIST_LABELS, *ids)
    return conversation_of(row, tuple(Label(**label) for label in labels))


async def find_organization_of(connection: Connection, conversation_id: UUID) -> UUID | None:
    """Which organization has this conversation: asked only to tell 403 from 404."""
    found: UUID | None = await connection.fetchval(FIND_ORGANIZATION, conversation_id)
    return found


async def lock_conversations(
    connection: Connection,
    shard: int,
    wanted: Sequence[Conversation],
    known: Sequence[ConversationKey] = (),
) -> dict[tuple[UUID, str], Conversation]:
    """Make the conversations of one shard that are not there yet, and lock them all, and those that
    are `known` to be there, in key order.

    Returns what is there by (account id, remote_jid); an id in `wanted` holds for a new one alone.
    """
    keys = {_key(each) for each in wanted} | set(known)
    found = await _lock(connection, shard, keys)
    if len(found) < len(keys):
        await _insert(connection, shard, wanted)
        found = await _lock(connection, shard, keys)
    if len(found) < len(keys):
        raise RepeatTransactionError("a conversation went away")
    return found


async def list_keys_of_contacts(
    connection: Connection, shard: int, contacts: Sequence[tuple[UUID, UUID]]
) -> list[ConversationKey]:
    """The conversations with these contacts, named by (organization id, id)."""
    rows = await connection.fetch(
        LIST_OF_CONTACTS, shard, [key[0] for key in contacts], [key[1] for key in contacts]
    )
    return [(row["organization_id"], row["account_id"], row["remote_jid"]) for row in rows]


def _key(conversation: Conversation) -> ConversationKey:
    tenant = conversation.tenant
    return tenant.organization_id, conversation.account_id, conversation.remote_jid


async def _insert(connection: Connection, shard: int, wanted: Sequence[Conversation]) -> None:
    await connection.execute(
        ENSURE,
        shard,
        [each.tenant.organization_id for each in wanted],
        [each.id for each in wanted],
        [each.account_id for each in wanted],
        [each.remote_jid for each in wanted],
        [each.contact_id for each in wanted],
        [each.phone_number for each in wanted],
        [each.is_group for each in wanted],
        [each.chat_group_id for each in wanted],
        [each.created_at for each in wanted],
    )


async def _lock(
    connection: Connection, shard: int, keys: Collection[ConversationKey]
) -> dict[tuple[UUID, str], Conversation]:
    ordered = sorted(keys)
    rows = await connection.fetch(
        LOCK,
        shard,
        [key[0] for key in ordered],
        [key[1] for key in ordered],
        [key[2] for key in ordered],
    )
    return {(row["account_id"], row["remote_jid"]): conversation_of(row) for row in rows}


async def list_names(
    connection: Connection, shard: int, keys: Sequence[tuple[UUID, UUID]]
) -> dict[UUID, Names]:
    """Of conversations named by (organization id, id)."""
    rows = await connection.fetch(
        LIST_NAMES, shard, [key[0] for key in keys], [key[1] for key in keys]
    )
    return {
        row["id"]: Names(row["contact_name"] or row["contact_chat_name"], row["group_subject"])
        for row in rows
    }


async def update_conversations(
    connection: Connection, shard: int, conversations: Sequence[Conversation]
) -> None:
    """Write back what messages change of locked conversations of one shard."""
    await connection.execute(
        UPDATE,
        shard,
        [each.tenant.organization_id for each in conversations],
        [each.id for each in conversations],
        [each.status for each in conversations],
        [each.unread_count for each in conversations],
        [each.contact_id for each in conversations],
        [each.phone_number for each in conversations],
        [each.chat_group_id for each in conversations],
        [each.last_message_preview for each in conversations],
        [each.last_message_at for each in conversations],
        [each.last_inbound_at for each in conversations],
        [each.last_outbound_at for each in conversations],
        [each.updated_at for each in conversations],
    )


async def upsert_group(
    connection: Connection,
    tenant: Tenant,
    *,
    group_id: UUID,
    account_id: UUID,
    remote_jid: str,
    subject: str,
    owner_jid: str | None,
    participants: Sequence[str],
    group_created_at: datetime | None,
    at: datetime,
) -> UUID:
    """Store what is known of a group; the id it has, `group_id` when it is new."""
    found: UUID = await connection.fetchval(
        UPSERT_GROUP,
        tenant.shard,
        tenant.organization_id,
        group_id,
        account_id,
        remote_jid,
        subject,
        owner_jid,
        list(participants),
        group_created_at,
        at,
    )
    return found


def conversation_of(row: Row, labels: tuple[Label, ...] = ()) -> Conversation:
    return Conversation(
        tenant=Tenant(row["shard"], row["organization_id"]),
        id=row["id"],
        account_id=row["account_id"],
        remote_jid=row["remote_jid"],
        status=ConversationStatus(row["status"]),
        unread_count=row["unread_count"],
        is_group=row["is_group"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        contact_id=row["contact_id"],
        phone_number=row["phone_number"],
        chat_group_id=row["chat_group_id"],
        group_subject=row["group_subject"],
        assignee_user_id=row["assignee_user_id"],
        agent_paused=row["agent_paused"],
        subject=row["subject"],
        last_message_preview=row["last_message_preview"],
        last_message_at=row["last_message_at"],
        last_inbound_at=row["last_inbound_at"],
        last_outbound_at=row["last_outbound_at"],
        contact_name=row["contact_name"],
        contact_chat_name=row["contact_chat_name"],
        pinned=row["pinned"],
        labels=labels,
    )
