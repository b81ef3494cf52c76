"""The tables `conversations`, `chat_groups` and the labels on conversations."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Self, TypeAlias
from uuid import UUID

from msgspec.structs import replace

from heliograph.core.inbox.model import Conversation
from heliograph.core.labels.sql import list_labels_of_one
from heliograph.core.messages.model import Names
from heliograph.core.tenants.insertion import insertion
from heliograph.core.tenants.model import Tenant
from heliograph.core.tenants.rows import (
    ROW_KEYS,
    RowWrite,
    Shards,
    TenantStatement,
    statement,
    tenant_columns,
    tenant_of,
)
from heliograph.networks.port import GroupSeen
from heliograph.platform.database.places import Place, Places
from heliograph.platform.database.pool import Connection, Database, RepeatTransactionError, Row
from heliograph.platform.database.rows import Columns, reads
from heliograph.platform.folding import fold

ConversationKey: TypeAlias = tuple[UUID, UUID, str]
"""An organization's id, an account's, and the remote JID."""


class ConversationPlaces:
    """Where conversations were last written by this process: by their chats, and by (organization
    id, id)."""

    def __init__(self, *, are_known: bool = True) -> None:
        self.of_chats: Places[ConversationKey] = Places(are_known=are_known)
        self.of_ids: Places[tuple[UUID, UUID]] = Places(are_known=are_known)

    @classmethod
    def of(cls, database: Database) -> Self:
        # in a distributed database, a `ctid` is valid only on the server that has the row
        return cls(are_known=not database.is_distributed)

    def put(self, conversation: Conversation, place: Place) -> None:
        self.of_chats.put(_key(conversation), place)
        self.of_ids.put((conversation.tenant.organization_id, conversation.id), place)


conversation_of = reads(
    Conversation, tenant=tenant_of, labels=lambda _: (), place=lambda row: row.get("place")
)
"""A row with its names, without its labels."""


def with_names(template: str, *, shard: str = "$1") -> str:
    """Fill in the names of the contact and the group of the conversation `v`: `{contact_and_group}`
    becomes the columns, `{their_names}` the joins."""
    # Names are looked up one by one: joined as a whole, a search would read all contacts of a
    # tenant. A group is named by all it is known by, so that whichever index is taken leads to it
    # alone.
    return template.replace(
        "{contact_and_group}",
        "c.name AS contact_name, c.chat_name AS contact_chat_name, g.subject AS group_subject",
    ).replace(
        "{their_names}",
        """
LEFT JOIN LATERAL (
    SELECT name, chat_name, searched FROM contacts
    WHERE shard = {of_names} AND organization_id = v.organization_id AND id = v.contact_id
    OFFSET 0
) AS c ON true
LEFT JOIN LATERAL (
    SELECT subject, searched FROM chat_groups
    WHERE shard = {of_names} AND organization_id = v.organization_id AND account_id = v.account_id
      AND remote_jid = v.remote_jid AND id = v.chat_group_id
    OFFSET 0
) AS g ON true
""".replace("{of_names}", shard),
    )


def _by_key_and_at_places(
    template: str, keys: Columns, placed: Columns
) -> tuple[TenantStatement, TenantStatement]:
    """Make a statement with names that finds rows by the index, and the same for rows whose places
    are known; `{at}` is where that is asked for."""
    by_key, at_places = (template.replace("{at}", at) for at in ("", "ctid = k.place AND"))
    return (
        statement(with_names(by_key, shard="{shard}"), keys),
        statement(with_names(at_places, shard="{shard}"), placed),
    )


FIND = with_names("""
SELECT v.*, {contact_and_group}
FROM conversations AS v
{their_names}
WHERE v.shard = $1 AND v.organization_id = $2 AND v.id = $3
""")


async def find_conversation(
    connection: Connection, tenant: Tenant, conversation_id: UUID
) -> Conversation | None:
    """Return the conversation with its names and labels."""
    row = await connection.fetchrow(FIND, *tenant, conversation_id)
    if row is None:
        return None
    conversation = conversation_of(row)
    labels = await list_labels_of_one(connection, tenant, conversation_id)
    return replace(conversation, labels=labels) if labels else conversation


async def lock_conversations(
    connection: Connection,
    shards: Shards,
    wanted: Sequence[Conversation],
    known: Sequence[ConversationKey],
    places: ConversationPlaces,
) -> dict[tuple[UUID, str], Conversation]:
    """Lock conversations in key order: those in `wanted`, which are inserted if they
    do not exist, and those that are `known` to exist.

    Returns the stored ones by (account id, remote_jid), which have ids of their own unless new.
    """
    keys = sorted({_key(conversation) for conversation in wanted} | set(known))
    found = await _lock_at(connection, shards, keys, places.of_chats.of(keys))
    if len(found) < len(keys):
        found = await _lock(connection, shards, keys)
    if len(found) < len(keys):
        await ENSURE.insert(connection, shards, wanted)
        found = await _lock(connection, shards, keys)
    if len(found) < len(keys):
        raise RepeatTransactionError("a conversation went away")
    return found


_CONTACTS = Columns("organization_id uuid, contact_id uuid")
LIST_OF_CONTACTS = statement(
    """
