"""What was said in one conversation, in pages."""

from uuid import UUID

from heliograph.core.inbox.model import ThreadMessage
from heliograph.core.messages.sql import message_of, sender_of
from heliograph.core.tenants.organization import Tenant
from heliograph.platform.database.pool import Connection

LAST = 2**63 - 1
"""A `seq` that no message has."""

LIST = """
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
    """Messages of a conversation, newest first, from the one before this `seq` on."""
    rows = await connection.fetch(LIST, *tenant, conversation_id, before, limit)
    return [ThreadMessage(message_of(row), sender_of(row)) for row in rows]
