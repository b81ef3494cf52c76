"""The inbox shows each conversation once, and what a person does there is done once."""

import asyncio
import dataclasses
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID

import msgspec
import pytest

from contents import asked
from core_scene import arrival, message_id_of, receipt, sent_to
from each_case import for_each
from heliograph.core.idempotency.service import IdempotencyKey
from heliograph.core.inbox import changes, reading
from heliograph.core.inbox.model import Conversation, ConversationStatus, InboxFilter
from heliograph.core.ingest.model import MessageRefused, MessageTaken
from heliograph.core.messages.model import MessageStatus
from heliograph.core.tenants.model import Principal
from heliograph.core.tenants.scopes import SCOPES
from heliograph.errors import (
    ConversationNotFoundError,
    InvalidInputError,
    MissingScopeError,
    OtherOrganizationError,
)
from heliograph.networks.content import Button, ButtonReply, Buttons, Content, Text
from heliograph.networks.port import ContactSeen, GroupSeen
from inbox_scene import GROUP, LONG_AGO, NOBODY, Desk, jid_of

ANA, BEN, CID = jid_of(1), jid_of(2), jid_of(3)
LID = "777@lid"
OTHER_OF_ANA = "99901@sandbox"
QUESTION = Buttons("20:00?", (Button("yes", "Yes"), Button("no", "No")), footer="Trattoria Lume")
EVERY_SCOPE = frozenset(SCOPES)


@pytest.fixture
async def ana(desk: Desk) -> UUID:
    """The conversation of Ana, who has written."""
    await desk.arrive(1)
    return await desk.id_of(ANA)


# --- the list ----------------------------------------------------------------------------------


async def test_the_newest_activity_is_first(desk: Desk) -> None:
    await desk.arrive(1, 2, 3, 1)
    await desk.scene.send("Hello", BEN)
    assert await desk.shown() == [BEN, ANA, CID]


async def test_pages_show_each_conversation_while_messages_arrive(desk: Desk) -> None:
    await desk.arrive(*range(9))
    seen: list[str] = []
    async for page in desk.walk():
        seen += page
        if len(seen) < 9:
            await desk.arrive(8)  # which the first page had
            await desk.arrive(20 + len(seen))  # somebody new
    assert seen == [*[jid_of(number) for number in reversed(range(9))], jid_of(23), jid_of(26)]


@pytest.mark.parametrize("read", [1, 2])
async def test_conversations_that_move_up_meanwhile_come_at_the_end(desk: Desk, read: int) -> None:
    await desk.arrive(*range(9))
    pages = desk.walk()
    seen = [jid for _ in range(read) for jid in await anext(pages)]
    await desk.arrive(0)
    await desk.inbox.pin(desk.owner, await desk.id_of(jid_of(2)))
    await desk.scene.send("Hello", jid_of(1))
    seen += [jid async for page in pages for jid in page]
    assert seen == [jid_of(number) for number in (8, 7, 6, 5, 4, 3, 2, 0, 1)]
    assert (await desk.shown())[:3] == [jid_of(2), jid_of(1), jid_of(0)]


async def test_what_moves_after_the_last_page_was_shown_is_offered_by_it(desk: Desk) -> None:
    await desk.arrive(*range(4))
    await desk.scene.rows(LONG_AGO)
    first = await desk.inbox.list(desk.owner, limit=3)
    assert (await desk.inbox.list(desk.owner, after=first.next, limit=3)).next is None
    await desk.arrive(0)
    last = await desk.inbox.list(desk.owner, after=first.next, limit=3)
    assert last.conversations == ()
    moved = await desk.inbox.list(desk.owner, after=last.next, limit=3)
    assert [each.remote_jid for each in moved.conversations] == [jid_of(0)]


async def test_groups_in_which_nothing_was_said_are_at_the_end_and_found(desk: Desk) -> None:
    for number in range(4):
        await desk.scene.report(GroupSeen(f"{number}@g.sandbox", f"קבוצה {number}"))
    await desk.arrive(1, 2)
    await desk.inbox.pin(desk.owner, await desk.id_of("3@g.sandbox"))
    seen = [jid async for page in desk.walk() for jid in page]
    assert seen == [BEN, ANA, *(f"{number}@g.sandbox" for number in (2, 1, 0))]
    assert (await desk.shown())[0] == "3@g.sandbox"
    assert await desk.shown(InboxFilter(text="קבוצה 1")) == ["1@g.sandbox"]
    assert await desk.shown(InboxFilter(status="closed")) == []


