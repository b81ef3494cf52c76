"""From something that happened to an event and its deliveries: payloads and fan-out."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec

from heliograph.core.accounts.model import Account
from heliograph.core.events.model import Event, EventType, matches
from heliograph.core.events.sql import insert_events
from heliograph.core.messages.model import Direction, Message, MessageStatus, Names
from heliograph.core.messages.records import Renew, as_stored, device_record, message_record
from heliograph.core.tenants.organization import Tenant
from heliograph.core.webhooks.deliveries_sql import NewDelivery, insert_deliveries
from heliograph.core.webhooks.sql import Subscription, list_subscriptions
from heliograph.networks.content import ButtonReply
from heliograph.networks.port import Changed
from heliograph.platform.database.pool import Clock, Connection

_encoder = msgspec.json.Encoder()


def encode_payload(event_type: str, at: datetime, data: dict[str, Any]) -> bytes:
    """The body of a webhook request."""
    return _encoder.encode({"type": event_type, "timestamp": at, "data": data})


class EventMaker:
    """Makes the events of one transaction, in order."""

    def __init__(self, clock: Clock, renew: Renew = as_stored) -> None:
        self._clock = clock
        self._renew = renew
        self.events: list[Event] = []

    def message(
        self,
        message: Message,
        news: MessageStatus,
        names: Names,
    ) -> None:
        """A message has reached the state `news`; the payload shows it as it is now."""
        data = message_record(self._renew(message), names)
        data["conversation_id"] = message.conversation_id
        if message.direction is Direction.OUTBOUND:
            data["run_id"] = message.run_id
        else:
            data.update(_answered(message))
        self._add(
            EventType(f"message.{news}"),
            data,
            message.tenant,
            account_id=message.account_id,
            conversation_id=message.conversation_id,
            message_id=message.id,
        )

    def change(
        self,
        message: Message,
        changed: Changed,
        names: Names,
    ) -> None:
        """Somebody changed a message, took it back or reacted to it."""
        data = message_record(self._renew(message), names)
        data["conversation_id"] = message.conversation_id
        if message.direction is Direction.OUTBOUND:
            data["run_id"] = message.run_id
        data["changed_by"] = changed.sender_jid
        data["changed_at"] = changed.at
        if changed.kind == "reaction":
            data["emoji"] = changed.emoji
        self._add(
            EventType(f"message.{changed.kind}"),
            data,
            message.tenant,
            account_id=message.account_id,
            conversation_id=message.conversation_id,
            message_id=message.id,
        )

    def device(self, account: Account) -> None:
        """An account has come to the state it now shows."""
        data = {**device_record(account), "reason": account.status_reason}
        self._add(
            EventType(f"device.{account.status}"), data, account.tenant, account_id=account.id
        )

    def _add(
        self,
        event_type: EventType,
        data: dict[str, Any],
        tenant: Tenant,
        **about: UUID | None,
    ) -> None:
        now = self._clock.now()
        self.events.append(
            Event(
                tenant=tenant,
                id=self._clock.new_id(),
                type=event_type,
                payload=encode_payload(event_type, now, data),
                created_at=now,
                **about,
            )
        )


def _answered(message: Message) -> dict[str, Any]:
    """Which of our messages this one answers, and with which button."""
    answered: dict[str, Any] = {}
    if message.reply_to_message_id is not None:
        answered["reply_to_message_id"] = message.reply_to_message_id
    if isinstance(message.content, ButtonReply):
        button = message.content.button
        answered["button"] = {"id": button.id, "title": button.title}
        answered["reply_to_message_id"] = message.reply_to_message_id
    return answered


async def fan_out(
    connection: Connection, shard: int, events: Sequence[Event], clock: Clock
) -> set[UUID]:
    """Store events of one shard, and one delivery for each webhook that takes one; the webhooks."""
    if not events:
        return set()
    await insert_events(connection, shard, events)
    organizations = sorted({event.tenant.organization_id for event in events})
    subscriptions: defaultdict[Tenant, list[Subscription]] = defaultdict(list)
    for subscription in await list_subscriptions(connection, shard, organizations):
        subscriptions[subscription.tenant].append(subscription)
    deliveries = [
        NewDelivery(
            tenant=event.tenant,
            id=clock.new_id(),
            webhook_id=subscription.webhook_id,
            webhook_url=subscription.url,
            event_id=event.id,
            event_type=event.type,
            order_key=event.order_key,
            created_at=event.created_at,
        )
        for event in events
        for subscription in subscriptions[event.tenant]
        if matches(subscription.events, event.type)
    ]
    if deliveries:
        await insert_deliveries(connection, deliveries)
    return {delivery.webhook_id for delivery in deliveries}
