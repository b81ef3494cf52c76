"""What the sandbox does with messages beyond what every driver must: limits, accounts, clearing."""

import asyncio
from datetime import timedelta
from uuid import uuid4

import pytest

from heliograph.networks.content import (
    Document,
    Image,
    LinkPreview,
    ListReply,
    LocationRequest,
    Poll,
    PollVote,
    Text,
)
from heliograph.networks.errors import (
    GroupNotFoundError,
    NetworkError,
    NotAllowedError,
    ParticipantNotFoundError,
    RecipientNotFoundError,
    TooOldError,
)
from heliograph.networks.phone_actions import (
    Choose,
    Delete,
    Edit,
    Offline,
    React,
    Reply,
    Send,
    SendLocation,
    Vote,
)
from heliograph.networks.port import (
    Changed,
    ChangeKind,
    GroupSeen,
    Inbound,
    NumberCheck,
    OutgoingChange,
)
from heliograph.networks.sandbox import changes, chats, files, mailbox
from heliograph.networks.sandbox.session import SandboxSession
from heliograph.networks.testing import Connected, MemoryFile
from heliograph.networks.testing.contents import EXAMPLES, PNG
from sandbox_world import Sandbox, read_file, refused, session_of
from waiting import until

pytest_plugins = ("sandbox_fixtures",)

ADA, BRUNO = "15550100001", "15550100002"


def change_of(
    kind: ChangeKind, to: str, chat_message_id: str, text: str = "", emoji: str = ""
) -> OutgoingChange:
    content = Text(text) if text else None
    jid = to if "@" in to else f"{to}@sandbox"
    return OutgoingChange(kind, uuid4().hex, jid, chat_message_id, None, content, emoji)


async def aged(sandbox: Sandbox, by: timedelta) -> None:
    """Everything was sent that much earlier."""
    pool = sandbox.here.database.pool
    await pool.execute("UPDATE sandbox.messages SET sent_at = sent_at - $1::interval", by)
    await pool.execute("UPDATE sandbox.files SET stored_at = stored_at - $1::interval", by)
    await pool.execute("UPDATE sandbox.changes SET at = at - $1::interval", by)


# --- changes ---


async def test_a_message_is_edited_for_15_minutes_and_deleted_for_2_days(
    sandbox: Sandbox, one: Connected
) -> None:
    message, _ = await one.send(ADA, "At six")
    session, id_ = session_of(one), message.chat_message_id
    await aged(sandbox, timedelta(minutes=16))
    with pytest.raises(TooOldError, match="15 minutes"):
        await session.change(change_of("edited", ADA, id_, "At seven"))
    await session.change(change_of("reaction", ADA, id_, emoji="👍"))
    said = await sandbox.say(one, ADA, "At six")
    await aged(sandbox, timedelta(days=2))
    with pytest.raises(TooOldError, match="2 days"):
        await session.change(change_of("deleted", ADA, id_))
    with pytest.raises(TooOldError):
        await sandbox.simulator(one).act(Delete(ADA, message=said))
    [bubble] = await sandbox.look(one, ADA)
    assert (bubble.content, bubble.reactions) == (Text("At six"), ("👍",))


async def test_only_its_author_changes_a_message_while_it_is_there(
    sandbox: Sandbox, one: Connected
) -> None:
    message, _ = await one.send(ADA, "At six")
    said = await sandbox.say(one, ADA, "At six")
    session, phone = session_of(one), sandbox.simulator(one)
    assert "Only the author" in await refused(session.change(change_of("deleted", ADA, said)))
    assert "Only the author" in await refused(
        phone.act(Edit(ADA, "No", message=message.chat_message_id))
    )
    assert "no message" in await refused(session.change(change_of("deleted", ADA, "SBX0")))
    assert "no message" in await refused(session.change(change_of("deleted", BRUNO, said)))
    await phone.act(Delete(ADA, message=said))
    assert "was deleted" in await refused(
        session.change(change_of("reaction", ADA, said, emoji="👍"))
    )


async def test_a_deleted_file_is_not_given_out(sandbox: Sandbox, one: Connected) -> None:
    message, _ = await one.send(ADA, EXAMPLES["image"][0], file=MemoryFile(PNG))
    await session_of(one).change(change_of("deleted", ADA, message.chat_message_id))
    phone = sandbox.simulator(one)
    assert "no file" in await refused(phone.open_file(message.chat_message_id))
    [bubble] = await phone.receive(ADA)
    assert (bubble.is_deleted, await read_file(phone, bubble)) == (True, None)


