"""Edits, deletions and reactions: there and back, once each."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from msgspec.structs import replace

from heliograph.networks.content import Content, Image, Text
from heliograph.networks.port import Changed, ChangeKind, Inbound, MessageChanges, OutgoingChange
from heliograph.networks.testing.contents import PNG, look
from heliograph.networks.testing.files import MemoryFile
from heliograph.networks.testing.harness import Connected, Harness
from heliograph.networks.testing.suite import Suite, address_of, possible, require


class Changing(Suite):
    async def test_an_edit_reaches_the_person(self, harness: Harness, one: Connected) -> None:
        session = _changes(one, "edited")
        message, sent = await one.send(harness.person, "At six o'clock")

        at = await session.change(
            _change(one, "edited", sent.remote_jid, message.chat_message_id, Text("At seven"))
        )

        [bubble] = await look(harness, one)
        assert bubble.content == Text("At seven")
        assert bubble.is_edited
        assert abs(datetime.now(UTC) - at) < timedelta(days=1), "the change has a wrong time"

    async def test_another_caption_leaves_the_file(self, harness: Harness, one: Connected) -> None:
        session = _changes(one, "edited")
        if "image" not in one.network.capabilities.content:
            pytest.skip("the network sends no pictures")
        file = MemoryFile(PNG, "image/png", "dot.png")
        before, after = (Image("image/png", caption, "dot.png") for caption in ("One", "Two"))
        message, sent = await one.send(harness.person, before, file=file)

        await session.change(
            _change(one, "edited", sent.remote_jid, message.chat_message_id, after)
        )

        [bubble] = await look(harness, one)
        assert isinstance(bubble.content, Image), "the picture is gone"
        assert (bubble.content.caption, bubble.file) == ("Two", PNG)

    async def test_a_deletion_reaches_the_person(self, harness: Harness, one: Connected) -> None:
        session = _changes(one, "deleted")
        message, sent = await one.send(harness.person, "For somebody else")

        await session.change(_change(one, "deleted", sent.remote_jid, message.chat_message_id))

        [bubble] = await look(harness, one)
        assert bubble.is_deleted
        assert "somebody else" not in bubble.content.summary

    async def test_a_reaction_reaches_the_person_and_is_withdrawn(
        self, harness: Harness, one: Connected
    ) -> None:
        session = _changes(one, "reaction")
        chat_message_id = await harness.say(one, harness.person, "We have won!")
        inbound = await one.events.next(Inbound)

        for emoji, shown in (("🎉", ("🎉",)), ("👍", ("👍",)), ("", ())):
            change = _change(one, "reaction", inbound.chat_jid, chat_message_id, emoji=emoji)
            await session.change(replace(change, sender_jid=inbound.sender_jid))
            assert await _reactions(harness, one, chat_message_id) == shown

    @pytest.mark.parametrize("kind", ["edited", "deleted", "reaction"])
    async def test_the_same_change_twice_is_one(
        self, harness: Harness, one: Connected, kind: ChangeKind
    ) -> None:
        session = _changes(one, kind)
        message, sent = await one.send(harness.person, "At six o'clock")
        content = Text("At seven") if kind == "edited" else None
        change = _change(
            one,
            kind,
            sent.remote_jid,
            message.chat_message_id,
            content,
            "👍" * (kind == "reaction"),
        )

        await session.change(change)
        once = await look(harness, one)
        await session.change(change)

        assert await look(harness, one) == once

    # --- what people change ---

    async def test_a_persons_edit_comes_in(self, harness: Harness, one: Connected) -> None:
        chat_message_id = await harness.say(one, harness.person, "At six o'clock")
        with possible("edit a message", claimed=_claims(harness, "edited")):
            await harness.edit(one, harness.person, chat_message_id, "At seven")

        changed = await _changed(harness, one, chat_message_id)
        assert (changed.kind, changed.content) == ("edited", Text("At seven"))
        assert changed.message_sender_jid == address_of(one, harness.person)

    async def test_a_persons_deletion_comes_in(self, harness: Harness, one: Connected) -> None:
        chat_message_id = await harness.say(one, harness.person, "For somebody else")
        with possible("delete a message", claimed=_claims(harness, "deleted")):
            await harness.delete(one, harness.person, chat_message_id)

        changed = await _changed(harness, one, chat_message_id)
        assert changed.kind == "deleted"
        assert changed.message_sender_jid == address_of(one, harness.person)

    async def test_a_persons_reaction_comes_in_and_its_withdrawal(
        self, harness: Harness, one: Connected
    ) -> None:
        message, _ = await one.send(harness.person, "We have won!")
        for emoji in ("🎉", ""):
            with possible("react to a message", claimed=_claims(harness, "reaction")):
                await harness.react(one, harness.person, message.chat_message_id, emoji)
            changed = await _changed(harness, one, message.chat_message_id)
            assert (changed.kind, changed.emoji) == ("reaction", emoji)
            assert changed.message_sender_jid == one.account.remote_jid

    async def test_a_persons_reaction_to_what_they_wrote_names_them(
        self, harness: Harness, one: Connected
    ) -> None:
        chat_message_id = await harness.say(one, harness.person, "We have won!")
        await one.events.next(Inbound)
        with possible("react to a message", claimed=_claims(harness, "reaction")):
            await harness.react(one, harness.person, chat_message_id, "🎉")

        changed = await _changed(harness, one, chat_message_id)
        assert changed.message_sender_jid == address_of(one, harness.person)

    async def test_a_change_that_was_not_taken_comes_again(
        self, harness: Harness, one: Connected
    ) -> None:
        chat_message_id = await harness.say(one, harness.person, "At six o'clock")
        await one.events.next(Inbound)
        one.events.refusing = RuntimeError("the database is full")
        with possible("react to a message", claimed=_claims(harness, "reaction")):
            await harness.react(one, harness.person, chat_message_id, "👍")
        await one.events.refusal()
        await one.session.close()

        later = await harness.connected(one.account)

        await later.events.next(Changed, chat_message_id=chat_message_id, emoji="👍")


async def _changed(harness: Harness, at: Connected, chat_message_id: str) -> Changed:
    changed = await at.events.next(Changed, chat_message_id=chat_message_id)
    assert changed.chat_jid == address_of(at, harness.person)
    assert changed.sender_jid == address_of(at, harness.person)
    assert not changed.from_own_account, "what a person changes is not the account's own"
    return changed


async def _reactions(harness: Harness, at: Connected, chat_message_id: str) -> tuple[str, ...]:
    with possible("see reactions"):
        return tuple(await harness.reactions(at, harness.person, chat_message_id))
    raise AssertionError  # `possible` ends the test


def _change(
    at: Connected,
    kind: ChangeKind,
    chat_jid: str,
    chat_message_id: str,
    content: Content | None = None,
    emoji: str = "",
) -> OutgoingChange:
    """A new change of a message that the account sent."""
    change_id = at.network.message_id(uuid4())
    return OutgoingChange(kind, change_id, chat_jid, chat_message_id, None, content, emoji)


def _claims(harness: Harness, kind: ChangeKind) -> bool:
    return kind in harness.network.capabilities.changes


def _changes(at: Connected, kind: ChangeKind) -> MessageChanges:
    if kind not in at.network.capabilities.changes:
        pytest.skip(f"the network has no such change: {kind}")
    return require(at, "changes", MessageChanges)  # type: ignore[type-abstract]  # a protocol
