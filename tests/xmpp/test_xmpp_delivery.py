"""Nothing lost and nothing doubled: connections that break, servers that die, archives, carbons."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace
from structlog.testing import capture_logs

from heliograph.networks.content import ButtonReply, Content, Text
from heliograph.networks.errors import NetworkError
from heliograph.networks.port import AccountStatus, Cursor, Inbound, NetworkEvent, Outgoing, Receipt
from heliograph.networks.testing import QUESTION, Recorder
from heliograph.networks.xmpp import archive_search, publishing, session
from heliograph.networks.xmpp.archive import PAGE, ArchivePage, ArchiveReader, parse_position
from heliograph.networks.xmpp.stanzas import AnswerError, Refusal
from heliograph.networks.xmpp.stream import RESOURCE, Stream
from prosody_server import ProsodyServer, running_prosody
from xmpp_friend import Friend
from xmpp_server import DOMAIN, XmppServer
from xmpp_world import FROM_THE_BEGINNING, Xmpp, counted_pages, outgoing, texts, xmpp_world

pytest_plugins = ("xmpp_fixtures",)


@pytest.fixture
async def own(own_prosody: ProsodyServer) -> AsyncIterator[Xmpp]:
    """A world on a server that may be harmed."""
    async with xmpp_world(own_prosody) as world:
        yield world


@pytest.fixture
def own_prosody() -> Iterator[ProsodyServer]:
    with running_prosody() as server:
        yield server


@pytest.fixture
async def without_archive() -> AsyncIterator[Xmpp]:
    with running_prosody(archive=False) as server:
        async with xmpp_world(server) as world:
            yield world


async def restart(server: XmppServer) -> None:
    await asyncio.to_thread(server.kill)
    await asyncio.to_thread(server.start)


# --- sending ---


async def test_a_message_cut_off_before_it_was_taken_goes_out_once_by_itself(xmpp: Xmpp) -> None:
    one = await xmpp.connected()
    await xmpp.friend(xmpp.person)
    proxy = xmpp.proxies[one.account.id]
    proxy.hold_answers()
    sending = asyncio.create_task(one.session.send(outgoing(one, xmpp.person, "in the dark")))
    await asyncio.sleep(0.2)
    proxy.cut()
    proxy.let_answers_through()

    await asyncio.wait_for(sending, 60)
    assert await xmpp.shown(one, xmpp.person) == [Text("in the dark")]


async def test_a_message_in_doubt_is_found_in_the_archive_and_not_sent_again(xmpp: Xmpp) -> None:
    one = await xmpp.connected()
    taken = outgoing(one, xmpp.person, "only once")
    first = await one.session.send(taken)
    await one.session.close()
    later = await xmpp.connected(one.account)

    again = await later.session.send(replace(taken, attempt=1))

    assert abs(again.sent_at - first.sent_at) < timedelta(seconds=5)
    assert await xmpp.shown(later, xmpp.person) == [Text("only once")]


async def test_what_the_other_side_refuses_after_it_was_sent_has_failed(xmpp: Xmpp) -> None:
    one, friend = await xmpp.connected(), await xmpp.friend(xmpp.person)
    refused = outgoing(one, xmpp.person, "too late")
    await one.session.send(refused)
    await xmpp.shown(one, xmpp.person)
    friend.refuse(friend.received[-1])

    failed = await one.events.receipt(refused.chat_message_id, "failed")
    assert failed.reason
    assert (failed.chat_jid, failed.only_of_chat) == (friend.jid, True)


async def test_an_archive_that_is_too_long_to_search_is_told(
    xmpp: Xmpp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive_search, "MAX_PAGES", 1)
    one, friend = await xmpp.connected(), await xmpp.friend(xmpp.person)
    taken = outgoing(one, xmpp.person, "only once")
    await one.session.send(taken)
    for n in range(PAGE + 1):
        friend.post(one.account.settings["jid"], f"line {n}")
    await friend.synchronize()

    with capture_logs() as logs:
        await one.session.send(replace(taken, attempt=1))

    told = [(log["event"], log.get("message_id")) for log in logs]
    assert ("xmpp_archive_too_long_to_search", str(taken.message_id)) in told
    said = [
        content for content in await xmpp.shown(one, xmpp.person) if content.summary == "only once"
    ]
    assert len(said) == 2


async def test_a_chat_is_read_once_for_all_that_is_in_doubt_in_it_the_newest_first(
    xmpp: Xmpp, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, friend = await xmpp.connected(), await xmpp.friend(xmpp.person)
    never_left = [outgoing(one, xmpp.person, f"never left {n}", attempt=1) for n in range(3)]
    for n in range(2 * PAGE):
        friend.post(one.account.settings["jid"], f"line {n}")
    await friend.synchronize()
    taken = [outgoing(one, xmpp.person, f"taken {n}") for n in range(3)]
    for each in taken:
        await one.session.send(each)
    asked = counted_pages(monkeypatch)

    for each in taken:
        await one.session.send(replace(each, attempt=1))
    assert len(asked) == 1
    await one.session.send(never_left[0])
    pages = len(asked)
    assert pages > 2
    for each in never_left[1:]:
        await one.session.send(each)
    assert len(asked) == pages

    said = [content.summary for content in await xmpp.shown(one, xmpp.person)]
    assert [text for text in said if "line" not in text] == [
        *[f"taken {n}" for n in range(3)],
        *[f"never left {n}" for n in range(3)],
    ]


async def test_an_archive_that_has_let_go_of_our_place_is_read_again_from_its_end(
    xmpp: Xmpp, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = await xmpp.connected()
    taken = outgoing(one, xmpp.person, "only once")
    await one.session.send(taken)
    page_before = ArchiveReader.page_before
    gone = AnswerError(Refusal("item-not-found", "cancel", ""))

    async def refuse(*_: object) -> ArchivePage:
        raise gone

    monkeypatch.setattr(ArchiveReader, "page_before", refuse)
    with pytest.raises(NetworkError) as refused:
        await one.session.send(replace(taken, attempt=1))
    assert not refused.value.permanent
    assert not refused.value.certain

    monkeypatch.setattr(ArchiveReader, "page_before", page_before)
    await one.session.send(replace(taken, attempt=2))
    assert await xmpp.shown(one, xmpp.person) == [Text("only once")]


@pytest.mark.parametrize("attempt", [0, 1])
async def test_what_was_sent_after_the_chat_was_read_is_looked_for_again(
    xmpp: Xmpp, attempt: int
) -> None:
    one = await xmpp.connected()
    await one.session.send(outgoing(one, xmpp.person, "in doubt", attempt=1))
    later = outgoing(one, xmpp.person, "later", attempt=attempt)
    await one.session.send(later)

    await one.session.send(replace(later, attempt=attempt + 1))

    assert await xmpp.shown(one, xmpp.person) == [Text("in doubt"), Text("later")]


async def test_a_dead_server_leaves_the_message_in_doubt(own: Xmpp) -> None:
    one = await own.connected()
    proxy = own.proxies[one.account.id]
    proxy.hold_answers()
    sending = asyncio.create_task(one.session.send(outgoing(one, own.person, "hello?")))
    await asyncio.sleep(0.2)
    await restart(own.server)
    proxy.cut()
    proxy.let_answers_through()

    with pytest.raises(NetworkError) as lost:
        await asyncio.wait_for(sending, 60)
    assert not lost.value.certain
    assert not lost.value.permanent


async def test_under_load_a_killed_server_loses_and_doubles_nothing(own: Xmpp) -> None:
    one = await own.connected()
    friend = await own.friend(own.person)
    everything = [outgoing(one, own.person, f"number {n}") for n in range(120)]

    async def deliver(message: Outgoing) -> None:
        """As the gateway does: until it is taken, under its own id."""
        attempt = 0
        while True:
            try:
                await one.session.send(replace(message, attempt=attempt))
            except NetworkError as error:
                attempt += not error.certain
                await asyncio.sleep(0.05)
            else:
                return

    async def deliver_in_turn() -> None:
        for message in everything:
            await deliver(message)

    delivering = asyncio.create_task(deliver_in_turn())
    await friend.changed.wait()
    await restart(own.server)
    await asyncio.wait_for(delivering, 100)

    account, sent = one.account.settings["jid"], [each.chat_message_id for each in everything]
    auditor = await Friend(own.server, account, "auditor").come()
    assert await auditor.kept(account, friend.jid) == sent
    await auditor.go()

    returned = await Friend(own.server, friend.jid).come()
    arrived = await returned.kept(account, account)
    assert arrived == [message_id for message_id in sent if message_id in arrived]
    # the server can die when it has kept the one under way for its sender and not its receiver
    assert len(sent) - len(arrived) <= 1
    await returned.go()


async def test_characters_that_xml_can_not_hold_do_not_end_the_connection(xmpp: Xmpp) -> None:
    one = await xmpp.connected()
    await one.session.send(outgoing(one, xmpp.person, "a\x00b\x0bc\ud800d\uffffe"))
    await one.session.send(outgoing(one, xmpp.person, "<body>&amp;]]></body>"))

    expected: list[Content] = [Text("a\ufffdb\ufffdc\ufffdd\ufffde"), Text("<body>&amp;]]></body>")]
    assert await xmpp.shown(one, xmpp.person) == expected
    assert xmpp.proxies[one.account.id].connections == 1


async def test_a_person_who_blocks_the_account_is_refused(xmpp: Xmpp) -> None:
    one, friend = await xmpp.connected(), await xmpp.friend(xmpp.person)
    await friend.block(one.account.settings["jid"])

    with pytest.raises(NetworkError) as refused:
        await one.session.send(outgoing(one, xmpp.person, "please"))
    assert refused.value.permanent


# --- receiving ---


async def test_a_long_absence_is_caught_up_in_order_and_once(xmpp: Xmpp) -> None:
    one = await xmpp.connected()
    await one.session.close()
    friend = await xmpp.friend(xmpp.person)
    for n in range(250):
        friend.post(one.account.settings["jid"], f"line {n}")
    await friend.synchronize()

    later = await xmpp.connected(one.account)
    await xmpp.say(later, xmpp.person, "and now live")

    assert await texts(later, 251) == [*(f"line {n}" for n in range(250)), "and now live"]
    await later.session.close()
    last = await xmpp.connected(one.account)
    await xmpp.say(last, xmpp.person, "the end")
    assert await texts(last, 1) == ["the end"]


async def test_what_comes_while_the_archive_is_read_is_in_its_place(xmpp: Xmpp) -> None:
    one = await xmpp.connected()
    await one.session.close()
    friend = await xmpp.friend(xmpp.person)
    jid = one.account.settings["jid"]
    for n in range(150):
        friend.post(jid, f"line {n}")
    await friend.synchronize()
    later = await xmpp.connected(one.account)
    for n in range(150, 200):
        friend.post(jid, f"line {n}")

    assert await texts(later, 200) == [f"line {n}" for n in range(200)]


async def test_an_archive_that_forgot_our_place_is_read_from_its_time_on(xmpp: Xmpp) -> None:
    one = await xmpp.connected()
    await xmpp.say(one, xmpp.person, "seen")
    await one.events.next(Inbound)
    await one.session.close()
    await xmpp.say(one, xmpp.person, "not seen")
    position = parse_position(xmpp.cursors(one.account.id)[""])
    assert position is not None
    forgotten = replace(
        position, archive_id="expired-long-ago", at=position.at + timedelta(seconds=1)
    )
    account = replace(one.account, cursors={"": forgotten.written()})

    later = await xmpp.connected(account)

    await later.events.next(Inbound, content=Text("not seen"))


async def test_programs_that_use_their_ids_twice_lose_nothing(xmpp: Xmpp) -> None:
    one, friend = await xmpp.connected(), await xmpp.friend(xmpp.person)
    for text in ("first", "second"):
        friend.post(one.account.settings["jid"], text, message_id="1", origin=False)

    assert await texts(one, 2) == ["first", "second"]
    ids = {event.chat_message_id for event in one.events.all(Inbound)}
    assert len(ids) == 2
    await one.session.close()
    again = await xmpp.connected(replace(one.account, cursors=FROM_THE_BEGINNING))
    await texts(again, 2)
    assert {event.chat_message_id for event in again.events.all(Inbound)} == ids


@pytest.mark.parametrize("dies", [False, True], ids=["closed", "dead"])
async def test_without_an_archive_what_was_not_stored_comes_again(
    without_archive: Xmpp, dies: bool
) -> None:
    world = without_archive
    one = await world.connected()
    one.events.refusing = RuntimeError("the database is full")
    said = await world.say(one, world.person, "at least once")
    await one.events.refusal()
    if dies:
        world.proxies[one.account.id].is_closed = True
        world.proxies[one.account.id].cut()  # as if the process had been killed
    else:
        await one.session.close()
    elsewhere = {**one.account.settings, "port": str(world.server.port)}

    later = await world.connected(replace(one.account, settings=elsewhere))

    assert (await later.events.next(Inbound)).chat_message_id == said


async def test_without_an_archive_an_account_is_connected_before_all_that_was_kept_is_stored(
    without_archive: Xmpp, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = without_archive
    one = await world.connected()
    await one.session.close()
    friend = await world.friend(world.person)
    for n in range(2000):
        friend.client.send_message(one.account.settings["jid"], f"number {n}", mtype="chat")
    await friend.synchronize()
    monkeypatch.setattr(publishing, "FULL", 100)
    stored = asyncio.Event()
    publish = Recorder.publish

    async def slowly(self: Recorder, events: Sequence[NetworkEvent]) -> None:
        if any(isinstance(event, Inbound) for event in events):
            await stored.wait()
        await publish(self, events)

    monkeypatch.setattr(Recorder, "publish", slowly)
    later = await world.connected(one.account)
    assert later.events.all(Inbound) == []

    stored.set()
    await later.events.next(Inbound, content=Text("number 1999"))


async def test_a_resumed_connection_brings_what_came_meanwhile(xmpp: Xmpp) -> None:
    one = await xmpp.connected()
    proxy = xmpp.proxies[one.account.id]
    proxy.hold_answers()
    await xmpp.say(one, xmpp.person, "while you were out")
    proxy.cut()
    proxy.let_answers_through()

    await one.events.status(AccountStatus.CONNECTED)
    assert await texts(one, 1) == ["while you were out"]


# --- when it was sent ---


async def test_a_stranger_can_not_say_when_a_message_was_sent(xmpp: Xmpp) -> None:
    one, friend = await xmpp.connected(), await xmpp.friend(xmpp.person)
    began = datetime.now(UTC)
    past, future = began - timedelta(days=400), began + timedelta(days=400)
    for by, at in (("", past), (friend.jid, past), ("evil.test", past), (DOMAIN, future)):
        friend.pretend_delay(one.account.settings["jid"], f"trust me, {by}", by, at)

    await texts(one, 4)
    now = datetime.now(UTC)
    assert [began <= event.sent_at <= now for event in one.events.all(Inbound)] == [True] * 4
    positions = [parse_position(event.position) for event in one.events.all(Cursor)]
    assert [position for position in positions if position is None or position.at > now] == []


async def test_what_the_server_has_kept_was_sent_when_it_was_sent(without_archive: Xmpp) -> None:
    world = without_archive
    one = await world.connected()
    await one.session.close()
    began = datetime.now(UTC)
    await world.say(one, world.person, "are you there?")
    said = datetime.now(UTC)

    later = await world.connected(one.account)

    heard = await later.events.next(Inbound)
    assert began - timedelta(seconds=1) <= heard.sent_at <= said


# --- other programs of the account ---


async def test_what_the_owner_sends_from_another_program_is_outbound(xmpp: Xmpp) -> None:
    one = await xmpp.connected()
    other = await xmpp.laptop(one)
    said = await other.say(xmpp.address(xmpp.person), "from my laptop")

    seen = await one.events.next(Inbound)
    assert seen.from_me
    assert seen.chat_jid == xmpp.address(xmpp.person)
    assert (seen.content, seen.chat_message_id) == (Text("from my laptop"), said)


async def test_a_stranger_can_not_forge_a_carbon(xmpp: Xmpp) -> None:
    one, friend = await xmpp.connected(), await xmpp.friend(xmpp.person)
    friend.forge_carbon(one.account.settings["jid"], xmpp.address(xmpp.other_person), "trust me")
    await xmpp.say(one, xmpp.person, "an honest word")

    assert await texts(one, 1) == ["an honest word"]


# --- buttons and receipts ---


async def test_a_message_is_no_older_than_the_one_before_it(xmpp: Xmpp) -> None:
    """Prosody passes on what a sender claims in its name."""
    one = await xmpp.connected()
    await xmpp.say(one, xmpp.person, "today")
    before = await one.events.next(Inbound)
    await one.events.next(Cursor)
    friend = await xmpp.friend(xmpp.person)
    for by in (DOMAIN, one.account.settings["jid"]):
        then = before.sent_at - timedelta(days=30)
        friend.pretend_delay(one.account.settings["jid"], "last month", by, then)

        claimed = await one.events.next(Inbound, content=Text("last month"))
        assert claimed.sent_at >= before.sent_at


async def test_a_reply_names_the_older_of_two_questions(xmpp: Xmpp) -> None:
    one = await xmpp.connected()
    older, _ = await one.send(xmpp.person, QUESTION)
    await one.send(xmpp.person, QUESTION)
    friend = await xmpp.friend(xmpp.person)
    friend.reply(one.account.settings["jid"], older.chat_message_id, "> Shall we meet?\n", "no")

    reply = await one.events.next(Inbound)
    assert reply.content == ButtonReply("no", "No, sorry")
    assert reply.reply_to_chat_message_id == older.chat_message_id


async def test_a_text_that_may_answer_a_question_before_our_time_is_marked(xmpp: Xmpp) -> None:
    one = await xmpp.connected()
    await xmpp.say(one, xmpp.person, "yes")

    inbound = await one.events.next(Inbound)
    assert inbound.content == Text("yes")
    assert inbound.may_press


async def test_what_comes_with_the_log_in_waits_for_what_came_before_it(
    xmpp: Xmpp, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server delivers to a connection that is named before that has said it is there."""
    one = await xmpp.connected()
    await xmpp.say(one, xmpp.person, "before")
    await one.events.next(Inbound)
    await one.events.next(Cursor)
    await one.session.close()
    friend = await xmpp.friend(xmpp.person)
    for n in range(2):
        friend.post(one.account.settings["jid"], f"while away {n}")
    await friend.synchronize()
    ask_for_features = session._features

    async def ask_later(stream: Stream, own_jid: str) -> set[str]:
        friend.post(f"{own_jid}/{RESOURCE}", "at the log-in")
        await friend.synchronize()
        await asyncio.sleep(0.5)
        return await ask_for_features(stream, own_jid)

    monkeypatch.setattr(session, "_features", ask_later)
    later = await xmpp.connected(one.account)

    assert await texts(later, 3) == ["while away 0", "while away 1", "at the log-in"]


async def test_receipts_that_came_while_we_were_away_are_caught_up(xmpp: Xmpp) -> None:
    one = await xmpp.connected()
    sent, _ = await one.send(xmpp.person, "read me")
    await one.session.close()
    await xmpp.shown(one, xmpp.person)
    await (await xmpp.friend(xmpp.person)).synchronize()

    later = await xmpp.connected(one.account)

    await later.events.receipt(sent.chat_message_id, "read")
    kinds = {receipt.kind for receipt in later.events.all(Receipt)}
    assert kinds >= {"read"}


async def test_a_receipt_is_of_the_chat_of_who_writes_it_and_of_no_other(xmpp: Xmpp) -> None:
    one = await xmpp.connected()
    sent, _ = await one.send(xmpp.person, "read me")
    stranger = await xmpp.friend(xmpp.other_person)
    stranger.pretend_read(one.account.settings["jid"], sent.chat_message_id)

    forged = await one.events.next(Receipt, kind="read")
    assert (forged.chat_jid, forged.only_of_chat) == (stranger.jid, True)
