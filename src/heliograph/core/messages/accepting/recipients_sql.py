"""Finds the recipients of messages that name a conversation or a contact, the quoted messages, and
the existing conversations of accounts."""

from collections.abc import Sequence
from typing import TypeAlias
from uuid import UUID

import msgspec

from heliograph.core.messages.model import Message, NewMessage
from heliograph.core.messages.sql import message_of
from heliograph.core.tenants.model import Tenant
from heliograph.core.tenants.rows import Shards, statement
from heliograph.networks.phone_numbers import other_form
from heliograph.platform.database.places import Places
from heliograph.platform.database.pool import Connection, Row
from heliograph.platform.database.rows import Columns, reads


class ChatAddress(msgspec.Struct, frozen=True):
    """The account and the address of a conversation."""

    account_id: UUID
    remote_jid: str
    is_group: bool


_chat_of = reads(ChatAddress)

FIND_CHAT = """
SELECT account_id, remote_jid, is_group FROM conversations
WHERE shard = $1 AND organization_id = $2 AND id = $3 LIMIT 1
"""


async def find_chat(
    connection: Connection, tenant: Tenant, conversation_id: UUID
) -> ChatAddress | None:
    row = await connection.fetchrow(FIND_CHAT, *tenant, conversation_id)
    return None if row is None else _chat_of(row)


FIND_CONTACT_ADDRESS = """
SELECT remote_jid FROM contact_addresses
WHERE shard = $1 AND organization_id = $2 AND contact_id = $3 AND network = $4
ORDER BY created_at DESC, remote_jid LIMIT 1
"""


async def find_contact_address(
    connection: Connection, tenant: Tenant, contact_id: UUID, network: str
) -> str | None:
    """Return the newest known address of a contact on this network, or None."""
    found: str | None = await connection.fetchval(
        FIND_CONTACT_ADDRESS, *tenant, contact_id, network
    )
    return found


FIND_MESSAGE = """
SELECT * FROM messages WHERE shard = $1 AND organization_id = $2 AND id = $3 LIMIT 1
"""


async def find_message(connection: Connection, tenant: Tenant, message_id: UUID) -> Message | None:
    row = await connection.fetchrow(FIND_MESSAGE, *tenant, message_id)
    return None if row is None else message_of(row)


_SENT_TO = Columns(
    "organization_id uuid, account_id uuid, recipient text, phone_number text, other_number text"
)
# A person's conversation may be under another of their addresses, or their number's other form.
LIST_CONVERSATIONS_WITH = statement(
    """
SELECT k.account_id, k.recipient, v.id
FROM {rows}
CROSS JOIN LATERAL (
    SELECT coalesce((
        SELECT id FROM conversations
        WHERE shard = {shard} AND organization_id = k.organization_id
          AND account_id = k.account_id AND remote_jid = k.recipient
    ), (
        SELECT of_person.id FROM (
            SELECT id, account_id, last_message_at FROM conversations
            WHERE shard = {shard} AND organization_id = k.organization_id
              AND contact_id = coalesce((
                SELECT contact_id FROM contact_addresses
                WHERE shard = {shard} AND organization_id = k.organization_id
                  AND remote_jid = k.recipient AND network = (
                    SELECT network FROM accounts
                    WHERE shard = {shard} AND organization_id = k.organization_id
                      AND id = k.account_id
                )
            ), (
                SELECT id FROM contacts
                WHERE shard = {shard} AND organization_id = k.organization_id
                  AND phone_number = k.phone_number AND merged_into IS NULL
            ), (
                SELECT id FROM contacts
                WHERE shard = {shard} AND organization_id = k.organization_id
                  AND phone_number = k.other_number AND merged_into IS NULL
            ))
            OFFSET 0
        ) AS of_person
        WHERE of_person.account_id = k.account_id
        ORDER BY of_person.last_message_at DESC NULLS LAST, of_person.id LIMIT 1
    )) AS id
) AS v
WHERE v.id IS NOT NULL
""",
    _SENT_TO,
)


ChatPlaces: TypeAlias = Places[tuple[UUID, UUID, str]]
"""Where conversations were written, by their organization's id, account's id and remote JID."""

_PLACED = Columns("organization_id uuid, account_id uuid, recipient text, place tid")
LIST_CONVERSATIONS_AT = statement(
    """
SELECT k.account_id, k.recipient, v.id
FROM {rows}
CROSS JOIN LATERAL (
    SELECT id FROM conversations
    WHERE ctid = k.place AND shard = {shard} AND organization_id = k.organization_id
      AND account_id = k.account_id AND remote_jid = k.recipient
    OFFSET 0
) AS v
""",
    _PLACED,
)


async def list_conversations_with(
    connection: Connection,
    shards: Shards,
    messages: Sequence[NewMessage],
    chats: ChatPlaces,
) -> dict[tuple[UUID, str], UUID]:
    """Return the existing conversations of accounts with the recipients of these messages, by
    account id and recipient."""
    sent_to = {
        (message.tenant.organization_id, message.account_id, message.recipient): message
        for message in messages
    }
    rows: Sequence[Row] = ()
    known = chats.of(sent_to)
    if known is not None:
        placed = dict(zip(sent_to, known, strict=True))
        rows = await connection.fetch(
            *LIST_CONVERSATIONS_AT.transpose(
                shards, [(*key, place) for key, place in placed.items()]
            )
        )
        there = {(row["account_id"], row["recipient"]) for row in rows}
        for key, place in placed.items():
            if key[1:] not in there:  # somebody else has written it since
                chats.forget(key, place)
    if len(rows) < len(sent_to):
        keys = [
            (*key, message.phone_number, other_form(message.phone_number))
            for key, message in sent_to.items()
        ]
        rows = await connection.fetch(*LIST_CONVERSATIONS_WITH.transpose(shards, keys))
    return {(row["account_id"], row["recipient"]): row["id"] for row in rows}
