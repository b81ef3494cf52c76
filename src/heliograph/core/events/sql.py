"""The table `events`: what happened, with the payload as it is posted."""

from collections.abc import Sequence

from heliograph.core.events.model import Event
from heliograph.core.tenants.rows import tenant_columns
from heliograph.platform.database.pool import Connection

_NEW = tenant_columns(
    "id uuid, type text, account_id uuid, conversation_id uuid, message_id uuid, payload bytea,"
    " created_at timestamptz"
)
INSERT = _NEW.fill("""
INSERT INTO events (shard, {names}) SELECT $1, {values} FROM {rows_in_order} ORDER BY k.position
ON CONFLICT (shard, organization_id, id) DO NOTHING
""")


async def insert_events(connection: Connection, shard: int, events: Sequence[Event]) -> None:
    """Store events of one shard in this order."""
    await connection.execute(INSERT, shard, *_NEW.of(events))
