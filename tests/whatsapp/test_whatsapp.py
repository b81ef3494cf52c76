"""WhatsApp over the stand-in: pairing, failures, ids, hidden ids, what is kept between sessions."""

import asyncio
import dataclasses
import hashlib
import threading
from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace
from neonize.exc import GetJIDFromStoreError
from neonize.proto.Neonize_pb2 import (
    JID,
    MAIN_DEVICE_GONE,
    ClientOutdated,
    ConnectFailure,
    KeepAliveRestored,
    KeepAliveTimeout,
    Node,
    StreamReplaced,
    TemporaryBan,
)
from neonize.proto.Neonize_pb2 import Receipt as ReceiptEvent
from neonize.proto.waCommon.WACommon_pb2 import MessageKey
from neonize.proto.waE2E.WAWebProtobufsE2E_pb2 import (
    ExtendedTextMessage,
    ImageMessage,
    ReactionMessage,
)

import libmagic_needed  # noqa: F401 - before the library
import whatsapp_events as made
from heliograph.networks.content import Image, Text
from heliograph.networks.errors import (
    BannedError,
    LeaseLostError,
    NetworkError,
    PictureNotFoundError,
)
from heliograph.networks.port import (
    AccountStatus,
    Changed,
    Contacts,
    ContactSeen,
    Groups,
    GroupSeen,
    Inbound,
    Pictures,
    Receipt,
    SessionState,
)
from heliograph.networks.testing import Connected, Recorder
from heliograph.networks.whatsapp import directory, event_converter, sql
from heliograph.networks.whatsapp.conversion.jids import to_text
from heliograph.networks.whatsapp.options import Kept
from waiting import seen_until, until
from whatsapp_events import ADA, ADA_LID, BRUNO
from whatsapp_files import sealed_file
from whatsapp_post import Post
from whatsapp_standin import PICTURES, Room, lid_of
from whatsapp_world import WhatsApp

pytest_plugins = ("whatsapp_fixtures",)


def ban(seconds: int) -> TemporaryBan:
    return TemporaryBan(Code=TemporaryBan.BLOCKED_BY_USERS, Expire=seconds)


def address_of(room: Room) -> str:
    return to_text(room.info.JID)


def kept(at: Connected) -> Kept:
    """What the account keeps after what its session has told."""
    told = [state.secrets for state in at.events.all(SessionState) if state.secrets]
    return Kept.read(told[-1])


def again(at: Connected) -> Any:
    """The account as the gateway would hand it to the next session."""
    return replace(at.account, secrets=kept(at).written())


# --- pairing ---------------------------------------------------------------------------------


async def test_codes_to_scan_are_shown_as_the_library_renews_them(whatsapp: WhatsApp) -> None:
    whatsapp.world.scans = False
    at = await whatsapp.begin()
    await at.events.status(AccountStatus.LOGGED_OUT)

    states = [state for state in at.events.all(SessionState) if state.pairing]
    steps = [state.pairing for state in states]
    now = whatsapp.database.clock.now()
    assert [(step.kind, step.payload) for step in steps if step] == [
        ("qr", "2@first"),
        ("qr", "2@second"),
    ]
    left = [(step.expires_at - now).total_seconds() for step in steps if step and step.expires_at]
    assert 40 < left[0] <= 60
    assert left[1] <= 20


@pytest.mark.parametrize(
    ("end", "reason"),
    [
        ("timeout", "Nobody scanned or typed the code"),
        ("err-client-outdated", "update heliograph"),
        ("err-unexpected-state", "broke off"),
        ("error", "did not take the pairing"),
    ],
)
async def test_a_pairing_that_fails_says_why_and_waits_for_a_person(
    whatsapp: WhatsApp, end: str, reason: str
) -> None:
    whatsapp.world.scans, whatsapp.world.pairing_end = False, end
    at = await whatsapp.begin()

    state = await at.events.status(AccountStatus.LOGGED_OUT)

    assert reason in (state.reason or "")
    assert len(whatsapp.world.phones) == 1  # no code is asked for that nobody waits for


