"""Changes of messages on their way to the network."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from msgspec.structs import replace

from core_scene import ADA, AT, BOB, ChangingSession, Scene, arrival, playing
from heliograph.core.dispatch.active_session import ActiveSession
from heliograph.core.dispatch.change_sender import ChangeSender
from heliograph.core.dispatch.claims import requeue_claimed
from heliograph.core.dispatch.sending import PERSON_PAUSE
from heliograph.core.ingest.model import MessagePostponed, MessageRefused
from heliograph.core.messages.model import Message, MessageStatus
from heliograph.core.removals.service import finish_removals
from heliograph.errors import (
    InvalidInputError,
    MessageDeletedError,
    MessageNotFoundError,
    NotSentError,
    NotSupportedByNetworkError,
    TooOldError,
)
from heliograph.networks.choices import as_text
from heliograph.networks.content import (
    Audio,
    Buttons,
    Content,
    Document,
    Image,
    ListMessage,
    Row,
    Section,
    Sticker,
    Text,
    encode_content,
    message_type,
)
from heliograph.networks.errors import NetworkError, NotConnectedError, RestrictedError
from heliograph.networks.port import Capabilities, Changed
from heliograph.networks.registry import NetworkRegistry
from heliograph.networks.sandbox.driver import SandboxNetwork
from waiting import PATIENCE, seen_until, until

CAPABILITIES = Capabilities(
    frozenset({"text", "buttons", "image"}),
    changes=frozenset({"edited", "deleted", "reaction"}),
)
RETRIED = "SELECT 1 FROM message_changes WHERE retry_count = 1"
HELLO, BYE = Text("Hello again"), Text("Goodbye")


class Desk:
    def __init__(self, scene: Scene) -> None:
        self.scene, self.session = scene, ChangingSession()
        self.sender = ChangeSender(
            scene.database,
            scene.reports,
            scene.lease,
            "sandbox",
            ActiveSession(self.session, lambda: True, CAPABILITIES),
            chance=lambda: 0.0,
        )
        scene.tasks.append(asyncio.create_task(self.sender.run()))

    async def send(self, content: Content) -> Message:
        """A message that the network has taken, with a content that the session can't send."""
        message = await self.scene.send("Hello")
        change = "UPDATE messages SET content = $1, message_type = $2"
        await self.scene.rows(change, encode_content(content), message_type(content))
        return message

    async def edit(self, message_id: UUID, content: Content = HELLO) -> str:
        record = await self.scene.edits.edit(self.scene.principal, message_id, content)
        self.sender.wake()
        return record["status"]

    async def react(self, message_id: UUID, emoji: str) -> None:
        await self.scene.edits.react(self.scene.principal, message_id, emoji)
        self.sender.wake()

    async def send_changes(self) -> None:
        self.sender.wake()
        await self.until_done()

    async def until_done(self) -> None:
        await seen_until(lambda: self.scene.count("message_changes"), lambda count: not count)

    async def until_it_waits(self) -> None:
        """For another try."""
        await until(lambda: self.scene.rows(RETRIED))

    async def events(self, kind: str) -> list[dict[str, Any]]:
        return await self.scene.told(f"message.{kind}")


@pytest.fixture
async def desk(database_url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Desk]:
    monkeypatch.setattr(SandboxNetwork, "capabilities", CAPABILITIES)
    async with playing(database_url) as scene:
        yield Desk(scene)


async def test_an_edit_reaches_the_network_and_is_told(desk: Desk) -> None:
    message = await desk.scene.send("Hello")
    assert await desk.edit(message.id) == "queued"
    await desk.until_done()
    [change] = desk.session.changes
    assert (change.kind, change.content) == ("edited", HELLO)
    assert (change.chat_message_id, change.sender_jid) == (message.chat_message_id, None)
    changed = await desk.scene.message(message.id)
    assert (changed.content, changed.edited_at) == (HELLO, AT)
    [event] = await desk.events("edited")
    assert (event["content"], event["changed_by"]) == ("Hello again", None)
    assert event["change_id"]
    [shown] = await desk.scene.rows("SELECT last_message_preview AS preview FROM conversations")
    assert shown["preview"] == "Hello again"


async def test_an_edit_of_a_file_names_the_file_with_its_new_caption(desk: Desk) -> None:
    picture = Image("image/png", "Us", "us.png", 9)
    message = await desk.send(picture)

    assert await desk.edit(message.id, Text("Both of us")) == "queued"
    await desk.until_done()

    [change] = desk.session.changes
    assert change.content == replace(picture, caption="Both of us")
    assert (await desk.scene.message(message.id)).content == change.content