@pytest.mark.parametrize(
    ("number", "error"), [("15550109013", NetworkError), ("15550109001", RecipientNotFoundError)]
)
async def test_numbers_misbehave_when_messages_are_changed_too(
    one: Connected, number: str, error: type[NetworkError]
) -> None:
    with pytest.raises(error) as refusal:
        await session_of(one).change(change_of("deleted", number, "SBX0"))
    assert refusal.value.permanent


async def test_an_uncertain_change_is_made_once(sandbox: Sandbox, one: Connected) -> None:
    uncertain = "15550109004"
    message = one.outgoing(uncertain, Text("At six"))
    change = change_of("edited", uncertain, message.chat_message_id, "At seven")
    for attempt in (one.session.send(message), session_of(one).change(change)):
        with pytest.raises(NetworkError) as lost:
            await attempt
        assert not lost.value.certain
    await session_of(one).change(change)
    [bubble] = await sandbox.look(one, uncertain)
    assert bubble.content == Text("At seven")


# --- between accounts ---


async def test_accounts_send_each_other_files_and_changes(sandbox: Sandbox) -> None:
    one = await sandbox.connected()
    two = await sandbox.connected(on=await sandbox.another_process())
    own, other = one.account.remote_jid, two.account.remote_jid
    assert own
    assert other
    message, _ = await one.send(other, EXAMPLES["document"][0], file=MemoryFile(PNG))
    inbound = await two.events.next(Inbound)
    assert (inbound.file, inbound.chat_jid, inbound.sender_jid) == (PNG, own, own)
    assert inbound.chat_message_id == message.chat_message_id
    await session_of(one).change(change_of("edited", other, message.chat_message_id, "Sign it"))
    edited = await two.events.next(Changed, kind="edited")
    assert (edited.chat_jid, edited.sender_jid, edited.message_sender_jid) == (own, own, own)
    await session_of(two).change(change_of("reaction", own, message.chat_message_id, emoji="👍"))
    reaction = await one.events.next(Changed, kind="reaction")
    assert (reaction.chat_jid, reaction.sender_jid, reaction.emoji) == (other, other, "👍")
    assert [event.kind for event in one.events.all(Changed)] == ["reaction"]


async def test_in_a_group_everybody_sees_votes_and_changes(sandbox: Sandbox) -> None:
    one, two = await sandbox.connected(), await sandbox.connected()
    people = [f"{ADA}@sandbox", f"{BRUNO}@sandbox", two.account.remote_jid or ""]
    group = (await session_of(one).create_group("Lunch", people)).remote_jid
    message, _ = await one.send(group, Poll("Lunch?", ("Soup", "Cake")))
    await two.events.next(Inbound)
    phone = sandbox.simulator(one)
    await phone.act(Vote(ADA, ("Soup",), group=group))
    await phone.act(Vote(BRUNO, ("Cake",), group=group))
    await phone.act(Vote(ADA, ("Cake",), group=group))
    await phone.act(React(BRUNO, "👍", message=message.chat_message_id, group=group))
    for at in (one, two):
        assert (await at.events.next(Changed)).emoji == "👍"
        votes = [event for event in at.events.all(Inbound) if event.content == PollVote(("Cake",))]
        assert len(votes) == 2
    assert len(one.events.all(Inbound)) == 3, "it does not hear itself"
    poll = (await phone.receive(BRUNO, group_jid=group))[0]
    assert poll.votes == {people[0]: ("Cake",), people[1]: ("Cake",)}
    assert poll.reactions == {people[1]: "👍"}


async def test_accounts_are_told_what_becomes_of_their_groups(sandbox: Sandbox) -> None:
    one, two = await sandbox.connected(), await sandbox.connected()
    first, second = session_of(one), session_of(two)
    jid = two.account.remote_jid or ""
    group = (await first.create_group("Rowers", [f"{ADA}@sandbox"])).remote_jid
    with pytest.raises(GroupNotFoundError):
        await second.get_group(group)
    assert await first.add_participants(group, [jid, "15550109009@sandbox", "1@g.sandbox"]) == {
        "15550109009@sandbox": "+15550109009 does not let this account add them to a group.",
        "1@g.sandbox": "1@g.sandbox is a group and can't join one.",
    }
    await two.events.next(GroupSeen, subject="Rowers")
    await first.change_group(group, subject="Early rowers")
    await two.events.next(GroupSeen, subject="Early rowers")
    for attempt in (
        second.get_invite_link(group),
        second.remove_participant(group, f"{ADA}@sandbox"),
        first.remove_participant(group, one.account.remote_jid or ""),
    ):
        with pytest.raises(NotAllowedError):
            await attempt
    with pytest.raises(ParticipantNotFoundError):
        await first.remove_participant(group, "15550100009@sandbox")
    await first.leave_group(group)
    owner = (await second.get_group(group)).owner_jid
    assert owner == f"{ADA}@sandbox", "the first by address owns it now"


