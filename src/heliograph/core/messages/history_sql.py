"""What became of one message: the events it made, and the deliveries of those.

No index leads from a message to its events, for each would be paid for by every event. Ids begin
with the time they were made, so the events are looked for around the times the message tells of.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from heliograph.core.tenants.organization import Tenant
from heliograph.core.webhooks.deliveries_sql import delivery_of
from heliograph.core.webhooks.model import Delivery
from heliograph.platform.database.pool import Connection
from heliograph.platform.database.time_ids import first_id

_AROUND = timedelta(minutes=2)
"""How far the time of an event may lie from the one that its message tells: the network's clock and
ours differ, and a receipt may have waited."""
_NEWEST = 10_000


@dataclass(frozen=True, slots=True)
class MessageEvent:
    """An event of a message, without its payload."""

    id: UUID
    type: str
    created_at: datetime


def windows_around(times: Sequence[datetime]) -> list[tuple[datetime, datetime]]:
    """Spans of time around these moments, none overlapping another, in order."""
    spans: list[tuple[datetime, datetime]] = []
    for at in sorted(times):
        begin, end = at - _AROUND, at + _AROUND
        if spans and begin <= spans[-1][1]:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((begin, end))
    return spans


async def list_message_events(
    connection: Connection, tenant: Tenant, message_id: UUID, times: Sequence[datetime]
) -> list[MessageEvent]:
    """The message's events that were made around these times, oldest first."""
    rows = []
    for begin, end in windows_around(times):
        rows += await connection.fetch(
            """
            SELECT id, type, created_at FROM events
            WHERE shard = $1 AND organization_id = $2 AND id >= $3 AND id < $4
              AND message_id = $5
            ORDER BY id
            """,
            *tenant,
            first_id(begin),
            first_id(end),
            message_id,
        )
    return [MessageEvent(row["id"], row["type"], row["created_at"]) for row in rows]


async def list_deliveries_of(
    connection: Connection, tenant: Tenant, events: Sequence[MessageEvent]
) -> list[Delivery]:
    """The events' deliveries: those made with them, and later ones among the newest of all."""
    if not events:
        return []
    ids = [event.id for event in events]
    rows = list(
        await connection.fetch(
            """
            SELECT * FROM (
                SELECT * FROM deliveries
                WHERE shard = $1 AND organization_id = $2 AND seq > 0
                ORDER BY seq DESC LIMIT $4
            ) AS newest
            WHERE event_id = ANY($3::uuid[])
            """,
            *tenant,
            ids,
            _NEWEST,
        )
    )
    for begin, end in windows_around([event.created_at for event in events]):
        rows += await connection.fetch(
            """
            SELECT * FROM deliveries
            WHERE shard = $1 AND organization_id = $2 AND id >= $3 AND id < $4
              AND event_id = ANY($5::uuid[])
            """,
            *tenant,
            first_id(begin),
            first_id(end),
            ids,
        )
    found = {row["id"]: delivery_of(row) for row in rows}
    return sorted(found.values(), key=lambda delivery: delivery.seq)
