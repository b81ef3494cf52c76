"""The table `events` as a log that is read from a position on."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from heliograph.core.events.model import EventPosition, LoggedEvent
from heliograph.core.events.payload_sql import unpack
from heliograph.core.tenants.model import Tenant
from heliograph.core.tenants.rows import tenant_columns, tenant_of
from heliograph.platform.database.horizon import get_server
from heliograph.platform.database.pool import Connection
from heliograph.platform.database.rows import reads

_logged_of = reads(LoggedEvent, payload=lambda row: unpack(row["payload"]))

# From the position's own event on: whether it is still there tells if the position still holds.
LIST_LOG = """
SELECT seq, id, type, account_id, payload FROM events
WHERE shard = $1 AND organization_id = $2 AND seq > 0 AND seq >= $3 AND seq <= $4
ORDER BY seq LIMIT $5
"""
GET_DELETED = """
SELECT coalesce((
    SELECT up_to_seq FROM deleted_events WHERE shard = $1 AND organization_id = $2
), 0)
"""


class LogPage(NamedTuple):
    """Events from a position on, and what was deleted by the time they had been read."""

    events: list[LoggedEvent]
    server: datetime
    deleted: int


async def read_log(
    connection: Connection, tenant: Tenant, seq: int, up_to: int, limit: int
) -> LogPage:
    """Read the events from `seq` to `up_to`, both included, in the order of their `seq`."""
    rows = await connection.fetch(LIST_LOG, *tenant, seq, up_to, limit)
    deleted = await connection.fetchval(GET_DELETED, *tenant)
    server = await get_server(connection)
    return LogPage([_logged_of(row) for row in rows], server, deleted)


FIND_LAST = """
SELECT seq, id AS event_id FROM events
WHERE shard = $1 AND organization_id = $2 AND seq > 0 AND seq <= $3
ORDER BY seq DESC LIMIT 1
"""

_position_of = reads(EventPosition)


async def get_last_position(connection: Connection, tenant: Tenant, up_to: int) -> EventPosition:
    """Return the position after the newest event up to the `seq` `up_to`."""
    row = await connection.fetchrow(FIND_LAST, *tenant, up_to)
    return await get_first_position(connection, tenant) if row is None else _position_of(row)


async def get_first_position(connection: Connection, tenant: Tenant) -> EventPosition:
    """Return the position before the oldest event that is kept."""
    return EventPosition(await connection.fetchval(GET_DELETED, *tenant))


class Head(NamedTuple):
    """How far the log of an organization has been read."""

    tenant: Tenant
    seq: int


_HEADS = tenant_columns("seq bigint")
LIST_NEW = _HEADS.fill("""
SELECT $1::integer AS shard, k.organization_id, e.* FROM {rows}
CROSS JOIN LATERAL (
    SELECT seq, id, type, account_id, payload FROM events
    WHERE shard = $1 AND organization_id = k.organization_id AND seq > 0
      AND seq > k.seq AND seq <= $4
    ORDER BY seq LIMIT $5
) AS e
""")


async def list_new_events(
    connection: Connection,
    shard: int,
    heads: Sequence[Head],
    *,
    up_to: int,
    limit: int,
    server: datetime | None,
) -> list[tuple[Tenant, LoggedEvent]]:
    """Read on in the logs of several organizations of one shard, `limit` events of each at most.

    Nothing is read from another server than the one on which `up_to` was settled.
    """
    if await get_server(connection) != server:
        return []
    rows = await connection.fetch(LIST_NEW, shard, *_HEADS.of(heads), up_to, limit)
    return [(tenant_of(row), _logged_of(row)) for row in rows]


RECORD_DELETED = """
INSERT INTO deleted_events (shard, organization_id, up_to_seq) VALUES ($1, $2, $3)
ON CONFLICT (shard, organization_id) DO UPDATE
SET up_to_seq = greatest(deleted_events.up_to_seq, excluded.up_to_seq)
"""


async def record_deleted(connection: Connection, tenant: Tenant, seq: int) -> None:
    """Record that events up to this `seq` have been deleted, perhaps not all of them."""
    await connection.execute(RECORD_DELETED, *tenant, seq)
