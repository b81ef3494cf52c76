"""Events without a pending delivery: old ones are deleted, and those whose payloads are not to be
kept are emptied."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from heliograph.core.events.redaction_sql import empty_payloads, lock_events_to_redact
from heliograph.core.events.retention_sql import delete_locked_events, lock_old_events
from heliograph.core.tenants.model import Tenant
from heliograph.core.tenants.old_rows import Batch
from heliograph.core.webhooks.deliveries_sql import list_awaited_events
from heliograph.platform.database.pool import Connection


async def delete_events(
    connection: Connection, tenant: Tenant, after: UUID, before: datetime, limit: int
) -> Batch:
    """Delete events created before this time that have no pending delivery."""
    ids = await lock_old_events(connection, tenant, after, before, limit)
    over = await _list_over(connection, tenant, ids)
    await delete_locked_events(connection, tenant, over)
    return Batch(len(over), len(ids), max(ids, default=after))


async def redact_events(
    connection: Connection, tenant: Tenant, before: datetime, after: UUID, limit: int
) -> UUID | None:
    """Empty the payloads of events created before `before` that have no pending delivery.

    Checks the next `limit` events after the id `after`; returns the id of the last, or None if
    there was none.
    """
    ids = await lock_events_to_redact(connection, tenant, before, after, limit)
    if not ids:
        return None
    await empty_payloads(connection, tenant, await _list_over(connection, tenant, ids))
    return ids[-1]


async def _list_over(
    connection: Connection, tenant: Tenant, locked: Sequence[UUID]
) -> Sequence[UUID]:
    """Return those of the events that have no pending delivery. They are locked before this is
    asked: only then can no other delivery be inserted."""
    awaited = await list_awaited_events(connection, tenant, locked)
    return [id_ for id_ in locked if id_ not in awaited]
