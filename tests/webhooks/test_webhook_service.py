"""What may be asked of webhooks: made, changed, pinged, told again what has happened."""

import asyncio
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from standardwebhooks.webhooks import Webhook as StandardWebhook

from heliograph.core.audit.service import AuditService
from heliograph.core.tenants.model import Principal, Tenant, operator
from heliograph.core.webhooks.deliveries.service import RedeliveryProgress
from heliograph.errors import (
    InvalidInputError,
    MissingScopeError,
    NotFoundError,
    OtherOrganizationError,
    TooManyRequestsError,
)
from webhook_receiver import always, answer, receiving
from webhook_scene import Scene

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
URL = "https://example.com/hook"


def later(scene: Scene) -> datetime:
    return scene.database.clock.now() + timedelta(seconds=1)


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.com/",
        "https://",
        "not a url",
        "https://user:secret@example.com/",
        "http://10.0.0.1/",
        "http://169.254.169.254/latest/meta-data",
        "http://[::ffff:10.0.0.1]/",
        "http://0x7f.1.2.3.4/",
        "https://example.com/\x00",
    ],
)
async def test_an_impossible_url_is_refused(scene: Scene, url: str) -> None:
    with pytest.raises(InvalidInputError) as refused:
        await scene.webhooks.create(scene.principal, url)
    assert refused.value.problems[0].loc == ("url",)
    assert await scene.webhooks.list(scene.principal) == []


async def test_a_description_is_seen_or_empty(scene: Scene) -> None:
    for description in ("\u200b", "\u3164"):
        with pytest.raises(InvalidInputError, match="A description"):
            await scene.webhooks.create(scene.principal, URL, description=description)
    for description in ("", "Till \U0001f469\u200d\U0001f692"):
        made = await scene.webhooks.create(scene.principal, URL, description=description)
        assert made.webhook.description == description


@pytest.mark.parametrize("events", [[], ["message.nonsense"], ["messages.*"], ["webhook.*"], [""]])
async def test_unknown_events_are_refused(scene: Scene, events: list[str]) -> None:
    with pytest.raises(InvalidInputError) as refused:
        await scene.webhooks.create(scene.principal, URL, events)
    assert refused.value.problems[0].loc == ("events",)


async def test_a_webhook_takes_everything_by_default(scene: Scene) -> None:
    created = await scene.webhooks.create(scene.principal, URL)
    assert created.webhook.events == ("*",)
    assert await scene.webhooks.get(scene.principal, created.webhook.id) == created.webhook
    assert created.secret.startswith("whsec_")
    assert created.secret not in repr(created)


async def test_the_secret_is_stored_encrypted(scene: Scene) -> None:
    created = await scene.webhooks.create(scene.principal, URL)
    [row] = await scene.rows("SELECT secret FROM webhooks")
    assert created.secret.encode() not in row["secret"]
    shown = await scene.webhooks.show_secret(scene.principal, created.webhook.id)
    assert shown == created.secret


async def test_a_webhook_of_another_organization_is_out_of_reach(scene: Scene) -> None:
    created = await scene.webhooks.create(scene.principal, URL)
    stranger = operator(Tenant(0, uuid4()))
    webhooks = scene.webhooks
    for act in (
        *(webhooks.get, webhooks.delete, webhooks.ping),
        *(webhooks.rotate_secret, webhooks.show_secret),
    ):
        with pytest.raises(OtherOrganizationError):
            await act(stranger, created.webhook.id)
    with pytest.raises(NotFoundError):
        await scene.webhooks.get(scene.principal, uuid4())
    assert await scene.webhooks.list(stranger) == []


async def test_reading_does_not_allow_writing(scene: Scene) -> None:
    created = await scene.webhooks.create(scene.principal, URL)
    reader = Principal(scene.tenant, frozenset({"webhooks:read"}))
    assert await scene.webhooks.list(reader) == [created.webhook]
    for refused in (
        scene.webhooks.create(reader, URL),
        scene.webhooks.ping(reader, created.webhook.id),
        scene.webhooks.delete(reader, created.webhook.id),
        scene.webhooks.show_secret(reader, created.webhook.id),
        scene.deliveries.redeliver(reader, uuid4()),
    ):
        with pytest.raises(MissingScopeError):
            await refused