async def test_a_number_pairs_by_a_code_to_type(whatsapp: WhatsApp) -> None:
    whatsapp.world.scans = False
    at = await whatsapp.begin(phone_number="+49 151 1234 0001")

    state = await at.events.status(AccountStatus.PAIRING)

    assert state.pairing is not None
    assert (state.pairing.kind, state.pairing.payload) == ("code", "ABCD-EFGH")
    await at.events.status(AccountStatus.LOGGED_OUT)
    assert whatsapp.world.phones[0].asked == ["4915112340001"]


async def test_a_code_that_the_network_refuses_is_told(whatsapp: WhatsApp) -> None:
    whatsapp.world.scans, whatsapp.world.pairing_code = False, ""
    at = await whatsapp.begin(phone_number="+49 151 1234 0001")

    state = await at.events.status(AccountStatus.LOGGED_OUT)

    assert "asks to wait (429)" in (state.reason or "")


async def test_a_paired_account_is_told_with_its_number_and_kept(
    whatsapp: WhatsApp, one: Connected
) -> None:
    state = one.events.all(SessionState)[-1]

    assert state.remote_jid == whatsapp.device(one).replace(":3@", "@")
    assert state.phone_number == "+" + whatsapp.device(one).partition(":")[0]
    assert kept(one) == Kept(device=whatsapp.device(one))


# --- failures --------------------------------------------------------------------------------


async def test_a_ban_stops_all_sending_until_it_ends(whatsapp: WhatsApp, one: Connected) -> None:
    await one.send(ADA, "before")
    whatsapp.world.send(whatsapp.device(one), ban(3), 8)

    state = await one.events.status(AccountStatus.DISCONNECTED)
    with pytest.raises(BannedError) as refused:
        await one.send(ADA, "meanwhile")

    assert "too many people blocked it" in (state.reason or "")
    assert refused.value.until is not None
    await one.events.status(AccountStatus.CONNECTED)
    await one.send(ADA, "after")
    assert await whatsapp.shown(one, ADA) == [Text("before"), Text("after")]


async def test_a_ban_holds_for_the_next_session_too(whatsapp: WhatsApp, one: Connected) -> None:
    whatsapp.world.send(whatsapp.device(one), ban(3600), 8)
    await one.events.status(AccountStatus.DISCONNECTED)
    await one.session.close()
    phones = len(whatsapp.world.phones)

    later = await whatsapp.begin(again(one))

    state = await later.events.status(AccountStatus.DISCONNECTED)
    assert "banned" in (state.reason or "")
    with pytest.raises(BannedError):
        await later.send(ADA, "still?")
    assert len(whatsapp.world.phones) == phones  # it did not even try


async def test_an_outdated_client_is_said_and_not_tried_on_and_on(
    whatsapp: WhatsApp, one: Connected
) -> None:
    whatsapp.world.send(whatsapp.device(one), ClientOutdated(), 10)

    state = await one.events.status(AccountStatus.DISCONNECTED)

    assert "heliograph[whatsapp]" in (state.reason or "")
    assert kept(one).left(whatsapp.database.clock.now()) > 3600


async def test_sessions_that_replace_each_other_do_so_ever_more_slowly(
    whatsapp: WhatsApp, one: Connected
) -> None:
    now = whatsapp.database.clock.now()
    account, pauses = one.account, []
    for _ in range(4):
        at = await whatsapp.connected(account)
        whatsapp.world.send(whatsapp.device(one), StreamReplaced(), 7)
        state = await at.events.status(AccountStatus.DISCONNECTED)
        assert "Another client connected" in (state.reason or "")
        pauses.append(kept(at).left(now))
        await at.session.close()
        waited = dataclasses.replace(kept(at), held_until=None)
        account = replace(one.account, secrets=waited.written())

    assert [round(pause / 300) for pause in pauses] == [0, 1, 2, 4]


async def test_the_phone_being_gone_has_a_reason_of_its_own(
    whatsapp: WhatsApp, one: Connected
) -> None:
    await asyncio.to_thread(whatsapp.world.expel, whatsapp.device(one), MAIN_DEVICE_GONE)

    state = await one.events.status(AccountStatus.LOGGED_OUT)

    assert "403" in (state.reason or "")


