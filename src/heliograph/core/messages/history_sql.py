"""The events and deliveries of one message, and its conversation.

No index leads from a message to its events, since every event would pay for it. Ids begin with the
time of their creation, so events are searched around the times in the message.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

import msgspec

from heliograph.core.tenants.model import Tenant
from heliograph.core.webhooks.deliveries_sql import (
    list_newest_of_events,
    list_of_events_between,
)
from heliograph.core.webhooks.model import Delivery
from heliograph.platform.database.clock import first_id
from heliograph.platform.database.pool import Connection

# Also for a message without a conversation, since there was none when it was accepted.
FIND_CONVERSATION = """
SELECT coalesce(m.conversation_id, (
    SELECT id FROM conversations
    WHERE shard = $1 AND organization_id = $2 AND account_id = m.account_id
      AND remote_jid = coalesce(m.remote_jid, m.recipient) LIMIT 1
), (
    SELECT id FROM conversations
    WHERE shard = $1 AND organization_id = $2 AND account_id = m.account_id
      AND m.chat_type = 'individual' AND contact_id = $4 LIMIT 1
))
FROM messages AS m WHERE m.shard = $1 AND m.organization_id = $2 AND m.id = $3
"""


async def find_conversation_of(
    connection: Connection, tenant: Tenant, message_id: UUID, contact_id: UUID | None
) -> UUID | None:
    """Return the conversation with the message's recipient or sender, if there is one: by address,
    else by contact."""
    found: UUID | None = await connection.fetchval(
        FIND_CONVERSATION, *tenant, message_id, contact_id
    )
    return found


_AROUND = timedelta(minutes=2)
"""How far an event may be from the time in its message: the network's clock and ours differ, and a
receipt may have waited."""

_NEWEST = 10_000


class MessageEvent(msgspec.Struct, frozen=True):
    id: UUID
    type: str
    created_at: datetime


def windows_around(times: Sequence[datetime]) -> list[tuple[datetime, datetime]]:
    """Return time windows around these moments, in order and without overlaps."""
    spans: list[tuple[datetime, datetime]] = []
    for at in sorted(times):
        begin, end = at - _AROUND, at + _AROUND
        if spans and begin <= spans[-1][1]:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((begin, end))
    return spans


LIST_EVENTS = """
SELECT id, type, created_at FROM events
WHERE shard = $1 AND organization_id = $2 AND id >= $3 AND id < $4 AND message_id = $5
ORDER BY seq
"""


async def list_message_events(
    connection: Connection, tenant: Tenant, message_id: UUID, times: Sequence[datetime]
) -> list[MessageEvent]:
    """Return the message's events created around these times, oldest first."""
    rows = []
    for begin, end in windows_around(times):
        ids = (first_id(begin), first_id(end))
        rows += await connection.fetch(LIST_EVENTS, *tenant, *ids, message_id)
    return [MessageEvent(**row) for row in rows]


async def list_deliveries_of(
    connection: Connection,
    tenant: Tenant,
    events: Sequence[MessageEvent],
    visible: Sequence[UUID] | None,
) -> list[Delivery]:
    """Return the events' deliveries: those created with them, and those among the newest of all;
    only to the webhooks `visible`, None for all."""
    if not events:
        return []
    event_ids = [event.id for event in events]
    deliveries = await list_newest_of_events(connection, tenant, event_ids, _NEWEST)
    for begin, end in windows_around([event.created_at for event in events]):
        ids = (first_id(begin), first_id(end))
        deliveries += await list_of_events_between(connection, tenant, event_ids, *ids)
    found = {delivery.id: delivery for delivery in deliveries}
    seen = [each for each in found.values() if visible is None or each.webhook_id in visible]
    return sorted(seen, key=lambda delivery: delivery.seq)
