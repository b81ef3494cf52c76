"""Ownership: what a node may do, what it leaves behind, and that nothing is lost on the way."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from uuid import UUID, uuid4

from delivery_tables import of_all
from heliograph.core.webhooks.model import ClaimRequest
from heliograph.core.webhooks.posting.queue import MAX_UNRECORDED
from heliograph.core.webhooks.queue.sql import claim_deliveries
from waiting import until
from webhook_receiver import ANSWER_200, Gate, Received, Receiver, receiving
from webhook_scene import PATIENCE, Node, Scene, node_process, playing

CONVERSATION = UUID(int=1)


async def test_killed_between_post_and_outcome_it_is_delivered_again(scene: Scene) -> None:
    gate = Gate()
    async with receiving(gate) as receiver:
        await scene.webhooks.create(scene.principal, receiver.url())
        async with node_process(scene.database_url):
            [event] = await scene.emit(scene.event())
            await receiver.wait_for(1)
        assert await scene.statuses() == ["pending"]
        await scene.declare_dead()
        gate.opened.set()
        async with scene.node():
            await scene.until_statuses("delivered")
        attempts = await scene.rows(of_all("SELECT number FROM delivery_attempts"))
    assert receiver.ids == [str(event.id)] * 2
    assert [row["number"] for row in attempts] == [1]


async def test_what_a_killed_node_held_waits_until_its_webhook_is_enabled(
    scene: Scene,
) -> None:
    gate = Gate()
    async with receiving(gate) as receiver:
        created = await scene.webhooks.create(scene.principal, receiver.url())
        async with node_process(scene.database_url):
            await scene.emit(*(scene.event(of=CONVERSATION, n=n) for n in range(2)))
            await receiver.wait_for(1)
        await scene.webhooks.disable(scene.principal, created.webhook.id)
        await scene.declare_dead()
        gate.opened.set()
        async with scene.node() as node:
            await node.owns(created.webhook.id)
            await asyncio.sleep(1.2)
            assert await scene.statuses() == ["pending", "pending"]
            await scene.webhooks.enable(scene.principal, created.webhook.id)
            await scene.until_statuses("delivered", "delivered")
    assert [request.json["data"]["n"] for request in receiver.received] == [0, 0, 1]


async def test_kills_in_a_burst_lose_nothing_and_keep_the_order(scene: Scene) -> None:
    keys = [uuid4() for _ in range(10)]
    async with receiving() as receiver:
        await scene.webhooks.create(scene.principal, receiver.url())
        events = [scene.event(of=keys[n % 10], key=n % 10, n=n) for n in range(600)]
        for start in range(0, 600, 60):
            await scene.emit(*events[start : start + 60])
        for kills in (1, 2):
            async with node_process(scene.database_url):
                await receiver.wait_for(150 * kills)
            await scene.declare_dead()
        async with scene.node():
            await scene.until_statuses(*["delivered"] * 600)

    counts = Counter(receiver.ids)
    assert set(counts) == {str(event.id) for event in events}
    assert sum(counts.values()) - 600 <= 2 * MAX_UNRECORDED, "at most what was in flight is doubled"
    for key in range(10):
        seen = dict.fromkeys(
            request.json["data"]["n"]
            for request in receiver.received
            if request.json["data"]["key"] == key
        )
        assert list(seen) == sorted(seen)


async def test_what_a_node_writes_after_its_lease_is_lost_counts_for_nothing(scene: Scene) -> None:
    """Another node has taken over in the database; this one has not noticed yet."""
    gate = Gate()
    async with receiving(gate) as receiver, scene.node() as node:
        created = await scene.webhooks.create(scene.principal, receiver.url())
        lease = await node.owns(created.webhook.id)
        await scene.emit(scene.event())
        await receiver.wait_for(1)
        await scene.rows("UPDATE webhook_leases SET node_id = $1, epoch = epoch + 1", uuid4())
        assert node.keeper.is_valid(lease)
        gate.opened.set()
        await asyncio.sleep(0.3)
        assert await scene.statuses() == ["pending"]
        assert await scene.rows(of_all("SELECT FROM delivery_attempts")) == []


async def test_a_node_that_slept_past_its_lease_begins_nothing(scene: Scene) -> None:
    async with receiving() as receiver, scene.node() as node:
        created = await scene.webhooks.create(scene.principal, receiver.url())
        await node.owns(created.webhook.id)
        node.clock.slept = 60.0
        await scene.emit(scene.event())
        await asyncio.sleep(0.5)
        assert receiver.received == []
        assert await scene.statuses() == ["pending"]
        node.clock.slept = 0.0
        await scene.until_statuses("delivered")


async def test_a_node_that_doubts_its_lease_for_a_moment_goes_on_in_order(
    database_url: str,
) -> None:
    """Its heartbeat came so late that it gave up what it owned, and early enough to keep it."""
    async with three_in_hand(database_url) as work:
        await work.give_up_all()
        await work.own_again()
        await work.scene.emit(work.scene.event(of=CONVERSATION, n=3))
        await asyncio.sleep(0.3)
        assert work.numbers == [0]
        work.gate.opened.set()
        await work.scene.until_statuses(*["delivered"] * 4)
        assert work.numbers == [0, 1, 2, 3]


async def test_what_ended_while_a_node_doubted_its_lease_is_attempted_again(
    database_url: str,
) -> None:
    async with three_in_hand(database_url) as work:
        await work.give_up_all()
        work.gate.opened.set()
        await asyncio.sleep(0.3)
        assert await work.scene.statuses() == ["pending"] * 3
        await work.own_again()
        await work.scene.until_statuses(*["delivered"] * 3)
        assert work.numbers == [0, 0, 1, 2]


async def test_what_could_not_begin_in_a_moment_of_doubt_begins_later_in_order(
    database_url: str,
) -> None:
    async with three_in_hand(database_url) as work:
        work.node.clock.slept = 60.0
        work.gate.opened.set()

        async def is_answered() -> bool:
            return work.node.worker.under_way == 0

        await until(is_answered)
        await asyncio.sleep(0.2)
        work.node.clock.slept = 0.0
        await work.scene.until_statuses(*["delivered"] * 3)
        assert work.numbers == [0, 0, 1, 2]


async def test_what_ended_in_a_moment_of_doubt_is_attempted_again_once_enabled(
    database_url: str,
) -> None:
    async with three_in_hand(database_url) as work:
        await work.give_up_all()
        work.gate.opened.set()
        await asyncio.sleep(0.3)
        await work.scene.webhooks.disable(work.scene.principal, work.webhook_id)
        await work.own_again()
        await asyncio.sleep(1.5)
        await work.scene.webhooks.enable(work.scene.principal, work.webhook_id)
        await work.scene.until_statuses(*["delivered"] * 3)
        assert work.numbers == [0, 0, 1, 2]


@dataclass
class InHand:
    """A node that has claimed three of one conversation; the first is at its shut gate."""

    scene: Scene
    node: Node
    receiver: Receiver
    gate: Gate
    webhook_id: UUID

    @property
    def numbers(self) -> list[int]:
        """What was posted, in order."""
        return [request.json["data"]["n"] for request in self.receiver.received]

    async def give_up_all(self) -> None:
        """Let the node doubt its lease on life until it has noticed."""
        self.node.clock.slept = 60.0

        async def has() -> bool:
            return self.node.keeper.held == []

        await until(has)

    async def own_again(self) -> None:
        self.node.clock.slept = 0.0
        await self.node.owns(self.webhook_id)


@asynccontextmanager
async def three_in_hand(database_url: str) -> AsyncIterator[InHand]:
    gate = Gate()
    async with playing(database_url) as scene, receiving(gate) as receiver, scene.node() as node:
        created = await scene.webhooks.create(scene.principal, receiver.url())
        await node.owns(created.webhook.id)
        await scene.emit(*(scene.event(of=CONVERSATION, n=n) for n in range(3)))
        await receiver.wait_for(1)
        yield InHand(scene, node, receiver, gate, created.webhook.id)


async def test_an_epoch_that_is_over_takes_nothing_from_the_next(scene: Scene) -> None:
    """A claim that was begun before its node stood still, and asked after that."""
    gate = Gate()
    async with receiving(gate) as receiver, scene.node() as node:
        created = await scene.webhooks.create(scene.principal, receiver.url())
        late = ClaimRequest(await node.owns(created.webhook.id), room=8)
        await scene.emit(scene.event())
        await receiver.wait_for(1)
        await scene.rows("UPDATE webhook_leases SET node_id = $1, epoch = epoch + 1", uuid4())
        await scene.emit(scene.event())
        taken = await scene.database.read(
            claim_deliveries, scene.tenant.shard, [late], scene.database.clock.now()
        )
        assert taken == []
        gate.opened.set()


async def test_what_has_not_begun_when_a_node_stops_begins_at_the_next(scene: Scene) -> None:
    gate = Gate()
    async with receiving(gate) as receiver:
        await scene.webhooks.create(scene.principal, receiver.url())
        async with scene.node():
            await scene.emit(*(scene.event(of=CONVERSATION, n=n) for n in range(3)))
            await receiver.wait_for(1)
        assert await scene.statuses() == ["pending", "pending", "pending"]
        gate.opened.set()
        async with scene.node():
            await scene.until_statuses("delivered", "delivered", "delivered")
    assert [request.json["data"]["n"] for request in receiver.received] == [0, 0, 1, 2]


async def test_a_node_that_stops_lets_what_is_under_way_end(scene: Scene) -> None:
    async def slow(_: Received) -> bytes:
        await asyncio.sleep(0.3)
        return ANSWER_200

    async with receiving(slow) as receiver:
        await scene.webhooks.create(scene.principal, receiver.url())
        async with scene.node(grace=PATIENCE):
            await scene.emit(scene.event())
            await receiver.wait_for(1)
        assert await scene.statuses() == ["delivered"]


async def test_two_nodes_share_the_webhooks(scene: Scene) -> None:
    async with receiving() as receiver:
        for n in range(4):
            await scene.webhooks.create(scene.principal, receiver.url(f"/{n}"))
        async with scene.node("a") as one, scene.node("b") as other:

            async def is_shared() -> bool:
                return (len(one.keeper.held), len(other.keeper.held)) == (2, 2)

            await until(is_shared)
            await scene.emit(*(scene.event() for _ in range(50)))
            await receiver.wait_for(200)
            await scene.until_statuses(*["delivered"] * 200)
    assert len(receiver.ids) == 200


async def test_connections_that_die_under_load_lose_nothing(scene: Scene) -> None:
    async with receiving() as receiver, scene.node() as node:
        created = await scene.webhooks.create(scene.principal, receiver.url())
        await node.owns(created.webhook.id)
        events = [scene.event(of=UUID(int=n % 20 + 1), n=n) for n in range(400)]
        for start in range(0, 400, 50):
            await scene.emit(*events[start : start + 50])
            await scene.cut_connections()
        await scene.until_statuses(*["delivered"] * 400)
    assert set(receiver.ids) == {str(event.id) for event in events}


async def test_what_a_server_has_lost_is_not_posted_from_memory(scene: Scene) -> None:
    """As after a failover to a standby that had not received the last transactions yet."""
    gate, noticed = Gate(), asyncio.Event()
    async with receiving(gate) as receiver, scene.node() as node:
        created = await scene.webhooks.create(scene.principal, receiver.url())
        await node.owns(created.webhook.id)
        one, lost, other = await scene.emit(*(scene.event(of=UUID(int=1)) for _ in range(3)))
        await receiver.wait_for(1)
        await scene.rows("DELETE FROM delivery_queue WHERE event_id = $1", lost.id)
        scene.database.on_lost_connection.append(noticed.set)  # behind what the node does
        await scene.cut_connections()
        await noticed.wait()
        gate.opened.set()
        await scene.until_statuses("delivered", "delivered")
    assert receiver.ids == [str(one.id), str(other.id)]
