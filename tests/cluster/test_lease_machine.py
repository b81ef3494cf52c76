"""Leases under everything that can happen to nodes, in any order: one owner at most, and epochs
that only grow. The database, the keepers and the heartbeats are the real ones."""

import asyncio
from typing import ClassVar
from uuid import UUID, uuid4

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule

from core_scene import NETWORK, SECRET_BOX, changes_of, sent_to
from databases import CONNECT_TIMEOUT
from delivery_tables import list_queued
from heliograph.core.accounts.service import AccountDirectory, AccountService
from heliograph.core.cluster.model import Lease
from heliograph.core.cluster.sql import ACCOUNT_LEASES, WEBHOOK_LEASES, LeaseTable, release_leases
from heliograph.core.dispatch.claims import claim_messages, requeue_claimed
from heliograph.core.events.model import Event
from heliograph.core.events.service import encode_payload
from heliograph.core.idempotency.service import IdempotencyService
from heliograph.core.ingest.model import MessageTaken, Report, ReportedEvent
from heliograph.core.ingest.service import ReportService
from heliograph.core.messages.accepting.recipients import SendTo
from heliograph.core.messages.accepting.service import MessageService, SendMessage
from heliograph.core.tenants.model import Principal, Tenant, operator
from heliograph.core.webhooks.fan_out import fan_out
from heliograph.core.webhooks.model import ClaimedDelivery, ClaimRequest, DeliveryStatus, Outcome
from heliograph.core.webhooks.posting.outcomes_sql import record_outcomes
from heliograph.core.webhooks.queue.sql import claim_deliveries
from heliograph.core.webhooks.subscriptions.service import WebhookService
from heliograph.networks.content import Text
from heliograph.networks.errors import LeaseLostError
from heliograph.networks.port import Inbound
from heliograph.networks.registry import NetworkRegistry
from heliograph.platform.database.pool import Database
from heliograph.platform.outbound_http import AddressPolicy
from lease_world import Node, World, tables_as_text
from machine_runs import LONGEST_RUN, Machine, run_machine

MOST_NODES = 5
WRITTEN = (
    *("account_leases", "webhook_leases", "messages", "message_counts", "events", "deliveries"),
    *("delivery_attempts", "conversations", "contacts", "inbound_keys", "accounts", "webhooks"),
)
picks = st.integers(0, 1000)
short_times = st.integers(1, 9)
pauses = st.sampled_from([5, 15, 20, 60])


