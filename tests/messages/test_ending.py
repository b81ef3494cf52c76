"""Messages that end before they are sent."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from core_scene import Scene, ScriptedSession
from heliograph.core.dispatch.claims import requeue_claimed
from heliograph.core.messages.model import MessageStatus
from heliograph.errors import InvalidInputError


async def accept(scene: Scene, text: str, seconds: float, **more: Any) -> UUID:
    """Accept a message that expires after so many seconds."""
    at = scene.database.clock.now() + timedelta(seconds=seconds)
    return await scene.accept(text, expires_at=at, **more)


async def pass_time(scene: Scene) -> None:
    """As if every message's time were over."""
    past = scene.database.clock.now() - timedelta(seconds=1)
    await scene.rows("UPDATE messages SET expires_at = $1 WHERE expires_at IS NOT NULL", past)
    await scene.rows("UPDATE message_expiries SET expires_at = $1", past)


async def test_what_waits_beyond_its_time_fails_and_is_told(scene: Scene) -> None:
    later = scene.database.clock.now() + timedelta(seconds=30)
    message_ids = [
        await accept(scene, "queued", 60),
        await accept(scene, "scheduled", 60, scheduled_for=later),
    ]
    await scene.accept("without a time")
    await pass_time(scene)
    await scene.janitor.expire_messages()
    for message_id in message_ids:
        message = await scene.message(message_id)
        assert (message.status, message.failure_reason) == (MessageStatus.FAILED, "expired")
    assert (await scene.statuses())["without a time"] == "queued"
    assert await scene.event_types() == ["message.failed", "message.failed"]
    assert await scene.count("message_expiries") == 0
    assert await scene.counted() == await scene.recounted()


async def test_what_was_sent_in_time_stays_as_it_is(scene: Scene) -> None:
    message_id = await accept(scene, "in time", 60)
    scene.outbound(ScriptedSession())
    await scene.until_statuses({"in time": "sent"})
    await pass_time(scene)
    await scene.janitor.expire_messages()
    assert (await scene.message(message_id)).status is MessageStatus.SENT
    assert await scene.count("message_expiries") == 0


async def test_what_was_being_sent_at_that_time_fails_once_it_waits_again(scene: Scene) -> None:
    message_id = await accept(scene, "under way", 60)
    await scene.claim()
    await pass_time(scene)
    await scene.janitor.expire_messages()
    assert (await scene.message(message_id)).status is MessageStatus.SENDING
    await scene.database.transact(requeue_claimed, scene.lease)  # and nobody can send it now
    await pass_time(scene)
    await scene.janitor.expire_messages()
    message = await scene.message(message_id)
    assert (message.status, message.failure_reason) == (MessageStatus.FAILED, "expired")
    assert await scene.count("message_expiries") == 0
    assert await scene.counted() == await scene.recounted()


async def test_nothing_is_sent_after_its_time_whoever_looks_first(scene: Scene) -> None:
    session = ScriptedSession()
    await accept(scene, "late", 60)
    await pass_time(scene)
    scene.outbound(session)
    await scene.until_statuses({"late": "failed"})
    assert session.taken == []


async def test_a_time_before_the_message_could_go_out_is_refused(scene: Scene) -> None:
    later = scene.database.clock.now() + timedelta(hours=1)
    with pytest.raises(InvalidInputError, match="would expire before"):
        await accept(scene, "never", -1)
    with pytest.raises(InvalidInputError, match="would expire before"):
        await accept(scene, "never", 60, scheduled_for=later)
    assert await scene.count("messages") == 0


async def test_a_canceled_message_is_told_once(scene: Scene) -> None:
    message_id = await scene.accept("Hello")
    for _ in range(2):
        await scene.cancellations.cancel(scene.principal, message_id)
    assert await scene.event_types() == ["message.canceled"]
