"""The cast of the webhook tests: a database, an organization, a node that delivers."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from heliograph.crypto.secret_box import SecretBox, SecretKey
from heliograph.model.events import Event
from heliograph.model.leases import Lease
from heliograph.model.organizations import Tenant
from heliograph.outbound_http import AddressPolicy, GuardedClient, SystemResolver
from heliograph.services.events import encode_payload, fan_out
from heliograph.services.principals import Principal, operator
from heliograph.services.webhooks import WebhookService
from heliograph.store.database import Connection, Database, Row
from heliograph.store.leases import WEBHOOKS
from heliograph.store.notifications import Notifications
from heliograph.workers.deliveries import DeliveryWorker
from heliograph.workers.leases import Heartbeat, LeaseKeeper

SECRET_BOX = SecretBox([SecretKey(bytes(range(32)))])


@dataclass
class Node:
    """One process of the gateway, as far as webhooks go."""

    worker: DeliveryWorker
    keeper: LeaseKeeper
    heartbeat: Heartbeat

    def lease(self, webhook_id: UUID) -> Lease:
        return next(each for each in self.keeper.held if each.resource_id == webhook_id)


@dataclass
class Scene:
    """An organization's side of the gateway. What happens is told with `happen`."""

    database: Database
    notifications: Notifications
    client: GuardedClient
    webhooks: WebhookService
    tenant: Tenant

    @property
    def principal(self) -> Principal:
        return operator(self.tenant)

    def event(
        self, event_type: str = "message.sent", *, of: UUID | None = None, **data: Any
    ) -> Event:
        """An event of the conversation `of`; `data` is its payload's."""
        now = self.database.clock.now()
        return Event(
            tenant=self.tenant,
            id=self.database.clock.new_id(),
            type=event_type,
            payload=encode_payload(event_type, now, data),
            created_at=now,
            conversation_id=of,
        )

    async def happen(self, *events: Event) -> Sequence[Event]:
        """Store the events and their deliveries in one transaction, as the gateway does."""

        async def work(connection: Connection) -> set[UUID]:
            return await fan_out(connection, self.tenant.shard, events, self.database.clock)

        webhook_ids = await self.database.transact(work)
        self.notifications.notify(*(f"deliveries:{each}" for each in webhook_ids))
        return events

    async def rows(self, statement: str, *values: object) -> list[Row]:
        return await self.database.pool.fetch(statement, *values)

    async def statuses(self) -> list[str]:
        """Every delivery's status, in order."""
        return [
            row["status"] for row in await self.rows("SELECT status FROM deliveries ORDER BY seq")
        ]

    @asynccontextmanager
    async def node(
        self, name: str = "a", *, jitter: Callable[[], float] = lambda: 0.5
    ) -> AsyncIterator[Node]:
        """A node that delivers, until the block ends; then it stops as a node does."""
        heartbeat = Heartbeat(self.database, name=name, roles=["deliveries"], version="0")
        keeper = LeaseKeeper(
            WEBHOOKS,
            role="deliveries",
            database=self.database,
            notifications=self.notifications,
            heartbeat=heartbeat,
        )
        worker = DeliveryWorker(
            self.database, self.notifications, self.client, SECRET_BOX, keeper.is_valid, jitter
        )
        await heartbeat.start()
        keeper.start(worker)
        task = asyncio.create_task(worker.run())
        try:
            yield Node(worker, keeper, heartbeat)
        finally:
            await worker.stop(grace=0.5)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await keeper.stop()
            await keeper.release_all()
            await heartbeat.stop()


@asynccontextmanager
async def playing(database_url: str, *, deadline: float = 15.0) -> AsyncIterator[Scene]:
    database = await Database.open(database_url)
    notifications = Notifications(database_url)
    await notifications.start()
    resolver = SystemResolver()
    client = GuardedClient(AddressPolicy.LOOPBACK, resolver, deadline=deadline)
    webhooks = WebhookService(database, notifications, AddressPolicy.LOOPBACK, SECRET_BOX)
    tenant = Tenant(0, database.clock.new_id())
    try:
        yield Scene(database, notifications, client, webhooks, tenant)
    finally:
        await client.close()
        resolver.close()
        await notifications.stop()
        await database.close()