SELECT v.organization_id, v.account_id, v.remote_jid
FROM {rows}
CROSS JOIN LATERAL (
    SELECT organization_id, account_id, remote_jid FROM conversations
    WHERE shard = {shard} AND organization_id = k.organization_id AND contact_id = k.contact_id
    OFFSET 0
) AS v
""",
    _CONTACTS,
)


async def list_keys_of_contacts(
    connection: Connection, shards: Shards, contacts: Sequence[tuple[UUID, UUID]]
) -> list[ConversationKey]:
    """Return the conversations with these contacts, given by (organization id, id)."""
    rows = await connection.fetch(*LIST_OF_CONTACTS.transpose(shards, contacts))
    return [tuple(row) for row in rows]


LIST_KEYS = statement(
    """
SELECT v.organization_id, v.account_id, v.remote_jid
FROM {rows}
CROSS JOIN LATERAL (
    SELECT organization_id, account_id, remote_jid FROM conversations
    WHERE shard = {shard} AND organization_id = k.organization_id AND id = k.id
      AND account_id IS NOT NULL
    OFFSET 0
) AS v
""",
    ROW_KEYS,
)


async def list_keys(
    connection: Connection, shards: Shards, ids: Sequence[tuple[UUID, UUID]]
) -> list[ConversationKey]:
    """Return the keys of conversations, given by (organization id, id)."""
    rows = await connection.fetch(*LIST_KEYS.transpose(shards, ids))
    return [tuple(row) for row in rows]


def _key(conversation: Conversation) -> ConversationKey:
    tenant = conversation.tenant
    return tenant.organization_id, conversation.account_id, conversation.remote_jid


_NEW = tenant_columns(
    "id uuid, account_id uuid, remote_jid text, contact_id uuid, phone_number text,"
    " is_group bool, chat_group_id uuid, created_at timestamptz, updated_at timestamptz",
    updated_at="created_at",
)
ENSURE = insertion(
    """
INSERT INTO conversations (shard, status, unread_count, agent_paused, pinned, {names})
SELECT {shard}, 'open', 0, false, false, {values} FROM {rows}
ORDER BY k.organization_id, k.account_id, k.remote_jid
ON CONFLICT (shard, organization_id, account_id, remote_jid) WHERE account_id IS NOT NULL
DO NOTHING
""",
    _NEW,
)


_CONVERSATION_KEYS = Columns("organization_id uuid, account_id uuid, remote_jid text")
_PLACED_KEYS = Columns("organization_id uuid, account_id uuid, remote_jid text, place tid")
# Locks all, or none if one is missing: who inserts conversations must not hold others meanwhile.
LOCK, LOCK_AT_PLACES = _by_key_and_at_places(
    """
SELECT v.*, {contact_and_group}
FROM {rows}
CROSS JOIN LATERAL (
    SELECT *, ctid AS place FROM conversations
    WHERE {at} shard = {shard} AND organization_id = k.organization_id
      AND account_id = k.account_id AND remote_jid = k.remote_jid
    FOR UPDATE
) AS v
{their_names}
WHERE (
    SELECT count(*) FROM {rows}
    CROSS JOIN LATERAL (
        SELECT 1 FROM conversations
        WHERE {at} shard = {shard} AND organization_id = k.organization_id
          AND account_id = k.account_id AND remote_jid = k.remote_jid
        OFFSET 0
    ) AS there
) = cardinality($4::text[])
""",
    _CONVERSATION_KEYS,
    _PLACED_KEYS,
)


async def _lock(
    connection: Connection, shards: Shards, keys: Sequence[ConversationKey]
) -> dict[tuple[UUID, str], Conversation]:
    rows = await connection.fetch(*LOCK.transpose(shards, keys))
    return _by_chat(rows)


async def _lock_at(
    connection: Connection,
    shards: Shards,
    keys: Sequence[ConversationKey],
    places: Sequence[Place] | None,
) -> dict[tuple[UUID, str], Conversation]:
    """The same, if all are at these places and nobody changes one."""
    if places is None:
        return {}
    placed = [(*key, place) for key, place in zip(keys, places, strict=True)]
    return _by_chat(await connection.fetch(*LOCK_AT_PLACES.transpose(shards, placed)))


def _by_chat(rows: Sequence[Row]) -> dict[tuple[UUID, str], Conversation]:
    return {(row["account_id"], row["remote_jid"]): conversation_of(row) for row in rows}


LIST_IDS_AT = statement(
    """
