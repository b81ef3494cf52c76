"""What the sandbox does beyond what every driver must: pairing, phones, accounts, processes."""

import asyncio
import contextlib
import re
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from io import BytesIO
from uuid import UUID, uuid4

import pytest
from msgspec.structs import replace
from PIL import Image

from connections import connected
from each_case import for_each
from heliograph.networks.content import ButtonReply, Text
from heliograph.networks.errors import (
    ApprovalRequiredError,
    InvalidAddressError,
    LeaseLostError,
    NetworkError,
    NotConnectedError,
    RecipientNotFoundError,
    RestrictedError,
)
from heliograph.networks.phone_actions import (
    Approve,
    Disconnect,
    Offline,
    Online,
    Picture,
    Press,
    Restrict,
    Say,
    Scan,
    Silence,
)
from heliograph.networks.port import (
    Account,
    AccountStatus,
    GroupSeen,
    Inbound,
    NetworkContext,
    NetworkEvent,
    Receipt,
    Restricted,
    SessionState,
    Unrestricted,
)
from heliograph.networks.sandbox import chats, devices
from heliograph.networks.sandbox import mailbox as mailbox_module
from heliograph.networks.sandbox.mailbox import Mailbox
from heliograph.networks.sandbox.options import read_options
from heliograph.networks.testing import QUESTION, Connected, Recorder
from sandbox_world import AT_ONCE, Sandbox, refused, session_of

pytest_plugins = ("sandbox_fixtures",)

ADA = "15550100001"
BRUNO = "15550100002"


# --- pairing ---


@pytest.mark.parametrize(
    ("number", "kind", "form"),
    [("", "qr", "sandbox:pair:.{32}"), ("+1 555 020-0001", "code", "[A-Z2-9]{4}-[A-Z2-9]{4}")],
)
async def test_an_account_pairs_by_the_code_it_shows(
    sandbox: Sandbox, number: str, kind: str, form: str
) -> None:
    at = await sandbox.begin(pair_automatically="false", phone_number=number)
    shown = await at.events.status(AccountStatus.PAIRING)
    assert shown.pairing is not None
    assert shown.pairing.kind == kind
    assert re.fullmatch(form, shown.pairing.payload)

    await sandbox.simulator(at).act(Scan(shown.pairing.payload))

    state = await at.events.status(AccountStatus.CONNECTED)
    assert state.phone_number is not None
    assert not number or state.phone_number == "+15550200001"
    assert state.remote_jid == f"{state.phone_number[1:]}@sandbox"
    assert state.secrets


async def test_the_qr_code_is_renewed_and_an_old_one_expires(sandbox: Sandbox) -> None:
    at = await sandbox.begin(pair_automatically="false")
    first = (await at.events.status(AccountStatus.PAIRING)).pairing
    second = (await at.events.status(AccountStatus.PAIRING)).pairing

    assert first is not None
    assert second is not None
    assert first.payload != second.payload
    assert first.expires_at is not None
    assert second.expires_at is not None
    assert first.expires_at < second.expires_at


async def test_a_number_belongs_to_one_account(sandbox: Sandbox) -> None:
    await sandbox.connected(phone_number="15550200001")
    other = await sandbox.begin(phone_number="15550200001")

    state = await other.events.status(AccountStatus.LOGGED_OUT)
    assert "belongs to another account" in (state.reason or "")


async def test_an_account_that_was_logged_out_can_be_paired_again(sandbox: Sandbox) -> None:
    one = await sandbox.connected()
    await one.session.log_out()
    await one.events.status(AccountStatus.LOGGED_OUT)

    again = await sandbox.connected(Account(one.account.id, "Front desk", AT_ONCE, {}))

    assert again.account.remote_jid == one.account.remote_jid
    await again.send(ADA, "here again")


# --- phones ---


async def test_any_number_is_somebody_and_always_the_same(sandbox: Sandbox, one: Connected) -> None:
    _, sent = await one.send("+49 30 1234567", "Guten Tag")
    other = await sandbox.connected()
    _, again = await other.send("49301234567", "Guten Tag")

    assert sent.phone_number == again.phone_number == "+49301234567"
    assert sent.chat_name == again.chat_name
    assert sent.contact_name is None

    _, known = await one.send(ADA, "Hello Ada")
    assert (known.contact_name, known.chat_name) == ("Ada Abara", "Ada")


