"""The table `events`: what happened, with the payload as it is posted."""

from collections.abc import Sequence

from heliograph.core.events.model import Event
from heliograph.platform.database.pool import Connection

INSERT = """
INSERT INTO events (
    shard, organization_id, id, type, account_id, conversation_id, message_id, payload, created_at
)
SELECT $1, e.organization_id, e.id, e.type, e.account_id, e.conversation_id, e.message_id,
    e.payload, e.created_at
FROM unnest(
    $2::uuid[], $3::uuid[], $4::text[], $5::uuid[], $6::uuid[], $7::uuid[], $8::bytea[],
    $9::timestamptz[]
) WITH ORDINALITY AS e (
    organization_id, id, type, account_id, conversation_id, message_id, payload, created_at,
    position
)
ORDER BY e.position
ON CONFLICT (shard, organization_id, id) DO NOTHING
"""


async def insert_events(connection: Connection, shard: int, events: Sequence[Event]) -> None:
    """Store events of one shard in this order."""
    await connection.execute(
        INSERT,
        shard,
        [each.tenant.organization_id for each in events],
        [each.id for each in events],
        [each.type for each in events],
        [each.account_id for each in events],
        [each.conversation_id for each in events],
        [each.message_id for each in events],
        [each.payload for each in events],
        [each.created_at for each in events],
    )
