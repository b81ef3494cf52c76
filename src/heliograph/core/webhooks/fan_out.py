"""Stores events, with a delivery to each webhook that takes them."""

from collections import defaultdict
from collections.abc import Sequence
from uuid import UUID

from heliograph.core.events.model import Event, matches
from heliograph.core.events.sql import insertion_of
from heliograph.core.tenants.model import Tenant
from heliograph.core.tenants.rows import RowWrite, Shards
from heliograph.core.tenants.together import write_together
from heliograph.core.webhooks.model import NewDelivery, Subscription
from heliograph.core.webhooks.queue.sql import writes_of_deliveries
from heliograph.core.webhooks.subscriptions.options import passes
from heliograph.core.webhooks.subscriptions.sql import list_subscriptions
from heliograph.platform.database.clock import Clock
from heliograph.platform.database.pool import Connection


async def fan_out(
    connection: Connection, shards: Shards, events: Sequence[Event], clock: Clock
) -> set[UUID]:
    """Store events and their deliveries. Returns the webhooks that have new ones."""
    deliveries = await deliveries_of(connection, shards, events, clock)
    await write_together(connection, shards, writes_of_events(events, deliveries))
    return {delivery.webhook_id for delivery in deliveries}


async def deliveries_of(
    connection: Connection, shards: Shards, events: Sequence[Event], clock: Clock
) -> list[NewDelivery]:
    """Return the deliveries of events, in their order, to the webhooks that take them."""
    if not events:
        return []
    organizations = sorted({event.tenant.organization_id for event in events})
    subscriptions: defaultdict[Tenant, list[Subscription]] = defaultdict(list)
    for subscription in await list_subscriptions(connection, shards, organizations):
        subscriptions[subscription.tenant].append(subscription)
    return [
        NewDelivery(
            tenant=event.tenant,
            id=clock.new_id(),
            webhook_id=subscription.webhook_id,
            event_id=event.id,
            event_type=event.type,
            order_key=event.order_key,
            created_at=event.created_at,
            trace_context=event.trace_context,
        )
        for event in events
        for subscription in subscriptions[event.tenant]
        if matches(subscription.events, event.type) and passes(subscription.filter, event)
    ]


def writes_of_events(events: Sequence[Event], deliveries: Sequence[NewDelivery]) -> list[RowWrite]:
    """List the writes that store events and their deliveries."""
    return [insertion_of(events), *writes_of_deliveries(deliveries)] if events else []
