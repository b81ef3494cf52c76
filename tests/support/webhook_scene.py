"""The cast of the webhook tests: a database, an organization, a node that delivers."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from uuid import UUID

import pytest

from citus import fetch
from connections import connected
from core_scene import changes_of
from databases import CONNECT_TIMEOUT, SCHEMA_REVISION
from delivery_tables import of_all
from heliograph.core import topics
from heliograph.core.cluster.heartbeat import Heartbeat
from heliograph.core.cluster.leases import LeaseKeeper
from heliograph.core.cluster.model import Lease
from heliograph.core.cluster.sql import WEBHOOK_LEASES
from heliograph.core.events.model import Event
from heliograph.core.events.service import encode_payload
from heliograph.core.tenants.model import Principal, Tenant, operator
from heliograph.core.webhooks.deliveries.service import DeliveryService
from heliograph.core.webhooks.fan_out import fan_out
from heliograph.core.webhooks.model import Webhook
from heliograph.core.webhooks.posting.worker import DeliveryWorker
from heliograph.core.webhooks.subscriptions.service import WebhookService
from heliograph.platform.boot_time import boot_time
from heliograph.platform.crypto.secret_box import SecretBox, SecretKey
from heliograph.platform.database.notify import Notifications
from heliograph.platform.database.pool import Connection, Database, Row
from heliograph.platform.outbound_http import AddressPolicy, GuardedClient, SystemResolver
from heliograph.platform.outbound_http.client import Exchange
from waiting import until
from webhook_receiver import Receiver

PATIENCE = 60.0
SHARD = 3
# the same in each process of a test
SECRET_KEY = SecretKey(sha256(b"webhooks of the tests").digest())
SECRET_BOX = SecretBox([SECRET_KEY])


@dataclass
class NodeClock:
    """A node's own clock; `slept` are seconds by which it has jumped."""

    slept: float = 0.0

    def __call__(self) -> float:
        return boot_time() + self.slept


@dataclass
class Node:
    """One process of the gateway, as far as webhooks go."""

    worker: DeliveryWorker
    keeper: LeaseKeeper
    clock: "NodeClock"

    async def owns(self, webhook_id: UUID) -> Lease:
        """Wait until this node holds the webhook's lease."""

        async def holds() -> bool:
            return any(each.resource_id == webhook_id for each in self.keeper.held)

        await until(holds)
        return next(each for each in self.keeper.held if each.resource_id == webhook_id)


