"""Deliveries on request: of a ping, and of existing events."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from heliograph.core.events.model import Event
from heliograph.core.events.sql import lock_kept_events
from heliograph.core.webhooks.model import NewDelivery, Webhook
from heliograph.core.webhooks.queue.sql import insert_deliveries, list_made
from heliograph.core.webhooks.subscriptions.sql import pin_webhook
from heliograph.errors import SubscriptionNotFoundError, WebhookDisabledError
from heliograph.platform.database.pool import Connection


def new_delivery(
    webhook: Webhook, event: Event, delivery_id: UUID, created_at: datetime
) -> NewDelivery:
    """Make the delivery of `event` to `webhook`, in the lane of its conversation."""
    return NewDelivery(
        tenant=webhook.tenant,
        id=delivery_id,
        webhook_id=webhook.id,
        event_id=event.id,
        event_type=event.type,
        order_key=event.order_key,
        created_at=created_at,
    )


def check_enabled(webhook: Webhook) -> None:
    """Raise `WebhookDisabledError` if it is disabled: its deliveries would only wait."""
    if not webhook.enabled:
        raise WebhookDisabledError(webhook.id)


async def insert_again(
    connection: Connection,
    webhook: Webhook,
    events: Sequence[Event],
    delivery_ids: Sequence[UUID],
    now: datetime,
) -> int:
    """Insert deliveries of events that were there before. Returns how many: events that are not
    kept any more are left out.

    The webhook may have been deleted or disabled since it was read; a later deletion waits for the
    end of the transaction. Raises `SubscriptionNotFoundError`, and what `check_enabled` does.
    """
    pinned = await pin_webhook(connection, webhook.tenant, webhook.id)
    if pinned is None:
        raise SubscriptionNotFoundError(webhook.id)
    check_enabled(pinned)
    kept = await lock_kept_events(connection, webhook.tenant, [event.id for event in events])
    made = await list_made(connection, webhook.tenant, delivery_ids)  # by an earlier try
    wanted = [
        new_delivery(webhook, event, delivery_id, now)
        for event, delivery_id in zip(events, delivery_ids, strict=True)
        if event.id in kept
    ]
    if new := [delivery for delivery in wanted if delivery.id not in made]:
        await insert_deliveries(connection, new)
    return len(wanted)