async def test_conversations_of_the_same_moment_are_shown_once(desk: Desk) -> None:
    people = [jid_of(number) for number in range(8)]
    await desk.scene.report(*[arrival(f"A{jid}", jid) for jid in people])
    seen = [jid async for page in desk.walk() for jid in page]
    assert sorted(seen) == people


async def test_pinned_ones_come_first_and_only_there(desk: Desk) -> None:
    await desk.arrive(*range(5))
    for number in (0, 2):
        await desk.inbox.pin(desk.owner, await desk.id_of(jid_of(number)))
    await desk.scene.rows(LONG_AGO)
    first = await desk.inbox.list(desk.owner, limit=2)
    second = await desk.inbox.list(desk.owner, after=first.next, limit=2)
    assert [conversation.remote_jid for conversation in first.pinned] == [jid_of(2), jid_of(0)]
    assert [conversation.remote_jid for conversation in first.conversations] == [
        jid_of(4),
        jid_of(3),
    ]
    assert second.pinned == ()
    assert [conversation.remote_jid for conversation in second.conversations] == [jid_of(1)]
    assert second.next is None


async def test_a_conversation_carries_its_names_and_labels(desk: Desk) -> None:
    await desk.arrive(1, sender_name="Ana on the boat")
    await desk.name(1, "Ana")
    label = await desk.labels.create(desk.owner, "VIP", "#ff0000")
    await desk.inbox.add_label(desk.owner, await desk.id_of(ANA), label.id)
    [shown] = (await desk.inbox.list(desk.owner)).conversations
    assert (shown.contact_name, shown.contact_chat_name) == ("Ana", "Ana on the boat")
    assert shown.labels == (label,)
    assert (shown.unread_count, shown.last_message_preview) == (1, "Hello")


async def test_the_list_is_the_organizations_own(desk: Desk) -> None:
    await desk.arrive(1)
    page = await desk.inbox.list(desk.stranger)
    assert page.conversations == page.pinned == ()


async def test_unread_ones_are_counted_that_the_list_of_open_ones_shows(desk: Desk) -> None:
    await desk.arrive(1, 2, 3)
    await desk.inbox.mark_read(desk.owner, await desk.id_of(jid_of(3)))
    assert await desk.inbox.count_unread(desk.owner) == 2
    await desk.inbox.close(desk.owner, await desk.id_of(ANA))
    assert await desk.inbox.count_unread(desk.owner) == 1
    assert await desk.inbox.count_unread(desk.stranger) == 0
    elsewhere = dataclasses.replace(desk.owner, account_ids=frozenset({NOBODY}))
    assert await desk.inbox.count_unread(elsewhere) == 0


async def test_the_newest_message_is_for_those_who_may_read_messages(desk: Desk) -> None:
    await desk.arrive(1, 2)
    ana = await desk.id_of(ANA)
    await desk.inbox.reply(desk.owner, ana, asked(Text("It is ready")))
    [newest] = (await desk.inbox.list(desk.owner)).newest.values()
    assert (newest.conversation_id, newest.preview) == (ana, "It is ready")
    assert newest.outcome == "waiting"
    blind = Principal(desk.owner.tenant, frozenset({"conversations:read"}))
    assert (await desk.inbox.list(blind)).newest == {}
    await desk.scene.rows("UPDATE messages SET organization_id = $1", NOBODY)
    assert (await desk.inbox.list(desk.owner)).newest == {}, "it is another organization's"