@dataclass
class Scene:
    """An organization's side of the gateway. What happens is told with `happen`."""

    database_url: str
    database: Database
    notifications: Notifications
    client: GuardedClient
    webhooks: WebhookService
    deliveries: DeliveryService
    tenant: Tenant

    @property
    def principal(self) -> Principal:
        return operator(self.tenant)

    async def declare_dead(self) -> None:
        """Let every node's lease have ended, which takes 15 s by itself."""
        await self.rows("UPDATE nodes SET lease_expires_at = now() - interval '1 second'")

    def event(
        self,
        event_type: str = "message.sent",
        *,
        of: UUID | None = None,
        tenant: Tenant | None = None,
        **data: Any,
    ) -> Event:
        """An event of the conversation `of`, of this organization or another; `data` is its
        payload's."""
        now = self.database.clock.now()
        return Event(
            tenant=tenant or self.tenant,
            id=self.database.clock.new_id(),
            type=event_type,
            payload=encode_payload(event_type, now, data),
            created_at=now,
            conversation_id=of,
        )

    async def emit(self, *events: Event) -> Sequence[Event]:
        """Store the events and their deliveries in one transaction, as the gateway does."""

        webhook_ids = await self.database.transact(self.store, *events)
        self.notifications.notify(*(topics.deliveries_of(id_) for id_ in webhook_ids))
        return events

    async def store(self, connection: Connection, *events: Event) -> set[UUID]:
        """Store the events and their deliveries; the webhooks that are to be woken."""
        return await fan_out(connection, self.tenant.shard, events, self.database.clock)

    async def rows(self, statement: str, *values: object) -> list[Row]:
        return await self.database.read(lambda connection: connection.fetch(statement, *values))

    @asynccontextmanager
    async def locked(self, table: str) -> AsyncIterator[None]:
        """Nobody can read this table until the block ends."""
        async with connected(self.database_url) as connection, connection.transaction():
            await connection.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
            yield

    async def cut_connections(self) -> None:
        """Every connection to this database but the one that asks breaks."""
        await fetch(
            self.database_url,
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()
            """,
        )

    async def statuses(self) -> list[str]:
        """Every delivery's status, in order."""
        rows = await self.rows(of_all("SELECT status FROM deliveries ORDER BY seq"))
        return [row["status"] for row in rows]

    async def until_statuses(self, *statuses: str) -> None:
        """Wait until the deliveries, in order, have these statuses."""

        async def are() -> bool:
            return await self.statuses() == list(statuses)

        await until(are)

    async def attempt(self, receiver: Receiver) -> Webhook:
        """A webhook leads there, and an event's delivery to it has been attempted."""
        created = await self.webhooks.create(self.principal, receiver.url())
        await self.emit(self.event())
        await self.until_attempted()
        return created.webhook

    async def until_attempted(self, times: int = 1) -> None:
        """Wait until every delivery has had so many attempts, and their outcomes are durable."""

        async def have() -> bool:
            least = "SELECT min(attempt_count) AS least FROM deliveries"
            [row] = await self.rows(of_all(least))
            return bool(row["least"] is not None and row["least"] >= times)

        await until(have)

    async def until_disabled(self) -> Webhook:
        """Wait until the only webhook is disabled."""

        async def is_disabled() -> bool:
            return not (await self.webhooks.list(self.principal))[0].enabled

        await until(is_disabled)
        return (await self.webhooks.list(self.principal))[0]

    async def make_due(self) -> None:
        """Let the time until each next attempt have passed."""
        await self.rows(
            "UPDATE delivery_queue SET next_attempt_at = created_at"
            " WHERE next_attempt_at IS NOT NULL"
        )

    @asynccontextmanager
    async def node(
        self, name: str = "a", *, jitter: Callable[[], float] = lambda: 0.5, grace: float = 0.5
    ) -> AsyncIterator[Node]:
        """A node that delivers, until the block ends; then it stops as a node does."""
        clock = NodeClock()
        heartbeat = Heartbeat(
            self.database,
            name=name,
            roles=["deliveries"],
            version="0",
            schema_revision=SCHEMA_REVISION,
            now=clock,
        )
        keeper = LeaseKeeper(
            WEBHOOK_LEASES,
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
            yield Node(worker, keeper, clock)
        finally:
            await worker.stop(grace)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await keeper.stop()
            await keeper.release_all()
            await heartbeat.stop()


@asynccontextmanager
async def playing(
    database_url: str, *, timeout: float = 15.0, resolver: SystemResolver | None = None
) -> AsyncIterator[Scene]:
    database = await Database.open(database_url, connect_timeout=CONNECT_TIMEOUT)
    notifications = Notifications(database_url)
    await notifications.start()
    resolver = resolver or SystemResolver()
    client = GuardedClient(AddressPolicy.LOOPBACK, resolver, timeout=timeout)
    changes = changes_of(database, notifications)
    webhooks = WebhookService(database, changes, AddressPolicy.LOOPBACK, SECRET_BOX)
    tenant = Tenant(SHARD, database.clock.new_id())
    try:
        deliveries = DeliveryService(database, changes, webhooks)
        yield Scene(database_url, database, notifications, client, webhooks, deliveries, tenant)
    finally:
        await client.close()
        await resolver.close()
        await notifications.stop()
        await database.close()


DIE_BEFORE_POSTING = "die-before-posting"


async def run_node(database_url: str, *faults: str) -> None:
    async with playing(database_url) as scene:
        if DIE_BEFORE_POSTING in faults:
            scene.client.post = _die  # type: ignore[method-assign]
        async with scene.node("b"):
            await asyncio.Event().wait()


async def _die(*_: object, **__: object) -> Exchange:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


@asynccontextmanager
async def node_process(
    database_url: str, *faults: str
) -> AsyncIterator[asyncio.subprocess.Process]:
    """A node that is a process of its own, so that it can be killed; gone at the end."""
    process = await asyncio.create_subprocess_exec(sys.executable, __file__, database_url, *faults)
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


if __name__ == "__main__":
    asyncio.run(run_node(*sys.argv[1:]))


@pytest.fixture
async def scene(database_url: str) -> AsyncIterator[Scene]:
    async with playing(database_url) as scene:
        yield scene
