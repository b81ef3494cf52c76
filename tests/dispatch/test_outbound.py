"""An account's queue: in order per recipient, side by side across them, through every trouble."""

import asyncio
from datetime import timedelta

from structlog.testing import capture_logs

from core_scene import ADA, BOB, Scene, ScriptedSession, sent_to
from heliograph.core.dispatch.claims import requeue_claimed
from heliograph.core.ingest.model import MessagePostponed
from heliograph.core.messages.model import MessageStatus
from heliograph.networks.errors import NetworkError, NotConnectedError
from heliograph.networks.port import Outgoing, Sent


async def test_one_recipients_messages_go_in_order(scene: Scene, session: ScriptedSession) -> None:
    for number in range(20):
        await scene.accept(f"{number}", ADA)
    scene.outbound(session)
    await scene.until(lambda: len(session.taken) == 20)
    assert session.taken == [str(number) for number in range(20)]


async def test_recipients_do_not_wait_for_each_other(
    scene: Scene, session: ScriptedSession
) -> None:
    session.gate.clear()
    for text, to in (("a1", ADA), ("a2", ADA), ("b1", BOB), ("b2", BOB)):
        await scene.accept(text, to)
    scene.outbound(session)
    await scene.until(lambda: len(session.log) == 2)
    assert sorted(message.content.summary for message in session.log) == ["a1", "b1"]
    session.gate.set()
    await scene.until_statuses({"a1": "sent", "a2": "sent", "b1": "sent", "b2": "sent"})


async def test_a_message_in_backoff_holds_back_its_recipient_alone(
    scene: Scene, session: ScriptedSession
) -> None:
    session.troubles[ADA] = [NetworkError("Busy.", retry_after=3600)]
    for text, to in (("a1", ADA), ("b1", BOB), ("a2", ADA), ("b2", BOB)):
        await scene.accept(text, to)
    dispatcher = scene.outbound(session)
    await scene.until_statuses({"b1": "sent", "b2": "sent", "a1": "queued", "a2": "queued"})
    await scene.accept("a3", ADA)
    await scene.accept("b3", BOB)
    dispatcher.wake()
    await scene.until_statuses({"b3": "sent", "a1": "queued", "a2": "queued", "a3": "queued"})
    assert session.taken == ["b1", "b2", "b3"]


async def test_when_its_time_has_come_the_order_is_kept(
    scene: Scene, session: ScriptedSession
) -> None:
    session.troubles[ADA] = [NetworkError("Busy."), NetworkError("Busy.")]
    for text in ("a1", "a2", "a3"):
        await scene.accept(text, ADA)
    scene.outbound(session, chance=0.0)
    await scene.until_statuses({"a1": "sent", "a2": "sent", "a3": "sent"})
    assert [message.content.summary for message in session.log] == ["a1", "a1", "a1", "a2", "a3"]
    assert len({message.chat_message_id for message in session.log[:3]}) == 1
    assert [message.attempt for message in session.log[:3]] == [0, 1, 2]


async def test_a_retry_waits_as_the_rule_says(scene: Scene, session: ScriptedSession) -> None:
    session.troubles[ADA] = [NetworkError("Busy.")]
    message_id = await scene.accept("a1", ADA)
    before = scene.database.clock.now()
    await scene.database.pool.execute("UPDATE messages SET retry_count = 5")
    scene.outbound(session, chance=1.0)
    await scene.until(lambda: len(session.log) == 1)
    await scene.until_statuses({"a1": "queued"})
    message = await scene.message(message_id)
    assert message.next_attempt_at is not None
    pause = timedelta(seconds=32 * 1.2)
    assert before + pause <= message.next_attempt_at <= scene.database.clock.now() + pause
    assert (message.retry_count, message.connected_seconds) == (6, 38.4)
    assert message.failure_reason == "Busy."


async def test_a_permanent_failure_is_final_and_says_why(
    scene: Scene, session: ScriptedSession
) -> None:
    session.troubles[ADA] = [NetworkError("Nobody has this number.", permanent=True)]
    refused = await scene.accept("a1", ADA)
    await scene.accept("a2", ADA)
    scene.outbound(session)
    await scene.until_statuses({"a1": "failed", "a2": "sent"})
    message = await scene.message(refused)
    assert message.failure_reason == "Nobody has this number."
    assert message.failed_at is not None
    assert await scene.event_types() == ["message.failed", "message.sent"]


async def test_each_retry_and_each_failure_is_a_log_line_of_its_send(
    scene: Scene, session: ScriptedSession
) -> None:
    session.troubles[ADA] = [NetworkError("Busy."), NetworkError("Blocked.", permanent=True)]
    message_id = await scene.accept("a1", ADA)
    with capture_logs() as lines:
        scene.outbound(session, chance=0.0)
        await scene.until_statuses({"a1": "failed"})
        await scene.until(lambda: any(line["event"] == "message failed" for line in lines))
    found = [line for line in lines if line.get("run_id") == "run_a1" if "reason" in line]
    assert [(line["log_level"], line["event"], line["reason"]) for line in found] == [
        ("info", "message will be tried again", "Busy."),
        ("info", "message failed", "Blocked."),
    ]
    assert {line["message_id"] for line in found} == {str(message_id)}
    [told] = await scene.told("message.failed")
    assert told["run_id"] == "run_a1"


async def test_what_a_dead_node_was_sending_is_a_log_line_of_its_send_too(scene: Scene) -> None:
    message_id = (await scene.begin("a1", ADA)).id
    lease = await scene.take_over()
    with capture_logs() as lines:
        await scene.database.transact(requeue_claimed, lease=lease)
    [line] = [line for line in lines if line.get("run_id") == "run_a1"]
    assert line["event"] == "message will be tried again"
    assert (line["message_id"], line["retry_count"]) == (str(message_id), 1)


