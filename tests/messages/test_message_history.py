"""A message's history: its steps with their reasons, the network's attempts, and who was told."""

from datetime import timedelta

from msgspec import structs

from core_scene import ADA, Scene, receipt, sent_to
from delivery_tables import CANCEL_ALL, END_ALL
from heliograph.core.dispatch.claims import requeue_claimed
from heliograph.core.ingest.model import MessagePostponed, MessageRefused, MessageTaken
from heliograph.core.messages.history import explain
from heliograph.core.messages.history_record import MessageHistoryRecord, history_record
from heliograph.core.messages.model import ClaimedMessage, Message
from heliograph.core.tenants.model import Principal
from heliograph.core.webhooks.model import WebhookFilter
from heliograph.networks.port import AccountStatus, Restricted, SessionState

ATTEMPT_ALL = """
UPDATE deliveries
SET attempt_count = 1, first_started_at = now(), first_duration_ms = 7, response_code = 500,
    first_response_body = 'no such table', error_message = 'It answered 500.',
    first_address = '127.0.0.1'
"""


async def history_of(
    scene: Scene, message: Message | ClaimedMessage, principal: Principal | None = None
) -> MessageHistoryRecord:
    found = await scene.history.get(principal or scene.principal, message.id)
    return history_record(found, scene.principal)


async def test_steps_are_in_order_with_their_times(scene: Scene) -> None:
    message = await scene.send("Hello")
    assert message.sent_at is not None
    await scene.report(receipt(message, "read", message.sent_at + timedelta(seconds=9)))
    message = await scene.message(message.id)
    steps = (await history_of(scene, message))["steps"]
    assert {step["status"]: step["at"] for step in steps} == {
        "queued": message.queued_at,
        "sent": message.sent_at,
        "read": message.read_at,
    }
    assert [step["at"] for step in steps] == sorted(step["at"] for step in steps)


async def test_receipts_of_an_attempt_whose_answer_was_lost_come_after_the_sending(
    scene: Scene,
) -> None:
    message = await scene.send("Hello")
    assert message.sent_at is not None
    arrived_at = message.sent_at - timedelta(seconds=30)
    read_at = arrived_at + timedelta(seconds=1)
    await scene.report(receipt(message, "delivered", arrived_at), receipt(message, "read", read_at))
    record = await history_of(scene, message)
    steps = [step["status"] for step in record["steps"] if step["status"] != "queued"]
    assert steps == ["sent", "delivered", "read"]
    assert (record["message"]["sent_at"], record["message"]["read_at"]) == (arrived_at, read_at)


async def test_events_that_only_a_later_release_knows_are_shown(scene: Scene) -> None:
    message = await scene.send("Hello")
    await scene.rows("UPDATE events SET type = 'message.translated'")
    history = await history_of(scene, message)
    assert [event["type"] for event in history["events"]] == ["message.translated"]


async def test_a_failure_has_its_reason_and_who_was_told_of_it(scene: Scene) -> None:
    await scene.webhooks.create(scene.principal, "http://127.0.0.1:9/hook")
    claimed = await scene.begin("Hello")
    await scene.report(MessageRefused(claimed.id, "Nobody has this number."))
    await scene.rows(CANCEL_ALL)
    await scene.rows(END_ALL)
    await scene.rows(ATTEMPT_ALL)
    history = await history_of(scene, claimed)

    assert history["steps"][-1]["status"] == "failed"
    assert history["steps"][-1]["reason"] == "Nobody has this number."
    assert history["explanation"][0].endswith("Nobody has this number.")
    [event] = history["events"]
    [delivery] = history["deliveries"] or []
    assert (event["type"], delivery["event_id"]) == ("message.failed", event["id"])
    assert delivery["webhook_url"] == "http://127.0.0.1:9/hook"
    [attempt] = delivery["attempts"]
    assert (attempt["response_code"], attempt["response_body"]) == (500, "no such table")


async def test_a_limited_key_is_shown_no_webhook_of_other_accounts(scene: Scene) -> None:
    """Neither one without a filter, nor one that was deleted, of which nobody knows the filter."""
    own = WebhookFilter(chat_account_ids=(scene.account.id,))
    await scene.webhooks.create(scene.principal, "http://127.0.0.1:9/all")
    await scene.webhooks.create(scene.principal, "http://127.0.0.1:9/own", filter_=own)
    gone = await scene.webhooks.create(scene.principal, "http://127.0.0.1:9/gone", filter_=own)
    claimed = await scene.begin("Hello")
    await scene.report(MessageRefused(claimed.id, "Nobody has this number."))
    await scene.webhooks.delete(scene.principal, gone.webhook.id)

    assert len((await history_of(scene, claimed))["deliveries"] or []) == 3
    history = await history_of(scene, claimed, scene.limited(scene.account.id))
    [delivery] = history["deliveries"] or []
    assert delivery["webhook_url"] == "http://127.0.0.1:9/own"
    said = " ".join(history["explanation"])
    assert "9/all" not in said
    assert "9/gone" not in said


async def test_a_limited_key_is_not_told_that_nobody_subscribed(scene: Scene) -> None:
    await scene.webhooks.create(scene.principal, "http://127.0.0.1:9/all")
    message = await scene.send("Hello")
    history = await history_of(scene, message, scene.limited(scene.account.id))
    assert history["deliveries"] == []
    assert "that this key sees" in history["explanation"][-1]