@pytest.mark.parametrize("pinned", [False, True])
async def test_filters(desk: Desk, pinned: bool) -> None:
    await desk.arrive(1, 2, 3)
    inbox, owner, user = desk.inbox, desk.owner, await desk.member("ada")
    ana, ben = await desk.id_of(ANA), await desk.id_of(BEN)
    label = await desk.labels.create(owner, "VIP", "#ff0000")
    await inbox.assign(owner, ana, user)
    await inbox.close(owner, ben)
    await inbox.add_label(owner, ben, label.id)
    if pinned:
        await inbox.pin(owner, ana)
        await inbox.pin(owner, ben)
    account = desk.scene.account.id
    shown = {
        "account": await desk.shown(InboxFilter(account_id=account)),
        "another account": await desk.shown(InboxFilter(account_id=NOBODY)),
        "open": await desk.shown(InboxFilter(status=ConversationStatus.OPEN)),
        "closed": await desk.shown(InboxFilter(status=ConversationStatus.CLOSED)),
        "label": await desk.shown(InboxFilter(label_id=label.id)),
        "assignee": await desk.shown(InboxFilter(assignee_user_id=user)),
        "unassigned": await desk.shown(InboxFilter(unassigned=True)),
        "two at once": await desk.shown(InboxFilter(label_id=label.id, assignee_user_id=user)),
    }
    assert {name: set(found) for name, found in shown.items()} == {
        "account": {ANA, BEN, CID},
        "another account": set(),
        "open": {ANA, CID},
        "closed": {BEN},
        "label": {BEN},
        "assignee": {ANA},
        "unassigned": {BEN, CID},
        "two at once": set(),
    }


async def test_what_somebody_leaves_behind_is_unassigned(desk: Desk) -> None:
    await desk.arrive(1, 2, 3)
    ada, bob = await desk.member("ada"), await desk.member("bob")
    await desk.inbox.assign(desk.owner, await desk.id_of(ANA), ada)
    await desk.inbox.assign(desk.owner, await desk.id_of(BEN), bob)
    await desk.leave(ada)
    assert await desk.shown(InboxFilter(unassigned=True)) == [CID, ANA]
    await desk.member("ada", desk.stranger)
    assert await desk.shown(InboxFilter(unassigned=True)) == [CID, ANA]


SEARCHES = {
    "ana": [ANA],
    "  ANA   GARCÍA ": [ANA],
    "garcía": [ANA],
    "on the boat": [BEN],
    "harbor": [GROUP],
    "5550100003": [CID],
    "+1 (555) 010-0003": [CID],
    "555\u2013010/00\uff103": [CID],
    "0003@SANDBOX": [CID],
    "g.sandbox": [GROUP],
    "sand": [],
    "%": [],
    "_": [],
    "nobody": [],
    " ": [GROUP, CID, BEN, ANA],
}


@pytest.mark.parametrize("pinned", [False, True])
async def test_search(desk: Desk, pinned: bool) -> None:
    await desk.arrive(1)
    await desk.arrive(2, sender_name="Ben on the Boat")
    await desk.arrive(3)
    await desk.arrive_in_group(9, "Harbor Cup")
    await desk.name(1, "Ana García")
    if pinned:
        for jid in (ANA, BEN, CID, GROUP):
            await desk.inbox.pin(desk.owner, await desk.id_of(jid))
    found = {text: await desk.shown(InboxFilter(text=text)) for text in SEARCHES}
    assert found == SEARCHES


async def test_a_search_goes_on_where_it_stopped_looking(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "MAX_SCANNED", 3)
    await desk.arrive(*range(10))
    await desk.name(1, "Ana")
    await desk.name(8, "Anabel")
    pages = [page async for page in desk.walk(InboxFilter(text="ana"))]
    assert pages == [[jid_of(8)], [], [ANA], []]


async def test_what_is_no_page_is_refused(desk: Desk) -> None:
    for limit in (0, 101):
        with pytest.raises(InvalidInputError):
            await desk.inbox.list(desk.owner, limit=limit)
    for text in ("x" * 101, "a\0b"):
        with pytest.raises(InvalidInputError):
            await desk.inbox.list(desk.owner, InboxFilter(text=text))


# --- the thread --------------------------------------------------------------------------------


async def said(desk: Desk, jid: str = ANA) -> list[str]:
    """What the thread says, oldest first."""
    page = await desk.inbox.thread(desk.owner, await desk.id_of(jid))
    return [message.message.content.summary for message in page.messages][::-1]