@for_each("value", ["1234", "1234567890123456", "0123456", "ada@sandbox", "+", ""])
def test_what_is_no_number_is_no_address(sandbox: Sandbox, value: str) -> None:
    with pytest.raises(InvalidAddressError):
        sandbox.network.recipient(value, {})


async def test_the_address_book_comes_in_pages(sandbox: Sandbox) -> None:
    one = await sandbox.connected(contacts="250")

    pages = [page async for page in session_of(one).contacts()]

    assert [len(page) for page in pages] == [100, 100, 50]
    assert len({contact.remote_jid for page in pages for contact in page}) == 250


async def test_a_changed_picture_has_another_id(sandbox: Sandbox, one: Connected) -> None:
    before = await session_of(one).picture(f"{ADA}@sandbox", preview=False)
    assert before is not None

    told = await sandbox.simulator(one).act(Picture(ADA))

    known = before.picture_id
    after = await session_of(one).picture(f"{ADA}@sandbox", preview=False, known_id=known)
    assert after is not None
    assert told == f"Ada Abara has the new picture {after.picture_id}."
    assert after.picture_id != before.picture_id
    assert after.data != before.data
    assert Image.open(BytesIO(after.data)).size == (640, 640)


async def test_accounts_do_not_share_their_phones(sandbox: Sandbox, one: Connected) -> None:
    other = await sandbox.connected()
    await sandbox.simulator(one).act(Offline(ADA))

    message, _ = await other.send(ADA, "not switched off for me")
    await other.events.receipt(message.chat_message_id, "read")

    assert await sandbox.shown(one, ADA) == []


async def test_what_can_not_be_done_is_refused_with_a_sentence(
    sandbox: Sandbox, one: Connected
) -> None:
    group = await session_of(one).create_group("Votes", [f"{ADA}@sandbox"])
    link = await sandbox.invite(one, "Board", approval=True)
    await one.send(ADA, QUESTION)
    await one.send(BRUNO, "just words")
    await sandbox.simulator(one).act(Offline("Chiara Costa"))
    for action, sentence in (
        (Say("15550100003", "hm"), "Chiara Costa's phone is switched off"),
        (Say("1234", "hm"), "is not an address of the sandbox"),
        (Say(BRUNO, "hm", group=group.remote_jid), "Bruno Berg is not in the group"),
        (Press(BRUNO, "yes"), "no message with buttons"),
        (Press(ADA, "maybe"), "'Yes, gladly' (id yes), 'No, sorry' (id no)"),
        (Scan("ABCD-EFGH"), "No account shows this code"),
        (Approve(link), "not asked"),
    ):
        assert sentence in await refused(sandbox.simulator(one).act(action)), action
    nobodys = Account(uuid4(), "Front desk", {"read_delay": "soon"}, {})
    assert "pair it first" in await refused(sandbox.network.simulator(nobodys.id).people())
    connecting = sandbox.network.connect(nobodys, Recorder())
    assert "'read_delay' must be a number from 0 to 86400" in await refused(connecting)


async def test_a_group_waits_for_its_member_that_is_switched_off(
    sandbox: Sandbox, one: Connected
) -> None:
    group = await session_of(one).create_group("Family", [f"{ADA}@sandbox", f"{BRUNO}@sandbox"])
    await sandbox.simulator(one).act(Offline(BRUNO))
    message, _ = await one.send(group.remote_jid, "Dinner?")
    direct, _ = await one.send(ADA, "Dinner?")
    await one.events.receipt(direct.chat_message_id, "read")
    assert len(one.events.all(Receipt)) == 2

    await sandbox.simulator(one).act(Online(BRUNO))

    await one.events.receipt(message.chat_message_id, "read")


# --- restrictions ---


async def test_a_restriction_is_reported_and_so_is_its_early_end(
    sandbox: Sandbox, one: Connected
) -> None:
    await sandbox.simulator(one).act(Restrict(3600))
    restricted = await one.events.next(Restricted)
    assert restricted.kind == "new_conversations"
    assert restricted.until > datetime.now(UTC) + timedelta(minutes=59)
    with pytest.raises(RestrictedError):
        await one.send(BRUNO, "Hello?")
    await sandbox.simulator(one).act(Say(BRUNO, "Hello!"))
    await one.send(BRUNO, "who has written is no stranger")
    await sandbox.simulator(one).act(Restrict(0))
    await one.events.next(Unrestricted)