@pytest.mark.parametrize(
    ("file", "caption", "reason"),
    [
        (Document("text/csv"), "x" * 1025, "at most 1024 characters"),
        (Audio("audio/ogg"), "Listen", "of the type 'audio'"),
        (Sticker("image/webp"), "Look", "of the type 'sticker'"),
    ],
    ids=["too long", "of a sound", "of a sticker"],
)
async def test_a_caption_that_could_not_be_sent_is_refused(
    desk: Desk, file: Content, caption: str, reason: str
) -> None:
    message = await desk.send(file)
    with pytest.raises(InvalidInputError, match=reason):
        await desk.edit(message.id, Text(caption))


async def test_an_edit_of_what_went_out_as_a_text_is_a_text(desk: Desk) -> None:
    sent = ListMessage("When?", "Times", (Section((Row("am", "Morning"),)),))
    now = replace(sent, body="At what time?")
    message = await desk.send(sent)

    assert await desk.edit(message.id, now) == "queued"
    await desk.until_done()

    [change] = desk.session.changes
    assert change.content == Text(as_text(now))
    assert (await desk.scene.message(message.id)).content == now


async def test_an_edit_of_what_waits_again_stays_behind_an_earlier_one(desk: Desk) -> None:
    message_id = (await desk.scene.begin("Hello")).id
    await desk.edit(message_id, HELLO)  # the message is under way
    back = MessagePostponed(message_id, None, None, is_attempt=False)
    await desk.scene.report(back)
    assert await desk.edit(message_id, BYE) == "queued"
    desk.scene.outbound(desk.session)
    await desk.scene.until_statuses({"Hello": "sent"})
    await desk.send_changes()
    assert [change.content for change in desk.session.changes] == [HELLO, BYE]
    assert (await desk.scene.message(message_id)).content == BYE