async def test_a_ping_goes_to_its_webhook_alone(scene: Scene) -> None:
    async with receiving() as receiver, scene.node():
        pinged = await scene.webhooks.create(scene.principal, receiver.url("/a"), ["device.*"])
        await scene.webhooks.create(scene.principal, receiver.url("/b"))
        delivery_id = await scene.webhooks.ping(scene.principal, pinged.webhook.id)
        [request] = await receiver.wait_for(1)
        await scene.until_statuses("delivered")
        delivery = (await scene.deliveries.get(scene.principal, delivery_id)).delivery
    assert request.path == "/a"
    assert (request.json["type"], request.json["data"]) == ("webhook.ping", {})
    StandardWebhook(pinged.secret).verify(request.body, request.headers)
    assert delivery.event_type == "webhook.ping"


async def test_one_delivery_can_be_repeated_under_the_same_id(scene: Scene) -> None:
    async with receiving() as receiver, scene.node():
        await scene.webhooks.create(scene.principal, receiver.url())
        [event] = await scene.emit(scene.event())
        await scene.until_statuses("delivered")
        [delivery] = await scene.deliveries.list(scene.principal)
        again = await scene.deliveries.redeliver(scene.principal, delivery.id)
        await scene.until_statuses("delivered", "delivered")
        total = (await scene.deliveries.list_events(scene.principal, 10, 0))[1]
    assert receiver.ids == [str(event.id)] * 2
    assert receiver.received[0].body == receiver.received[1].body
    assert again.id != delivery.id
    assert total == 2


async def test_a_range_is_told_again_with_what_was_missed(scene: Scene) -> None:
    """While a webhook is disabled it gets no deliveries; a range brings those events, too."""
    async with receiving() as receiver, scene.node():
        created = await scene.webhooks.create(scene.principal, receiver.url(), ["message.*"])
        webhook_id = created.webhook.id
        await scene.emit(scene.event(n=0))
        await scene.until_statuses("delivered")
        await scene.webhooks.disable(scene.principal, webhook_id)
        missed = [scene.event(of=scene.tenant.organization_id, n=n) for n in range(1, 4)]
        await scene.emit(*missed, scene.event("device.connected"))
        await scene.webhooks.enable(scene.principal, webhook_id)
        since = missed[0].created_at
        await scene.emit(scene.event(of=scene.tenant.organization_id, n=4))
        await receiver.wait_for(2)
        steps: list[RedeliveryProgress] = []
        count = await scene.deliveries.redeliver_range(
            scene.principal, webhook_id, since, later(scene), progress=steps.append
        )
        received = list(await receiver.wait_for(6))
    assert count == 4
    assert [request.json["data"]["n"] for request in received] == [0, 4, 1, 2, 3, 4]
    assert received[1].webhook_id == received[5].webhook_id
    assert steps == [RedeliveryProgress(seen=5, total=5, redelivered=4)]


async def test_a_range_goes_page_by_page_in_order(scene: Scene) -> None:
    async with receiving() as receiver:
        created = await scene.webhooks.create(scene.principal, receiver.url())
        key = scene.tenant.organization_id
        for start in range(0, 1200, 300):
            await scene.emit(*(scene.event(of=key, n=n) for n in range(start, start + 300)))
        steps: list[RedeliveryProgress] = []
        count = await scene.deliveries.redeliver_range(
            scene.principal, created.webhook.id, LONG_AGO, later(scene), progress=steps.append
        )
        rows = await scene.rows(
            """
            SELECT e.seq FROM delivery_queue AS d
            JOIN events AS e ON e.shard = d.shard AND e.id = d.event_id
            ORDER BY d.seq OFFSET 1200
            """
        )
        entries = await AuditService(scene.database).list(scene.principal)
    assert count == 1200
    assert [entry.action for entry in entries] == ["deliveries_redelivered", "webhook_created"]
    assert entries[0].subject == str(created.webhook.id)
    assert entries[0].details["since"] == "2020-01-01T00:00:00Z"
    assert entries[0].details["events"] == ["*"]
    assert [step.seen for step in steps] == [500, 1000, 1200]
    assert all(step.total == 1200 for step in steps)
    order = [row["seq"] for row in rows]
    assert order == sorted(order)
    assert len(set(order)) == 1200


