"""The network takes nothing for one person who has written: two tries, then it fails, and the
account goes on. A restriction whose end nobody knows is told to a person when it comes back."""

from datetime import timedelta

from core_scene import ADA, BOB, Scene, ScriptedSession, arrival
from heliograph.core.accounts.restrictions import end_restrictions
from heliograph.core.dispatch.outbound import Outbound
from heliograph.core.dispatch.restriction import UNKNOWN_LENGTH
from heliograph.core.dispatch.sending import PERSON_PAUSE
from heliograph.networks.errors import NetworkError, RestrictedError
from heliograph.networks.port import ContactSeen
from waiting import seen_until, until

REASON = "No new chats for now."
TO_DO = "Not to this person: write to them from the phone."
LID = "998877@lid"
DAY = 24 * 3600.0


def refusal() -> RestrictedError:
    return RestrictedError(REASON, about_person=TO_DO)


async def tries(scene: Scene, session: ScriptedSession, count: int) -> None:
    await scene.until(lambda: len(session.log) == count)


async def pass_time(scene: Scene, dispatcher: Outbound, seconds: float) -> None:
    scene.pass_time(seconds)
    await end_restrictions(scene.database, scene.changes)
    dispatcher.wake()


async def test_who_has_written_is_tried_twice_minutes_apart_and_then_it_fails(
    scene: Scene, session: ScriptedSession
) -> None:
    session.troubles[ADA] = [refusal(), refusal()]
    await scene.report(arrival("n1", ADA))
    message_id = await scene.accept("a1", ADA)
    dispatcher = scene.outbound(session)
    await tries(scene, session, 1)
    await scene.until_statuses({"a1": "queued"})

    message = await scene.message(message_id)
    assert (message.retry_count, message.failure_reason) == (1, TO_DO)
    assert message.next_attempt_at is not None
    waits = message.next_attempt_at - scene.database.clock.now()
    assert timedelta(seconds=PERSON_PAUSE - 60) < waits <= timedelta(seconds=PERSON_PAUSE)

    await pass_time(scene, dispatcher, PERSON_PAUSE + 1)
    await scene.until_statuses({"a1": "failed"})
    assert (await scene.message(message_id)).failure_reason == TO_DO
    account = await scene.stored_account()
    assert (account.restriction, account.restrictions_in_a_row) == (None, 0)
    assert await scene.event_types() == ["message.received", "message.failed"]
    for _ in range(5):
        await pass_time(scene, dispatcher, DAY)
    assert len(session.log) == 2


async def test_others_are_written_to_meanwhile(scene: Scene, session: ScriptedSession) -> None:
    session.troubles[ADA] = [refusal(), refusal()]
    await scene.report(arrival("n1", ADA))
    await scene.accept("a1", ADA)
    dispatcher = scene.outbound(session)
    await tries(scene, session, 1)
    await scene.accept("b1", BOB)
    dispatcher.wake()

    await scene.until_statuses({"b1": "sent"})


async def test_the_second_try_may_go_through(scene: Scene, session: ScriptedSession) -> None:
    session.troubles[ADA] = [refusal()]
    await scene.report(arrival("n1", ADA))
    await scene.accept("a1", ADA)
    dispatcher = scene.outbound(session)
    await scene.until_statuses({"a1": "queued"})
    await tries(scene, session, 1)
    await scene.until_statuses({"a1": "queued"})
    await pass_time(scene, dispatcher, PERSON_PAUSE + 1)

    await scene.until_statuses({"a1": "sent"})


async def test_a_try_that_failed_for_another_reason_is_not_one_of_the_two(
    scene: Scene, session: ScriptedSession
) -> None:
    session.troubles[ADA] = [NetworkError("Busy."), refusal(), refusal()]
    await scene.report(arrival("n1", ADA))
    message_id = await scene.accept("a1", ADA)
    dispatcher = scene.outbound(session)
    await tries(scene, session, 2)
    told = await seen_until(
        lambda: scene.message(message_id), lambda message: message.failure_reason == TO_DO
    )
    assert told.failed_at is None
    await pass_time(scene, dispatcher, PERSON_PAUSE + 1)

    await scene.until_statuses({"a1": "failed"})
    assert len(session.log) == 3


async def test_who_wrote_under_another_address_has_written(
    scene: Scene, session: ScriptedSession
) -> None:
    session.troubles[ADA] = [refusal(), refusal()]
    await scene.report(arrival("n1", LID))
    await scene.report(ContactSeen(LID, "+15550100001"), ContactSeen(ADA, "+15550100001"))
    await scene.accept("a1", ADA)
    scene.outbound(session)
    await tries(scene, session, 1)
    await scene.until_statuses({"a1": "queued"})

    assert await restricted_for(scene) is None


async def test_whom_the_account_only_wrote_to_has_not_written(
    scene: Scene, session: ScriptedSession
) -> None:
    session.troubles[BOB] = [refusal()]
    await scene.send("b0", BOB)
    await scene.accept("b1", BOB)
    scene.outbound(session)
    await tries(scene, session, 1)

    await until(lambda: restricted_for(scene))


async def restricted_for(scene: Scene) -> str | None:
    restriction = (await scene.stored_account()).restriction
    return None if restriction is None else restriction.reason


async def reasons(scene: Scene) -> list[str]:
    return [data["reason"] for data in await scene.told("device.restricted")]


async def until_told(scene: Scene, times: int) -> None:
    await seen_until(lambda: reasons(scene), lambda told: len(told) >= times)


async def test_a_restriction_without_an_end_is_renewed_twice_before_a_person_is_told(
    scene: Scene, session: ScriptedSession
) -> None:
    session.troubles[BOB] = [refusal() for _ in range(4)]
    await scene.accept("b1", BOB)
    dispatcher = scene.outbound(session)
    for day in range(1, 5):
        await tries(scene, session, day)
        await until_told(scene, day)
        await scene.until_statuses({"b1": "queued"})
        await pass_time(scene, dispatcher, UNKNOWN_LENGTH.total_seconds() + 1)

    first, second, third, fourth = await reasons(scene)
    assert first == second == REASON
    assert "3 times in a row" in third
    assert "4 times in a row" in fourth
    assert "look at what the network says on the account's phone" in fourth
    await scene.until_statuses({"b1": "sent"})
    assert (await scene.stored_account()).restrictions_in_a_row == 0, "it may begin chats again"