async def test_a_thread_shows_each_message_once_while_more_arrive(desk: Desk) -> None:
    for number in range(7):
        await desk.arrive(1, text=f"{number}")
    ana, seen, before = await desk.id_of(ANA), [], None
    while True:
        page = await desk.inbox.thread(desk.owner, ana, before, limit=3)
        seen += [message.message.content.summary for message in page.messages]
        await desk.arrive(1, text="more")
        await desk.arrive(2, text="elsewhere")
        if page.before is None:
            break
        before = page.before
    assert seen == ["6", "5", "4", "3", "2", "1", "0"]


async def test_a_thread_shows_buttons_and_which_was_pressed(desk: Desk) -> None:
    await desk.arrive(1)
    answer = await desk.inbox.reply(desk.owner, await desk.id_of(ANA), asked(QUESTION))
    await desk.scene.claim()
    await desk.scene.report(MessageTaken(message_id_of(answer), sent_to(ANA)))
    message = await desk.scene.message(message_id_of(answer))
    reply: dict[str, Any] = {"reply_to_chat_message_id": message.chat_message_id}
    pressed = msgspec.structs.replace(
        arrival("P", ANA, sender_name="Ana", **reply),
        content=ButtonReply("yes", "Yes"),
    )
    await desk.scene.report(receipt(message, "delivered"), receipt(message, "read"), pressed)
    page = await desk.inbox.thread(desk.owner, await desk.id_of(ANA))
    newest, question, _ = page.messages
    assert newest.message.content == ButtonReply("yes", "Yes")
    assert (newest.message.reply_to_message_id, newest.author) == (message.id, "Ana")
    assert (question.message.content, question.author) == (QUESTION, None)
    timeline = (
        question.message.queued_at,
        question.message.delivered_at,
        question.message.read_at,
    )
    assert None not in timeline
    assert page.conversation.remote_jid == ANA


async def test_a_groups_thread_says_who_wrote(desk: Desk) -> None:
    await desk.name(1, "Ana")
    await desk.arrive_in_group(1)
    await desk.arrive_in_group(2)
    await desk.scene.report(ContactSeen(LID, chat_name="Cid"))
    await desk.scene.report(arrival("L", LID, chat_jid=GROUP, is_group=True))
    await desk.scene.report(ContactSeen(CID, phone_number="+15550100003", name="Captain Cid"))
    await desk.scene.report(ContactSeen(LID, phone_number="+15550100003"))  # one and the same
    page = await desk.inbox.thread(desk.owner, await desk.id_of(GROUP))
    assert [message.author for message in page.messages] == ["Captain Cid", None, "Ana"]


async def test_no_place_in_a_thread_is_an_error(desk: Desk, ana: UUID) -> None:
    for before, shown in ((10**30, 1), (-(10**30), 0), (0, 0)):
        assert len((await desk.inbox.thread(desk.owner, ana, before)).messages) == shown
    for limit in (0, 201):
        with pytest.raises(InvalidInputError):
            await desk.inbox.thread(desk.owner, ana, limit=limit)


# --- what people change ------------------------------------------------------------------------


async def test_reading_a_conversation_leaves_nothing_unread(desk: Desk) -> None:
    await desk.arrive(1, 1, 2)
    ana = await desk.id_of(ANA)
    read = await desk.inbox.mark_read(desk.owner, ana)
    again = await desk.inbox.mark_read(desk.owner, ana)
    assert (read.unread_count, again.updated_at) == (0, read.updated_at)
    await desk.arrive(1)
    unread = {
        conversation.remote_jid: conversation.unread_count
        for conversation in (await desk.inbox.list(desk.owner)).conversations
    }
    assert unread == {ANA: 1, BEN: 1}


async def test_who_has_it_and_how_it_stands_outlast_what_arrives(desk: Desk) -> None:
    await desk.arrive(1)
    ana, inbox, owner = await desk.id_of(ANA), desk.inbox, desk.owner
    user = await desk.member("ada")
    before = (await inbox.list(owner)).conversations[0].updated_at
    await inbox.assign(owner, ana, user)
    await inbox.set_agent_paused(owner, ana, paused=True)
    closed = await inbox.close(owner, ana)
    assert (closed.status, closed.updated_at > before) == (ConversationStatus.CLOSED, True)
    await desk.arrive(1)
    [shown] = (await inbox.list(owner)).conversations
    assert (shown.assignee_user_id, shown.agent_paused) == (user, True)
    assert shown.status is ConversationStatus.OPEN
    await inbox.close(owner, ana)
    assert (await inbox.reopen(owner, ana)).status is ConversationStatus.OPEN
    assert (await inbox.assign(owner, ana, None)).assignee_user_id is None
    assert not (await inbox.set_agent_paused(owner, ana, paused=False)).agent_paused