# --- receipts ---


async def test_delays_hold_back_receipts_until_the_chat_is_opened(
    sandbox: Sandbox,
) -> None:
    one = await sandbox.connected(delivered_delay="60", read_delay="60")
    message, _ = await one.send(ADA, "No hurry")
    quick, _ = await one.send(BRUNO, "No hurry either")

    (bubble,) = await sandbox.simulator(one).receive(ADA)

    assert bubble.status == "read"
    await one.events.receipt(message.chat_message_id, "read")
    assert {receipt.chat_message_id for receipt in one.events.all(Receipt)} != {
        quick.chat_message_id
    }


async def test_receipts_come_after_the_delays_that_the_account_has_now(
    sandbox: Sandbox, one: Connected
) -> None:
    delays = {"delivered_delay": "0.05", "read_delay": "0.1"}
    changed = replace(one.account, settings={**one.account.settings, **delays})
    one = await sandbox.connected(changed)
    message, sent = await one.send(ADA, "Tick, tick")

    delivered = await one.events.receipt(message.chat_message_id, "delivered")
    read = await one.events.receipt(message.chat_message_id, "read")

    assert (delivered.at - sent.sent_at).total_seconds() == pytest.approx(0.05)
    assert (read.at - sent.sent_at).total_seconds() == pytest.approx(0.15)


# --- buttons ---


async def test_an_older_message_can_be_answered(sandbox: Sandbox, one: Connected) -> None:
    older, _ = await one.send(ADA, QUESTION)
    await one.send(ADA, QUESTION)

    await sandbox.simulator(one).act(Press(ADA, "yes, GLADLY", message=older.chat_message_id))

    inbound = await one.events.next(Inbound)
    assert inbound.content == ButtonReply("yes", "Yes, gladly")
    assert inbound.reply_to_chat_message_id == older.chat_message_id


async def test_buttons_are_pressed_in_groups_too(sandbox: Sandbox, one: Connected) -> None:
    group = await session_of(one).create_group("Votes", [f"{ADA}@sandbox"])
    message, _ = await one.send(group.remote_jid, QUESTION)

    await sandbox.simulator(one).act(Press(ADA, "no", group=group.remote_jid))

    inbound = await one.events.next(Inbound)
    assert inbound.reply_to_chat_message_id == message.chat_message_id
    assert inbound.sender_jid == f"{ADA}@sandbox"


# --- groups ---


async def test_only_members_write_to_a_group(sandbox: Sandbox, one: Connected) -> None:
    stranger = await sandbox.connected()
    group = await session_of(one).create_group("Closed circle", [f"{ADA}@sandbox"])

    with pytest.raises(RecipientNotFoundError):
        await stranger.send(group.remote_jid, "let me in")


async def test_a_phone_shows_the_groups_that_it_made_and_their_links(
    sandbox: Sandbox, one: Connected
) -> None:
    link = await sandbox.invite(one, "Picnic", approval=True)
    [group] = await sandbox.simulator(one).groups(ADA)
    assert (group.subject, group.has_account, group.is_asked) == ("Picnic", False, False)
    assert [(invite.link, invite.revoked) for invite in group.invites] == [(link, False)]
    with pytest.raises(ApprovalRequiredError):
        await session_of(one).join_group(link)
    [group] = await sandbox.simulator(one).groups(ADA)
    assert (group.has_account, group.is_asked) == (False, True)
    await sandbox.simulator(one).act(Approve(link))
    seen = await one.events.next(GroupSeen)
    assert (seen.subject, one.account.remote_jid in seen.participants) == ("Picnic", True)
    await sandbox.revoke(link)
    [group] = await sandbox.simulator(one).groups(ADA)
    assert (group.has_account, group.is_asked) == (True, False)
    assert [invite.revoked for invite in group.invites] == [True]
    assert await sandbox.simulator(one).groups(BRUNO) == []


