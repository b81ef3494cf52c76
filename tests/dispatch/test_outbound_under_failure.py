"""The queue of an account while its database stalls or its network says nothing."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from connections import connected
from core_scene import ADA, Scene, ScriptedSession, playing
from heliograph.core.dispatch import outbound, sending
from heliograph.core.dispatch.claims import claim_messages, requeue_claimed
from heliograph.core.messages.model import ClaimResult
from heliograph.networks.errors import NetworkError
from heliograph.networks.port import Outgoing, Sent


@pytest.fixture
async def scene(database_url: str) -> AsyncIterator[Scene]:
    async with playing(database_url) as opened:
        opened.url = database_url  # type: ignore[attr-defined]  # for a connection of the test's own
        yield opened


async def test_a_message_that_was_put_back_late_is_not_overtaken(scene: Scene) -> None:
    """What waited behind a failed one goes back into the queue, and just that takes its time."""
    await scene.accept("first")
    second = await scene.accept("second")
    session = ScriptedSession()
    session.troubles[ADA] = [NetworkError("Just now.")]
    async with connected(scene.url) as blocker:  # type: ignore[attr-defined]  # see the fixture
        hold = blocker.transaction()
        session.gate.clear()
        scene.outbound(session, chance=0.0)
        await scene.until(lambda: bool(session.log))
        await hold.start()
        await blocker.execute(
            "SELECT 1 FROM messages WHERE shard = $1 AND id = $2 FOR UPDATE",
            scene.principal.tenant.shard,
            second,
        )
        session.gate.set()
        await scene.accept("third")
        await asyncio.sleep(1.5)
        await hold.rollback()
    await scene.until_statuses({"first": "sent", "second": "sent", "third": "sent"})
    assert session.taken == ["first", "second", "third"]


async def test_a_network_that_never_answers_is_asked_again(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "SEND_TIMEOUT", 0.1)

    class Silent(ScriptedSession):
        async def send(self, message: Outgoing) -> Sent:
            if not message.attempt:
                await asyncio.Event().wait()
            return await super().send(message)

    await scene.accept("Hello")
    scene.outbound(Silent())
    await scene.until_statuses({"Hello": "sent"})


async def test_what_nobody_has_in_hand_is_put_back_in_time(scene: Scene) -> None:
    """A commit in doubt may come true when nobody looks any more."""
    await scene.begin("Hello")
    session = ScriptedSession()
    dispatcher = scene.outbound(session)
    await asyncio.sleep(0.2)
    assert not session.log
    dispatcher.recover_stale_claims()
    await scene.until_statuses({"Hello": "sent"})
    assert await scene.counted() == await scene.recounted()


async def test_under_a_lease_that_is_over_nothing_is_put_back(scene: Scene) -> None:
    """A claim that is tried again after its node stood still must not take part any more."""
    await scene.begin("Hello")
    earlier = scene.lease
    await scene.take_over()
    put_back = await scene.database.transact(requeue_claimed, earlier)
    assert not put_back
    assert await scene.statuses() == {"Hello": "sending"}


async def test_a_claim_under_way_does_not_overtake_what_is_postponed_meanwhile(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    await scene.accept("first")
    session = ScriptedSession()
    session.troubles[ADA] = [NetworkError("Just now.")]
    session.gate.clear()
    dispatcher = scene.outbound(session)
    await scene.until(lambda: bool(session.log))

    async def claim_slowly(*arguments: Any, **keywords: Any) -> ClaimResult:
        claimed = await claim_messages(*arguments, **keywords)
        session.gate.set()
        await asyncio.sleep(0.3)
        return claimed

    monkeypatch.setattr(outbound, "claim_messages", claim_slowly)
    await scene.accept("second")
    dispatcher.wake()
    await scene.until_statuses({"first": "sent", "second": "sent"})
    assert session.taken == ["first", "second"]
