"""Several events in one request: who is in it, in which order, and what becomes of each."""

import asyncio
from collections import defaultdict
from typing import Any
from uuid import UUID, uuid4

import msgspec
from standardwebhooks import Webhook as StandardWebhook

from delivery_tables import of_all
from heliograph.core.webhooks.model import Batching
from heliograph.core.webhooks.queue.batching import MAX_BATCH_BYTES
from webhook_receiver import Gate, Received, Receiver, always, answer, in_turn, receiving
from webhook_scene import Scene

FIVE = Batching(max_events=5)
CONVERSATION = UUID(int=1)


def events_of(request: Received) -> list[dict[str, Any]]:
    """The events of a batch, in its order."""
    assert request.type == "batch"
    found: list[dict[str, Any]] = request.json["data"]["events"]
    return found


def numbers(receiver: Receiver) -> list[list[int]]:
    return [[event["data"]["n"] for event in events_of(each)] for each in receiver.received]


async def delivery_batch_ids(scene: Scene) -> list[UUID | None]:
    rows = await scene.rows(of_all("SELECT delivery_batch_id FROM deliveries ORDER BY seq"))
    return [row["delivery_batch_id"] for row in rows]


async def test_what_waits_together_is_posted_together(scene: Scene) -> None:
    async with receiving() as receiver:
        created = await scene.webhooks.create(scene.principal, receiver.url(), batch=FIVE)
        events = await scene.emit(*(scene.event(n=n) for n in range(7)))
        async with scene.node():
            await scene.until_statuses(*["delivered"] * 7)
    first, last = sorted(receiver.received, key=lambda each: len(events_of(each)), reverse=True)
    assert sorted(numbers(receiver)) == [[0, 1, 2, 3, 4], [5, 6]]
    assert last.json["timestamp"] == events_of(last)[-1]["timestamp"]
    assert events_of(first)[0]["id"] == str(events[0].id)
    assert events_of(first)[0] | {"id": None} == msgspec.json.decode(events[0].payload) | {
        "id": None
    }
    assert first.json["timestamp"] == events_of(first)[-1]["timestamp"]
    StandardWebhook(created.secret).verify(first.body, first.headers)
    assert len({*receiver.ids, *(str(event.id) for event in events)}) == 9, "ids of their own"


async def test_the_first_event_waits_for_others_and_no_longer(scene: Scene) -> None:
    batch = Batching(max_events=3, max_wait_ms=3000)
    async with receiving() as receiver, scene.node() as node:
        created = await scene.webhooks.create(scene.principal, receiver.url(), batch=batch)
        await node.owns(created.webhook.id)
        await scene.emit(scene.event(n=0))
        await asyncio.sleep(0.4)
        await scene.emit(scene.event(n=1))
        await asyncio.sleep(0.4)
        assert receiver.received == []
        await receiver.wait_for(1)
        await scene.emit(*(scene.event(n=n) for n in range(2, 5)))
        await receiver.wait_for(2, timeout=2)
        await scene.until_statuses(*["delivered"] * 5)
    assert numbers(receiver) == [[0, 1], [2, 3, 4]]


async def test_a_conversation_keeps_its_order_over_batches(scene: Scene) -> None:
    keys = [uuid4() for _ in range(6)]
    async with receiving() as receiver, scene.node() as node:
        batch = Batching(max_events=7, max_wait_ms=5)
        created = await scene.webhooks.create(scene.principal, receiver.url(), batch=batch)
        await node.owns(created.webhook.id)
        for start in range(0, 300, 20):
            await scene.emit(
                *(scene.event(of=keys[n % 6], key=n % 6, n=n) for n in range(start, start + 20))
            )
        await scene.until_statuses(*["delivered"] * 300)
    seen: defaultdict[int, list[int]] = defaultdict(list)
    for request in receiver.received:
        for event in events_of(request):
            seen[event["data"]["key"]].append(event["data"]["n"])
    assert {key: found == sorted(found) for key, found in seen.items()} == dict.fromkeys(
        range(6), True
    )
    assert sum(map(len, seen.values())) == 300