async def test_a_range_may_name_types_and_leaves_pings_out(scene: Scene) -> None:
    created = await scene.webhooks.create(scene.principal, URL)
    await scene.emit(*(scene.event(type_) for type_ in ("message.sent", "message.read")))
    await scene.emit(scene.event("device.connected"))
    await scene.webhooks.ping(scene.principal, created.webhook.id)

    async def told_again(types: list[str] | None) -> int:
        return await scene.deliveries.redeliver_range(
            scene.principal, created.webhook.id, LONG_AGO, later(scene), types=types
        )

    assert await told_again(None) == 3
    assert await told_again(["message.*"]) == 2
    assert await told_again(["device.connected"]) == 1
    there = len(await AuditService(scene.database).list(scene.principal))
    assert await told_again(["message.failed"]) == 0
    assert len(await AuditService(scene.database).list(scene.principal)) == there


async def test_one_range_is_told_again_at_a_time(scene: Scene) -> None:
    created = await scene.webhooks.create(scene.principal, URL)
    await scene.emit(scene.event())

    async def told_again() -> int:
        return await scene.deliveries.redeliver_range(
            scene.principal, created.webhook.id, LONG_AGO, later(scene)
        )

    first, second = await asyncio.gather(told_again(), told_again(), return_exceptions=True)
    assert first == 1
    assert isinstance(second, TooManyRequestsError)
    assert await told_again() == 1


@pytest.mark.parametrize("is_tried", [False, True])
async def test_what_waits_for_a_webhook_counts_when_a_range_is_told_again(
    scene: Scene, is_tried: bool
) -> None:
    created = await scene.webhooks.create(scene.principal, URL)
    await scene.emit(scene.event(), scene.event())
    if is_tried:
        await scene.rows("UPDATE delivery_queue SET next_attempt_at = now() + interval '1 hour'")
    arguments = (scene.principal, created.webhook.id, LONG_AGO, later(scene))
    with pytest.raises(InvalidInputError, match="2 deliveries wait for this webhook already"):
        await scene.deliveries.redeliver_range(*arguments, at_most=3)
    assert await scene.deliveries.redeliver_range(*arguments, at_most=4) == 2


async def test_an_empty_or_backward_range(scene: Scene) -> None:
    created = await scene.webhooks.create(scene.principal, URL)
    arguments = (scene.principal, created.webhook.id)
    assert await scene.deliveries.redeliver_range(*arguments, LONG_AGO, later(scene)) == 0
    with pytest.raises(InvalidInputError):
        await scene.deliveries.redeliver_range(*arguments, later(scene), LONG_AGO)


async def test_a_grace_time_has_bounds(scene: Scene) -> None:
    created = await scene.webhooks.create(scene.principal, URL)
    for grace in (timedelta(seconds=-1), timedelta(days=8)):
        with pytest.raises(InvalidInputError):
            await scene.webhooks.rotate_secret(scene.principal, created.webhook.id, grace=grace)


async def test_deliveries_can_be_listed_by_webhook_and_status(scene: Scene) -> None:
    async with receiving(always(answer(404))) as receiver, scene.node():
        one = await scene.webhooks.create(scene.principal, receiver.url())
        await scene.webhooks.create(scene.principal, receiver.url(), ["device.*"])
        await scene.emit(scene.event(), scene.event("device.connected"))
        await scene.until_attempted()
        listed = await scene.deliveries.list(scene.principal, webhook_id=one.webhook.id)
        assert [delivery.event_type for delivery in listed] == ["device.connected", "message.sent"]
        assert await scene.deliveries.list(scene.principal, statuses=[]) == []
        stranger = operator(Tenant(0, uuid4()))
        assert await scene.deliveries.list(stranger) == []
        with pytest.raises(NotFoundError):
            await scene.deliveries.get(stranger, listed[0].id)
