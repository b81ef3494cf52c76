"""Messages that are sent later: on time, whatever happens in between, or not at all."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from core_scene import Scene, ScriptedSession
from heliograph.core.messages.accepting.service import MAX_SCHEDULE_AHEAD
from heliograph.core.messages.model import MessageStatus
from heliograph.core.tenants.model import operator
from heliograph.core.upkeep import janitor
from heliograph.errors import (
    AlreadySentError,
    InvalidInputError,
    MessageNotFoundError,
    OtherOrganizationError,
)
from placing import place_organization


async def schedule(scene: Scene, text: str, seconds: float) -> UUID:
    at = scene.database.clock.now() + timedelta(seconds=seconds)
    return await scene.accept(text, scheduled_for=at)


@asynccontextmanager
async def running_janitor(scene: Scene) -> AsyncIterator[None]:
    task = asyncio.create_task(scene.janitor.run())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_they_start_when_their_time_has_come_and_not_before(scene: Scene) -> None:
    async with running_janitor(scene):
        soon, later = await schedule(scene, "soon", 0.6), await schedule(scene, "later", 3600)
        await scene.until_statuses({"soon": "queued"})
    message = await scene.message(soon)
    assert message.queued_at is not None
    assert message.scheduled_for is not None
    assert message.queued_at >= message.scheduled_for
    assert (await scene.message(later)).status is MessageStatus.SCHEDULED
    assert await scene.counted() == await scene.recounted()


async def test_one_for_the_very_next_moment_is_not_missed(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody looks for it by himself: its own news wakes the loop."""
    monkeypatch.setattr(janitor, "LOOK_INTERVAL", 3600.0)
    async with running_janitor(scene):
        await asyncio.sleep(0.1)
        await schedule(scene, "soon", 0.3)
        await scene.until_statuses({"soon": "queued"})


async def test_they_outlive_the_program(scene: Scene) -> None:
    async with running_janitor(scene):
        await schedule(scene, "soon", 3600)
    await scene.make_due()
    assert await scene.statuses() == {"soon": "scheduled"}
    session = ScriptedSession()
    dispatcher = scene.outbound(session)
    async with running_janitor(scene):
        await scene.until_statuses({"soon": "queued"})
        dispatcher.wake()
        await scene.until_statuses({"soon": "sent"})
    assert session.taken == ["soon"]


async def test_more_than_a_batch_starts_at_once(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(janitor, "BATCH", 3)
    for number in range(10):
        await schedule(scene, f"{number}", 3600)
    await scene.make_due()
    await scene.janitor.start_scheduled()
    assert set((await scene.statuses()).values()) == {"queued"}


async def test_a_time_that_has_passed_means_now(scene: Scene) -> None:
    message = await scene.message(await schedule(scene, "late", -5))
    assert (message.status, message.scheduled_for) == (MessageStatus.QUEUED, None)


async def test_no_more_than_a_year_ahead(scene: Scene) -> None:
    with pytest.raises(InvalidInputError, match="366 days"):
        await schedule(scene, "far", MAX_SCHEDULE_AHEAD.total_seconds() + 60)
    assert await scene.count("messages") == 0


async def test_what_has_not_begun_can_be_canceled(scene: Scene) -> None:
    for message_id in (await schedule(scene, "later", 3600), await scene.accept("queued")):
        for _ in range(2):
            record = await scene.cancellations.cancel(scene.principal, message_id)
            assert (record["id"], record["status"]) == (message_id, "canceled")
    session = ScriptedSession()
    dispatcher = scene.outbound(session)
    await scene.make_due()
    await scene.janitor.start_scheduled()
    await scene.accept("a later one")
    dispatcher.wake()
    await scene.until_statuses({"a later one": "sent"})
    assert session.taken == ["a later one"]
    assert await scene.counted() == await scene.recounted()


async def test_what_has_begun_can_not_be_canceled(scene: Scene) -> None:
    message_id = (await scene.begin("on its way")).id
    with pytest.raises(AlreadySentError, match="is already sending"):
        await scene.cancellations.cancel(scene.principal, message_id)
    assert (await scene.message(message_id)).status is MessageStatus.SENDING


async def test_a_cancel_in_doubt_is_done_once(scene: Scene) -> None:
    message_id = await schedule(scene, "later", 3600)
    scene.database.forgets = 1
    assert (await scene.cancellations.cancel(scene.principal, message_id))["status"] == "canceled"
    assert await scene.counted() == await scene.recounted()


async def test_nobody_cancels_what_is_anothers(scene: Scene) -> None:
    message_id = await schedule(scene, "later", 3600)
    other = operator((await place_organization(scene.database, "Globex", 5)).tenant)
    with pytest.raises(OtherOrganizationError):
        await scene.cancellations.cancel(other, message_id)
    with pytest.raises(MessageNotFoundError):
        await scene.cancellations.cancel(scene.principal, uuid4())
    assert (await scene.message(message_id)).status is MessageStatus.SCHEDULED
