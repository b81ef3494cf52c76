"""What is accepted while nothing waits is claimed with it, and handed to the account's session."""

import asyncio
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from core_scene import ADA, BOB, Scene, ScriptedSession
from heliograph.core.accounts.model import Restriction
from heliograph.core.dispatch.claims import requeue_claimed
from heliograph.core.dispatch.restriction import RestrictionState
from heliograph.core.messages.queue import sql as queue_sql
from heliograph.networks.errors import NetworkError

MANY = 40


async def until_idle(scene: Scene) -> None:
    """The session has found that nothing waits."""

    def is_idle() -> bool:
        senders = list(scene.messages.senders._senders.values())
        return bool(senders) and not any(
            sender._may_have_more or sender._claiming.locked()  # type: ignore[attr-defined]  # an Outbound
            for sender in senders
        )

    await scene.until(is_idle)


async def waiting(scene: Scene) -> int:
    return await scene.count("message_queue")


async def test_it_is_sending_from_the_start_and_written_down_as_claimed(
    scene: Scene, session: ScriptedSession
) -> None:
    scene.outbound(session, is_warming=False)
    await until_idle(scene)
    session.gate.clear()

    message_id = await scene.accept("a1", ADA)

    assert await scene.statuses() == {"a1": "sending"}
    assert await waiting(scene) == 0
    [claim] = await scene.rows("SELECT message_ids FROM message_claims")
    assert claim["message_ids"] == [message_id]
    [row] = await scene.rows("SELECT claim_epoch FROM messages")
    assert row["claim_epoch"] == scene.lease.epoch
    assert await scene.counted() == await scene.counted_of_account() == {("outbound", "sending"): 1}
    session.gate.set()
    await scene.until_statuses({"a1": "sent"})
    assert await scene.counted() == await scene.recounted()


async def test_many_go_in_the_order_in_which_they_were_accepted(
    scene: Scene, session: ScriptedSession
) -> None:
    scene.outbound(session, is_warming=False)
    for number in range(MANY):
        await scene.accept(f"{number}", ADA)
    await scene.until(lambda: len(session.taken) == MANY)
    assert session.taken == [str(number) for number in range(MANY)]


async def test_those_that_are_accepted_at_once_are_each_sent_once(
    scene: Scene, session: ScriptedSession
) -> None:
    scene.outbound(session, is_warming=False)
    texts = [f"{to}{number}" for number in range(MANY) for to in (ADA, BOB)]
    await asyncio.gather(*[scene.accept(text, text[: len(ADA)]) for text in texts])
    await scene.until_statuses(dict.fromkeys(texts, "sent"))
    assert sorted(session.taken) == sorted(texts)
    assert await scene.counted() == await scene.recounted()


async def test_nothing_overtakes_a_message_that_waits(
    scene: Scene, session: ScriptedSession
) -> None:
    session.troubles[ADA] = [NetworkError("Busy."), NetworkError("Busy.")]
    scene.outbound(session, is_warming=False, chance=0.0)
    await until_idle(scene)
    for text in ("a1", "a2", "a3", "a4"):
        await scene.accept(text, ADA)
        await asyncio.sleep(0.02)
    await scene.until_statuses({"a4": "sent"})
    assert session.taken == ["a1", "a2", "a3", "a4"]


async def test_a_session_that_may_not_send_at_once_finds_it_in_the_queue(
    scene: Scene, session: ScriptedSession
) -> None:
    until = scene.database.clock.now() + timedelta(hours=1)
    forbidden = RestrictionState(Restriction("new_conversations", until, "No."))
    scene.outbound(session, is_warming=False, is_open=lambda: False)
    await scene.accept("a1", ADA)
    assert await scene.statuses() == {"a1": "queued"}
    await scene.stop_sending()

    scene.outbound(session, is_warming=False, restriction=forbidden)
    await scene.accept("a2", ADA)
    assert (await scene.statuses())["a2"] != "sending"
    await scene.stop_sending()
    assert scene.messages.senders._senders == {}


async def test_a_node_that_has_lost_the_lease_claims_nothing(
    scene: Scene, session: ScriptedSession
) -> None:
    scene.outbound(session, is_warming=False)
    await until_idle(scene)
    await scene.take_over()

    await scene.accept("a1", ADA)

    assert await scene.statuses() == {"a1": "queued"}
    assert await waiting(scene) == 1
    assert session.log == []


