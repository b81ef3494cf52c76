"""Batches when a node is killed: the same events under the same id, nothing lost, in order."""

import asyncio
from collections import defaultdict
from typing import Any
from uuid import UUID, uuid4

import pytest

from delivery_tables import of_all
from heliograph.core.cluster.model import Lease
from heliograph.core.webhooks.model import Batching
from heliograph.core.webhooks.queue.batch_sql import NotOursError, commit_batch
from heliograph.core.webhooks.queue.sql import insert_deliveries
from heliograph.core.webhooks.subscriptions.again import new_delivery
from webhook_receiver import Gate, Received, Receiver, receiving
from webhook_scene import DIE_BEFORE_POSTING, Scene, node_process

TEN = Batching(max_events=10)
CONVERSATION = UUID(int=1)


async def members(scene: Scene) -> dict[UUID, list[UUID]]:
    """The events of each batch, by its id, in order."""
    found: defaultdict[UUID, list[UUID]] = defaultdict(list)
    batches = (
        "SELECT delivery_batch_id, event_id FROM deliveries"
        " WHERE delivery_batch_id IS NOT NULL ORDER BY seq"
    )
    for row in await scene.rows(of_all(batches)):
        found[row["delivery_batch_id"]].append(row["event_id"])
    return dict(found)


def events_of(request: Received) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = request.json["data"]["events"]
    return found


def check_posted(receiver: Receiver, committed: dict[UUID, list[UUID]]) -> None:
    """Each request is a batch as it was committed, and the same under its id each time."""
    bodies: dict[str, bytes] = {}
    for request in receiver.received:
        assert bodies.setdefault(request.webhook_id, request.body) == request.body
        posted = [UUID(event["id"]) for event in events_of(request)]
        assert posted == committed[UUID(request.webhook_id)]


async def test_killed_between_commit_and_post_the_next_node_posts_that_batch(scene: Scene) -> None:
    async with receiving() as receiver:
        await scene.webhooks.create(scene.principal, receiver.url(), batch=TEN)
        keys = [uuid4() for _ in range(3)]
        await scene.emit(*(scene.event(of=keys[n % 3], n=n) for n in range(6)))
        async with node_process(scene.database_url, DIE_BEFORE_POSTING) as process:
            await process.wait()
        assert receiver.received == []
        committed = await members(scene)
        assert [len(batch) for batch in committed.values()] == [6]
        await scene.emit(*(scene.event(of=keys[n % 3], n=n) for n in range(6, 9)))
        await scene.declare_dead()
        async with scene.node():
            await scene.until_statuses(*["delivered"] * 9)
        check_posted(receiver, await members(scene))
    assert [event["data"]["n"] for event in events_of(receiver.received[0])] == [0, 1, 2, 3, 4, 5]
    assert {UUID(receiver.ids[0]): 6} == {key: len(batch) for key, batch in committed.items()}


async def test_killed_between_post_and_outcome_the_same_batch_comes_again(scene: Scene) -> None:
    gate = Gate()
    async with receiving(gate) as receiver:
        await scene.webhooks.create(scene.principal, receiver.url(), batch=TEN)
        await scene.emit(*(scene.event(of=CONVERSATION, n=n) for n in range(4)))
        async with node_process(scene.database_url):
            await receiver.wait_for(1)
        await scene.emit(scene.event(of=CONVERSATION, n=4))
        await scene.declare_dead()
        gate.opened.set()
        async with scene.node():
            await scene.until_statuses(*["delivered"] * 5)
        check_posted(receiver, await members(scene))
        attempts = await scene.rows(of_all("SELECT number FROM delivery_attempts"))
    assert [len(events_of(request)) for request in receiver.received] == [4, 4, 1]
    assert receiver.received[0].body == receiver.received[1].body
    assert [row["number"] for row in attempts] == [1, 1]


async def test_kills_in_a_burst_lose_nothing_and_keep_the_order(scene: Scene) -> None:
    keys = [uuid4() for _ in range(10)]
    async with receiving() as receiver:
        batch = Batching(max_events=8, max_wait_ms=1)
        await scene.webhooks.create(scene.principal, receiver.url(), batch=batch)
        events = [scene.event(of=keys[n % 10], key=n % 10, n=n) for n in range(600)]
        for start in range(0, 600, 60):
            await scene.emit(*events[start : start + 60])
        for kills in (1, 2, 3):
            async with node_process(scene.database_url):
                await receiver.wait_for(20 * kills)
            await scene.declare_dead()
        async with scene.node():
            await scene.until_statuses(*["delivered"] * 600)
        check_posted(receiver, await members(scene))

    told = [event for request in receiver.received for event in events_of(request)]
    assert {event["id"] for event in told} == {str(event.id) for event in events}
    for key in range(10):
        seen = dict.fromkeys(e["data"]["n"] for e in told if e["data"]["key"] == key)
        assert list(seen) == sorted(seen)


async def test_a_node_that_has_lost_its_lease_commits_no_batch(scene: Scene) -> None:
    async with receiving() as receiver, scene.node() as node:
        created = await scene.webhooks.create(scene.principal, receiver.url())
        lease = await node.owns(created.webhook.id)
        await scene.rows("UPDATE webhooks SET enabled = false")  # nothing is claimed meanwhile
        event = scene.event()
        delivery = new_delivery(created.webhook, event, event.id, event.created_at)
        await scene.database.transact(insert_deliveries, [delivery])
        [row] = await scene.rows("SELECT id FROM delivery_queue")
        late = Lease(lease.tenant, lease.resource_id, lease.node_id, lease.epoch - 1)
        with pytest.raises(NotOursError):
            await scene.database.transact(commit_batch, late, [row["id"]])
        await scene.database.transact(commit_batch, lease, [row["id"]])
        await scene.database.transact(commit_batch, lease, [row["id"]])  # its answer was lost
        assert await members(scene) != {}


async def test_a_batch_that_could_not_begin_is_put_back_and_stays_the_same(scene: Scene) -> None:
    """The webhook is disabled while a batch that another node committed waits behind another."""
    async with receiving() as receiver:
        created = await scene.webhooks.create(scene.principal, receiver.url(), batch=TEN)
        await scene.emit(*(scene.event(of=CONVERSATION, n=n) for n in range(3)))
        async with node_process(scene.database_url, DIE_BEFORE_POSTING) as process:
            await process.wait()
        committed = await members(scene)
        await scene.declare_dead()
        await scene.webhooks.disable(scene.principal, created.webhook.id)
        async with scene.node() as node:
            await node.owns(created.webhook.id)
            await scene.emit(scene.event(of=CONVERSATION, n=3))
            await asyncio.sleep(1.2)
            assert receiver.received == []
            await scene.webhooks.enable(scene.principal, created.webhook.id)
            await scene.until_statuses(*["delivered"] * 3)
        check_posted(receiver, committed)