async def test_a_batch_that_failed_comes_again_whole_under_its_id(scene: Scene) -> None:
    """And what happens meanwhile is not in it."""
    async with receiving(in_turn(answer(500))) as receiver, scene.node():
        created = await scene.webhooks.create(scene.principal, receiver.url(), batch=FIVE)
        await scene.emit(*(scene.event(of=CONVERSATION, n=n) for n in range(3)))
        await scene.until_attempted()
        assert await scene.statuses() == ["pending"] * 3
        await scene.emit(scene.event(of=CONVERSATION, n=3))
        await receiver.wait_for(2)
        await scene.make_due()
        await scene.until_statuses(*["delivered"] * 4)
        assert numbers(receiver) == [[0, 1, 2], [3], [0, 1, 2]]
        assert receiver.received[0].webhook_id == receiver.received[2].webhook_id
        assert receiver.received[0].body == receiver.received[2].body
        found = await scene.deliveries.list(scene.principal, webhook_id=created.webhook.id)
        for delivery in found[1:]:
            report = await scene.deliveries.get(scene.principal, delivery.id)
            assert [attempt.response_code for attempt in report.attempts] == [500, 200]
            assert (delivery.attempt_count, delivery.retry_count) == (2, 1)


async def test_a_batch_stays_below_a_mebibyte(scene: Scene) -> None:
    async with receiving() as receiver:
        batch = Batching(max_events=500)
        await scene.webhooks.create(scene.principal, receiver.url(), batch=batch)
        await scene.emit(*(scene.event(n=n, text="x" * 300_000) for n in range(7)))
        async with scene.node():
            await scene.until_statuses(*["delivered"] * 7)
    assert sorted(numbers(receiver)) == [[0, 1, 2], [3, 4, 5], [6]]
    assert max(len(request.body) for request in receiver.received) <= MAX_BATCH_BYTES


async def test_a_long_queue_goes_out_without_waiting_for_more_to_come(scene: Scene) -> None:
    batch = Batching(max_events=500, max_wait_ms=5000)
    async with receiving() as receiver, scene.node() as node:
        created = await scene.webhooks.create(scene.principal, receiver.url(), batch=batch)
        await node.owns(created.webhook.id)
        await scene.emit(*(scene.event(of=CONVERSATION, n=n) for n in range(1500)))
        await receiver.wait_for(2, timeout=4)
        await scene.until_statuses(*["delivered"] * 1500)
    assert [n for each in numbers(receiver) for n in each] == list(range(1500))
    assert len(receiver.received) < 8


async def test_turning_batches_off_leaves_those_that_exist(scene: Scene) -> None:
    async with receiving(in_turn(answer(500))) as receiver, scene.node():
        created = await scene.webhooks.create(scene.principal, receiver.url(), batch=FIVE)
        await scene.emit(*(scene.event(n=n) for n in range(2)))
        await scene.until_attempted()
        await scene.webhooks.update(scene.principal, created.webhook.id, batch=None)
        await scene.emit(scene.event(n=2))
        await receiver.wait_for(2)
        await scene.make_due()
        await scene.until_statuses(*["delivered"] * 3)
    assert [request.type for request in receiver.received] == ["batch", "message.sent", "batch"]
    assert receiver.received[0].body == receiver.received[2].body


async def test_what_failed_alone_is_not_gathered_when_batches_are_turned_on(scene: Scene) -> None:
    async with receiving(in_turn(answer(500))) as receiver, scene.node():
        created = await scene.webhooks.create(scene.principal, receiver.url())
        [event] = await scene.emit(scene.event(n=0))
        await scene.until_attempted()
        await scene.webhooks.update(scene.principal, created.webhook.id, batch=FIVE)
        await scene.make_due()
        await scene.until_statuses("delivered")
    assert receiver.ids == [str(event.id)] * 2


async def test_an_endpoint_that_is_gone_gets_the_batch_when_it_is_enabled_again(
    scene: Scene,
) -> None:
    async with receiving(in_turn(answer(410))) as receiver, scene.node():
        created = await scene.webhooks.create(scene.principal, receiver.url(), batch=FIVE)
        await scene.emit(*(scene.event(n=n) for n in range(3)))
        await scene.until_disabled()
        await scene.make_due()
        await scene.webhooks.enable(scene.principal, created.webhook.id)
        await scene.until_statuses(*["delivered"] * 3)
    assert receiver.received[0].body == receiver.received[1].body
    assert len(set(receiver.ids)) == 1


