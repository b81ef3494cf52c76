"""A restricted account: what goes to strangers is held, all else goes on, and the end frees it."""

from datetime import UTC, datetime, timedelta

import pytest

from core_scene import ADA, BOB, Scene, ScriptedSession, arrival
from heliograph.core.accounts.restrictions import end_restrictions
from heliograph.core.accounts.restrictions_sql import count_waiting
from heliograph.core.dispatch.claims import requeue_claimed
from heliograph.core.dispatch.outbound import Outbound
from heliograph.core.dispatch.restriction import UNKNOWN_LENGTH, RestrictionState
from heliograph.networks.errors import RestrictedError
from heliograph.networks.port import Restricted, Unrestricted
from waiting import seen_until

CARL = "15550100003@sandbox"
REASON = "No new chats for now."


def restricted(scene: Scene, seconds: float = 3600) -> Restricted:
    until = scene.database.clock.now() + timedelta(seconds=seconds)
    return Restricted("new_conversations", until, REASON)


async def restrict(scene: Scene, seconds: float = 3600) -> RestrictionState:
    await scene.report(restricted(scene, seconds))
    return RestrictionState((await scene.stored_account()).restriction)


async def waiting(scene: Scene) -> tuple[int, int]:
    account = scene.account
    counted = await scene.database.read(count_waiting, account.tenant, [account.id])
    found = counted[account.id]
    return found.queued, found.held


async def until_held(scene: Scene, count: int) -> None:
    await seen_until(lambda: waiting(scene), lambda found: found[1] == count)


async def hold_one(
    scene: Scene, session: ScriptedSession, seconds: float = 3600
) -> tuple[RestrictionState, Outbound]:
    """A message "b1" to a stranger, which a restriction of so many seconds holds."""
    state = await restrict(scene, seconds)
    await scene.accept("b1", BOB)
    dispatcher = scene.outbound(session, restriction=state)
    await until_held(scene, 1)
    return state, dispatcher


async def outlast(scene: Scene, dispatcher: Outbound) -> None:
    """A minute passes, and with it a restriction that lasted as long."""
    scene.pass_time(61)
    await end_restrictions(scene.database, scene.changes)
    dispatcher.wake()


async def test_what_goes_to_strangers_is_held_and_replies_go_on(
    scene: Scene, session: ScriptedSession
) -> None:
    await scene.report(arrival("n1", ADA))
    state = await restrict(scene)
    held = await scene.accept("b1", BOB)
    await scene.accept("a1", ADA)
    scene.outbound(session, restriction=state)
    await scene.until_statuses({"a1": "sent", "b1": "queued"})
    assert session.taken == ["a1"]
    assert await waiting(scene) == (1, 1)
    message = await scene.message(held)
    assert (message.retry_count, message.failure_reason) == (0, REASON)


async def test_the_message_that_meets_a_restriction_is_no_attempt_and_reports_it(
    scene: Scene, session: ScriptedSession
) -> None:
    session.troubles[BOB] = [RestrictedError(REASON)]
    met = await scene.accept("b1", BOB)
    await scene.accept("b2", BOB)
    scene.outbound(session)
    await scene.until(lambda: len(session.log) == 1)
    await scene.until_statuses({"b1": "queued", "b2": "queued"})
    account = await scene.stored_account()
    assert account.restriction is not None
    assert (account.restriction.kind, account.restriction.reason) == ("new_conversations", REASON)
    left = account.restriction.until - scene.database.clock.now()
    assert UNKNOWN_LENGTH - timedelta(minutes=1) < left <= UNKNOWN_LENGTH
    message = await scene.message(met)
    assert (message.retry_count, message.connected_seconds) == (0, 0.0)
    assert message.next_attempt_at == account.restriction.until
    assert await scene.event_types() == ["device.restricted"]
    assert len(session.log) == 1


async def test_a_crowd_in_hand_is_not_tried_one_by_one(
    scene: Scene, session: ScriptedSession
) -> None:
    strangers = [f"1555020{number:04d}@sandbox" for number in range(20)]
    session.gate.clear()
    session.troubles[BOB] = [RestrictedError(REASON)]
    for number in range(3):
        await scene.accept(f"b{number}", BOB)
    scene.outbound(session)
    await scene.until(lambda: len(session.log) == 1)
    for number, stranger in enumerate(strangers):
        await scene.accept(f"s{number}", stranger)
    session.gate.set()
    await scene.until_statuses({"b2": "queued", "s19": "queued"})
    assert len(session.log) == 1