async def test_nothing_is_lost_when_people_and_messages_meet(desk: Desk) -> None:
    await desk.arrive(1)
    ana, user = await desk.id_of(ANA), await desk.member("ada")
    news = [arrival(f"B{number}", ANA) for number in range(20)]
    acts = [
        desk.inbox.assign(desk.owner, ana, user),
        desk.inbox.pin(desk.owner, ana),
        desk.inbox.set_agent_paused(desk.owner, ana, paused=True),
    ]
    await asyncio.gather(*[desk.scene.report(report) for report in news], *acts)
    [shown] = (await desk.inbox.list(desk.owner)).pinned
    assert (shown.assignee_user_id, shown.agent_paused, shown.unread_count) == (user, True, 21)


async def test_only_a_member_of_the_organization_is_given_a_conversation(desk: Desk) -> None:
    await desk.arrive(1)
    ana, ada = await desk.id_of(ANA), await desk.member("ada")
    await desk.inbox.assign(desk.owner, ana, ada)
    left = await desk.member("bob")
    await desk.leave(left)
    for stranger in (NOBODY, left, await desk.member("mallory", desk.stranger)):
        with pytest.raises(InvalidInputError, match="not a member") as refused:
            await desk.inbox.assign(desk.owner, ana, stranger)
        assert refused.value.problems[0].loc == ("body", "assignee_user_id")
    [shown] = (await desk.inbox.list(desk.owner)).conversations
    assert shown.assignee_user_id == ada


async def test_only_so_many_are_pinned(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes, "MAX_PINNED", 2)
    await desk.arrive(1, 2, 3)
    ana, ben, cid = [await desk.id_of(jid) for jid in (ANA, BEN, CID)]
    for conversation_id in (ana, ben, ana):
        await desk.inbox.pin(desk.owner, conversation_id)
    with pytest.raises(InvalidInputError, match="unpin"):
        await desk.inbox.pin(desk.owner, cid)
    assert not (await desk.inbox.unpin(desk.owner, ana)).pinned
    assert (await desk.inbox.pin(desk.owner, cid)).pinned


async def test_a_commit_in_doubt_changes_once(desk: Desk, ana: UUID) -> None:
    desk.scene.database.forgets = 1
    assert (await desk.inbox.pin(desk.owner, ana)).pinned
    desk.scene.database.forgets = 1
    label = await desk.labels.create(desk.owner, "VIP", "#ff0000")
    desk.scene.database.forgets = 1
    assert (await desk.inbox.add_label(desk.owner, ana, label.id)).labels == (label,)
    desk.scene.database.forgets = 1
    await desk.labels.delete(desk.owner, label.id)
    assert await desk.labels.list(desk.owner) == ()


# --- answering ---------------------------------------------------------------------------------


@pytest.mark.parametrize("jid", [ANA, GROUP])
@pytest.mark.parametrize("content", [Text("On my way"), QUESTION], ids=["text", "buttons"])
async def test_an_answer_goes_to_the_other_side_and_pauses_the_agent(
    desk: Desk, jid: str, content: Content
) -> None:
    await desk.arrive(1)
    await desk.arrive_in_group(2)
    answer = await desk.inbox.reply(desk.owner, await desk.id_of(jid), asked(content))
    [message] = await desk.scene.claim()
    assert message.id == message_id_of(answer)
    assert (message.recipient, message.content) == (jid, content)
    assert message.account_id == desk.scene.account.id
    await desk.scene.report(MessageTaken(message.id, sent_to(jid)))
    shown = (await desk.inbox.list(desk.owner)).conversations[0]
    assert (shown.remote_jid, shown.agent_paused) == (jid, True)
    assert shown.last_message_preview == content.summary
    assert await desk.scene.counted() == await desk.scene.recounted()