async def test_after_a_day_of_trying_it_fails_with_the_last_reason(
    scene: Scene, session: ScriptedSession
) -> None:
    session.troubles[ADA] = [NetworkError("Busy.")]
    message_id = await scene.accept("a1", ADA)
    await scene.database.pool.execute("UPDATE messages SET connected_seconds = 24 * 3600 - 1")
    scene.outbound(session)
    await scene.until_statuses({"a1": "failed"})
    assert "24 hours" in str((await scene.message(message_id)).failure_reason)
    assert "Busy." in str((await scene.message(message_id)).failure_reason)


async def test_time_without_a_connection_is_no_try(scene: Scene, session: ScriptedSession) -> None:
    session.troubles[ADA] = [NotConnectedError("Gone.")]
    message_id = await scene.accept("a1", ADA)
    scene.outbound(session)
    await scene.until(lambda: len(session.log) == 1)
    await scene.until_statuses({"a1": "queued"})
    message = await scene.message(message_id)
    assert (message.retry_count, message.connected_seconds) == (0, 0.0)


async def test_nothing_is_claimed_while_the_line_is_closed(
    scene: Scene, session: ScriptedSession
) -> None:
    is_open = False
    await scene.accept("a1", ADA)
    dispatcher = scene.outbound(session, is_open=lambda: is_open)
    await asyncio.sleep(0.2)
    assert await scene.statuses() == {"a1": "queued"}
    is_open = True
    dispatcher.wake()
    await scene.until_statuses({"a1": "sent"})


async def test_what_was_not_begun_when_the_line_closed_goes_back(
    scene: Scene, session: ScriptedSession
) -> None:
    is_open = True
    session.gate.clear()
    for text in ("a1", "a2", "a3"):
        await scene.accept(text, ADA)
    dispatcher = scene.outbound(session, is_open=lambda: is_open)
    await scene.until(lambda: len(session.log) == 1)
    is_open = False
    session.gate.set()
    await scene.until_statuses({"a1": "sent", "a2": "queued", "a3": "queued"})
    is_open = True
    dispatcher.wake()
    await scene.until_statuses({"a2": "sent", "a3": "sent"})
    assert session.taken == ["a1", "a2", "a3"]


async def test_a_take_over_keeps_the_order_and_the_network_ids(
    scene: Scene, session: ScriptedSession
) -> None:
    for number in range(6):
        await scene.accept(f"{number}", ADA)
    session.gate.clear()
    scene.outbound(session)
    await scene.until(lambda: len(session.log) == 1)
    await scene.stop_sending()

    scene.lease = await scene.take_over()
    await scene.database.transact(requeue_claimed, scene.lease)  # as a new owner does first
    heir = ScriptedSession()
    scene.outbound(heir)
    await scene.until(lambda: len(heir.taken) == 6)
    assert heir.taken == [str(number) for number in range(6)]
    assert heir.log[0].chat_message_id == session.log[0].chat_message_id
    await scene.until_statuses({"5": "sent"})
    assert await scene.counted() == {("outbound", "sent"): 6}


async def test_the_outcome_of_a_lost_lease_is_not_written(
    scene: Scene, session: ScriptedSession
) -> None:
    message_id = await scene.accept("a1", ADA)
    session.gate.clear()
    scene.outbound(session)
    await scene.until(lambda: len(session.log) == 1)
    await scene.take_over()
    session.gate.set()
    await scene.until(lambda: session.taken == ["a1"])
    await scene.reports.drain()
    assert (await scene.message(message_id)).status is MessageStatus.SENDING
    assert await scene.event_types() == []


async def test_a_claim_takes_no_more_than_it_asks_for(scene: Scene) -> None:
    for number in range(12):
        await scene.accept(f"{number}", f"1555011{number:04}@sandbox")
    first, second = await scene.claim(5), await scene.claim(5)
    texts = [message.content.summary for message in first + second]
    assert texts == [str(number) for number in range(10)]


async def test_a_claim_leaves_what_is_behind_a_message_in_backoff(scene: Scene) -> None:
    first = (await scene.begin("a1", ADA)).id
    await scene.accept("a2", ADA)
    await scene.accept("b1", BOB)
    until = scene.database.clock.now() + timedelta(hours=1)
    await scene.report(MessagePostponed(first, until, "Busy.", is_attempt=True))
    assert [message.content.summary for message in await scene.claim()] == ["b1"]


async def test_a_name_that_cannot_be_stored_is_mended(scene: Scene) -> None:
    class Odd(ScriptedSession):
        async def send(self, message: Outgoing) -> Sent:
            return sent_to(message.recipient, contact_name="A\x00da", chat_name="\ud800")

    await scene.accept("a1", ADA)
    scene.outbound(Odd())
    await scene.until_statuses({"a1": "sent"})
    names = (await scene.rows("SELECT name, chat_name FROM contacts"))[0]
    assert tuple(names) == ("A\ufffdda", "\ufffd\ufffd\ufffd")


async def test_a_driver_that_fails_in_its_own_way_costs_a_try_and_no_more(scene: Scene) -> None:
    class Broken(ScriptedSession):
        async def send(self, message: Outgoing) -> Sent:
            self.log.append(message)
            if len(self.log) == 1:
                raise ZeroDivisionError
            return await super().send(message)

    message_id = await scene.accept("a1", ADA)
    scene.outbound(Broken(), chance=0.0)
    await scene.until_statuses({"a1": "sent"})
    assert (await scene.message(message_id)).retry_count == 1
