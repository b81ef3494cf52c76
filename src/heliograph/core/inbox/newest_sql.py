"""The newest messages of conversations, where they wait, failed or were deleted.

`Conversation.last_message_preview` tells only of what the networks have taken.
"""

from collections.abc import Sequence
from uuid import UUID

from heliograph.core.inbox.model import NewestMessage
from heliograph.core.messages.serializers import preview
from heliograph.core.tenants.model import Tenant
from heliograph.networks.content import decode_content
from heliograph.platform.database.pool import Connection
from heliograph.platform.database.rows import reads

_newest_of = reads(
    NewestMessage, preview=lambda row: preview(decode_content(row["content"]).summary)
)

# The condition is outside, so that one message of a conversation is read and not all that were said
# since one failed.
LIST_NEWEST = """
SELECT k.conversation_id, m.status, m.content, m.created_at AS at, m.sent_at, m.deleted_at,
    m.in_doubt
FROM unnest($3::uuid[]) AS k (conversation_id)
CROSS JOIN LATERAL (
    SELECT direction, status, content, created_at, sent_at, deleted_at, in_doubt FROM messages
    WHERE shard = $1 AND organization_id = $2 AND conversation_id = k.conversation_id
    ORDER BY seq DESC LIMIT 1
) AS m
WHERE m.deleted_at IS NOT NULL OR (
    m.direction = 'outbound' AND m.status IN ('scheduled', 'queued', 'sending', 'failed')
)
"""


async def list_newest(
    connection: Connection, tenant: Tenant, conversation_ids: Sequence[UUID]
) -> dict[UUID, NewestMessage]:
    """Return the newest messages that wait, failed or were deleted, by their conversation."""
    rows = await connection.fetch(LIST_NEWEST, *tenant, conversation_ids)
    return {row["conversation_id"]: _newest_of(row) for row in rows}