async def test_what_waits_for_an_account_says_why_in_sentences(scene: Scene) -> None:
    claimed = await scene.begin("Hello")
    await scene.database.transact(requeue_claimed, scene.lease)
    say = "UPDATE accounts SET status = 'logged_out', status_reason = $1"
    for reason, said in (
        (
            "The account was logged out: pair it again.",
            "The account was logged out: pair it again. ",
        ),
        ("No route", "No route. "),
        (None, ""),
    ):
        await scene.rows(say, reason)
        assert (await history_of(scene, claimed))["explanation"][0] == (
            f"The message waits for its account “{scene.account.name}”, which is logged out. "
            f"{said}The message goes out once it is connected."
        )


async def test_what_was_deleted_for_everyone_says_so_first(scene: Scene) -> None:
    message = await scene.send("Hello")
    await scene.rows("UPDATE messages SET deleted_at = now()")
    explanation = (await history_of(scene, message))["explanation"]
    assert explanation[0] == "The message was deleted for everyone."
    assert "took the message" in explanation[1]


async def test_a_page_with_a_table_says_once_what_has_not_arrived(scene: Scene) -> None:
    for name in ("one", "two"):
        await scene.webhooks.create(scene.principal, f"http://127.0.0.1:9/{name}")
    message = await scene.send("Hello")
    history = await scene.history.get(scene.principal, message.id)
    assert sum("The delivery " in each for each in explain(history)) == 2
    short = explain(history, lists_deliveries=False)
    assert short[1:] == ["2 deliveries have not arrived: see below."]


async def test_an_attempt_whose_outcome_is_not_known_is_told(scene: Scene) -> None:
    """Also when the message is put back once more before it is sent."""
    claimed = await scene.begin("Hello")
    await scene.database.transact(requeue_claimed, scene.lease)
    unknown = "The outcome of the last attempt is not known."
    for _ in range(2):
        history = await history_of(scene, claimed)
        assert history["message"]["status"] == "queued"
        assert history["message"]["retry_count"] == 1
        assert history["message"]["failure_reason"] == unknown
        assert history["network_attempts"]["last_error"] == unknown
        assert f"It was tried 1 time; the last time: {unknown}" in history["explanation"]
        await scene.claim()
        await scene.report(MessagePostponed(claimed.id, None, None, is_attempt=False))
    await scene.claim()
    await scene.report(MessageTaken(claimed.id, sent_to(ADA)))
    sent = await scene.message(claimed.id)
    assert (sent.status, sent.failure_reason) == ("sent", None)


async def test_attempts_that_failed_and_the_next_one_are_told(scene: Scene) -> None:
    claimed = await scene.begin("Hello")
    at = scene.database.clock.now() + timedelta(minutes=5)
    await scene.report(MessagePostponed(claimed.id, at, "It is busy.", is_attempt=True))
    attempts = (await history_of(scene, claimed))["network_attempts"]
    assert attempts == {"failed": 1, "last_error": "It is busy.", "next_attempt_at": at}


async def test_a_held_message_names_the_restriction_that_holds_it(scene: Scene) -> None:
    now = scene.database.clock.now().replace(microsecond=0)
    until = now + timedelta(hours=3)
    await scene.report(
        SessionState(AccountStatus.CONNECTED),
        Restricted("new_conversations", until, "Too many people at once."),
    )
    claimed = await scene.begin("Hello")
    await scene.report(MessagePostponed(claimed.id, until, "Restricted.", is_attempt=False))
    [sentence, *_] = (await history_of(scene, claimed))["explanation"]
    assert f"is held until {until:%Y-%m-%dT%H:%M:%SZ}" in sentence
    assert "“Phone”" in sentence
    assert sentence.endswith("Too many people at once.")
    assert "its own pace" not in sentence


async def test_what_a_restriction_does_not_concern_waits_its_turn(scene: Scene) -> None:
    until = scene.database.clock.now() + timedelta(hours=3)
    await scene.report(
        SessionState(AccountStatus.CONNECTED), Restricted("new_conversations", until, "Slow.")
    )
    message = await scene.message(await scene.accept("Hello"))
    [sentence, *_] = (await history_of(scene, message))["explanation"]
    assert "its own pace" in sentence


async def test_attempts_are_steps_with_their_time_and_reason(scene: Scene) -> None:
    message_id = await scene.accept("Hello")
    for reason in ("Busy.", "Silence."):
        [claimed] = await scene.claim()
        certain = reason == "Busy."
        await scene.report(
            MessagePostponed(message_id, None, reason, is_attempt=True, certain=certain)
        )
    await scene.claim()
    await scene.database.transact(requeue_claimed, scene.lease)
    await scene.claim()
    taken_at = scene.database.clock.now() + timedelta(seconds=5)
    await scene.report(MessageTaken(message_id, structs.replace(sent_to(ADA), sent_at=taken_at)))
    steps = (await history_of(scene, claimed))["steps"]
    assert [(step["status"], step["reason"]) for step in steps] == [
        ("queued", None),
        ("sending", "Busy."),
        ("sending", "Silence."),
        ("sending", "The outcome of the last attempt is not known."),
        ("sent", None),
    ]
    assert [step["at"] for step in steps] == sorted(step["at"] for step in steps)


async def test_what_may_be_on_the_phone_says_so(scene: Scene) -> None:
    claimed = await scene.begin("Hello")
    await scene.report(
        MessagePostponed(claimed.id, None, "Silence.", is_attempt=True, certain=False)
    )
    explanation = (await history_of(scene, claimed))["explanation"]
    assert any("may be on the phone already" in sentence for sentence in explanation)


async def test_events_of_one_moment_are_in_their_order(scene: Scene) -> None:
    claimed = await scene.begin("Hello")
    taken = MessageTaken(claimed.id, sent_to(ADA))
    told = [receipt(claimed, kind) for kind in ("delivered", "read")]
    await scene.report(taken, *told)
    events = (await history_of(scene, claimed))["events"]
    assert [event["type"] for event in events] == [
        "message.sent",
        "message.delivered",
        "message.read",
    ]
