"""The table `unlogged_events`: events whose payloads are emptied after their last delivery."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from heliograph.core.events.model import Event
from heliograph.core.tenants.insertion import insertion
from heliograph.core.tenants.model import Tenant
from heliograph.core.tenants.rows import Shards, tenant_columns, tenant_of
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


async def lock_events_to_redact(
    connection: Connection, tenant: Tenant, before: datetime, after: UUID, limit: int
) -> list[UUID]:
    """Lock the next events after the id `after` that were created before `before`."""
    rows = await connection.fetch(LOCK_EVENTS_TO_REDACT, *tenant, before, after, limit)
    return [row["id"] for row in rows]


REDACT_EVENTS = """
UPDATE events SET payload = ''::bytea
WHERE shard = $1 AND organization_id = $2 AND id = ANY($3::uuid[])
"""
DELETE_REDACTED = """
DELETE FROM unlogged_events
WHERE shard = $1 AND organization_id = $2 AND event_id = ANY($3::uuid[])
"""


async def empty_payloads(connection: Connection, tenant: Tenant, event_ids: Sequence[UUID]) -> None:
    """Empty the payloads of locked events."""
    await connection.execute(REDACT_EVENTS, *tenant, event_ids)
    await connection.execute(DELETE_REDACTED, *tenant, event_ids)