SELECT k.account_id, k.remote_jid, v.id
FROM {rows}
CROSS JOIN LATERAL (
    SELECT id FROM conversations
    WHERE shard = {shard} AND organization_id = k.organization_id AND account_id = k.account_id
      AND remote_jid = k.remote_jid
    OFFSET 0
) AS v
""",
    _CONVERSATION_KEYS,
)


async def list_ids_at(
    connection: Connection, shards: Shards, keys: Collection[ConversationKey]
) -> dict[tuple[UUID, str], UUID]:
    """Return the ids of those conversations that there are, by account id and remote JID."""
    rows = await connection.fetch(*LIST_IDS_AT.transpose(shards, sorted(keys)))
    return {(row["account_id"], row["remote_jid"]): row["id"] for row in rows}


_PLACED_IDS = Columns("organization_id uuid, id uuid, place tid")
LIST_NAMES, LIST_NAMES_AT_PLACES = _by_key_and_at_places(
    """
SELECT v.id, {contact_and_group}
FROM {rows}
CROSS JOIN LATERAL (
    SELECT * FROM conversations
    WHERE {at} shard = {shard} AND organization_id = k.organization_id AND id = k.id
    OFFSET 0
) AS v
{their_names}
""",
    ROW_KEYS,
    _PLACED_IDS,
)


async def list_names(
    connection: Connection,
    shards: Shards,
    keys: Sequence[tuple[UUID, UUID]],
    at: ConversationPlaces,
) -> dict[UUID, Names]:
    """Return the names of conversations, given by (organization id, id), by their id."""
    rows: Sequence[Row] = ()
    places = at.of_ids.of(keys)
    if places is not None:
        placed = [(*key, place) for key, place in zip(keys, places, strict=True)]
        rows = await connection.fetch(*LIST_NAMES_AT_PLACES.transpose(shards, placed))
    if len(rows) < len(keys):
        rows = await connection.fetch(*LIST_NAMES.transpose(shards, keys))
    return {
        row["id"]: Names(row["contact_name"] or row["contact_chat_name"], row["group_subject"])
        for row in rows
    }


_CHANGED = tenant_columns(
    "id uuid, place tid, status text, unread_count int, contact_id uuid, phone_number text,"
    " chat_group_id uuid, last_message_preview text, last_message_at timestamptz,"
    " last_inbound_at timestamptz, last_outbound_at timestamptz, updated_at timestamptz",
    keys=3,
)
UPDATE = statement(
    """
UPDATE conversations AS v SET {changes} FROM {rows}
WHERE v.ctid = k.place AND v.shard = {shard} AND v.organization_id = k.organization_id
  AND v.id = k.id
RETURNING v.id, v.ctid AS place
""",
    _CHANGED,
)


def update_of(conversations: Sequence[Conversation]) -> RowWrite:
    """Return the write of what messages change in locked conversations. Its rows are for
    `note_places`."""
    return UPDATE.write(conversations)


def note_places(
    rows: Sequence[Row], conversations: Sequence[Conversation], places: ConversationPlaces
) -> None:
    """Note where conversations were written."""
    if len(rows) < len(conversations):
        raise RepeatTransactionError("a conversation was not where it was locked")
    written = {row["id"]: row["place"] for row in rows}
    for conversation in conversations:
        places.put(conversation, written[conversation.id])


_GROUP_KEYS = Columns("organization_id uuid, account_id uuid, remote_jid text")
LIST_SUBJECTS = statement(
    """
SELECT g.account_id, g.remote_jid, g.subject
FROM {rows}
CROSS JOIN LATERAL (
    SELECT account_id, remote_jid, subject FROM chat_groups
    WHERE shard = {shard} AND organization_id = k.organization_id AND account_id = k.account_id
      AND remote_jid = k.remote_jid
    OFFSET 0
) AS g
""",
    _GROUP_KEYS,
)


async def list_subjects(
    connection: Connection, shards: Shards, keys: Sequence[ConversationKey]
) -> dict[tuple[UUID, str], str]:
    """Return the subjects of those groups that are known, by account id and remote JID."""
    rows = await connection.fetch(*LIST_SUBJECTS.transpose(shards, keys))
    return {(row["account_id"], row["remote_jid"]): row["subject"] for row in rows}


UPSERT_GROUP = """
INSERT INTO chat_groups (
    shard, organization_id, id, account_id, remote_jid, subject, searched, created_at, updated_at
)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)
ON CONFLICT (shard, organization_id, account_id, remote_jid) DO UPDATE
SET subject = excluded.subject, searched = excluded.searched, updated_at = excluded.updated_at
RETURNING id
"""


async def upsert_group(
    connection: Connection,
    tenant: Tenant,
    account_id: UUID,
    group: GroupSeen,
    group_id: UUID,
    at: datetime,
) -> UUID:
    """Store a group's subject; return the group's id, which is `group_id` if it is new."""
    found: UUID = await connection.fetchval(
        UPSERT_GROUP,
        *tenant,
        group_id,
        account_id,
        group.remote_jid,
        group.subject,
        fold(group.subject or ""),
        at,
    )
    return found
