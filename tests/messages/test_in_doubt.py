"""What may have left is never told as canceled, whatever happened to a message before, and whoever
asks for what: each way in which it can wait, with each verb."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from itertools import chain, product
from uuid import UUID

import pytest

from core_scene import ADA, BOB, ChangingSession, Scene, ScriptedSession, receipt, sent_to
from heliograph.core.accounts.model import Restriction
from heliograph.core.dispatch.active_session import ActiveSession
from heliograph.core.dispatch.change_sender import ChangeSender
from heliograph.core.ingest.model import MessagePostponed, MessageRefused, MessageTaken
from heliograph.core.messages.history import explain
from heliograph.core.messages.model import MessageStatus
from heliograph.core.messages.queue.attempts_sql import KEPT, find_attempts
from heliograph.core.messages.queue.holds_sql import hold_new_conversations, release_held
from heliograph.errors import AlreadySentError, NotSentError
from heliograph.networks.content import Text
from heliograph.networks.errors import NetworkError, NotConnectedError
from heliograph.networks.port import Capabilities


async def postpone(scene: Scene, message_id: UUID, **more: bool) -> None:
    await scene.claim()
    given = {"is_attempt": True, "certain": True} | more
    await scene.report(MessagePostponed(message_id, None, "Not now.", **given))


async def be_refused_for_now(scene: Scene, message_id: UUID) -> None:
    await postpone(scene, message_id)


async def hear_nothing(scene: Scene, message_id: UUID) -> None:
    await postpone(scene, message_id, certain=False)


async def have_no_line(scene: Scene, message_id: UUID) -> None:
    await postpone(scene, message_id, is_attempt=False)


async def lose_its_node(scene: Scene, message_id: UUID) -> None:
    await scene.lose_its_node()


async def be_held(scene: Scene, message_id: UUID) -> None:
    """As the account may begin no chats for a while."""
    now, account = scene.database.clock.now(), (scene.principal.tenant, scene.account.id)
    held = Restriction("new_conversations", now + timedelta(days=1), "Slow down.")
    transact = scene.database.transact
    await transact(hold_new_conversations, *account, held, "sandbox", now)
    await transact(release_held, *account, held.until, now)


HAPPENINGS = (be_refused_for_now, hear_nothing, have_no_line, lose_its_node, be_held)
DOUBTFUL = {hear_nothing, lose_its_node}
Past = tuple[Callable[[Scene, UUID], Awaitable[None]], ...]
PASTS: list[Past] = list(chain(*(product(HAPPENINGS, repeat=length) for length in range(3))))


async def live_through(scene: Scene, past: Past) -> tuple[UUID, bool]:
    """Accept a message to which all of this happens; its id, and whether it may have left."""
    message_id = await scene.accept("-".join(what.__name__ for what in past) or "nothing", ADA)
    for happens in past:
        await happens(scene, message_id)
    assert (await scene.message(message_id)).status is MessageStatus.QUEUED
    return message_id, bool(DOUBTFUL & set(past))


async def events_of(scene: Scene, message_id: UUID) -> list[str]:
    rows = await scene.rows(
        "SELECT type FROM events WHERE message_id = $1 ORDER BY seq", message_id
    )
    return [row["type"] for row in rows]


async def changes_of(scene: Scene, message_id: UUID) -> list[str]:
    rows = await scene.rows("SELECT kind FROM message_changes WHERE message_id = $1", message_id)
    return [row["kind"] for row in rows]


async def leave(scene: Scene, message_id: UUID) -> None:
    """So that the next message is alone again."""
    await scene.claim()
    await scene.report(MessageRefused(message_id, "Over."))


async def test_only_what_has_not_left_is_canceled(scene: Scene) -> None:
    for past in PASTS:
        message_id, in_doubt = await live_through(scene, past)
        if in_doubt:
            with pytest.raises(AlreadySentError, match="may be on the phone already"):
                await scene.cancellations.cancel(scene.principal, message_id)
        else:
            await scene.cancellations.cancel(scene.principal, message_id)
        wanted = MessageStatus.QUEUED if in_doubt else MessageStatus.CANCELED
        assert (await scene.message(message_id)).status is wanted
        assert await events_of(scene, message_id) == ([] if in_doubt else ["message.canceled"])
        await leave(scene, message_id)
    assert await scene.counted() == await scene.recounted()


async def test_a_deletion_of_what_may_have_left_waits_behind_it(scene: Scene) -> None:
    for past in PASTS:
        message_id, in_doubt = await live_through(scene, past)
        record = await scene.edits.delete(scene.principal, message_id)
        assert record["status"] == ("queued" if in_doubt else "done")
        assert await changes_of(scene, message_id) == (["deleted"] if in_doubt else [])
        assert await events_of(scene, message_id) == ([] if in_doubt else ["message.canceled"])
        await leave(scene, message_id)


async def test_an_edit_of_what_may_have_left_waits_behind_it(scene: Scene) -> None:
    for past in PASTS:
        message_id, in_doubt = await live_through(scene, past)
        record = await scene.edits.edit(scene.principal, message_id, Text("Otherwise"))
        assert record["status"] == ("queued" if in_doubt else "done")
        is_changed = (await scene.message(message_id)).content == Text("Otherwise")
        assert is_changed is not in_doubt
        await leave(scene, message_id)


async def explanation_of(scene: Scene, message_id: UUID) -> str:
    return " ".join(explain(await scene.history.get(scene.principal, message_id)))


async def test_what_expires_has_failed(scene: Scene) -> None:
    for past in PASTS:
        message_id, _ = await live_through(scene, past)
        await scene.expire(message_id)
        message = await scene.message(message_id)
        assert (message.status, message.failure_reason) == (MessageStatus.FAILED, "expired")
        assert await events_of(scene, message_id) == ["message.failed"]


@pytest.mark.parametrize("end", [Scene.expire, leave])
async def test_what_failed_in_doubt_is_said_to_be_perhaps_on_the_phone(
    scene: Scene, end: Callable[[Scene, UUID], Awaitable[None]]
) -> None:
    for past in PASTS:
        message_id, in_doubt = await live_through(scene, past)
        await end(scene, message_id)
        explanation = await explanation_of(scene, message_id)
        assert "The message failed and is not tried again" in explanation
        assert ("may be on the phone" in explanation) is in_doubt
        assert ("it can be deleted. Sent again, it may arrive twice." in explanation) is in_doubt
        for changed in (
            scene.edits.edit(scene.principal, message_id, Text("Otherwise")),
            scene.edits.react(scene.principal, message_id, "👍"),
        ):
            with pytest.raises(NotSentError) as refused:
                await changed
            assert ("may be on the phone" in refused.value.detail) is in_doubt
        with pytest.raises(AlreadySentError) as too_late:
            await scene.cancellations.cancel(scene.principal, message_id)
        assert ("may be on the phone" in too_late.value.detail) is in_doubt


@pytest.mark.parametrize("happens", [hear_nothing, lose_its_node])
async def test_a_removed_account_says_what_may_be_on_the_phone(
    scene: Scene, happens: Callable[[Scene, UUID], Awaitable[None]]
) -> None:
    message_id, _ = await live_through(scene, (happens,))
    await scene.remove_account()
    assert "may be on the phone" in ((await scene.message(message_id)).failure_reason or "")
    explanation = await explanation_of(scene, message_id)
    assert "may be on the phone already. Sent again, it may arrive twice." in explanation


async def test_what_was_under_way_when_its_account_was_removed_may_be_on_the_phone(
    scene: Scene,
) -> None:
    message = await scene.begin("Hello")
    await scene.remove_account()
    assert (await scene.message(message.id)).may_have_arrived
    assert "may arrive twice" in await explanation_of(scene, message.id)


@pytest.mark.parametrize("certain", [True, False])
async def test_a_refusal_for_good_that_is_not_certain_leaves_a_doubt(
    scene: Scene, certain: bool
) -> None:
    session = ScriptedSession()
    session.troubles[ADA] = [NetworkError("Broken.", permanent=True, certain=certain)]
    message_id = await scene.accept("Hello")
    scene.outbound(session)
    await scene.until_statuses({"Hello": "failed"})
    assert (await scene.message(message_id)).may_have_arrived is not certain
    assert ("may be on the phone" in await explanation_of(scene, message_id)) is not certain
    attempts = await scene.database.read(find_attempts, scene.principal.tenant, message_id)
    assert [attempt.certain for attempt in attempts.kept] == ([] if certain else [False])


async def test_a_receipt_ends_the_doubt(scene: Scene) -> None:
    message_id, _ = await live_through(scene, (hear_nothing,))
    await scene.expire(message_id)
    await scene.report(receipt(await scene.message(message_id), "delivered"))
    assert not (await scene.message(message_id)).may_have_arrived
    assert "may be" not in await explanation_of(scene, message_id)


async def test_what_was_taken_back_is_not_on_the_phone(scene: Scene) -> None:
    message_id, _ = await live_through(scene, (hear_nothing,))
    await scene.expire(message_id)
    await scene.edits.delete(scene.principal, message_id)
    await make_changes(scene, ChangingSession())
    explanation = await explanation_of(scene, message_id)
    assert explanation.startswith("The message was deleted for everyone.")
    assert "may be" not in explanation


async def test_an_edit_of_what_failed_in_doubt_says_that_it_may_be_on_the_phone(
    scene: Scene,
) -> None:
    message_id, _ = await live_through(scene, (hear_nothing,))
    await scene.edits.edit(scene.principal, message_id, Text("Otherwise"))
    await leave(scene, message_id)
    session = ChangingSession()
    await make_changes(scene, session)
    assert session.changes == []
    [_, event] = await scene.told()
    assert "may be on the phone" in event["change"]["reason"]


async def test_a_removed_account_cancels_only_what_has_not_left(scene: Scene) -> None:
    later = scene.database.clock.now() + timedelta(hours=1)
    wanted: dict[UUID, MessageStatus] = {}
    for number, certain in enumerate([True, False]):
        message_id = await scene.accept(f"{certain}", f"1555010000{number}@sandbox")
        await scene.claim()
        await scene.report(
            MessagePostponed(message_id, later, "Not now.", is_attempt=True, certain=certain)
        )
        wanted[message_id] = MessageStatus.CANCELED if certain else MessageStatus.FAILED
    wanted[await scene.accept("under way", BOB)] = MessageStatus.FAILED
    await scene.claim()
    wanted[await scene.accept("never tried")] = MessageStatus.CANCELED
    await scene.remove_account()
    for message_id, status in wanted.items():
        assert (await scene.message(message_id)).status is status
        assert await events_of(scene, message_id) == [f"message.{status}"]
    assert await scene.counted() == await scene.recounted()


async def test_a_driver_that_loses_its_connection_amid_a_send_leaves_a_doubt(scene: Scene) -> None:
    session = ScriptedSession()
    session.troubles[ADA] = [NotConnectedError("Gone.", certain=False)] * 50
    message_id = await scene.accept("cut off")
    scene.outbound(session)
    await scene.until(lambda: len(session.log) >= 2)
    with pytest.raises(AlreadySentError):
        await scene.cancellations.cancel(scene.principal, message_id)
    assert session.log[1].attempt == 1, "the driver learns that an attempt may have gone out"


async def make_changes(scene: Scene, session: ChangingSession) -> None:
    capabilities = Capabilities(frozenset({"text"}), changes=frozenset({"deleted", "edited"}))
    active = ActiveSession(session, lambda: True, capabilities)
    sender = ChangeSender(scene.database, scene.reports, scene.lease, "sandbox", active)
    while await sender._make_due():
        pass


async def test_what_failed_in_doubt_is_taken_back_all_the_same(scene: Scene) -> None:
    """It may be on the phone: that it is told as failed does not take it from there."""
    message_id, _ = await live_through(scene, (hear_nothing,))
    await scene.edits.delete(scene.principal, message_id)
    await leave(scene, message_id)
    session = ChangingSession()
    await make_changes(scene, session)
    assert [change.kind for change in session.changes] == ["deleted"]
    assert (await scene.message(message_id)).deleted_at is not None
    assert await events_of(scene, message_id) == ["message.failed", "message.deleted"]


async def test_a_deletion_goes_behind_the_message_once_its_outcome_is_known(scene: Scene) -> None:
    message_id, _ = await live_through(scene, (hear_nothing,))
    await scene.edits.delete(scene.principal, message_id)
    session = ChangingSession()
    await make_changes(scene, session)
    assert session.changes == []
    await scene.claim()
    await scene.report(MessageTaken(message_id, sent_to(ADA)))
    await make_changes(scene, session)
    assert [change.kind for change in session.changes] == ["deleted"]


async def test_of_many_attempts_the_first_and_the_newest_are_kept(scene: Scene) -> None:
    message_id = await scene.accept("again and again")
    for number in range(KEPT + 3):
        await scene.claim()
        reason, certain = f"No. {number}", number > 0
        await scene.report(
            MessagePostponed(message_id, None, reason, is_attempt=True, certain=certain)
        )
    await lose_its_node(scene, message_id)
    attempts = await scene.database.read(find_attempts, scene.principal.tenant, message_id)
    reasons = [attempt.reason for attempt in attempts.kept]
    assert reasons[0] == "No. 0"
    assert reasons[1:-1] == [f"No. {number}" for number in range(5, KEPT + 3)]
    assert reasons[-1] == "The outcome of the last attempt is not known."
    assert len(reasons) == KEPT
    assert attempts.in_doubt