async def test_either_form_of_a_number_is_the_same_person_in_a_group(one: Connected) -> None:
    session = session_of(one)
    own = one.account.remote_jid or ""
    forms = ("5511977776601@sandbox", "551177776601@sandbox")
    for member, given in (forms, forms[::-1]):
        group = (await session.create_group("Rowers", [member, given])).remote_jid
        assert await session.add_participants(group, [given, member]) == {}
        assert await members_of(session, group) == {own, member}

        await session.remove_participant(group, given)
        assert await members_of(session, group) == {own}
        with pytest.raises(ParticipantNotFoundError):
            await session.remove_participant(group, given)
        await session.add_participants(group, [given, member])
        assert await members_of(session, group) == {own, given}


async def members_of(session: SandboxSession, group: str) -> set[str]:
    return {each.remote_jid for each in (await session.get_group(group)).participants}


# --- files ---


async def test_a_file_of_many_pieces_is_read_from_any_byte(
    sandbox: Sandbox, one: Connected
) -> None:
    data = bytes(range(251)) * 3000
    message, _ = await one.send(ADA, EXAMPLES["document"][0], file=MemoryFile(data))
    file = await sandbox.simulator(one).open_file(message.chat_message_id)
    assert file.size == len(data)
    for first in (0, 1, files.PIECE - 1, files.PIECE, 2 * files.PIECE + 7, len(data) - 1):
        assert b"".join([piece async for piece in file.chunks(first)]) == data[first:], first


async def test_a_message_without_its_file_is_refused(one: Connected) -> None:
    assert "lacks its file" in await refused(one.send(ADA, EXAMPLES["image"][0]))


async def test_what_is_refused_leaves_no_file(sandbox: Sandbox, one: Connected) -> None:
    with pytest.raises(RecipientNotFoundError):
        await one.send("15550109001", EXAMPLES["image"][0], file=MemoryFile(PNG))
    phone = sandbox.simulator(one)
    for content, file in ((Text("Hello"), PNG), (Image("image/png"), b"")):
        await refused(phone.act(Send(ADA, content, file=file)))
    too_large = bytes(files.MAX_FROM_PHONES + 1)
    assert "files of 1 to" in await refused(
        phone.act(Send(ADA, Image("image/png"), file=too_large))
    )
    assert await sandbox.here.database.pool.fetchval("SELECT count(*) FROM sandbox.files") == 0


async def test_many_files_are_handed_over_a_few_at_a_time(
    sandbox: Sandbox, one: Connected, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mailbox, "MAX_BYTES", 100)
    await one.session.close()
    content = Document("text/plain", file_name="a.txt")
    for size in (60, 60, 500, 30, 30):
        await sandbox.send(one, ADA, content, file=bytes(size))
    later = await sandbox.connected(one.account)
    for size in (60, 60, 500, 30, 30):
        inbound = await later.events.next(Inbound)
        assert inbound.file == bytes(size)


async def test_files_and_changes_are_forgotten_with_their_messages(
    sandbox: Sandbox, one: Connected
) -> None:
    pool = sandbox.here.database.pool
    message, _ = await one.send(ADA, EXAMPLES["image"][0], file=MemoryFile(PNG))
    await one.events.receipt(message.chat_message_id, "read")
    await session_of(one).change(change_of("reaction", ADA, message.chat_message_id, emoji="👍"))
    now = sandbox.here.database.clock.now()
    before = now - mailbox.KEPT
    for age, left in ((timedelta(), 1), (timedelta(days=31), 0)):
        await aged(sandbox, age)
        async with one.events.waiting("what was taken to be deleted"):
            while await pool.fetchval("SELECT count(*) FROM sandbox.updates"):
                pass
        await chats.delete_messages(pool, [one.account.id], before)
        await changes.delete_old(pool, [one.account.id], before)
        await files.delete_old(pool, before)
        for count in (
            "SELECT count(*) FROM sandbox.files",
            "SELECT count(*) FROM sandbox.file_chunks",
            "SELECT count(*) FROM sandbox.changes",
        ):
            assert await pool.fetchval(count) == left, count


async def test_of_a_removed_account_nothing_is_kept(sandbox: Sandbox) -> None:
    one, two = await sandbox.connected(), await sandbox.connected()
    for at in (one, two):
        await at.send(ADA, EXAMPLES["image"][0], file=MemoryFile(PNG))
    await one.session.close()
    await sandbox.network.forget(one.account.id)
    await sandbox.network.forget(one.account.id)
    pool = sandbox.here.database.pool
    for left in (
        "SELECT DISTINCT account_id FROM sandbox.devices",
        "SELECT DISTINCT account_id FROM sandbox.messages",
        "SELECT DISTINCT account_id FROM sandbox.files",
        "SELECT DISTINCT account_id FROM sandbox.phones",
    ):
        assert [row[0] for row in await pool.fetch(left)] == [two.account.id], left