async def test_a_phone_shows_the_groups_that_its_account_has_put_it_into(
    sandbox: Sandbox, one: Connected
) -> None:
    made = await session_of(one).create_group("Harbor Cup", [f"{ADA}@sandbox"])
    [group] = await sandbox.simulator(one).groups(ADA)
    assert (group.remote_jid, group.has_account) == (made.remote_jid, True)
    assert group.invites == (), "only who made a link knows it"


async def test_the_same_number_on_another_accounts_phone_knows_nothing_of_them(
    sandbox: Sandbox, one: Connected
) -> None:
    other = await sandbox.connected()
    link = await sandbox.invite(one, "Picnic")
    await session_of(one).create_group("Harbor Cup", [f"{ADA}@sandbox"])
    assert await sandbox.simulator(other).groups(ADA) == []
    await session_of(other).join_group(link)
    [group] = await sandbox.simulator(other).groups(ADA)
    assert (group.subject, group.invites) == ("Picnic", ())


# --- connections and processes ---


async def test_the_network_can_stay_away_for_a_while(sandbox: Sandbox, one: Connected) -> None:
    await sandbox.simulator(one).act(Disconnect(seconds=3))
    await one.events.status(AccountStatus.DISCONNECTED)

    with pytest.raises(NotConnectedError):
        await one.send(ADA, "anybody?")
    await sandbox.say(one, ADA, "I wait for you")
    await one.events.status(AccountStatus.CONNECTED)

    await one.events.next(Inbound, content=Text("I wait for you"))
    statuses = [state.status for state in one.events.all(SessionState)]
    assert statuses == [
        AccountStatus.CONNECTED,
        AccountStatus.DISCONNECTED,
        AccountStatus.CONNECTING,
        AccountStatus.CONNECTED,
    ]


async def test_a_silent_connection_brings_nothing_until_it_is_a_new_one(
    sandbox: Sandbox, one: Connected
) -> None:
    await sandbox.simulator(one).act(Silence())

    for asked in (one.session.ping(), one.send(ADA, "anybody?")):
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(asked, 0.3)
    await sandbox.say(one, ADA, "I wait for you")
    with pytest.raises(TimeoutError):
        await one.events.next(Inbound, within=1.5)
    states = [state.status for state in one.events.all(SessionState)]
    assert states == [AccountStatus.CONNECTED], "nobody has noticed"

    await sandbox.simulator(one).act(Disconnect())
    await one.events.next(Inbound, content=Text("I wait for you"))
    await one.send(ADA, "There you are")


async def test_a_session_without_its_lease_does_not_log_on_again(
    sandbox: Sandbox, one: Connected
) -> None:
    """It may have stood still while another node took over: it would end that one's session."""
    await sandbox.simulator(one).act(Disconnect(seconds=1))
    await one.events.status(AccountStatus.CONNECTING)
    one.events.refusing = LeaseLostError("another node owns this account")
    await asyncio.sleep(1.5)

    device = await devices.find_device(sandbox.here.database.pool, one.account.id)
    assert device is not None
    assert device.session_id is None