async def test_what_was_held_goes_out_in_order_when_the_time_has_passed(
    scene: Scene, session: ScriptedSession
) -> None:
    state = await restrict(scene, seconds=60)
    for text in ("b1", "b2", "b3"):
        await scene.accept(text, BOB)
    dispatcher = scene.outbound(session, restriction=state)
    await until_held(scene, 3)
    await outlast(scene, dispatcher)
    await scene.until_statuses({"b1": "sent", "b2": "sent", "b3": "sent"})
    assert session.taken == ["b1", "b2", "b3"]
    assert (await scene.stored_account()).restriction is None
    events = await scene.event_types()
    assert [kind for kind in events if kind.startswith("device")] == [
        "device.restricted",
        "device.unrestricted",
    ]


async def test_a_restriction_ends_once_on_however_many_nodes(scene: Scene) -> None:
    await restrict(scene, seconds=60)
    await end_restrictions(scene.database, scene.changes)
    assert (await scene.stored_account()).restriction is not None
    scene.pass_time(61)
    for _ in range(2):
        await end_restrictions(scene.database, scene.changes)
    assert await scene.event_types() == ["device.restricted", "device.unrestricted"]


@pytest.mark.parametrize("is_told_again", [False, True])
async def test_a_lifted_restriction_frees_what_it_held(
    scene: Scene, session: ScriptedSession, is_told_again: bool
) -> None:
    """Also one that was told for longer and lifted at once."""
    state, dispatcher = await hold_one(scene, session, seconds=60)
    again = [restricted(scene, 3600)] if is_told_again else []
    await scene.report(*again, Unrestricted())
    state.set(None)
    dispatcher.restriction_changed()
    await scene.until_statuses({"b1": "sent"}, seconds=10)


async def test_who_writes_gets_what_was_held_for_them(
    scene: Scene, session: ScriptedSession
) -> None:
    state = await restrict(scene)
    await scene.accept("b1", BOB)
    await scene.accept("c1", CARL)
    dispatcher = scene.outbound(session, restriction=state)
    await until_held(scene, 2)
    await scene.report(arrival("n1", BOB))
    dispatcher.wake()
    await scene.until_statuses({"b1": "sent", "c1": "queued"})
    assert await waiting(scene) == (1, 1)


async def test_another_node_holds_on(scene: Scene, session: ScriptedSession) -> None:
    session.troubles[BOB] = [RestrictedError(REASON)]
    await scene.accept("b1", BOB)
    scene.outbound(session)
    await until_held(scene, 1)
    await scene.stop_sending()

    scene.lease = await scene.take_over()
    await scene.database.transact(requeue_claimed, scene.lease)
    heir = ScriptedSession()
    await scene.report(arrival("n1", ADA))
    await scene.accept("a1", ADA)
    await scene.accept("c1", CARL)
    scene.outbound(heir, restriction=RestrictionState((await scene.stored_account()).restriction))
    await scene.until_statuses({"a1": "sent", "b1": "queued", "c1": "queued"})
    assert heir.taken == ["a1"]
    assert await waiting(scene) == (2, 2)


async def test_telling_the_same_again_is_no_news(scene: Scene) -> None:
    event = restricted(scene)
    await scene.report(event, event)
    assert await scene.event_types() == ["device.restricted"]


def test_the_first_time_holds_unless_the_network_names_a_later_one() -> None:
    now = datetime.now(UTC)
    state = RestrictionState()
    first = state.met(RestrictedError(REASON, until=now + timedelta(hours=1)), now)
    assert first is not None
    assert state.met(RestrictedError(REASON), now) is None
    later = state.met(RestrictedError(REASON, until=now + timedelta(hours=2)), now)
    assert later is not None
    assert state.at(now + timedelta(hours=3)) is None


async def test_what_was_held_goes_out_at_an_end_that_the_network_has_brought_forward(
    scene: Scene, session: ScriptedSession
) -> None:
    state, dispatcher = await hold_one(scene, session)
    state.set((await restrict(scene, seconds=60)).at(scene.database.clock.now()))
    dispatcher.restriction_changed()
    await until_held(scene, 1)
    await outlast(scene, dispatcher)
    await scene.until_statuses({"b1": "sent"}, seconds=10)


async def test_what_is_held_while_the_restriction_is_being_lifted_goes_out(
    scene: Scene, session: ScriptedSession
) -> None:
    state = await restrict(scene)
    dispatcher = scene.outbound(session, restriction=state)
    await scene.report(Unrestricted())  # the dispatcher is told once that is on disk
    message_id = await scene.accept("b1", BOB)
    dispatcher.wake()
    await seen_until(lambda: scene.message(message_id), lambda message: message.next_attempt_at)
    state.set(None)
    dispatcher.restriction_changed()
    await scene.until_statuses({"b1": "sent"}, seconds=10)
