"""The table `events`: what happened, with the payload as it is posted."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from heliograph.core.events.model import Event
from heliograph.core.tenants.model import Tenant
from heliograph.core.tenants.rows import tenant_columns
from heliograph.platform.database.pool import Connection, Row
from heliograph.platform.database.time_ids import first_id

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


_ID_SLACK = timedelta(hours=1)
"""By how much the time in an event's id may differ from its `created_at`."""


@dataclass(frozen=True, slots=True)
class EventSpan:
    """The events of a time range lie between these `seq`, both included."""

    first: int
    last: int
    count: int


@dataclass(frozen=True, slots=True)
class StoredEvent:
    event: Event
    seq: int


async def find_event(connection: Connection, tenant: Tenant, event_id: UUID) -> Event | None:
    row = await connection.fetchrow(
        "SELECT * FROM events WHERE shard = $1 AND organization_id = $2 AND id = $3",
        *tenant,
        event_id,
    )
    return None if row is None else _event(row)


async def lock_kept_events(
    connection: Connection, tenant: Tenant, event_ids: Sequence[UUID]
) -> set[UUID]:
    """Those of the events whose payload is kept, and is until this transaction ends."""
    rows = await connection.fetch(
        """
        SELECT id FROM events
        WHERE shard = $1 AND organization_id = $2 AND id = ANY($3::uuid[])
          AND length(payload) > 0
        ORDER BY id FOR SHARE
        """,
        *tenant,
        list(event_ids),
    )
    return {row["id"] for row in rows}


async def find_event_span(
    connection: Connection, tenant: Tenant, since: datetime, until: datetime
) -> EventSpan | None:
    """Where the events made from `since` to before `until` are; found by the time in their ids."""
    row = await connection.fetchrow(
        """
        SELECT min(seq) AS first, max(seq) AS last, count(*) AS count FROM events
        WHERE shard = $1 AND organization_id = $2 AND created_at >= $3 AND created_at < $4
          AND id >= $5 AND id < $6
        """,
        *tenant,
        since,
        until,
        first_id(since - _ID_SLACK),
        first_id(until + _ID_SLACK),
    )
    if row is None or not row["count"]:
        return None
    return EventSpan(row["first"], row["last"], row["count"])


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
    rows = await connection.fetch(
        """
        SELECT * FROM events
        WHERE shard = $1 AND organization_id = $2 AND seq > 0 AND seq > $3 AND seq <= $4
          AND created_at >= $5 AND created_at < $6
        ORDER BY seq LIMIT $7
        """,
        *tenant,
        after,
        last,
        since,
        until,
        limit,
    )
    return [StoredEvent(_event(row), row["seq"]) for row in rows]


def _event(row: Row) -> Event:
    return Event(
        tenant=Tenant(row["shard"], row["organization_id"]),
        id=row["id"],
        type=row["type"],
        payload=row["payload"],
        created_at=row["created_at"],
        account_id=row["account_id"],
        conversation_id=row["conversation_id"],
        message_id=row["message_id"],
    )


async def get_last_seq(connection: Connection, tenant: Tenant) -> int:
    """The `seq` of the organization's newest event; 0 when there is none."""
    return int(
        await connection.fetchval(
            """
            SELECT coalesce(max(seq), 0) FROM events
            WHERE shard = $1 AND organization_id = $2 AND seq > 0
            """,
            *tenant,
        )
    )


async def list_events_after(
    connection: Connection, tenant: Tenant, seq: int, *, known: Sequence[UUID], limit: int
) -> list[StoredEvent]:
    """Events after `seq` but those that are `known`, in the order they were stored."""
    rows = await connection.fetch(
        """
        SELECT * FROM events
        WHERE shard = $1 AND organization_id = $2 AND seq > 0 AND seq > $3
          AND id <> ALL($4::uuid[])
        ORDER BY seq LIMIT $5
        """,
        *tenant,
        seq,
        list(known),
        limit,
    )
    return [StoredEvent(_event(row), row["seq"]) for row in rows]