# --- the rest ---


async def test_a_preview_arrives_with_its_text(sandbox: Sandbox, one: Connected) -> None:
    preview = LinkPreview("https://example.com/menu", "The menu", "Soup and bread")
    text = Text("See https://example.com/menu", preview=preview)
    await one.send(ADA, text)
    assert await sandbox.shown(one, ADA) == [text]


async def test_a_place_answers_the_message_that_asks_for_it(
    sandbox: Sandbox, one: Connected
) -> None:
    message, _ = await one.send(ADA, LocationRequest("Where shall we bring it?"))
    phone, place = sandbox.simulator(one), SendLocation(ADA, 52.5, 13.4)
    assert (await phone.act(place)).reply_to == message.chat_message_id
    await one.send(ADA, "Thank you!")
    assert (await phone.act(place)).reply_to is None


async def test_numbers_that_can_be_none_are_on_no_network(one: Connected) -> None:
    checks = await session_of(one).check_numbers(["1", "15550109001", ADA])
    assert checks == [
        NumberCheck("1", None),
        NumberCheck("15550109001", None),
        NumberCheck(ADA, f"{ADA}@sandbox"),
    ]


async def test_a_title_invents_a_row_that_no_list_has(sandbox: Sandbox, one: Connected) -> None:
    await sandbox.simulator(one).act(Choose(ADA, "r7", "Tuesday", "from nine"))
    assert (await one.events.next(Inbound)).content == ListReply("r7", "Tuesday", "from nine")


async def test_where_no_message_is_named_the_newest_is_meant(
    sandbox: Sandbox, one: Connected
) -> None:
    phone = sandbox.simulator(one)
    await one.send(ADA, "On Sunday?")
    newest, _ = await one.send(ADA, "At six?")
    answer = await phone.act(Reply(ADA, "At seven"))
    assert answer.reply_to == newest.chat_message_id
    await phone.act(React(ADA, "🎉"))
    await one.events.next(Changed, chat_message_id=newest.chat_message_id, emoji="🎉")
    await phone.act(Edit(ADA, "At eight"))
    await one.events.next(Changed, kind="edited", chat_message_id=answer.chat_message_id)
    await phone.act(Delete(ADA))
    await one.events.next(Changed, kind="deleted", chat_message_id=answer.chat_message_id)
    assert "no message of its own" in await refused(phone.act(Edit(ADA, "At nine")))


async def test_a_phone_that_is_off_shows_nobody_who_writes(
    sandbox: Sandbox, one: Connected
) -> None:
    phone = sandbox.simulator(one)
    await session_of(one).set_typing(f"{ADA}@sandbox", True)
    assert await phone.is_typing(ADA)
    assert not await phone.is_typing(BRUNO)
    await phone.act(Offline(ADA))
    assert not await phone.is_typing(ADA)


async def test_votes_have_to_fit_the_poll(sandbox: Sandbox, one: Connected) -> None:
    phone = sandbox.simulator(one)
    assert "no poll" in await refused(phone.act(Vote(ADA, ("Soup",))))
    await one.send(ADA, Poll("Lunch?", ("Soup", "Cake")))
    assert "no option 'Fish' here. The newest message has 'Soup', 'Cake'." in await refused(
        phone.act(Vote(ADA, ("Soup", "Fish")))
    )
    assert "at most 1" in await refused(phone.act(Vote(ADA, ("Soup", "Cake"))))
    await phone.act(Vote(ADA, ("soup", "Soup")))
    assert (await one.events.next(Inbound)).content == PollVote(("Soup",))


# --- the mailbox ---


async def test_the_floor_of_a_mailbox_rises_while_it_is_handed_over(
    sandbox: Sandbox, one: Connected
) -> None:
    """A busy account's always is: it would look through all that has gone, as long as that can't
    be cleaned up."""
    await sandbox.say(one, ADA, "Hello")
    await one.events.next(Inbound)
    assert sandbox.network._resources is not None
    box, account_id = sandbox.network._resources.mailbox, one.account.id
    await until(lambda: account_id not in box._handing)
    box._floors.forget()
    box._handing[account_id] = handing = asyncio.create_task(asyncio.sleep(60))
    try:
        await until(lambda: box._floors.of(account_id).seq)
    finally:
        handing.cancel()
