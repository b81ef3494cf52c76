"""Who owns an account: shared evenly, taken from the dead, never from the living."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from uuid import UUID, uuid4

import pytest

from core_scene import SECRET_BOX, SHARD, changes_of, register
from databases import CONNECT_TIMEOUT, SCHEMA_REVISION
from heliograph.core.accounts.service import AccountService
from heliograph.core.cluster import leases
from heliograph.core.cluster import sql as store
from heliograph.core.cluster.heartbeat import LEASE_TIMEOUT, Heartbeat
from heliograph.core.cluster.leases import LeaseKeeper
from heliograph.core.cluster.model import Lease
from heliograph.core.cluster.sql import ACCOUNT_LEASES, LeaseTable, claim_leases
from heliograph.core.tenants.model import operator
from heliograph.networks.registry import NetworkRegistry
from heliograph.platform.database.notify import Notifications
from heliograph.platform.database.pool import Connection, Database
from placing import place_organization
from waiting import until

ACCOUNTS_THERE = 10


class Watch:
    """The node's own clock, which a test can move on."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def __call__(self) -> float:
        return time.monotonic() + self.ahead


@dataclass
class Node:
    """One process of the gateway, as far as leases go; notes what it gained and lost."""

    heartbeat: Heartbeat
    keeper: LeaseKeeper
    watch: Watch
    gains: list[Lease] = field(default_factory=list)
    losses: list[Lease] = field(default_factory=list)
    finishing: list[Lease] = field(default_factory=list)
    finishes: asyncio.Event = field(default_factory=asyncio.Event)

    def gained(self, lease: Lease) -> None:
        self.gains.append(lease)

    def lost(self, lease: Lease) -> None:
        self.losses.append(lease)

    async def finish(self, lease: Lease) -> None:
        self.finishing.append(lease)
        await self.finishes.wait()

    def has(self, count: int) -> bool:
        return len(self.keeper.held) == count

    @property
    def valid(self) -> set[object]:
        return {lease.resource_id for lease in self.keeper.held if self.keeper.is_valid(lease)}


@dataclass
class Cluster:
    database: Database
    notifications: Notifications

    @asynccontextmanager
    async def node(self) -> AsyncIterator[Node]:
        watch = Watch()
        heartbeat = Heartbeat(
            self.database,
            name="node",
            roles=["sessions"],
            version="0",
            schema_revision=SCHEMA_REVISION,
            now=watch,
        )
        keeper = LeaseKeeper(
            ACCOUNT_LEASES,
            role="sessions",
            database=self.database,
            notifications=self.notifications,
            heartbeat=heartbeat,
        )
        node = Node(heartbeat, keeper, watch)
        node.finishes.set()
        await heartbeat.start()
        keeper.start(node)
        try:
            yield node
        finally:
            await keeper.stop()
            await keeper.release_all()
            await heartbeat.stop()

    async def end_lease_of(self, node: Node) -> None:
        """As if the node had not been heard of for 15 seconds."""
        await self.database.pool.execute(
            "UPDATE nodes SET lease_expires_at = now() - interval '1 s' WHERE id = $1",
            node.heartbeat.node_id,
        )

    async def until_given_back(self, count: int) -> None:
        """So many leases are nobody's, or another's already."""
        async with asyncio.timeout(60):
            while count > await self.database.pool.fetchval(  # noqa: ASYNC110 - nobody tells
                "SELECT count(*) FROM account_leases WHERE node_id IS NULL OR epoch > 1"
            ):
                await asyncio.sleep(0.01)

    async def epochs(self) -> set[int]:
        return {
            row[0] for row in await self.database.pool.fetch("SELECT epoch FROM account_leases")
        }


@pytest.fixture
async def cluster(database_url: str) -> AsyncIterator[Cluster]:
    database = await Database.open(database_url, connect_timeout=CONNECT_TIMEOUT)
    notifications = Notifications(database_url)
    await notifications.start()
    accounts = AccountService(
        database, changes_of(database, notifications), NetworkRegistry(), SECRET_BOX
    )
    principal = operator((await place_organization(database, "Acme", SHARD)).tenant)
    for number in range(ACCOUNTS_THERE):
        await accounts.create(principal, "sandbox", f"Phone {number}", f"phone-{number}", {})
    yield Cluster(database, notifications)
    await notifications.stop()
    await database.close()


async def test_one_node_owns_everything(cluster: Cluster) -> None:
    async with cluster.node() as node:
        await until(lambda: node.has(10))
        assert len(node.valid) == 10
        assert await cluster.epochs() == {1}


async def test_two_nodes_share_evenly_and_never_both_own_one(cluster: Cluster) -> None:
    async with cluster.node() as first:
        await until(lambda: first.has(10))
        async with cluster.node() as second:

            def settled() -> bool:
                assert not first.valid & second.valid
                return first.has(5) and second.has(5)

            await until(settled)
            assert len(first.valid | second.valid) == 10