async def test_a_batch_that_comes_again_while_its_webhook_is_disabled_is_recorded_whole(
    scene: Scene,
) -> None:
    gate = Gate()
    async with receiving(always(answer(500))) as receiver, scene.node():
        created = await scene.webhooks.create(scene.principal, receiver.url(), batch=FIVE)
        await scene.emit(*(scene.event(of=CONVERSATION, n=n) for n in range(3)))
        await scene.until_attempted()
        receiver.reply = gate
        await scene.make_due()
        await receiver.wait_for(2)
        await scene.webhooks.disable(scene.principal, created.webhook.id)
        await asyncio.sleep(1.5)
        assert await scene.statuses() == ["pending"] * 3
        gate.opened.set()
        await scene.until_statuses(*["delivered"] * 3)
    assert len(receiver.received) == 2


async def test_deleting_cancels_every_event_of_a_batch(scene: Scene) -> None:
    async with receiving(always(answer(500))) as receiver, scene.node():
        created = await scene.webhooks.create(scene.principal, receiver.url(), batch=FIVE)
        await scene.emit(*(scene.event(n=n) for n in range(3)))
        await scene.until_attempted()
        await scene.webhooks.delete(scene.principal, created.webhook.id)
        assert await scene.statuses() == ["canceled"] * 3


async def test_what_is_left_of_a_batch_goes_out_when_its_first_was_canceled(scene: Scene) -> None:
    async with receiving(in_turn(answer(500))) as receiver, scene.node():
        created = await scene.webhooks.create(scene.principal, receiver.url(), batch=FIVE)
        events = await scene.emit(*(scene.event(n=n) for n in range(3)))
        await scene.until_attempted()
        await scene.rows("UPDATE deliveries SET status = 'canceled' WHERE id = delivery_batch_id")
        await scene.rows("DELETE FROM delivery_queue WHERE id = delivery_batch_id")
        await scene.make_due()
        await scene.until_statuses("canceled", "delivered", "delivered")
        assert set(receiver.ids[1:]) == {str(event.id) for event in events[1:]}
        [delivery, *_] = await scene.deliveries.list(scene.principal, webhook_id=created.webhook.id)
        report = await scene.deliveries.get(scene.principal, delivery.id)
        assert report.attempts[-1].response_code == 200


async def test_one_event_of_a_batch_is_redelivered_in_a_batch_of_its_own(scene: Scene) -> None:
    async with receiving() as receiver, scene.node():
        created = await scene.webhooks.create(scene.principal, receiver.url(), batch=FIVE)
        await scene.emit(*(scene.event(n=n) for n in range(3)))
        await scene.until_statuses(*["delivered"] * 3)
        found = await scene.deliveries.list(scene.principal, webhook_id=created.webhook.id)
        await scene.deliveries.redeliver(scene.principal, found[1].id)
        await scene.until_statuses(*["delivered"] * 4)
    assert numbers(receiver)[-1] == [1]
    assert len(set(receiver.ids)) == len(receiver.ids)


async def test_a_webhook_without_batches_has_none(scene: Scene) -> None:
    async with receiving() as receiver, scene.node():
        await scene.webhooks.create(scene.principal, receiver.url())
        events = await scene.emit(*(scene.event(n=n) for n in range(3)))
        await scene.until_statuses(*["delivered"] * 3)
        assert await delivery_batch_ids(scene) == [None] * 3
    assert sorted(receiver.ids) == sorted(str(event.id) for event in events)


async def test_a_database_that_is_away_undoes_no_batch(scene: Scene) -> None:
    async with receiving() as receiver, scene.node() as node:
        batch = Batching(max_events=20, max_wait_ms=5)
        created = await scene.webhooks.create(scene.principal, receiver.url(), batch=batch)
        await node.owns(created.webhook.id)
        for start in range(0, 200, 50):
            await scene.emit(
                *(scene.event(of=UUID(int=n % 9 + 1), n=n) for n in range(start, start + 50))
            )
            await scene.cut_connections()
        await scene.until_statuses(*["delivered"] * 200)
    by_id = {request.webhook_id: request.body for request in receiver.received}
    assert all(by_id[request.webhook_id] == request.body for request in receiver.received)
    assert {n for batch_ in numbers(receiver) for n in batch_} == set(range(200))