async def test_another_process_drives_the_phones(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It wakes the account's own process, which would not have looked by itself."""
    monkeypatch.setattr(mailbox_module, "LOOK_INTERVAL", 3600.0)
    one = await sandbox.connected()
    beside = (await sandbox.another_process()).network.simulator(one.account.id)
    await one.send(ADA, QUESTION)

    await beside.act(Press(ADA, "yes"))
    await one.events.next(Inbound)
    await beside.act(Disconnect())
    await one.events.status(AccountStatus.DISCONNECTED)


async def test_an_account_moves_to_another_process_and_nothing_is_lost(
    sandbox: Sandbox, one: Connected
) -> None:
    elsewhere = await sandbox.another_process()
    for n in range(30):
        await sandbox.say(one, ADA, f"line {n}")

    moved = await sandbox.connected(one.account, on=elsewhere)
    for n in range(30, 60):
        await sandbox.say(one, ADA, f"line {n}")
    await moved.events.next(Inbound, content=Text("line 59"))

    texts = [event.content for at in (one, moved) for event in at.events.all(Inbound)]
    assert set(map(repr, texts)) == {repr(Text(f"line {n}")) for n in range(60)}
    state = await one.events.status(AccountStatus.DISCONNECTED)
    assert "took over" in (state.reason or "")


async def test_a_message_sent_again_from_another_process_is_one_message(
    sandbox: Sandbox, one: Connected
) -> None:
    message, _ = await one.send(ADA, "only once")
    moved = await sandbox.connected(one.account, on=await sandbox.another_process())

    await moved.session.send(message)

    assert await sandbox.shown(one, ADA) == [Text("only once")]


async def test_a_thousand_messages_at_once_are_all_read_in_order(
    sandbox: Sandbox, one: Connected
) -> None:
    sent = await asyncio.gather(*(one.send(f"49302{n % 50:06d}", f"{n}") for n in range(1000)))

    for message, _ in sent:
        await one.events.receipt(message.chat_message_id, "read")

    assert len(one.events.all(Receipt)) == 2000
    texts = [content.summary for content in await sandbox.shown(one, "49302000007")]
    assert texts == [str(n) for n in range(7, 1000, 50)]


async def test_lost_connections_to_the_database_lose_nothing(
    sandbox: Sandbox, one: Connected
) -> None:
    await sandbox.say(one, ADA, "before")
    await one.events.next(Inbound, content=Text("before"))
    async with connected(sandbox.url) as admin:
        await admin.execute(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()
            """
        )

    await patiently(lambda: sandbox.say(one, ADA, "after"))
    await one.events.next(Inbound, content=Text("after"))
    await patiently(one.session.ping)

    arrived = {event.chat_message_id: event.content for event in one.events.all(Inbound)}
    assert list(arrived.values()) == [Text("before"), Text("after")], "or twice, under the same id"


async def patiently(attempt: Callable[[], Awaitable[object]]) -> None:
    """Try until the network no longer refuses."""
    async with asyncio.timeout(60):
        while True:
            with contextlib.suppress(NetworkError):
                await attempt()
                return
            await asyncio.sleep(0.05)


class Busy:
    """A session that is never done with what it was handed."""

    def __init__(self, account_id: UUID, session_id: UUID) -> None:
        self.account_id = account_id
        self.session_id = session_id
        self.handed = asyncio.Event()

    async def take(self, events: Sequence[NetworkEvent]) -> bool:
        self.handed.set()
        await asyncio.Event().wait()
        return True

    def dropped(self, why: devices.Standing) -> None:
        self.handed.set()


async def logged_on(sandbox: Sandbox) -> Busy:
    session, pool = Busy(uuid4(), uuid4()), sandbox.here.database.pool
    now = sandbox.here.database.clock.now()
    await devices.register(pool, session.account_id, "token", read_options({}), now)
    await devices.log_on(pool, session.account_id, "token", session.session_id, now)
    return session


@pytest.mark.timeout(60)
async def test_a_wake_up_for_an_account_that_has_left_occupies_nobody(sandbox: Sandbox) -> None:
    database = sandbox.here.database
    mailbox = Mailbox(
        NetworkContext(
            pool=database.pool,
            now=database.clock.now,
            notify=lambda *_: None,
            subscribe=lambda *_: lambda: None,
        )
    )
    busy, leaving = await logged_on(sandbox), await logged_on(sandbox)
    await sandbox.network.simulator(busy.account_id).act(Say(ADA, "hello"))
    mailbox.attach(busy)
    mailbox.attach(leaving)
    await busy.handed.wait()

    mailbox.wake(leaving.account_id)
    await mailbox.detach(leaving)

    await asyncio.sleep(0.1)
    # where the mailbox goes round without a pause, nothing but the time-out's exception ends that
    assert mailbox._loop is not None
    assert not mailbox._loop.done()
    await mailbox.detach(busy)


async def test_old_messages_are_forgotten_but_not_those_that_wait(
    sandbox: Sandbox, one: Connected
) -> None:
    message, _ = await one.send(ADA, "long ago")
    await one.events.receipt(message.chat_message_id, "read")
    await one.session.close()
    await sandbox.say(one, BRUNO, "waiting to be heard")
    tomorrow = datetime.now(UTC) + timedelta(days=1)

    await chats.delete_messages(sandbox.here.database.pool, [one.account.id], tomorrow)

    assert await sandbox.shown(one, ADA) == []
    later = await sandbox.connected(one.account)
    await later.events.next(Inbound, content=Text("waiting to be heard"))
