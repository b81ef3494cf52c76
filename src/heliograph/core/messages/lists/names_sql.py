"""Messages with the names that people read: of the contact, the group and the sender."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple
from uuid import UUID

from msgspec.structs import replace

from heliograph.core.contacts.sql import list_by_phone
from heliograph.core.messages.model import Message, Names, Sender
from heliograph.core.messages.sql import message_of
from heliograph.core.tenants.rows import ROW_KEYS, Shards, statement
from heliograph.networks.phone_numbers import other_form
from heliograph.platform.database.pool import Connection, Row


class NamedMessage(NamedTuple):
    message: Message
    names: Names


# `r` is the recipient's contact of a message that the network has not accepted yet. It is looked up
# here rather than at acceptance, which happens more often and while a client waits.
LIST_WITH_NAMES = statement(
    """
SELECT m.*, coalesce(c.name, c.chat_name) AS contact_name, g.subject AS group_subject,
    s.id AS sender_id, s.phone_number AS sender_phone_number,
    coalesce(s.name, s.chat_name) AS sender_name,
    coalesce(m.contact_id, v.contact_id, r.id) AS known_contact_id,
    coalesce(r.name, r.chat_name) AS recipient_name
FROM {rows}
CROSS JOIN LATERAL (
    SELECT * FROM messages
    WHERE shard = {shard} AND organization_id = k.organization_id AND id = k.id LIMIT 1
) AS m
LEFT JOIN LATERAL (
    SELECT account_id, remote_jid, contact_id, chat_group_id FROM conversations
    WHERE shard = {shard} AND organization_id = k.organization_id AND id = m.conversation_id LIMIT 1
) AS v ON true
LEFT JOIN LATERAL (
    SELECT name, chat_name FROM contacts
    WHERE shard = {shard} AND organization_id = k.organization_id AND id = v.contact_id LIMIT 1
) AS c ON true
LEFT JOIN LATERAL (
    SELECT subject FROM chat_groups
    WHERE shard = {shard} AND organization_id = k.organization_id AND account_id = v.account_id
      AND remote_jid = v.remote_jid AND id = v.chat_group_id LIMIT 1
) AS g ON true
LEFT JOIN LATERAL (
    SELECT id, phone_number, name, chat_name FROM contacts
    WHERE shard = {shard} AND organization_id = k.organization_id
      AND m.chat_type = 'group' AND m.direction = 'inbound' AND id = coalesce((
        SELECT merged_into FROM contacts
        WHERE shard = {shard} AND organization_id = k.organization_id AND id = m.contact_id
    ), m.contact_id)
    LIMIT 1
) AS s ON true
LEFT JOIN LATERAL (
    SELECT id, name, chat_name FROM contacts
    WHERE shard = {shard} AND organization_id = k.organization_id
      AND v.contact_id IS NULL AND m.chat_type = 'individual' AND id = coalesce((
        SELECT contact_id FROM contact_addresses
        WHERE shard = {shard} AND organization_id = k.organization_id AND remote_jid = m.recipient
          AND network = (
            SELECT network FROM accounts
            WHERE shard = {shard} AND organization_id = k.organization_id AND id = m.account_id
        )
    ), (
        SELECT id FROM contacts
        WHERE shard = {shard} AND organization_id = k.organization_id
          AND phone_number = m.phone_number AND merged_into IS NULL
    ))
    LIMIT 1
) AS r ON true
""",
    ROW_KEYS,
)


async def list_with_names(
    connection: Connection, shards: Shards, keys: Sequence[tuple[UUID, UUID]]
) -> dict[tuple[UUID, UUID], NamedMessage]:
    """Return messages by (organization id, id), as far as they exist."""
    rows = await connection.fetch(*LIST_WITH_NAMES.transpose(shards, keys))
    found = {(row["organization_id"], row["id"]): _named_message_of(row) for row in rows}
    return found | await _name_by_other_forms(connection, shards, found)


async def _name_by_other_forms(
    connection: Connection, shards: Shards, found: Mapping[tuple[UUID, UUID], NamedMessage]
) -> dict[tuple[UUID, UUID], NamedMessage]:
    """Return the messages to the other form of a contact's number, with that contact."""
    numbers = {
        key: (key[0], named.message.phone_number)
        for key, named in found.items()
        if named.message.contact_id is None and other_form(named.message.phone_number) is not None
    }
    if not numbers:
        return {}
    contacts = await list_by_phone(connection, shards, sorted(set(numbers.values())))
    return {
        key: NamedMessage(
            replace(found[key].message, contact_id=contacts[number].id),
            replace(found[key].names, contact=contacts[number].display_name),
        )
        for key, number in numbers.items()
        if number in contacts
    }


def _named_message_of(row: Row) -> NamedMessage:
    """Return the message with its contact, even if the network has not accepted it yet."""
    message, contact_id = message_of(row), row["known_contact_id"]
    if contact_id is not None:
        message = replace(message, contact_id=contact_id)
    contact_name = row["contact_name"] or row["sender_name"] or row["recipient_name"]
    return NamedMessage(message, Names(contact_name, row["group_subject"], sender_of(row)))


def sender_of(row: Row) -> Sender | None:
    if row["sender_id"] is None:
        return None
    return Sender(row["sender_id"], row["sender_phone_number"], row["sender_name"])


LIST_SENDERS = statement(
    """
SELECT m.id, s.id AS sender_id, s.phone_number AS sender_phone_number,
    coalesce(s.name, s.chat_name) AS sender_name
FROM {rows}
CROSS JOIN LATERAL (
    SELECT id, contact_id FROM messages
    WHERE shard = {shard} AND organization_id = k.organization_id AND id = k.id LIMIT 1
) AS m
CROSS JOIN LATERAL (
    SELECT id, phone_number, name, chat_name FROM contacts
    WHERE shard = {shard} AND organization_id = k.organization_id AND id = coalesce((
        SELECT merged_into FROM contacts
        WHERE shard = {shard} AND organization_id = k.organization_id AND id = m.contact_id
    ), m.contact_id)
    LIMIT 1
) AS s
""",
    ROW_KEYS,
)


async def list_senders(
    connection: Connection, shards: Shards, keys: Sequence[tuple[UUID, UUID]]
) -> dict[UUID, Sender]:
    """Return the known senders of messages, given by (organization id, id)."""
    rows = await connection.fetch(*LIST_SENDERS.transpose(shards, keys))
    return {row["id"]: sender for row in rows if (sender := sender_of(row)) is not None}