async def test_a_look_from_before_a_lease_was_given_back_does_not_bring_it_back(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leases, "RECONCILE_INTERVAL", 1)
    list_owned, has_read, goes_on = store.list_owned_leases, asyncio.Event(), asyncio.Event()

    async def list_and_wait(connection: Connection, table: LeaseTable, node: UUID) -> list[Lease]:
        found = await list_owned(connection, table, node)
        if node == first.heartbeat.node_id:
            has_read.set()
            await goes_on.wait()
        return found

    async with cluster.node() as first:
        await until(lambda: first.has(10))
        first.finishes.clear()
        async with cluster.node() as second:
            await until(lambda: len(first.finishing) == 5)
            monkeypatch.setattr(store, "list_owned_leases", list_and_wait)
            await has_read.wait()
            first.finishes.set()
            await until(lambda: first.has(5))
            await cluster.until_given_back(5)
            goes_on.set()

            def settled() -> bool:
                assert not first.valid & second.valid
                return first.has(5) and second.has(5)

            await until(settled)
            assert len(first.losses) == 5


async def test_three_nodes_share_and_the_shares_stay(cluster: Cluster) -> None:
    async with AsyncExitStack() as stack:
        members = [await stack.enter_async_context(cluster.node()) for _ in range(3)]
        await until(lambda: sorted(len(member.keeper.held) for member in members) == [3, 3, 4])
        gains = [len(member.gains) for member in members]
        await asyncio.sleep(2.5)
        assert [len(member.gains) for member in members] == gains


async def test_no_node_is_idle_while_there_is_something_for_each(cluster: Cluster) -> None:
    async with AsyncExitStack() as stack:
        members = [await stack.enter_async_context(cluster.node()) for _ in range(7)]
        await until(
            lambda: sorted(len(member.keeper.held) for member in members) == [1] * 4 + [2] * 3
        )


async def test_what_a_stopped_node_had_is_taken_at_once(cluster: Cluster) -> None:
    async with cluster.node() as stays:
        async with cluster.node() as goes:
            await until(lambda: stays.has(5) and goes.has(5))
        await until(lambda: stays.has(10), seconds=8)


async def test_what_a_dead_node_had_is_taken_under_the_next_epoch(cluster: Cluster) -> None:
    dead = uuid4()
    await cluster.database.transact(claim_leases, ACCOUNT_LEASES, SHARD, dead, [], 100)
    async with cluster.node() as heir:
        await until(lambda: heir.has(10))
        assert await cluster.epochs() == {2}


async def test_nothing_is_taken_from_a_node_that_lives(cluster: Cluster) -> None:
    alive = await register(cluster.database, uuid4())
    await cluster.database.transact(claim_leases, ACCOUNT_LEASES, SHARD, alive, [], 100)
    async with cluster.node() as greedy:
        await asyncio.sleep(2.5)
        assert greedy.gains == []


async def test_a_claim_takes_no_more_than_it_asks_for(cluster: Cluster) -> None:
    taken = await cluster.database.transact(claim_leases, ACCOUNT_LEASES, SHARD, uuid4(), [], 3)
    owned = await cluster.database.pool.fetchval(
        "SELECT count(*) FROM account_leases WHERE node_id IS NOT NULL"
    )
    assert (taken, owned) == (3, 3)


async def test_a_node_that_was_taken_for_dead_drops_everything_and_begins_anew(
    cluster: Cluster,
) -> None:
    async with cluster.node() as node:
        await until(lambda: node.has(10))
        old = node.heartbeat.node_id
        await cluster.end_lease_of(node)
        await until(lambda: node.heartbeat.node_id != old)
        await until(lambda: len(node.losses) == 10 and node.has(10))
        assert {lease.epoch for lease in node.keeper.held} == {2}


async def test_a_node_believes_in_its_lease_less_long_than_the_others(cluster: Cluster) -> None:
    async with cluster.node() as node:
        await until(lambda: node.has(10))
        node.watch.ahead += LEASE_TIMEOUT * 0.6
        assert len(node.valid) == 10
        node.watch.ahead += LEASE_TIMEOUT * 0.4
        assert node.valid == set()


async def test_a_lease_of_an_earlier_epoch_is_not_valid(cluster: Cluster) -> None:
    async with cluster.node() as node:
        await until(lambda: node.has(10))
        lease = node.keeper.held[0]
        assert node.keeper.is_valid(lease)
        earlier = Lease(lease.tenant, lease.resource_id, lease.node_id, lease.epoch - 1)
        assert not node.keeper.is_valid(earlier)


async def test_what_was_held_before_the_node_began_anew_is_not_valid_before_the_next_look(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("heliograph.core.cluster.leases.LOOK_INTERVAL", 60)
    async with cluster.node() as node:
        cluster.notifications.notify(ACCOUNT_LEASES.topic)
        await until(lambda: node.has(10))
        old = node.heartbeat.node_id
        await cluster.end_lease_of(node)
        await until(lambda: node.heartbeat.node_id != old and node.heartbeat.is_alive)
        assert node.has(10)
        assert node.valid == set()
