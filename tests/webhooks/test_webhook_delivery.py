"""Delivering: a real database, a real node, a real receiver."""

import asyncio
import json
from collections import defaultdict
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from standardwebhooks.webhooks import Webhook as StandardWebhook
from standardwebhooks.webhooks import WebhookVerificationError

from delivery_tables import of_all
from heliograph import __version__
from heliograph.core.secrets.model import MAX_OLD_SECRETS
from heliograph.core.webhooks.posting.disabling import (
    KEPT_WHILE_DISABLED,
    REASON_FAILING,
    REASON_GONE,
)
from heliograph.core.webhooks.posting.outcomes import TICK
from heliograph.errors import TooManySecretsError, UnavailableError
from heliograph.platform.outbound_http import OwnPorts
from waiting import until
from webhook_receiver import ANSWER_200, Gate, Received, always, answer, in_turn, receiving
from webhook_scene import Scene, playing

CONVERSATION = UUID(int=1)


async def test_an_event_arrives_signed_and_as_it_was_stored(scene: Scene) -> None:
    async with receiving() as receiver, scene.node():
        created = await scene.webhooks.create(scene.principal, receiver.url())
        [event] = await scene.emit(scene.event("message.received", text="Grüße ✓"))
        [request] = await receiver.wait_for(1)
        await scene.until_statuses("delivered")

    assert request.body == event.payload
    assert request.webhook_id == str(event.id)
    assert request.headers["content-type"] == "application/json"
    assert request.headers["user-agent"] == f"Heliograph/{__version__}"
    StandardWebhook(created.secret).verify(request.body, request.headers)