async def test_a_lost_answer_to_the_commit_loses_no_message_and_doubles_none(
    scene: Scene, session: ScriptedSession
) -> None:
    scene.outbound(session, is_warming=False)
    await until_idle(scene)
    scene.database.forgets = 1

    await scene.accept("a1", ADA)

    await scene.until_statuses({"a1": "sent"})
    assert session.taken == ["a1"]
    await scene.accept("a2", ADA)
    await scene.until_statuses({"a1": "sent", "a2": "sent"})
    assert await scene.counted() == await scene.recounted()


async def test_what_a_session_did_not_live_to_be_handed_is_sent_by_the_next(
    scene: Scene, session: ScriptedSession
) -> None:
    first = scene.outbound(session, is_warming=False)
    await until_idle(scene)
    earlier = first._turns.take()
    await scene.accept("a1", ADA)
    assert await scene.statuses() == {"a1": "sending"}
    await scene.stop_sending()

    earlier.use(lambda: None)  # its turn has come, but its session is over
    assert session.log == []

    scene.outbound(session, is_warming=False)
    await scene.until_statuses({"a1": "sent"})
    assert session.taken == ["a1"]


async def test_stale_claims_are_told_from_what_is_about_to_be_handed_over(
    scene: Scene, session: ScriptedSession
) -> None:
    dispatcher = scene.outbound(session, is_warming=False)
    await until_idle(scene)
    earlier = dispatcher._turns.take()
    await scene.accept("a1", ADA)

    dispatcher.recover_stale_claims()
    await until_idle(scene)
    assert await scene.statuses() == {"a1": "sending"}

    earlier.use(lambda: None)
    await scene.until_statuses({"a1": "sent"})
    assert [message.attempt for message in session.log] == [0]


async def test_what_is_claimed_while_others_are_taken_back_stays_written_down(
    scene: Scene, session: ScriptedSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    await scene.begin("lost", BOB)
    session.gate.clear()
    dispatcher = scene.outbound(session, is_warming=False)
    await until_idle(scene)
    list_claimed, accepting = queue_sql.list_claimed, list["asyncio.Task[UUID]"]()

    async def list_and_accept(*arguments: Any) -> set[UUID]:
        found = await list_claimed(*arguments)
        accepting.append(asyncio.create_task(scene.accept("a1", ADA)))
        await asyncio.sleep(0.1)
        return found

    monkeypatch.setattr(queue_sql, "list_claimed", list_and_accept)
    await scene.database.transact(requeue_claimed, scene.lease)

    [message_id] = await asyncio.gather(*accepting)
    unclaimed = await scene.rows(
        "SELECT id FROM messages WHERE status = 'sending' "
        "AND id <> ALL(ARRAY(SELECT unnest(message_ids) FROM message_claims))"
    )
    assert unclaimed == []
    session.gate.set()
    dispatcher.wake()  # an acceptance that came too late has queued it
    await scene.until_statuses({"a1": "sent"})
    assert (await scene.message(message_id)).retry_count == 0


async def test_what_is_just_being_claimed_is_waited_for_before_anything_is_taken_back(
    scene: Scene, session: ScriptedSession
) -> None:
    session.gate.clear()
    scene.outbound(session, is_warming=False)
    await until_idle(scene)
    async with scene.database.pool.acquire() as other:
        await other.execute("BEGIN")  # somebody whose commit comes late
        shard = scene.principal.tenant.shard
        await other.execute("SELECT 1 FROM account_leases WHERE shard = $1 FOR SHARE", shard)
        await other.execute("UPDATE messages SET status = 'sending'")
        taking_back = asyncio.create_task(scene.database.transact(requeue_claimed, scene.lease))
        await asyncio.sleep(0.2)
        assert not taking_back.done()
        await other.execute("COMMIT")
    assert await taking_back


async def test_old_claims_are_forgotten_with_new_ones(
    scene: Scene, session: ScriptedSession
) -> None:
    scene.outbound(session, is_warming=False)
    await until_idle(scene)
    for number in range(3 * MANY):
        await scene.accept(f"{number}", ADA)
    await scene.until(lambda: len(session.taken) == 3 * MANY)
    assert await scene.count("message_claims") < MANY


async def test_a_lane_goes_by_number_whatever_came_first(
    scene: Scene, session: ScriptedSession
) -> None:
    for text in ("a1", "a2", "a3", "a4"):
        await scene.accept(text, ADA)
    first, second, third, fourth = await scene.claim()
    session.gate.clear()
    dispatcher = scene.outbound(session)

    for message in (third, first):
        dispatcher._enter(message)
    await scene.until(lambda: len(session.log) == 1)  # what is being sent stays in front
    for message in (fourth, second):
        dispatcher._enter(message)
    session.gate.set()

    await scene.until(lambda: len(session.taken) == 4)
    assert session.taken == ["a1", "a2", "a3", "a4"]
