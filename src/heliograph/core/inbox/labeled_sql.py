"""Conversations by their ids, with their names and labels."""

from collections.abc import Sequence
from uuid import UUID

from msgspec.structs import replace

from heliograph.core.inbox.conversations_sql import conversation_of, with_names
from heliograph.core.inbox.model import Conversation
from heliograph.core.labels.sql import list_labels_of
from heliograph.core.tenants.model import Tenant
from heliograph.platform.database.pool import Connection

LIST_BY_ID = with_names("""
SELECT v.*, {contact_and_group}
FROM unnest($3::uuid[]) AS k (id)
CROSS JOIN LATERAL (
    SELECT * FROM conversations WHERE shard = $1 AND organization_id = $2 AND id = k.id
    OFFSET 0
) AS v
{their_names}
""")


async def list_conversations_by_id(
    connection: Connection, tenant: Tenant, conversation_ids: Sequence[UUID]
) -> list[Conversation]:
    rows = await connection.fetch(LIST_BY_ID, *tenant, conversation_ids)
    labels = await list_labels_of(connection, tenant, conversation_ids)
    return [replace(conversation_of(row), labels=labels.get(row["id"], ())) for row in rows]
