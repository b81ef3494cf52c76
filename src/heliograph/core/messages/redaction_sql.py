"""The table `unlogged_events`: events whose payloads are emptied after their last delivery."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from heliograph.core.events.model import Event
from heliograph.core.tenants.insertion import insertion
from heliograph.core.tenants.model import Tenant
from heliograph.core.tenants.rows import Shards, tenant_columns, tenant_of
from heliograph.core.webhooks.deliveries_sql import list_awaited_events
from heliograph.platform.database.pool import Connection

_EVENTS = tenant_columns("event_id uuid, created_at timestamptz", event_id="id")
INSERT_EVENTS_TO_REDACT = insertion(
    """
INSERT INTO unlogged_events (shard, {names}) SELECT {shard}, {values} FROM {rows}
""",
    _EVENTS,
)


async def insert_events_to_redact(
    connection: Connection, shards: Shards, events: Sequence[Event]
) -> None:
    """Mark events that this transaction has inserted: their payloads are not to be kept."""
    await INSERT_EVENTS_TO_REDACT.insert(connection, shards, events)


LIST_TENANTS_TO_REDACT = "SELECT DISTINCT shard, organization_id FROM unlogged_events"


async def list_tenants_to_redact(connection: Connection) -> list[Tenant]:
    rows = await connection.fetch(LIST_TENANTS_TO_REDACT)
    return sorted(tenant_of(row) for row in rows)


# An event is locked while it is being redelivered; it is skipped then.
LOCK_EVENTS_TO_REDACT = """
SELECT e.id FROM unlogged_events AS u
JOIN events AS e ON e.shard = $1 AND e.organization_id = $2 AND e.id = u.event_id
WHERE u.shard = $1 AND u.organization_id = $2 AND u.created_at < $3 AND u.event_id > $4
ORDER BY e.id LIMIT $5 FOR UPDATE OF e SKIP LOCKED
"""
REDACT_EVENTS = """
UPDATE events SET payload = ''::bytea
WHERE shard = $1 AND organization_id = $2 AND id = ANY($3::uuid[])
"""
DELETE_REDACTED = """
DELETE FROM unlogged_events
WHERE shard = $1 AND organization_id = $2 AND event_id = ANY($3::uuid[])
"""


async def redact_events(
    connection: Connection, tenant: Tenant, before: datetime, after: UUID, limit: int
) -> UUID | None:
    """Empty the payloads of events created before `before` that have no pending delivery.

    Checks the next `limit` events after the id `after`; returns the id of the last, or None if
    there was none.
    """
    rows = await connection.fetch(LOCK_EVENTS_TO_REDACT, *tenant, before, after, limit)
    if not rows:
        return None
    ids: list[UUID] = [row["id"] for row in rows]
    awaited = await list_awaited_events(connection, tenant, ids)
    finished = [id_ for id_ in ids if id_ not in awaited]
    await connection.execute(REDACT_EVENTS, *tenant, finished)
    await connection.execute(DELETE_REDACTED, *tenant, finished)
    return ids[-1]
