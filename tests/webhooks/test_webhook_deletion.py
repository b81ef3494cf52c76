"""A webhook that is deleted while deliveries are made for it: nothing waits for a webhook that is
gone."""

import asyncio
from collections.abc import Awaitable, Callable
from uuid import UUID

import pytest

from heliograph.core.events.model import Event
from heliograph.core.tenants.model import Principal
from heliograph.core.webhooks.model import Webhook
from heliograph.core.webhooks.subscriptions.again import insert_again
from heliograph.core.webhooks.subscriptions.service import WebhookService
from heliograph.errors import SubscriptionNotFoundError, WebhookDisabledError
from heliograph.platform.database.pool import Connection
from waiting import until
from webhook_scene import Scene

URL = "https://example.com/hook"
WAITS = """
SELECT count(*) AS n FROM pg_stat_activity
WHERE datname = current_database() AND wait_event_type = 'Lock'
"""
WAITING = "SELECT webhook_id FROM delivery_queue"

Queue = Callable[[Scene, Connection, Webhook, Event], Awaitable[object]]
End = Callable[[WebhookService, Principal, UUID], Awaitable[object]]


async def tell(scene: Scene, connection: Connection, webhook: Webhook, event: Event) -> object:
    return await scene.store(connection, scene.event())


async def tell_again(
    scene: Scene, connection: Connection, webhook: Webhook, event: Event
) -> object:
    clock = scene.database.clock
    return await insert_again(connection, webhook, [event], [clock.new_id()], clock.now())


@pytest.mark.one_server("watches who waits for a lock, which is on a worker")
@pytest.mark.parametrize("queue", [tell, tell_again])
async def test_what_was_queued_before_the_end_of_a_deletion_is_canceled(
    scene: Scene, queue: Queue
) -> None:
    webhook, event = await told(scene)
    deleting: list[asyncio.Task[None]] = []

    async def delete_meanwhile(connection: Connection) -> None:
        await queue(scene, connection, webhook, event)
        deleting[:] = [asyncio.create_task(scene.webhooks.delete(scene.principal, webhook.id))]

        async def has_come_as_far_as_it_can() -> bool:
            return deleting[0].done() or (await scene.rows(WAITS))[0]["n"] > 0

        await until(has_come_as_far_as_it_can)

    await scene.database.within(60).transact(delete_meanwhile)
    await deleting[0]
    assert await scene.rows(WAITING) == []
    assert set(await scene.statuses()) == {"canceled"}


@pytest.mark.parametrize(
    ("end", "refusal", "waiting"),
    [
        (WebhookService.delete, SubscriptionNotFoundError, 0),
        (WebhookService.disable, WebhookDisabledError, 1),
    ],
)
async def test_nothing_is_told_again_to_a_webhook_that_has_ended_meanwhile(
    scene: Scene, end: End, refusal: type[Exception], waiting: int
) -> None:
    webhook, event = await told(scene)
    await end(scene.webhooks, scene.principal, webhook.id)

    async def work(connection: Connection) -> None:
        await tell_again(scene, connection, webhook, event)

    with pytest.raises(refusal):
        await scene.database.transact(work)
    assert len(await scene.rows(WAITING)) == waiting


async def told(scene: Scene) -> tuple[Webhook, Event]:
    """A webhook, and an event of which it has a delivery."""
    created = await scene.webhooks.create(scene.principal, URL)
    [event] = await scene.emit(scene.event())
    return created.webhook, event
