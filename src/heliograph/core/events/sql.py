"""The table `events`: events with their payloads as posted."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from heliograph.core.events.model import Event, EventSpan, StoredEvent
from heliograph.core.events.payload_sql import pack, unpack
from heliograph.core.tenants.insertion import insertion
from heliograph.core.tenants.model import Tenant
from heliograph.core.tenants.rows import RowWrite, Shards, tenant_columns, tenant_of
from heliograph.core.tenants.together import write_together
from heliograph.platform.database.clock import ID_SLACK, first_id
from heliograph.platform.database.pool import Connection, Row
from heliograph.platform.database.rows import reads

_event_of = reads(
    Event,
    tenant=tenant_of,
    trace_context=lambda row: None,
    payload=lambda row: unpack(row["payload"]),
)
_span_of = reads(EventSpan)


def _stored_event_of(row: Row) -> StoredEvent:
    return StoredEvent(_event_of(row), row["seq"])


_NEW = tenant_columns(
    "id uuid, type text, account_id uuid, conversation_id uuid, message_id uuid, payload bytea,"
    " created_at timestamptz",
    payload=lambda event: pack(event.payload),
)
INSERT = insertion(
    """
INSERT INTO events (shard, {names})
SELECT {shard}, {values} FROM {rows_in_order} ORDER BY k.position
""",
    _NEW,
)


async def insert_events(connection: Connection, shards: Shards, events: Sequence[Event]) -> None:
    """Store events in this order. Their ids must be new: they are made in the same transaction, or
    nothing of an earlier try was stored."""
    await write_together(connection, shards, [insertion_of(events)])


def insertion_of(events: Sequence[Event]) -> RowWrite:
    """Return the write that stores events, as `insert_events` does."""
    return INSERT.write(events)


FIND = "SELECT * FROM events WHERE shard = $1 AND organization_id = $2 AND id = $3"


async def find_event(connection: Connection, tenant: Tenant, event_id: UUID) -> Event | None:
    row = await connection.fetchrow(FIND, *tenant, event_id)
    return None if row is None else _event_of(row)


LIST = """
SELECT * FROM events
WHERE shard = $1 AND organization_id = $2 AND id = ANY($3::uuid[]) AND length(payload) > 0
ORDER BY seq
"""


async def list_kept_events(
    connection: Connection, tenant: Tenant, event_ids: Sequence[UUID]
) -> list[Event]:
    """List those of these events whose payload is kept, in the order they were stored."""
    rows = await connection.fetch(LIST, *tenant, list(event_ids))
    return [_event_of(row) for row in rows]


LOCK_KEPT = """
SELECT id FROM events
WHERE shard = $1 AND organization_id = $2 AND id = ANY($3::uuid[]) AND length(payload) > 0
ORDER BY id FOR SHARE
"""


async def lock_kept_events(
    connection: Connection, tenant: Tenant, event_ids: Sequence[UUID]
) -> set[UUID]:
    """Return those of the events whose payload is kept; it stays until this transaction ends."""
    rows = await connection.fetch(LOCK_KEPT, *tenant, list(event_ids))
    return {row["id"] for row in rows}


# Found by the time in their ids, for which there is an index.
FIND_SPAN = """
SELECT min(seq) AS first, max(seq) AS last, count(*) AS count FROM events
WHERE shard = $1 AND organization_id = $2 AND created_at >= $3 AND created_at < $4
  AND id >= $5 AND id < $6
"""


async def find_event_span(
    connection: Connection, tenant: Tenant, since: datetime, until: datetime
) -> EventSpan | None:
    """Return where the events made from `since` to before `until` lie, None if there are none."""
    ids = (first_id(since - ID_SLACK), first_id(until + ID_SLACK))
    row = await connection.fetchrow(FIND_SPAN, *tenant, since, until, *ids)
    return None if row is None or not row["count"] else _span_of(row)


LIST_OF_SPAN = """
SELECT * FROM events
WHERE shard = $1 AND organization_id = $2 AND seq > 0 AND seq > $3 AND seq <= $4
  AND created_at >= $5 AND created_at < $6
ORDER BY seq LIMIT $7
"""


async def list_events_of_span(
    connection: Connection,
    tenant: Tenant,
    since: datetime,
    until: datetime,
    *,
    after: int,
    last: int,
    limit: int,
) -> list[StoredEvent]:
    """The next events of a time range in the order they were stored, after the `seq` `after`."""
    rows = await connection.fetch(LIST_OF_SPAN, *tenant, after, last, since, until, limit)
    return [_stored_event_of(row) for row in rows]


# Not max(seq), for which a server without statistics reads all events of the tenant.
GET_LAST_SEQ = """
SELECT coalesce((
    SELECT seq FROM events WHERE shard = $1 AND organization_id = $2 AND seq > 0
    ORDER BY seq DESC LIMIT 1
), 0)
"""


async def get_last_seq(connection: Connection, tenant: Tenant) -> int:
    """Return the `seq` of the organization's newest event; 0 when there is none."""
    return int(await connection.fetchval(GET_LAST_SEQ, *tenant))


LIST_AFTER = """
SELECT * FROM events
WHERE shard = $1 AND organization_id = $2 AND seq > 0 AND seq > $3 AND id <> ALL($4::uuid[])
ORDER BY seq LIMIT $5
"""


async def list_events_after(
    connection: Connection, tenant: Tenant, seq: int, *, known: Sequence[UUID], limit: int
) -> list[StoredEvent]:
    """Events after `seq` except those that are `known`, in the order they were stored."""
    rows = await connection.fetch(LIST_AFTER, *tenant, seq, list(known), limit)
    return [_stored_event_of(row) for row in rows]