async def test_a_refused_connection_is_tried_again(whatsapp: WhatsApp, one: Connected) -> None:
    failure = ConnectFailure(Reason=8, Message="sorry", Raw=Node(Tag="failure"))
    whatsapp.world.send(whatsapp.device(one), failure, 9)

    state = await one.events.status(AccountStatus.DISCONNECTED)

    assert state.reason == "WhatsApp's server failed (500). sorry"
    await one.events.status(AccountStatus.CONNECTED)


async def test_a_silent_connection_is_told_until_it_speaks_again(
    whatsapp: WhatsApp, one: Connected
) -> None:
    device = whatsapp.device(one)
    whatsapp.world.send(device, KeepAliveTimeout(ErrorCount=1, LastSuccess=made.NOW), 4)
    state = await one.events.status(AccountStatus.DISCONNECTED)
    with pytest.raises(NetworkError):
        await one.send(ADA, "anyone?")
    whatsapp.world.send(device, KeepAliveRestored(), 5)

    assert "since 09:15:10 UTC" in (state.reason or "")
    await one.events.status(AccountStatus.CONNECTED)
    await one.send(ADA, "there you are")


async def test_a_library_that_stops_by_itself_is_started_anew(
    whatsapp: WhatsApp, one: Connected
) -> None:
    error = "proto: required field neonize.Receipt.Type not set"
    whatsapp.world.phones[-1].events.put(error)

    state = await one.events.status(AccountStatus.DISCONNECTED)

    assert "Receipt" in (state.reason or "")
    await one.events.status(AccountStatus.CONNECTED)
    whatsapp.world.say(whatsapp.device(one), ADA, "still there?")
    await one.events.next(Inbound, content=Text("still there?"))


async def test_no_phone_is_left_running_when_its_session_is_over(whatsapp: WhatsApp) -> None:
    at = [await whatsapp.connected() for _ in range(3)]
    await asyncio.gather(*(connected.session.close() for connected in at))

    await until(lambda: all(phone.is_stopped for phone in whatsapp.world.phones))


# --- ids -------------------------------------------------------------------------------------


async def test_a_message_that_was_sent_is_not_sent_again_by_any_session(
    whatsapp: WhatsApp, one: Connected
) -> None:
    message = one.outgoing(ADA, Text("once"))
    sent = await one.session.send(message)
    await one.session.close()
    later = await whatsapp.connected(one.account)

    repeated = await later.session.send(message)

    assert (repeated.remote_jid, repeated.sent_at) == (sent.remote_jid, sent.sent_at)
    assert await whatsapp.shown(one, ADA) == [Text("once")]


async def test_a_try_that_is_still_under_way_is_joined(whatsapp: WhatsApp, one: Connected) -> None:
    message = one.outgoing(ADA, Text("once"))

    await asyncio.gather(one.session.send(message), one.session.send(message))

    assert await whatsapp.shown(one, ADA) == [Text("once")]


async def test_a_try_that_failed_may_be_repeated(whatsapp: WhatsApp, one: Connected) -> None:
    message = one.outgoing(ADA, Text("at last"))
    whatsapp.world.send_error = "timed out waiting for message send response"
    with pytest.raises(NetworkError) as unsure:
        await one.session.send(message)
    whatsapp.world.send_error = ""

    await one.session.send(message)

    assert not unsure.value.certain
    assert await whatsapp.shown(one, ADA) == [Text("at last")]


async def test_receipts_and_answers_name_our_ids_in_a_later_session(
    whatsapp: WhatsApp, one: Connected
) -> None:
    message, _ = await one.send(ADA, "ticks?")
    await one.session.close()
    later = await whatsapp.connected(one.account)
    [(device, remote_id, _)] = whatsapp.world.got[ADA]
    answer = ExtendedTextMessage(text="yes")
    answer.contextInfo.stanzaID = remote_id
    whatsapp.world.send(device, made.message(extendedTextMessage=answer))

    await whatsapp.shown(later, ADA)

    assert remote_id != message.chat_message_id
    await later.events.receipt(message.chat_message_id, "read")
    inbound = await later.events.next(Inbound)
    assert inbound.reply_to_chat_message_id == message.chat_message_id