async def test_an_answer_is_in_the_thread_before_it_is_sent(desk: Desk, ana: UUID) -> None:
    answers = [
        await desk.inbox.reply(desk.owner, ana, asked(Text(text))) for text in ("one", "two")
    ]
    await desk.arrive(1, text="Are you there?")
    assert await said(desk) == ["Hello", "one", "two", "Are you there?"]
    await desk.scene.claim()
    first, second = [message_id_of(answer) for answer in answers]
    await desk.scene.report(
        MessageTaken(first, sent_to(ANA)), MessageRefused(second, "not on the network")
    )
    assert await said(desk) == ["Hello", "one", "two", "Are you there?"]
    page = await desk.inbox.thread(desk.owner, ana)
    failed, sent = page.messages[1].message, page.messages[2].message
    assert (sent.status, sent.remote_jid) == (MessageStatus.SENT, ANA)
    assert (failed.status, failed.failure_reason) == (MessageStatus.FAILED, "not on the network")
    assert failed.failed_at is not None


WAITING = {
    "by its address": (None, ANA),
    "by its number": (None, "+15550100001"),
    "by another address of the person": ("+15550100001", OTHER_OF_ANA),
    "by the number of a hidden address": ("+15550190001", "+15550190001"),
    "by the other form of a number": ("+5511987654321", "+551187654321"),
}


@pytest.mark.parametrize(("number", "to"), WAITING.values(), ids=WAITING)
async def test_what_a_client_sends_to_a_person_is_in_their_thread_before_it_is_sent(
    desk: Desk, number: str | None, to: str
) -> None:
    await desk.arrive(1)
    if number is not None:
        await desk.name(1, "Ana", number)
        await desk.scene.report(ContactSeen(OTHER_OF_ANA, number))
    ana = await desk.id_of(ANA)
    waiting = await desk.scene.message(await desk.scene.accept("Your order", to))
    assert waiting.conversation_id == ana
    assert await said(desk) == ["Hello", "Your order"]
    page = await desk.inbox.list(desk.owner)
    assert (page.newest[ana].outcome, page.newest[ana].at) == ("waiting", waiting.created_at)
    await desk.scene.claim()
    await desk.scene.report(MessageTaken(waiting.id, sent_to(ANA)))
    assert await said(desk) == ["Hello", "Your order"]


async def test_what_a_client_sends_to_a_group_is_in_its_thread_before_it_is_sent(
    desk: Desk,
) -> None:
    await desk.arrive_in_group(1)
    await desk.scene.accept("Training is at 8", GROUP)
    assert await said(desk, GROUP) == ["Hello", "Training is at 8"]


async def test_what_waits_is_in_the_thread_of_its_own_device_and_person_alone(desk: Desk) -> None:
    await desk.arrive(1, 2)
    await desk.scene.rows(
        "UPDATE conversations SET account_id = $1 WHERE remote_jid = $2", NOBODY, ANA
    )
    first, second = await desk.scene.accept("one", ANA), await desk.scene.accept("two", BEN)
    assert (await desk.scene.message(first)).conversation_id is None
    assert (await desk.scene.message(second)).conversation_id == await desk.id_of(BEN)


async def test_a_message_that_the_network_brings_elsewhere_moves_there(desk: Desk) -> None:
    await desk.arrive(1, 2)
    message_id = await desk.scene.accept("Hello, who is there?", ANA)
    await desk.scene.claim()
    await desk.scene.report(MessageTaken(message_id, sent_to(BEN)))
    assert await said(desk) == ["Hello"]
    assert await said(desk, BEN) == ["Hello", "Hello, who is there?"]


async def test_a_receipt_may_come_before_the_network_has_taken_an_answer(desk: Desk) -> None:
    await desk.arrive(1)
    answer = await desk.inbox.reply(desk.owner, await desk.id_of(ANA), asked(Text("On my way")))
    [message] = await desk.scene.claim()
    await desk.scene.report(receipt(message, "delivered"))
    assert (await desk.scene.message(message_id_of(answer))).remote_jid == ANA
    [shown] = (await desk.inbox.list(desk.owner)).conversations
    assert (shown.last_message_preview, shown.unread_count) == ("On my way", 1)
    assert shown.last_outbound_at is not None