class LeaseMachine(Machine):
    """What is true of both kinds of leases. Resources are of two tenants in two shards."""

    database_url: ClassVar[str]
    table: ClassVar[LeaseTable]

    @initialize(resources=st.integers(0, 7), nodes=st.integers(1, 3))
    def begin(self, resources: int, nodes: int) -> None:
        self.do(self._begin(resources, nodes))

    async def _begin(self, resources: int, nodes: int) -> None:
        self.database = await Database.open(self.database_url, connect_timeout=CONNECT_TIMEOUT)
        for table in ("nodes", *WRITTEN):
            await self.database.pool.execute(f"DELETE FROM {table}")  # noqa: S608 - our own names
        self.world = World(self.database, self.table)
        self.tenants = [Tenant(shard, UUID(int=shard + 1)) for shard in (0, 1)]
        self.resources: dict[UUID, Principal] = {}
        self.seen: dict[UUID, tuple[UUID | None, int]] = {}
        self.open_services()
        for number in range(resources):
            await self._add(operator(self.tenants[number % 2]))
        for _ in range(nodes):
            await self.world.join(self.world.role)

    async def close(self) -> None:
        if hasattr(self, "world"):
            await self.world.close()
            await self.database.close()

    # --- what each kind does in its own way ---

    def open_services(self) -> None:
        raise NotImplementedError

    async def create(self, principal: Principal) -> UUID:
        """A new account or webhook, with something to do."""
        raise NotImplementedError

    async def delete(self, principal: Principal, resource_id: UUID) -> None:
        raise NotImplementedError

    async def toggle(self, principal: Principal, resource_id: UUID) -> None:
        """Disable it, or enable it again: who owns it is another matter."""
        raise NotImplementedError

    async def work(self, principal: Principal, lease: Lease) -> None:
        """Claim something and complete it under this lease, which must work."""
        raise NotImplementedError

    async def write_late(self, lease: Lease) -> None:
        """All that an owner writes, under a lease that is not its own any more."""
        raise NotImplementedError

    # --- resources ---

    @rule(which=picks)
    def add(self, which: int) -> None:
        if len(self.resources) < 12:
            self.do(self._add(operator(self.tenants[which % 2])))

    async def _add(self, principal: Principal) -> None:
        self.resources[await self.create(principal)] = principal

    @precondition(lambda self: self.resources)
    @rule(which=picks)
    def remove(self, which: int) -> None:
        resource_id = self._resource(which)
        self.do(self.delete(self.resources.pop(resource_id), resource_id))

    @precondition(lambda self: self.resources)
    @rule(which=picks)
    def disable_or_enable(self, which: int) -> None:
        resource_id = self._resource(which)
        self.do(self.toggle(self.resources[resource_id], resource_id))

    def _resource(self, which: int) -> UUID:
        return list(self.resources)[which % len(self.resources)]

    # --- nodes ---

    @precondition(lambda self: len(self.world.nodes) < MOST_NODES)
    @rule(does_it=st.booleans())
    def join(self, does_it: bool) -> None:
        self.do(self.world.join(self.world.role if does_it else "api"))

    @precondition(lambda self: self.world.awake)
    @rule(which=picks)
    def beat(self, which: int) -> None:
        self.do(self._awake(which).beat())

    @precondition(lambda self: self._lookers())
    @rule(which=picks)
    def look(self, which: int) -> None:
        self.do(self._looker(which).look())

    @precondition(lambda self: self._lookers())
    @rule()
    def all_race_for_what_is_free(self) -> None:
        async def race() -> None:
            await asyncio.gather(*[node.look() for node in self._lookers()])

        self.do(race())

    @precondition(lambda self: self._lookers())
    @rule(which=picks, seconds=pauses)
    def one_is_paused_in_the_middle_of_a_look(self, which: int, seconds: int) -> None:
        node = self._looker(which)
        with node.interrupted_by(lambda: self.world.sleep_out(node, seconds)):
            self.do(node.look())

    @precondition(lambda self: len(self.world.awake) > 1)
    @rule(which=picks, seconds=pauses)
    def one_is_paused_in_the_middle_of_a_heartbeat(self, which: int, seconds: int) -> None:
        node = self._awake(which)
        with node.interrupted_by(lambda: self.world.sleep_out(node, seconds)):
            self.do(node.beat())

    @precondition(lambda self: self.world.awake)
    @rule(which=picks)
    def pause(self, which: int) -> None:
        self._awake(which).is_paused = True

    @rule(which=picks)
    def wake(self, which: int) -> None:
        paused = [node for node in self.world.nodes if node.is_paused]
        if paused:
            paused[which % len(paused)].is_paused = False

    @precondition(lambda self: self.world.nodes)
    @rule(which=picks)
    def crash(self, which: int) -> None:
        node = self.world.nodes[which % len(self.world.nodes)]
        self.world.old_leases += node.keeper.held
        self.world.leave(node)

    @precondition(lambda self: self.world.awake)
    @rule(which=picks)
    def stop(self, which: int) -> None:
        self.do(self._stop(self._awake(which)))

    async def _stop(self, node: Node) -> None:
        await node.stop()
        self.world.leave(node)
        left = await self.database.pool.fetchval(
            "SELECT count(*) FROM nodes WHERE id = $1", node.heartbeat.node_id
        )
        owners = {owner for owner, _ in (await self.world.list_leases()).values()}
        assert not (left and node.heartbeat.node_id in owners), "who stops gives back at once"

    @rule(seconds=short_times)
    def time_passes(self, seconds: int) -> None:
        self.do(self.world.pass_time(seconds))

    @rule()
    def time_passes_for_the_living(self) -> None:
        """Those that are awake renew in time; the others' leases end."""
        self.do(self._outlive_the_dead())

    async def _outlive_the_dead(self) -> None:
        for _ in range(4):
            await self.world.let_all_beat()
            await self.world.pass_time(5)
        await self.world.let_all_beat()

    def _awake(self, which: int) -> Node:
        awake = self.world.awake
        return awake[which % len(awake)]

    def _lookers(self) -> list[Node]:
        return [node for node in self.world.awake if node.role == self.world.role]

    def _looker(self, which: int) -> Node:
        lookers = self._lookers()
        return lookers[which % len(lookers)]

    # --- what owners do ---

    @precondition(lambda self: self.resources)
    @rule(which=picks)
    def an_owner_works(self, which: int) -> None:
        resource_id = self._resource(which)
        for lease in self.world.list_owners(resource_id).values():
            self.do(self.work(self.resources[resource_id], lease))

    @rule(which=picks)
    def one_writes_that_is_owner_no_more(self, which: int) -> None:
        self.do(self._write_late(which))

    async def _write_late(self, which: int) -> None:
        held = await self.world.list_leases()
        late = [
            lease
            for lease in self.world.old_leases
            if held.get(lease.resource_id) != (lease.node_id, lease.epoch)
        ]
        if late:
            before = await tables_as_text(self.database, WRITTEN)
            await self.write_late(late[which % len(late)])
            assert await tables_as_text(self.database, WRITTEN) == before

    # --- what must hold ---

    @rule()
    def once_it_is_quiet_all_is_owned_and_shared_evenly(self) -> None:
        for node in self.world.nodes:
            node.is_paused = False
        self.do(self._settle())

    async def _settle(self) -> None:
        await self._outlive_the_dead()
        for _ in range(3):
            await self.world.let_all_beat()
            await self.world.let_all_look()
        takers = self.world.takers
        if not takers:
            return
        owned = [{lease.resource_id for lease in node.keeper.held} for node in takers]
        assert set().union(*owned) == set(self.resources)
        sizes = [len(leases) for leases in owned]
        assert sum(sizes) == len(self.resources)
        assert max(sizes) - min(sizes) <= 1
        assert all(self.world.list_owners(resource) for resource in self.resources)

    @invariant()
    def there_are_never_two_owners(self) -> None:
        for resource_id in self.resources:
            assert len(self.world.list_owners(resource_id)) <= 1

    @invariant()
    def who_may_act_is_who_the_table_says(self) -> None:
        table = self.do(self.world.list_leases())
        for resource_id in self.resources:
            for node, lease in self.world.list_owners(resource_id).items():
                assert lease.node_id == node.heartbeat.node_id
                assert table[resource_id] == (lease.node_id, lease.epoch)

    @invariant()
    def an_epoch_grows_with_each_take_over_and_never_goes_back(self) -> None:
        now = self.do(self.world.list_leases())
        for resource_id, (owner, epoch) in now.items():
            owner_before, epoch_before = self.seen.get(resource_id, (None, 0))
            assert epoch >= epoch_before
            if epoch == epoch_before:
                assert owner in (owner_before, None)
        self.seen = now


