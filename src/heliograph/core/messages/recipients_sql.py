"""Where a message goes that names a conversation or a contact, and what it answers."""

from uuid import UUID

import msgspec

from heliograph.core.messages.model import Message
from heliograph.core.messages.sql import message_of
from heliograph.core.tenants.model import Tenant
from heliograph.platform.database.pool import Connection
from heliograph.platform.database.rows import reads


class Chat(msgspec.Struct, frozen=True):
    """The account and the address of a conversation."""

    account_id: UUID
    remote_jid: str
    is_group: bool


_chat_of = reads(Chat)

FIND_CHAT = """
SELECT account_id, remote_jid, is_group FROM conversations
WHERE shard = $1 AND organization_id = $2 AND id = $3 LIMIT 1
"""


async def find_chat(connection: Connection, tenant: Tenant, conversation_id: UUID) -> Chat | None:
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
    """Return the newest address of a contact on this network, as far as one is known."""
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