async def test_an_answer_under_one_key_is_sent_once(desk: Desk) -> None:
    await desk.arrive(1)
    ana, key = await desk.id_of(ANA), IdempotencyKey("form 1", b"print")
    first = await desk.inbox.reply(desk.owner, ana, asked(Text("Yes")), key)
    again = await desk.inbox.reply(desk.owner, ana, asked(Text("Yes")), key)
    assert (again.body, again.replayed) == (first.body, True)
    assert len(await desk.scene.claim()) == 1


REFUSED: list[Content] = [
    Text(" \n"),
    Text("x" * 4097),
    Text("a\0b"),
    ButtonReply("a", "A"),
    Buttons("x" * 1025, (Button("a", "A"),)),
    Buttons("Well?", ()),
    Buttons("Well?", tuple(Button(f"{n}", f"{n}") for n in range(4))),
    Buttons("Well?", (Button("a", "A"), Button("a", "B"))),
    Buttons("Well?", (Button("a", "A"), Button("b", "A"))),
    Buttons("Well?", (Button("a", "x" * 21),)),
    Buttons("Well?", (Button("a", "A"),), footer="x" * 61),
]


async def test_what_cannot_be_sent_changes_nothing(desk: Desk, ana: UUID) -> None:
    for content in REFUSED:
        with pytest.raises(InvalidInputError):
            await desk.inbox.reply(desk.owner, ana, asked(content))
    assert not (await desk.inbox.list(desk.owner)).conversations[0].agent_paused
    assert await desk.scene.claim() == []


# --- who may -----------------------------------------------------------------------------------

Operation = Callable[[Desk, Principal, UUID], Awaitable[object]]
READING: dict[str, Operation] = {
    "thread": lambda desk, who, it: desk.inbox.thread(who, it),
}
WRITING: dict[str, Operation] = {
    "mark_read": lambda desk, who, it: desk.inbox.mark_read(who, it),
    "assign": lambda desk, who, it: desk.inbox.assign(who, it, None),
    "close": lambda desk, who, it: desk.inbox.close(who, it),
    "reopen": lambda desk, who, it: desk.inbox.reopen(who, it),
    "pin": lambda desk, who, it: desk.inbox.pin(who, it),
    "unpin": lambda desk, who, it: desk.inbox.unpin(who, it),
    "set_agent_paused": lambda desk, who, it: desk.inbox.set_agent_paused(who, it, paused=True),
    "add_label": lambda desk, who, it: desk.inbox.add_label(who, it, NOBODY),
    "remove_label": lambda desk, who, it: desk.inbox.remove_label(who, it, NOBODY),
    "answer": lambda desk, who, it: desk.inbox.reply(who, it, asked(Text("Hello"))),
}


async def everything(desk: Desk) -> tuple[Conversation, ...]:
    assert await desk.scene.claim() == []
    page = await desk.inbox.list(desk.owner)
    return (*page.pinned, *page.conversations)


@for_each("name", [*READING, *WRITING])
async def test_another_organizations_conversation_is_refused(desk: Desk, name: str) -> None:
    await desk.arrive(1)
    operation, ana, before = (
        (READING | WRITING)[name],
        await desk.id_of(ANA),
        await everything(desk),
    )
    with pytest.raises(OtherOrganizationError):
        await operation(desk, desk.stranger, ana)
    with pytest.raises(ConversationNotFoundError):
        await operation(desk, desk.owner, NOBODY)
    assert await everything(desk) == before


@pytest.mark.parametrize("name", ["list", *READING, *WRITING])
async def test_each_needs_its_scope(desk: Desk, name: str) -> None:
    await desk.arrive(1)
    ana, before = await desk.id_of(ANA), await everything(desk)
    operations = {"list": lambda desk, who, _: desk.inbox.list(who), **READING, **WRITING}
    needed = [f"conversations:{'write' if name in WRITING else 'read'}"]
    needed += {"answer": ["messages:write"], "thread": ["messages:read"]}.get(name, [])
    for scope in needed:
        with pytest.raises(MissingScopeError, match=scope):
            await operations[name](desk, Principal(desk.owner.tenant, EVERY_SCOPE - {scope}), ana)
    assert await everything(desk) == before
    if name != "add_label":  # for there is no such label
        await operations[name](desk, Principal(desk.owner.tenant, frozenset(needed)), ana)