class AccountLeases(LeaseMachine):
    table = ACCOUNT_LEASES

    def open_services(self) -> None:
        notifications, networks = self.world.notifications, NetworkRegistry()
        self.accounts = AccountService(
            self.database, changes_of(self.database, notifications), networks, SECRET_BOX
        )
        self.messages = MessageService(
            self.database,
            notifications,
            networks,
            AccountDirectory(self.accounts),
            IdempotencyService(self.database, uuid4),
        )
        self.reports = ReportService(self.database, notifications, SECRET_BOX)

    async def create(self, principal: Principal) -> UUID:
        name = uuid4().hex
        account = await self.accounts.create(principal, NETWORK, name, name, {})
        await self._queue_message(principal, account.id)
        return account.id

    async def _queue_message(self, principal: Principal, account_id: UUID) -> None:
        request = SendMessage(SendTo("+15550100001"), Text("Hello"), "run", account_id)
        await self.messages.send(principal, request, None)

    async def delete(self, principal: Principal, resource_id: UUID) -> None:
        await self.world.execute(
            "DELETE FROM accounts WHERE shard = $1 AND organization_id = $2 AND id = $3",
            *principal.tenant,
            resource_id,
        )

    async def toggle(self, principal: Principal, resource_id: UUID) -> None:
        await self.world.execute(
            "UPDATE accounts SET enabled = NOT enabled "
            "WHERE shard = $1 AND organization_id = $2 AND id = $3",
            *principal.tenant,
            resource_id,
        )

    async def work(self, principal: Principal, lease: Lease) -> None:
        async with self.database.pool.acquire() as connection, connection.transaction():
            await requeue_claimed(connection, lease)
            now = self.database.clock.now()
            claim, _ = await claim_messages(connection, lease, 1, now)
        assert claim is not None
        [claimed] = claim.messages
        epochs = await self.database.pool.fetch(
            "SELECT claim_epoch FROM messages WHERE id = $1", claimed.id
        )
        assert [row["claim_epoch"] for row in epochs] == [lease.epoch]
        await self._report(lease, MessageTaken(claimed.id, sent_to(claimed.recipient)))
        await self._queue_message(principal, lease.resource_id)

    async def write_late(self, lease: Lease) -> None:
        now = self.database.clock.now()
        ids = await self.database.pool.fetch(
            "SELECT id FROM messages WHERE account_id = $1", lease.resource_id
        )
        async with self.database.pool.acquire() as connection, connection.transaction():
            assert (await claim_messages(connection, lease, 10, now)).claim is None
            await release_leases(connection, ACCOUNT_LEASES, [lease])
        late: list[ReportedEvent] = [
            Inbound("1@sandbox", "1@sandbox", uuid4().hex, Text("Late"), now)
        ]
        late += [MessageTaken(row["id"], sent_to("1@sandbox")) for row in ids]
        for news in late:
            with pytest.raises(LeaseLostError):
                await self._report(lease, news)

    async def _report(self, lease: Lease, news: ReportedEvent) -> None:
        await self.reports.report([Report(lease, NETWORK, news)])