async def test_a_database_that_is_away_is_no_attempt_and_nothing_overtakes(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Addresses of this machine are compared with what the database knows of the gateway's own."""
    asked = 0

    async def ask() -> frozenset[int]:
        nonlocal asked
        asked += 1
        if asked == 1:
            raise UnavailableError
        return frozenset()

    async with receiving() as receiver:
        monkeypatch.setattr(scene.client, "_own_ports", OwnPorts(ask=ask))
        await scene.webhooks.create(scene.principal, receiver.url())
        events = [scene.event(of=CONVERSATION, n=n) for n in range(4)]
        await scene.emit(*events)
        async with scene.node():
            await receiver.wait_for(4)
            await scene.until_statuses(*["delivered"] * 4)
        deliveries = await scene.deliveries.list(scene.principal)

    assert asked > 1, "the database was away for the first"
    assert [request.json["data"]["n"] for request in receiver.received] == [0, 1, 2, 3]
    assert {delivery.attempt_count for delivery in deliveries} == {1}


async def test_each_attempt_is_kept(scene: Scene) -> None:
    async with receiving(in_turn(answer(500, body=b"no\x00pe"))) as receiver, scene.node():
        await scene.attempt(receiver)
        await scene.make_due()
        await scene.until_statuses("delivered")
        [delivery] = await scene.deliveries.list(scene.principal)
        report = await scene.deliveries.get(scene.principal, delivery.id)

    assert (delivery.retry_count, delivery.attempt_count) == (1, 2)
    assert (delivery.response_code, delivery.error_message) == (200, None)
    assert delivery.delivered_at is not None
    first, second = report.attempts
    assert (first.number, first.response_code, first.response_body) == (1, 500, "nope")
    assert first.error_message == "The endpoint answered 500."
    assert (second.number, second.response_code, second.error_message) == (2, 200, None)
    assert first.address == second.address == "127.0.0.1"
    assert first.started_at < second.started_at
    assert len(set(receiver.ids)) == 1


async def test_a_retry_comes_by_itself_after_five_seconds(scene: Scene) -> None:
    async with receiving(in_turn(answer(503))) as receiver, scene.node(jitter=lambda: 0.0):
        await scene.webhooks.create(scene.principal, receiver.url())
        await scene.emit(scene.event())
        first, second = await receiver.wait_for(2)
    assert 3.9 <= second.at - first.at < 60  # by itself: the next pause would be of minutes
    assert int(second.headers["webhook-timestamp"]) > int(first.headers["webhook-timestamp"])


async def test_first_attempts_of_a_conversation_are_in_order(scene: Scene) -> None:
    """Each answer takes another time, some fail, and three conversations run side by side."""
    under_way: defaultdict[str, int] = defaultdict(int)
    overlaps: list[str] = []
    firsts: dict[str, Received] = {}
    all_came = asyncio.Event()

    async def reply(request: Received) -> bytes:
        if request.webhook_id in firsts:  # a retry, which goes beside the others
            return ANSWER_200
        firsts[request.webhook_id] = request
        if len(firsts) == 180:
            all_came.set()
        key, n = request.json["data"]["key"], request.json["data"]["n"]
        under_way[key] += 1
        if under_way[key] > 1:
            overlaps.append(key)
        await asyncio.sleep((n * 7 % 5) / 500)
        under_way[key] -= 1
        return answer(500) if n % 9 == 4 else ANSWER_200

    keys = [uuid4() for _ in range(3)]
    async with receiving(reply) as receiver, scene.node():
        await scene.webhooks.create(scene.principal, receiver.url())
        for n in range(60):
            await scene.emit(*(scene.event(of=key, key=str(key), n=n) for key in keys))
        async with asyncio.timeout(60):
            await all_came.wait()

    assert not overlaps
    for key in keys:
        payloads = [first.json["data"] for first in firsts.values()]
        order = [data["n"] for data in payloads if data["key"] == str(key)]
        assert order == sorted(order)


async def test_a_retry_does_not_hold_up_what_comes_after(scene: Scene) -> None:
    async def reply(request: Received) -> bytes:
        return answer(500) if request.json["data"]["n"] == 0 else ANSWER_200

    async with receiving(reply) as receiver, scene.node():
        await scene.webhooks.create(scene.principal, receiver.url())
        await scene.emit(*(scene.event(of=CONVERSATION, n=n) for n in range(3)))
        await scene.until_statuses("pending", "delivered", "delivered")


@pytest.mark.parametrize(("status", "begun_meanwhile"), [(500, 1), (200, 2)])
async def test_the_next_waits_for_the_record_of_a_failure_alone(
    scene: Scene, status: int, begun_meanwhile: int
) -> None:
    """While outcomes can't be written, the conversation goes on behind a success, no further."""
    async with receiving(always(answer(status))) as receiver, scene.node() as node:
        created = await scene.webhooks.create(scene.principal, receiver.url())
        async with scene.database.pool.acquire() as connection, connection.transaction():
            await node.owns(created.webhook.id)
            await connection.execute(
                "SELECT 1 FROM webhook_leases WHERE shard = $1 FOR UPDATE", scene.tenant.shard
            )
            await scene.emit(*(scene.event(of=CONVERSATION, n=n) for n in range(2)))
            await receiver.wait_for(begun_meanwhile)
            await asyncio.sleep(0.3)
            assert len(receiver.received) == begun_meanwhile
        await receiver.wait_for(2)
        await scene.until_attempted()
    assert not receiver.doubles


async def test_failures_are_written_together(scene: Scene) -> None:
    """Answers that come one by one would be a transaction each."""
    answered_at: list[float] = []

    async def reply(request: Received) -> bytes:
        await asyncio.sleep(0.004 * int(request.path.removeprefix("/")))
        answered_at.append(asyncio.get_running_loop().time())
        return answer(500)

    async with receiving(reply) as receiver, scene.node() as node:
        for number in range(12):
            created = await scene.webhooks.create(scene.principal, receiver.url(f"/{number}"))
            await node.owns(created.webhook.id)
        await scene.emit(scene.event())
        await scene.until_attempted()
        written_at = asyncio.get_running_loop().time()
        [row] = await scene.rows(
            of_all("SELECT count(DISTINCT xmin::text) AS transactions FROM delivery_attempts")
        )
    # what comes within a tick is written at its end, so none came in the tick that ends the wait
    ticks = written_at // TICK - answered_at[0] // TICK
    assert row["transactions"] <= ticks


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_a_redirect_is_a_failure_and_not_followed(scene: Scene, status: int) -> None:
    async with receiving() as elsewhere:
        reply = always(answer(status, f"location: {elsewhere.url()}"))
        async with receiving(reply) as receiver, scene.node():
            await scene.attempt(receiver)
            [delivery] = await scene.deliveries.list(scene.principal)
    assert delivery.response_code == status
    assert "redirect" in (delivery.error_message or "")
    assert not elsewhere.received


async def test_retry_after_is_honoured_up_to_the_next_step(scene: Scene) -> None:
    async with receiving(always(answer(429, "retry-after: 86400"))) as receiver, scene.node():
        await scene.attempt(receiver)
        [row] = await scene.rows("SELECT next_attempt_at - updated_at AS delay FROM deliveries")
    assert row["delay"] == timedelta(minutes=5)


async def test_the_last_attempt_that_fails_ends_it(scene: Scene) -> None:
    async with receiving(always(answer(500))) as receiver, scene.node():
        await scene.attempt(receiver)
        await scene.rows("UPDATE delivery_queue SET attempt_count = 9")
        await scene.make_due()
        await scene.until_statuses("failed")
        [delivery] = await scene.deliveries.list(scene.principal)
    assert (delivery.attempt_count, delivery.next_attempt_at) == (10, None)


async def test_410_disables_and_enabling_resumes(scene: Scene) -> None:
    async with receiving(always(answer(410))) as receiver, scene.node() as node:
        created = await scene.webhooks.create(scene.principal, receiver.url())
        await scene.emit(*(scene.event(of=CONVERSATION, n=n) for n in range(3)))
        webhook = await scene.until_disabled()
        assert webhook.disabled_reason == REASON_GONE
        assert webhook.disabled_at is not None
        await scene.until_statuses("pending", "pending", "pending")
        await scene.emit(scene.event())
        assert len(await scene.statuses()) == 3, "a disabled webhook is sent nothing new"
        assert len(receiver.received) == 1

        receiver.reply = always(ANSWER_200)
        await scene.webhooks.enable(scene.principal, created.webhook.id)
        await scene.make_due()
        await scene.until_statuses("delivered", "delivered", "delivered")
        assert node.worker.under_way == 0


async def test_five_days_of_nothing_but_failure_disable(scene: Scene) -> None:
    async with receiving(always(answer(500))) as receiver, scene.node():
        await scene.attempt(receiver)
        [webhook] = await scene.webhooks.list(scene.principal)
        assert webhook.enabled
        assert webhook.failing_since is not None

        since = webhook.failing_since - timedelta(days=5)
        await scene.rows("UPDATE webhooks SET failing_since = $1", since)
        await scene.make_due()
        webhook = await scene.until_disabled()
    assert webhook.disabled_reason == REASON_FAILING


async def test_a_success_ends_a_time_of_failure(scene: Scene) -> None:
    async with receiving(always(answer(500))) as receiver, scene.node():
        await scene.attempt(receiver)
        receiver.reply = always(ANSWER_200)
        await scene.make_due()
        await scene.until_statuses("delivered")

        async def works_again() -> bool:  # which is said by a statement of its own
            [webhook] = await scene.webhooks.list(scene.principal)
            return webhook.failing_since is None

        await until(works_again)


async def test_what_waits_for_a_disabled_webhook_is_canceled_after_five_days(scene: Scene) -> None:
    async with receiving() as receiver:
        created = await scene.webhooks.create(scene.principal, receiver.url())
        await scene.emit(scene.event())
        await scene.webhooks.disable(scene.principal, created.webhook.id)
        async with scene.node() as node:
            await node.owns(created.webhook.id)
            await node.worker.sweep()
            assert await scene.statuses() == ["pending"]
            long_ago = scene.database.clock.now() - LONG
            await scene.rows("UPDATE webhooks SET disabled_at = $1", long_ago)
            await node.worker.sweep()
            assert await scene.statuses() == ["canceled"]
    assert not receiver.received


LONG = KEPT_WHILE_DISABLED + timedelta(seconds=1)


async def test_disabling_stops_what_has_been_claimed(scene: Scene) -> None:
    gate = Gate()
    async with receiving(gate) as receiver, scene.node():
        created = await scene.webhooks.create(scene.principal, receiver.url())
        await scene.emit(*(scene.event(of=CONVERSATION, n=n) for n in range(3)))
        await receiver.wait_for(1)
        await scene.webhooks.disable(scene.principal, created.webhook.id)
        await asyncio.sleep(0.2)
        gate.opened.set()
        await scene.until_statuses("delivered", "pending", "pending")
        await asyncio.sleep(0.2)
        assert len(receiver.received) == 1
        await scene.webhooks.enable(scene.principal, created.webhook.id)
        await scene.until_statuses("delivered", "delivered", "delivered")
    assert [request.json["data"]["n"] for request in receiver.received] == [0, 1, 2]


async def test_a_hanging_endpoint_holds_up_nobody_else(database_url: str) -> None:
    async def hang(_: Received) -> bytes:
        await asyncio.sleep(60)
        return b""

    async with (
        playing(database_url, timeout=60) as scene,
        receiving(hang) as dead,
        receiving() as alive,
    ):
        await scene.webhooks.create(scene.principal, dead.url())
        await scene.webhooks.create(scene.principal, alive.url())
        async with scene.node():
            await scene.emit(*(scene.event(of=uuid4()) for _ in range(100)))
            await alive.wait_for(100)
            for _ in range(20):
                [event] = await scene.emit(scene.event())
                await alive.wait_for(len(alive.received) + 1)
                assert alive.ids[-1] == str(event.id)
            assert len(dead.received) <= 16


async def test_a_thousand_events_arrive_once_each_and_in_order(scene: Scene) -> None:
    keys = [uuid4() for _ in range(40)]
    async with receiving() as receiver, scene.node():
        for path in ("/a", "/b", "/c"):
            await scene.webhooks.create(scene.principal, receiver.url(path))
        events = [scene.event(of=keys[n % 40], key=n % 40, n=n) for n in range(1000)]
        for start in range(0, 1000, 100):
            await scene.emit(*events[start : start + 100])
        await receiver.wait_for(3000, timeout=60)
        await scene.until_statuses(*["delivered"] * 3000)
        total = (await scene.deliveries.list_events(scene.principal, 1, 0))[1]
    assert total == 3000
    for path in ("/a", "/b", "/c"):
        got = [request for request in receiver.received if request.path == path]
        assert sorted(request.webhook_id for request in got) == sorted(str(e.id) for e in events)
        for key in range(40):
            order = [d["n"] for d in (request.json["data"] for request in got) if d["key"] == key]
            assert order == sorted(order)


async def test_while_secrets_are_rotated_each_signs_as_long_as_it_was_promised(
    scene: Scene,
) -> None:
    async with receiving() as receiver, scene.node():
        created = await scene.webhooks.create(scene.principal, receiver.url())
        webhook_id = created.webhook.id
        graces = (timedelta(hours=24), timedelta(hours=1))
        secrets = [created.secret] + [
            (await scene.webhooks.rotate_secret(scene.principal, webhook_id, grace=grace)).secret
            for grace in graces
        ]
        await scene.emit(scene.event())
        [request] = await receiver.wait_for(1)
        assert len(request.headers["webhook-signature"].split(" ")) == 3
        for secret in secrets:
            StandardWebhook(secret).verify(request.body, request.headers)

        at_once = timedelta(0)
        newest = await scene.webhooks.rotate_secret(scene.principal, webhook_id, grace=at_once)
        await scene.emit(scene.event())
        request = (await receiver.wait_for(2))[1]
        for secret in (secrets[0], secrets[1], newest.secret):
            StandardWebhook(secret).verify(request.body, request.headers)
        with pytest.raises(WebhookVerificationError):
            StandardWebhook(secrets[2]).verify(request.body, request.headers)


async def test_a_webhook_has_as_many_old_secrets_as_there_may_be(scene: Scene) -> None:
    async with receiving() as receiver, scene.node():
        created = await scene.webhooks.create(scene.principal, receiver.url())
        webhook_id = created.webhook.id
        for _ in range(MAX_OLD_SECRETS):
            await scene.webhooks.rotate_secret(scene.principal, webhook_id)
        with pytest.raises(TooManySecretsError):
            await scene.webhooks.rotate_secret(scene.principal, webhook_id)
        await scene.emit(scene.event())
        [request] = await receiver.wait_for(1)
        StandardWebhook(created.secret).verify(request.body, request.headers)
        a_minute_ago = scene.database.clock.now() - timedelta(minutes=1)
        await scene.rows("UPDATE webhooks SET old_secrets_expire_at[4] = $1", a_minute_ago)
        await scene.webhooks.rotate_secret(scene.principal, webhook_id)


async def test_a_changed_url_is_where_the_next_goes(scene: Scene) -> None:
    async with receiving() as receiver, scene.node():
        created = await scene.webhooks.create(scene.principal, receiver.url("/old"))
        await scene.emit(scene.event())
        await receiver.wait_for(1)
        await scene.webhooks.update(
            scene.principal, created.webhook.id, url=receiver.url("/new"), events=["device.*"]
        )
        await scene.emit(scene.event("message.sent"), scene.event("device.connected"))
        await receiver.wait_for(2)
        await scene.until_statuses("delivered", "delivered")
        newest = (await scene.deliveries.list(scene.principal))[0]
    assert [request.path for request in receiver.received] == ["/old", "/new"]
    assert newest.webhook_url == receiver.url("/new")


async def test_deleting_cancels_what_is_pending(scene: Scene) -> None:
    async with receiving(always(answer(500))) as receiver, scene.node():
        webhook = await scene.attempt(receiver)
        await scene.webhooks.delete(scene.principal, webhook.id)
        assert await scene.statuses() == ["canceled"]
        assert await scene.webhooks.list(scene.principal) == []
        [listed], total = await scene.deliveries.list_events(scene.principal, 50, 0)
    assert listed["webhook_id"] == webhook.id
    assert total == 1


async def test_the_record_of_a_delivery_is_that_of_the_specification(scene: Scene) -> None:
    async with receiving() as receiver, scene.node():
        created = await scene.webhooks.create(scene.principal, receiver.url())
        await scene.emit(scene.event("message.read"), scene.event("message.sent"))
        await scene.until_statuses("delivered", "delivered")
        events, total = await scene.deliveries.list_events(scene.principal, 1, 1)
        beyond, _ = await scene.deliveries.list_events(scene.principal, 1, 2**70)
    assert beyond == []
    assert total == 2
    [record] = events
    assert record["event_type"] == "message.read", "newest first: the second is the older"
    assert record["webhook_id"] == created.webhook.id
    assert record["webhook_url"] == receiver.url()
    assert (record["status"], record["retry_count"]) == ("delivered", 0)
    assert (record["response_code"], record["error_message"]) == (200, None)
    assert record["delivered_at"] is not None
    assert record["created_at"] < record["delivered_at"]
    assert json.loads(receiver.received[0].body)["type"] == "message.read"


async def test_a_webhooks_own_headers_are_in_each_attempt_beside_ours(scene: Scene) -> None:
    async with receiving(in_turn(answer(500))) as receiver, scene.node():
        headers = {"Authorization": "Bearer s3cret", "X-Team": "orders"}
        created = await scene.webhooks.create(scene.principal, receiver.url(), headers=headers)
        await scene.emit(scene.event())
        await scene.until_attempted()
        headers["X-Team"] = "sales"
        await scene.webhooks.update(scene.principal, created.webhook.id, headers=headers)
        await scene.make_due()
        await scene.until_statuses("delivered")
    first, second = receiver.received
    assert first.headers["authorization"] == second.headers["authorization"] == "Bearer s3cret"
    assert (first.headers["x-team"], second.headers["x-team"]) == ("orders", "sales")
    StandardWebhook(created.secret).verify(second.body, second.headers)