async def test_a_receipt_that_overtakes_the_answer_to_a_send_waits_for_it(
    whatsapp: WhatsApp, one: Connected, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep, go = sql.insert_sent, asyncio.Event()

    async def slowly(*arguments: Any) -> None:
        await go.wait()
        await keep(*arguments)

    monkeypatch.setattr(sql, "insert_sent", slowly)
    message = one.outgoing(ADA, Text("fast network"))
    sending = asyncio.create_task(one.session.send(message))

    await one.events.receipt(message.chat_message_id, "delivered")

    assert not sending.done()
    go.set()
    await sending


async def test_receipts_for_what_others_sent_keep_the_networks_id(
    whatsapp: WhatsApp, one: Connected
) -> None:
    event = made.receipt(ReceiptEvent.READ, "3AFFFF")
    whatsapp.world.send(whatsapp.device(one), event, 18)

    assert await one.events.next(Receipt, chat_message_id="3AFFFF")


async def test_old_ids_are_forgotten(whatsapp: WhatsApp, one: Connected) -> None:
    message, _ = await one.send(ADA, "long ago")
    pool, now = whatsapp.database.pool, whatsapp.database.clock.now()

    await sql.delete_old_sent(pool, one.account.id, now)
    assert await sql.find_sent(pool, one.account.id, message.chat_message_id)
    await sql.delete_old_sent(pool, one.account.id, now + timedelta(days=61))

    assert await sql.find_sent(pool, one.account.id, message.chat_message_id) is None


# --- hidden ids, contacts, groups, pictures --------------------------------------------------


async def test_somebody_known_by_a_hidden_id_is_told_to_be_the_number_once(
    whatsapp: WhatsApp, one: Connected
) -> None:
    for text in ("first", "second"):
        whatsapp.world.say(whatsapp.device(one), ADA, text)
        await one.events.next(Inbound, content=Text(text))

    seen = [contact for contact in one.events.all(ContactSeen) if contact.remote_jid == lid_of(ADA)]
    assert seen == [ContactSeen(lid_of(ADA), "+4915112340002")]


async def test_a_number_that_does_not_come_along_is_asked_of_the_store(
    whatsapp: WhatsApp, one: Connected
) -> None:
    event = made.message(where=made.source(lid_of(BRUNO)), conversation="guess who")
    whatsapp.world.send(whatsapp.device(one), event)

    inbound = await one.events.next(Inbound)

    assert inbound.sender_jid == inbound.chat_jid == BRUNO
    assert inbound.sender_phone_number == "+4915112340003"


async def test_somebody_whose_number_is_not_known_is_heard_under_the_hidden_id(
    whatsapp: WhatsApp, one: Connected
) -> None:
    event = made.message(where=made.source(ADA_LID), conversation="incognito")
    whatsapp.world.send(whatsapp.device(one), event)

    assert (await one.events.next(Inbound)).sender_jid == ADA_LID


PAIR = ContactSeen(lid_of(ADA), "+4915112340002", if_known=True)
"""What is told of a pair that does not come beside somebody's message."""


async def test_a_new_group_shows_its_hidden_members_to_be_their_numbers(one: Connected) -> None:
    assert isinstance(one.session, Groups)
    await one.session.create_group("Choir", [ADA])

    assert PAIR in one.events.all(ContactSeen)
    known = len(one.events.all(ContactSeen))
    await one.session.create_group("Big choir", [ADA])
    assert len(one.events.all(ContactSeen)) == known  # told once


async def test_so_does_a_group_that_is_asked_for_its_subject(
    whatsapp: WhatsApp, one: Connected
) -> None:
    room = whatsapp.world.make_room("Chess", ADA)
    room.members.add(whatsapp.device(one).replace(":3@", "@"))
    whatsapp.world.say(whatsapp.device(one), BRUNO, "check", address_of(room))

    inbound = await one.events.next(Inbound)

    assert inbound.group_subject == "Chess"
    assert PAIR in one.events.all(ContactSeen)


async def test_syncing_contacts_shows_hidden_people_to_be_their_numbers(one: Connected) -> None:
    assert isinstance(one.session, Contacts)
    _ = [page async for page in one.session.contacts()]

    assert PAIR in one.events.all(ContactSeen)


async def test_the_accounts_own_hidden_id_is_its_number(whatsapp: WhatsApp, one: Connected) -> None:
    own = one.account.remote_jid or ""

    told = ContactSeen(lid_of(own), "+" + own.partition("@")[0], if_known=True)
    assert told in one.events.all(ContactSeen)


async def test_a_store_that_failed_is_asked_again(
    whatsapp: WhatsApp, one: Connected, monkeypatch: pytest.MonkeyPatch
) -> None:
    phone, asked = whatsapp.world.phones[-1], []
    answer = phone.get_pn_from_lid

    def fails_once(jid: JID) -> JID:
        asked.append(jid)
        if len(asked) == 1:
            raise GetJIDFromStoreError("database is away")
        return answer(jid)

    monkeypatch.setattr(phone, "get_pn_from_lid", fails_once)
    monkeypatch.setattr(directory, "PAUSE", 0.0)
    for n, sender in enumerate((lid_of(BRUNO), BRUNO)):
        event = made.message(
            where=made.source(lid_of(BRUNO)), conversation=str(n), message_id=f"3A{n}"
        )
        whatsapp.world.send(whatsapp.device(one), event)
        assert (await one.events.next(Inbound, content=Text(str(n)))).sender_jid == sender

    assert ContactSeen(lid_of(BRUNO), "+4915112340003") in one.events.all(ContactSeen)


async def test_a_store_that_hangs_holds_up_one_message_and_not_each(
    whatsapp: WhatsApp, one: Connected, monkeypatch: pytest.MonkeyPatch
) -> None:
    phone, asked, goes_on = whatsapp.world.phones[-1], [], threading.Event()

    def hangs(jid: JID) -> JID:
        asked.append(jid)
        goes_on.wait(60)
        return made.jid("")

    monkeypatch.setattr(phone, "get_pn_from_lid", hangs)
    monkeypatch.setattr(directory, "STORE_TIMEOUT", 0.1)
    for n in range(5):
        event = made.message(
            where=made.source(f"7000000000010{n}@lid"), conversation=str(n), message_id=f"3A{n}"
        )
        whatsapp.world.send(whatsapp.device(one), event)
    await one.events.next(Inbound, content=Text("4"))

    assert len(asked) == 1
    goes_on.set()


async def test_a_change_names_the_hidden_ids_that_its_message_may_have_come_under(
    whatsapp: WhatsApp, one: Connected
) -> None:
    key = MessageKey(ID="3AFFFF", fromMe=True)
    reaction = ReactionMessage(key=key, text="🎉")
    whatsapp.world.send(
        whatsapp.device(one), made.message(where=made.source(BRUNO), reactionMessage=reaction)
    )

    change = await one.events.next(Changed)

    assert (change.chat_jid, change.message_sender_jid) == (BRUNO, BRUNO)
    assert change.earlier_jids == {BRUNO: lid_of(BRUNO)}


async def test_a_sent_message_tells_the_recipients_names(one: Connected) -> None:
    _, sent = await one.send(ADA, "hello")

    assert (sent.contact_name, sent.chat_name) == ("Ada Abara", "ada")
    assert sent.phone_number == "+4915112340002"


@pytest.mark.parametrize("answers_hidden", [True, False])
async def test_a_number_that_has_changed_its_form_is_written_to_under_the_new_one(
    whatsapp: WhatsApp, one: Connected, answers_hidden: bool
) -> None:
    asked, has = "5511987654321@s.whatsapp.net", "551187654321@s.whatsapp.net"
    whatsapp.world.moved[asked] = has
    whatsapp.world.answers_hidden = answers_hidden

    message, sent = await one.send(asked, "oi")

    assert (sent.remote_jid, sent.phone_number) == (has, "+551187654321")
    assert await whatsapp.shown(one, has) == [Text("oi")]
    assert whatsapp.world.got[asked] == []
    await one.events.receipt(message.chat_message_id, "delivered")


async def test_what_is_sent_to_a_hidden_id_is_in_the_conversation_with_the_number(
    whatsapp: WhatsApp, one: Connected
) -> None:
    _, sent = await one.send(lid_of(ADA), "hello")

    assert (sent.remote_jid, sent.phone_number) == (ADA, "+4915112340002")
    assert [text.conversation for _, _, text in whatsapp.world.got[lid_of(ADA)]] == ["hello"]


async def test_a_receipt_from_the_number_waits_for_a_send_to_the_hidden_id(
    whatsapp: WhatsApp, one: Connected, monkeypatch: pytest.MonkeyPatch
) -> None:
    device, post = whatsapp.device(one), Post.of(whatsapp.world.phones[-1], monkeypatch)
    message = one.outgoing(lid_of(ADA), Text("fast network"))
    sending = asyncio.create_task(one.session.send(message))
    await until(lambda: bool(post.taken))
    whatsapp.world.send(device, made.receipt(ReceiptEvent.READ, *post.taken), 18)
    whatsapp.world.say(device, BRUNO, "after it")
    post.go.set()
    await sending

    await one.events.receipt(message.chat_message_id, "read")


async def test_a_group_without_a_subject_keeps_the_one_it_had(
    whatsapp: WhatsApp, one: Connected
) -> None:
    info = made.group("", [made.member(BRUNO)])
    whatsapp.world.send(whatsapp.device(one), made.joined(info), 21)
    whatsapp.world.say(whatsapp.device(one), ADA, "hello?", made.GROUP)

    assert (await one.events.next(Inbound)).group_subject is None
    assert one.events.all(GroupSeen) == []


async def test_a_group_we_are_taken_into_is_told_and_shows_hidden_members_to_be_their_numbers(
    whatsapp: WhatsApp, one: Connected
) -> None:
    info = made.group("Neighbours", [made.member(ADA, lid_of(ADA))], owner=lid_of(ADA))
    whatsapp.world.send(whatsapp.device(one), made.joined(info), 21)

    group = await one.events.next(GroupSeen)

    assert (group.subject, group.owner_jid, group.participants) == ("Neighbours", ADA, (ADA,))
    assert PAIR in one.events.all(ContactSeen)


async def test_a_new_subject_is_told_and_used(whatsapp: WhatsApp, one: Connected) -> None:
    assert isinstance(one.session, Groups)
    group = await one.session.create_group("Choir", [ADA])
    whatsapp.world.send(whatsapp.device(one), made.renamed(group.remote_jid, "Big choir"), 22)
    whatsapp.world.say(whatsapp.device(one), ADA, "nice name", group.remote_jid)

    assert (await one.events.next(GroupSeen)).subject == "Big choir"
    assert (await one.events.next(Inbound)).group_subject == "Big choir"


async def test_the_networks_refusal_of_a_group_is_passed_on(one: Connected) -> None:
    assert isinstance(one.session, Groups)
    with pytest.raises(NetworkError, match="406") as refused:
        await one.session.create_group("x" * 101, [ADA])

    assert refused.value.permanent


async def test_a_hidden_picture_is_not_found(one: Connected) -> None:
    assert isinstance(one.session, Pictures)
    with pytest.raises(PictureNotFoundError, match="hides"):
        await one.session.picture(BRUNO, preview=True)

    picture = await one.session.picture(ADA, preview=True)
    assert picture is not None
    assert picture.data == PICTURES["preview"]


# --- from one session to the next ------------------------------------------------------------


async def test_a_burst_is_taken_in_order_while_the_loop_goes_on(
    whatsapp: WhatsApp, one: Connected
) -> None:
    beats = 0

    async def heartbeat() -> None:
        nonlocal beats
        while True:
            await asyncio.sleep(0)
            beats += 1

    heart = asyncio.create_task(heartbeat())
    for n in range(10_000):
        event = made.message(message_id=f"3A{n:018X}", conversation=str(n))
        whatsapp.world.send(whatsapp.device(one), event)
    await one.events.next(Inbound, content=Text("9999"), within=90)

    texts = [inbound.content for inbound in one.events.all(Inbound)]
    assert texts == [Text(str(n)) for n in range(10_000)]
    assert beats >= 100
    heart.cancel()


async def test_without_its_lease_a_session_does_not_connect_at_all(
    whatsapp: WhatsApp, one: Connected
) -> None:
    await one.session.close()
    phones = len(whatsapp.world.phones)
    events = Recorder()
    events.refusing = LeaseLostError()

    session = await whatsapp.network.connect(one.account, events)
    await asyncio.sleep(0.1)

    assert len(whatsapp.world.phones) == phones
    await session.close()


async def test_what_one_node_could_not_hand_on_reaches_a_session_that_is_open_already(
    whatsapp: WhatsApp, one: Connected
) -> None:
    one.events.refusing = LeaseLostError()
    whatsapp.world.say(whatsapp.device(one), ADA, "a")
    await one.events.refusal()
    await asyncio.sleep(0)
    later = await whatsapp.connected(one.account)
    whatsapp.world.say(whatsapp.device(one), ADA, "b")

    await later.events.next(Inbound, content=Text("a"))
    await later.events.next(Inbound, content=Text("b"))
    pool, now = whatsapp.database.pool, whatsapp.database.clock.now
    await seen_until(
        lambda: sql.list_unprocessed(pool, one.account.id, now()), lambda left: not left
    )


def sent_file(data: bytes, *, said: int | None = None) -> tuple[ImageMessage, bytes]:
    """A picture as a phone sends it: the message, and what lies on the server."""
    key = b"k" * 32
    message = ImageMessage(
        mimetype="image/png",
        caption="Us",
        directPath="/v/t62/1?oh=2",
        mediaKey=key,
        fileSHA256=hashlib.sha256(data).digest(),
        fileLength=len(data) if said is None else said,
    )
    return message, sealed_file(data, key, "Image")


LINK = "https://mmg.whatsapp.net/v/t62/1?oh=2"


async def picture_from(whatsapp: WhatsApp, one: Connected, message: ImageMessage) -> Inbound:
    whatsapp.world.send(whatsapp.device(one), made.message(imageMessage=message))
    inbound = await one.events.next(Inbound)
    assert isinstance(inbound.content, Image)
    assert (inbound.content.media_type, inbound.content.caption) == ("image/png", "Us")
    return inbound


PIXELS, SEALED = sent_file(b"pixels")
TOO_LARGE, _ = sent_file(b"pixels", said=16_000_001)
ELSEWHERE = ImageMessage()
ELSEWHERE.CopyFrom(PIXELS)
ELSEWHERE.directPath = "@example.com/v/1"


@pytest.mark.parametrize(
    ("message", "found", "asked"),
    [
        pytest.param(PIXELS, bytes([SEALED[0] ^ 1]) + SEALED[1:], True, id="changed on its way"),
        pytest.param(PIXELS, sent_file(b"others")[1], True, id="not the one that was sent"),
        pytest.param(PIXELS, None, True, id="gone"),
        pytest.param(TOO_LARGE, SEALED, False, id="too large"),
        pytest.param(ELSEWHERE, None, False, id="not on the network's servers"),
    ],
)
async def test_a_file_that_cannot_be_had_costs_no_message(
    whatsapp: WhatsApp, one: Connected, message: ImageMessage, found: bytes | None, asked: bool
) -> None:
    if found is not None:
        whatsapp.world.files[LINK] = found

    assert (await picture_from(whatsapp, one, message)).file is None
    assert whatsapp.world.fetched == [LINK] * asked


async def test_servers_that_hang_do_not_hold_up_message_after_message(
    whatsapp: WhatsApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_converter, "SHORT_FILE_TIMEOUT", 0.01)
    monkeypatch.setattr(event_converter, "FILE_TIMEOUT", 0.5)
    one = await whatsapp.connected()
    whatsapp.world.hangs = threading.Event()
    whatsapp.world.files[LINK] = SEALED

    for n in range(20):
        event = made.message(message_id=f"3A{n}", imageMessage=PIXELS)
        whatsapp.world.send(whatsapp.device(one), event)
    await one.events.next(Inbound, chat_message_id="3A19")

    assert [inbound.file for inbound in one.events.all(Inbound)] == [None] * 20
    whatsapp.world.hangs.set()


async def test_an_empty_answer_of_the_store_is_no_device(whatsapp: WhatsApp) -> None:
    pool = whatsapp.database.pool

    assert not await sql.has_device(pool, made.OWN)
    await pool.execute("INSERT INTO whatsapp.whatsmeow_device VALUES ($1)", made.OWN)
    assert await sql.has_device(pool, made.OWN)
    await pool.execute("DROP TABLE whatsapp.whatsmeow_device")
    assert not await sql.has_device(pool, made.OWN)