async def test_what_a_session_begins_to_send_meanwhile_is_taken_back_afterwards(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    message_id = await desk.scene.accept("Hello")
    cancel = desk.scene.cancellations.cancel

    async def cancel_too_late(*arguments: Any) -> object:
        await desk.scene.claim()
        return await cancel(*arguments)

    monkeypatch.setattr(desk.scene.cancellations, "cancel", cancel_too_late)
    record = await desk.scene.edits.delete(desk.scene.principal, message_id)
    assert record["status"] == "queued"
    [change] = await desk.scene.rows("SELECT kind FROM message_changes")
    assert change["kind"] == "deleted"


async def test_a_change_waits_for_its_message(desk: Desk) -> None:
    message_id = (await desk.scene.begin("Hello")).id
    assert await desk.edit(message_id) == "queued"
    await asyncio.sleep(0.1)
    assert desk.session.changes == []
    desk.scene.outbound(desk.session)
    await desk.scene.database.transact(requeue_claimed, desk.scene.lease)
    await desk.scene.until_statuses({"Hello": "sent"})
    await desk.send_changes()
    assert len(desk.session.changes) == 1


async def test_changes_of_one_message_are_made_in_order(desk: Desk) -> None:
    message = await desk.scene.send("Hello")
    desk.session.refusals = [NotConnectedError("gone for a moment")]
    for content in (HELLO, BYE):
        await desk.edit(message.id, content)
    await desk.react(message.id, "👍")
    async with asyncio.timeout(PATIENCE):
        while await desk.scene.count("message_changes"):
            desk.sender.wake()
            await asyncio.sleep(0.05)
    assert [change.content for change in desk.session.changes] == [HELLO, BYE, None]
    assert (await desk.scene.message(message.id)).content == BYE


async def test_reactions_replace_each_other_and_are_withdrawn(desk: Desk) -> None:
    await desk.scene.report(arrival("A1"))
    [row] = await desk.scene.rows("SELECT id FROM messages")
    for emoji in ("👍", "🎉"):
        await desk.react(row["id"], emoji)
        await desk.until_done()
    assert desk.session.changes[0].sender_jid == ADA
    message = await desk.scene.message(row["id"])
    assert [(reaction.emoji, reaction.jid) for reaction in message.reactions] == [("🎉", None)]
    await desk.react(row["id"], "")
    await desk.until_done()
    assert (await desk.scene.message(row["id"])).reactions == ()
    assert [event["emoji"] for event in await desk.events("reaction")] == ["👍", "🎉", ""]


async def test_a_refused_change_is_told_as_a_failure_that_names_it(desk: Desk) -> None:
    message = await desk.scene.send("Hello")
    desk.session.refusals = [NetworkError("Too late.", permanent=True)]
    await desk.edit(message.id)
    await desk.until_done()
    unchanged = await desk.scene.message(message.id)
    assert (unchanged.content, unchanged.status) == (Text("Hello"), MessageStatus.SENT)
    [event] = await desk.events("failed")
    assert (event["change"]["kind"], event["change"]["reason"]) == ("edited", "Too late.")
    assert event["status"] == "sent"


async def test_a_failure_that_passes_is_tried_again_under_the_same_id(desk: Desk) -> None:
    message = await desk.scene.send("Hello")
    desk.session.refusals = [NetworkError("Busy.")]
    began = desk.scene.database.clock.now()
    await desk.edit(message.id)
    await desk.until_it_waits()
    [row] = await desk.scene.rows("SELECT change_id, next_attempt_at FROM message_changes")
    assert row["next_attempt_at"] > began
    await desk.scene.rows(
        "UPDATE message_changes SET next_attempt_at = now() - interval '1 second'"
    )
    await desk.send_changes()
    assert [change.change_id for change in desk.session.changes] == [row["change_id"]]


async def test_an_outcome_whose_commit_was_in_doubt_is_told_once(desk: Desk) -> None:
    message = await desk.scene.send("Hello")
    await desk.scene.edits.edit(desk.scene.principal, message.id, HELLO)
    desk.scene.database.forgets = 1
    await desk.send_changes()
    await asyncio.sleep(0.1)
    assert len(await desk.events("edited")) == 1


async def test_a_sent_message_is_taken_back_for_everyone(desk: Desk) -> None:
    message = await desk.scene.send("Hello")
    await desk.scene.edits.delete(desk.scene.principal, message.id)
    await desk.send_changes()
    assert (await desk.scene.message(message.id)).deleted_at == AT
    with pytest.raises(MessageDeletedError):
        await desk.edit(message.id)
    with pytest.raises(MessageDeletedError):
        await desk.scene.edits.react(desk.scene.principal, message.id, "👍")
    with pytest.raises(MessageDeletedError):
        await desk.scene.edits.delete(desk.scene.principal, message.id)


@pytest.mark.parametrize("at_once", [False, True])
async def test_a_deletion_that_is_asked_for_again_while_it_waits_is_one(
    desk: Desk, at_once: bool
) -> None:
    message = await desk.scene.send("Hello")
    await desk.scene.edits.react(desk.scene.principal, message.id, "👍")
    asked = [desk.scene.edits.delete(desk.scene.principal, message.id) for _ in range(3)]
    records = await asyncio.gather(*asked) if at_once else [await each for each in asked]
    assert records[0]["change_id"] is not None
    assert records == [records[0]] * 3
    await desk.send_changes()
    assert [change.kind for change in desk.session.changes] == ["reaction", "deleted"]
    [told] = await desk.events("deleted")
    assert told["change_id"] == str(records[0]["change_id"])
    assert await desk.events("failed") == []


async def test_a_deletion_that_was_refused_can_be_asked_for_again(desk: Desk) -> None:
    message = await desk.scene.send("Hello")
    desk.session.refusals = [NetworkError("Not you.", permanent=True)]
    first = await desk.scene.edits.delete(desk.scene.principal, message.id)
    await desk.send_changes()
    again = await desk.scene.edits.delete(desk.scene.principal, message.id)
    assert again["change_id"] != first["change_id"]


async def test_each_edit_and_each_reaction_is_told_even_if_it_repeats_another(desk: Desk) -> None:
    """They come in the order of the requests: between two that are alike may be a third."""
    message = await desk.scene.send("Hello")
    for emoji in ("👍", "❤️", "👍", "👍"):
        await desk.scene.edits.react(desk.scene.principal, message.id, emoji)
    await desk.edit(message.id)
    await desk.edit(message.id)
    await desk.until_done()
    assert [event["emoji"] for event in await desk.events("reaction")] == ["👍", "❤️", "👍", "👍"]
    assert len(await desk.events("edited")) == 2


async def test_nobody_reacts_to_what_a_person_has_deleted(desk: Desk) -> None:
    scene = desk.scene
    await scene.report(arrival("A1"))
    [row] = await scene.rows("SELECT id FROM messages")
    await scene.report(Changed("deleted", ADA, ADA, "C1", "A1", ADA, AT))
    with pytest.raises(MessageDeletedError):
        await desk.scene.edits.react(scene.principal, row["id"], "👍")


async def test_a_reaction_behind_a_deletion_is_refused_and_told(desk: Desk) -> None:
    message = await desk.scene.send("Hello")
    await desk.scene.edits.delete(desk.scene.principal, message.id)
    await desk.scene.edits.react(desk.scene.principal, message.id, "👍")
    await desk.send_changes()
    assert [change.kind for change in desk.session.changes] == ["deleted"]
    assert (await desk.scene.event_types())[-2:] == ["message.deleted", "message.failed"]


async def test_what_was_not_sent_conflicts_with_every_change(desk: Desk) -> None:
    scene = desk.scene
    canceled = await scene.accept("canceled")
    await scene.cancellations.cancel(scene.principal, canceled)
    failed = (await scene.begin("failed", BOB)).id
    await scene.report(MessageRefused(failed, "Nobody has this number."))
    for message_id in (canceled, failed):
        with pytest.raises(NotSentError):
            await desk.edit(message_id)
        with pytest.raises(NotSentError):
            await desk.scene.edits.react(scene.principal, message_id, "👍")
    with pytest.raises(NotSentError):
        await desk.scene.edits.delete(scene.principal, failed)


async def test_a_change_made_at_once_promises_no_event(desk: Desk) -> None:
    message_id = await desk.scene.accept("Hello")
    edited = await desk.scene.edits.edit(desk.scene.principal, message_id, Text("Otherwise"))
    deleted = await desk.scene.edits.delete(desk.scene.principal, message_id)
    for record in (edited, deleted):
        assert (record["status"], record["change_id"]) == ("done", None)


async def test_what_was_asked_of_an_account_that_was_just_removed_is_forgotten(desk: Desk) -> None:
    scene = desk.scene
    message = await scene.send("Hello")
    desk.session.refusals = [NotConnectedError("away")] * 100
    await desk.scene.edits.react(scene.principal, message.id, "👍")
    await scene.rows("UPDATE accounts SET status = 'logged_out'")
    await scene.remove_account()
    # its account is still remembered
    await scene.edits.react(scene.principal, message.id, "❤️")

    await finish_removals(scene.database, scene.notifications, NetworkRegistry())

    assert await scene.count("message_changes") == 0


async def test_what_can_not_be_changed_is_refused(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    await desk.scene.report(arrival("A1"))
    [row] = await desk.scene.rows("SELECT id FROM messages")
    with pytest.raises(InvalidInputError, match="came in"):
        await desk.edit(row["id"])
    with pytest.raises(MessageNotFoundError):
        await desk.edit(UUID(int=1))
    sent = await desk.scene.send("Hello")
    with pytest.raises(InvalidInputError, match="of the type 'text'"):
        await desk.edit(sent.id, Buttons("Well?", ()))
    old = desk.scene.database.clock.now() - timedelta(seconds=901)
    await desk.scene.rows("UPDATE messages SET sent_at = $1", old)
    limited = replace(CAPABILITIES, edit_seconds=900)
    monkeypatch.setattr(SandboxNetwork, "capabilities", limited)
    with pytest.raises(TooOldError, match="15 minutes"):
        await desk.edit(sent.id)
    monkeypatch.setattr(SandboxNetwork, "capabilities", Capabilities(frozenset({"text"})))
    with pytest.raises(NotSupportedByNetworkError, match="react to messages"):
        await desk.react(sent.id, "👍")
    assert await desk.scene.count("message_changes") == 0


async def test_a_change_that_a_restriction_meets_is_tried_twice_and_then_fails(desk: Desk) -> None:
    refusals = [RestrictedError("Not now.", about_person="Write from the phone.") for _ in range(3)]
    desk.session.refusals = [*refusals]
    message = await desk.scene.send("Hello")
    await desk.edit(message.id)
    await desk.until_it_waits()
    assert len(desk.session.refusals) == 2
    desk.scene.pass_time(PERSON_PAUSE + 1)
    await desk.send_changes()

    [event] = await desk.events("failed")
    assert event["change"]["reason"] == "Write from the phone."
    assert len(desk.session.refusals) == 1
    assert (await desk.scene.stored_account()).restriction is None
