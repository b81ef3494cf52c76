"""Stores events, with a delivery to each webhook that takes them."""

from collections import defaultdict
from collections.abc import Sequence
from uuid import UUID

from heliograph.core.events.model import Event, matches
from heliograph.core.events.sql import insert_events
from heliograph.core.tenants.model import Tenant
from heliograph.core.tenants.rows import Shards
from heliograph.core.webhooks.model import NewDelivery, Subscription
from heliograph.core.webhooks.queue.sql import insert_deliveries
from heliograph.core.webhooks.subscriptions.options import passes
from heliograph.core.webhooks.subscriptions.sql import list_subscriptions
from heliograph.platform.database.clock import Clock
from heliograph.platform.database.pool import Connection


async def fan_out(
    connection: Connection, shards: Shards, events: Sequence[Event], clock: Clock
) -> set[UUID]:
    """Store events and their deliveries. Returns the webhooks that have new ones."""
    if not events:
        return set()
    await insert_events(connection, shards, events)
    organizations = sorted({event.tenant.organization_id for event in events})
    subscriptions: defaultdict[Tenant, list[Subscription]] = defaultdict(list)
    for subscription in await list_subscriptions(connection, shards, organizations):
        subscriptions[subscription.tenant].append(subscription)
    deliveries = [
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
    if deliveries:
        await insert_deliveries(connection, deliveries)
    return {delivery.webhook_id for delivery in deliveries}