class WebhookLeases(LeaseMachine):
    table = WEBHOOK_LEASES

    def open_services(self) -> None:
        changes = changes_of(self.database, self.world.notifications)
        self.webhooks = WebhookService(self.database, changes, AddressPolicy.LOOPBACK, SECRET_BOX)
        self.enabled: dict[UUID, bool] = {}

    async def create(self, principal: Principal) -> UUID:
        created = await self.webhooks.create(principal, "http://127.0.0.1:9/")
        self.enabled[created.webhook.id] = True
        return created.webhook.id

    async def delete(self, principal: Principal, resource_id: UUID) -> None:
        await self.webhooks.delete(principal, resource_id)

    async def toggle(self, principal: Principal, resource_id: UUID) -> None:
        change = self.webhooks.disable if self.enabled[resource_id] else self.webhooks.enable
        await change(principal, resource_id)
        self.enabled[resource_id] = not self.enabled[resource_id]

    async def work(self, principal: Principal, lease: Lease) -> None:
        await self._happen(principal.tenant)
        claimed = await self._claim(lease)
        assert bool(claimed) is self.enabled[lease.resource_id]
        async with self.database.pool.acquire() as connection, connection.transaction():
            outcomes = [self._delivered(lease, delivery) for delivery in claimed]
            written = await record_outcomes(connection, lease.tenant.shard, outcomes)
        assert set(written) == {delivery.id for delivery in claimed}

    async def _happen(self, tenant: Tenant) -> None:
        now = self.database.clock.now()
        payload = encode_payload("message.sent", now, {})
        event = Event(tenant, self.database.clock.new_id(), "message.sent", payload, now)
        await self.database.transact(fan_out, tenant.shard, [event], self.database.clock)

    async def _claim(self, lease: Lease) -> list[ClaimedDelivery]:
        now = self.database.clock.now()
        request = ClaimRequest(lease, 10)
        return await self.database.read(claim_deliveries, lease.tenant.shard, [request], now)

    def _delivered(self, lease: Lease, delivery: ClaimedDelivery) -> Outcome:
        now = self.database.clock.now()
        return Outcome(
            *(lease, delivery, "http://127.0.0.1:9/", 1, now, now, 1),
            *(DeliveryStatus.DELIVERED, None, 200, "ok", None, "127.0.0.1"),
        )

    async def write_late(self, lease: Lease) -> None:
        queued = await self.database.read(list_queued)
        outcomes = [
            self._delivered(lease, delivery)
            for delivery in queued
            if delivery.webhook_id == lease.resource_id
        ]
        async with self.database.pool.acquire() as connection, connection.transaction():
            assert await record_outcomes(connection, lease.tenant.shard, outcomes) == {}
            await release_leases(connection, WEBHOOK_LEASES, [lease])


@pytest.mark.timeout(LONGEST_RUN)
@pytest.mark.parametrize("kind", [AccountLeases, WebhookLeases])
def test_whatever_happens_each_lease_has_one_owner_at_most(
    kind: type[LeaseMachine], database_url: str
) -> None:
    kind.database_url = database_url
    run_machine(kind, examples=12, steps=30)
