"""What every driver must do, written once."""

import asyncio
import contextlib
from datetime import UTC, datetime, timedelta
from typing import TypeVar
from uuid import uuid4

import pytest

from heliograph.networks.content import Button, ButtonReply, Buttons, Text
from heliograph.networks.errors import (
    AlreadyInGroupError,
    ApprovalRequiredError,
    InvalidAddressError,
    InvalidInviteError,
    InviteNotFoundError,
    InviteRevokedError,
    LeaseLostError,
    LoggedOutError,
    NetworkError,
    RecipientNotFoundError,
    RestrictedError,
)
from heliograph.networks.port import (
    AccountStatus,
    Contacts,
    ContactSeen,
    Groups,
    Inbound,
    Network,
    Pictures,
    Receipt,
    SessionState,
)
from heliograph.networks.registry import REQUIRED, installed_drivers
from heliograph.networks.testing.harness import Connected, Harness, check_harness
from heliograph.networks.testing.recorder import Recorder

P = TypeVar("P")

QUESTION = Buttons(
    "Shall we meet?", (Button("yes", "Yes, gladly"), Button("no", "No, sorry")), "Answer by noon"
)

LONG = (("  two  spaces,\n\na \\n that is no line, a \\\\ 🌞,\ttab\n" * 40)[:1490] + "the  end\n ")[
    -1500:
]
"""1,500 characters in which a driver that escapes, strips or cuts changes something."""

SETTLING_SECONDS = 3.0
"""How long two sessions of one account get to begin to fight."""

OPTIONAL = {
    "create_group": Groups,
    "join_group": Groups,
    "contacts": Contacts,
    "pictures": Pictures,
}
"""What a session must be for a network to claim something in its `Capabilities`."""


class Conformance:
    """The tests. A subclass brings the fixture `harness`."""

    @pytest.fixture(autouse=True)
    def _complete_harness(self, harness: Harness) -> None:
        check_harness(harness)

    @pytest.fixture
    async def one(self, harness: Harness) -> Connected:
        return await harness.connected()

    # --- what the network says of itself ---

    def test_it_says_what_it_is(self, harness: Harness) -> None:
        missing = [name for name in REQUIRED if not hasattr(harness.network, name)]

        assert not missing, f"the network lacks {', '.join(missing)}"

    def test_it_is_installed_under_its_name(self, harness: Harness) -> None:
        names = _installed_names(harness.network)
        if not names:
            pytest.skip("the driver is not installed")

        assert harness.network.name in names, "its entry point has another name"

    async def test_what_it_claims_is_there(self, harness: Harness, one: Connected) -> None:
        claimed = harness.network.capabilities

        for claim, protocol in OPTIONAL.items():
            if getattr(claimed, claim):
                _require(one, claim, protocol)
        simulator = harness.network.simulator(one.account.id)
        assert simulator or not claimed.simulator, "claims simulator, and has none"

    # --- sending ---

    async def test_a_text_arrives_as_it_was_sent(self, harness: Harness, one: Connected) -> None:
        _, sent = await one.send(harness.person, "Good morning, Žofie 🌞")

        assert await harness.shown(one, harness.person) == [Text("Good morning, Žofie 🌞")]
        assert sent.remote_jid == harness.network.recipient(harness.person, one.account.settings)

    async def test_a_long_text_goes_out_unchanged(self, harness: Harness, one: Connected) -> None:
        await one.send(harness.person, LONG)

        assert await harness.shown(one, harness.person) == [Text(LONG)]

    async def test_buttons_arrive_and_a_press_names_its_message(
        self, harness: Harness, one: Connected
    ) -> None:
        if not harness.network.capabilities.has_buttons:
            pytest.skip("the network has no buttons")
        message, _ = await one.send(harness.person, QUESTION)
        assert await harness.shown(one, harness.person) == [QUESTION]
        await harness.press(one, harness.person, "no")

        reply = await one.events.next(Inbound)
        assert reply.content == ButtonReply(Button("no", "No, sorry"))
        assert reply.reply_to_chat_message_id == message.chat_message_id

    async def test_the_same_id_twice_is_one_message(self, harness: Harness, one: Connected) -> None:
        if not harness.network.capabilities.deduplicates_by_id:
            pytest.skip("the network does not deduplicate by id")
        message = one.outgoing(harness.person, Text("once"))

        first = await one.session.send(message)
        again = await one.session.send(message)

        assert first.remote_jid == again.remote_jid
        assert await harness.shown(one, harness.person) == [Text("once")]

    async def test_our_ids_make_the_networks_ids_always_the_same(self, harness: Harness) -> None:
        ours, others = uuid4(), uuid4()

        assert harness.network.message_id(ours) == harness.network.message_id(ours)
        assert harness.network.message_id(ours) != harness.network.message_id(others)

    async def test_what_is_sent_in_turn_arrives_in_turn(
        self, harness: Harness, one: Connected
    ) -> None:
        for n in range(20):
            await one.send(harness.person, f"number {n}")

        shown = await harness.shown(one, harness.person)
        assert shown == [Text(f"number {n}") for n in range(20)]

    async def test_nobodys_address_is_refused_for_good(
        self, harness: Harness, one: Connected
    ) -> None:
        with pytest.raises(RecipientNotFoundError) as refused:
            await one.send(harness.nobody, "anyone there?")

        assert refused.value.permanent

    def test_what_can_be_no_address_is_refused_before_sending(self, harness: Harness) -> None:
        with pytest.raises(InvalidAddressError):
            harness.network.recipient("not an address", {})

    # --- receipts ---

    async def test_a_restricted_account_writes_to_nobody_new(
        self, harness: Harness, one: Connected
    ) -> None:
        await one.send(harness.person, "before")
        if not await harness.restrict(one, 3600):
            pytest.skip("the network can't be made to restrict an account")

        with pytest.raises(RestrictedError) as refused:
            await one.send(harness.other_person, "to a stranger")
        assert not refused.value.permanent
        assert refused.value.certain, "it can't have gone out"
        assert refused.value.until is None or refused.value.until > datetime.now(UTC)
        await one.send(harness.person, "to a friend")

        await harness.restrict(one, 0)
        await one.send(harness.other_person, "not strangers any more")

    async def test_delivered_comes_before_read(self, harness: Harness, one: Connected) -> None:
        message, sent = await one.send(harness.person, "ticks, please")
        await harness.shown(one, harness.person)

        read = await one.events.receipt(message.chat_message_id, "read")
        kinds = [receipt.kind for receipt in one.events.all(Receipt)]
        delivered = await one.events.receipt(message.chat_message_id, "delivered")
        assert kinds.index("delivered") < kinds.index("read")
        assert sent.sent_at - timedelta(seconds=1) <= delivered.at <= read.at
        is_of_chat = {delivered.chat_jid, read.chat_jid} == {sent.remote_jid}
        assert is_of_chat, "a receipt is not of the chat that `send` returned"

    async def test_a_receipt_that_was_not_taken_comes_again(
        self, harness: Harness, one: Connected
    ) -> None:
        one.events.refusing, one.events.refusing_kind = RuntimeError("no"), Receipt
        message, _ = await one.send(harness.person, "tell me later")
        await one.events.refusal()
        await one.session.close()

        later = await harness.connected(one.account)

        await later.events.receipt(message.chat_message_id, "delivered")

    # --- times ---

    async def test_times_are_of_now(self, harness: Harness, one: Connected) -> None:
        message, sent = await one.send(harness.person, "what time is it?")
        await harness.shown(one, harness.person)
        delivered = await one.events.receipt(message.chat_message_id, "delivered")
        await harness.say(one, harness.person, "time for tea")
        inbound = await one.events.next(Inbound)

        for what, at in (
            ("Sent.sent_at", sent.sent_at),
            ("Receipt.at", delivered.at),
            ("Inbound.sent_at", inbound.sent_at),
        ):
            assert abs(datetime.now(UTC) - at) < timedelta(days=1), f"{what} is not of now"

    # --- receiving ---

    async def test_a_persons_text_arrives_with_its_sender(
        self, harness: Harness, one: Connected
    ) -> None:
        chat_message_id = await harness.say(one, harness.person, "Hello from outside")

        inbound = await one.events.next(Inbound)
        assert inbound.content == Text("Hello from outside")
        assert inbound.chat_message_id == chat_message_id
        assert inbound.chat_jid == inbound.sender_jid
        assert not inbound.is_group
        assert not inbound.from_me

    async def test_a_long_text_comes_in_unchanged(self, harness: Harness, one: Connected) -> None:
        await harness.say(one, harness.person, LONG)

        inbound = await one.events.next(Inbound)
        assert inbound.content == Text(LONG)

    async def test_a_persons_chat_is_no_group(self, harness: Harness, one: Connected) -> None:
        _, sent = await one.send(harness.person, "just the two of us")

        is_group = sent.is_group or harness.network.is_group(sent.remote_jid)
        assert not is_group, "a person's chat is taken for a group"

    async def test_texts_of_one_chat_arrive_in_order(
        self, harness: Harness, one: Connected
    ) -> None:
        for n in range(20):
            await harness.say(one, harness.person, f"line {n}")
        for n in range(20):
            await one.events.next(Inbound, content=Text(f"line {n}"))

        texts = [event.content for event in one.events.all(Inbound)]
        assert texts == [Text(f"line {n}") for n in range(20)]

    async def test_what_was_not_taken_is_not_acknowledged(
        self, harness: Harness, one: Connected
    ) -> None:
        one.events.refusing = RuntimeError("the database is full")
        chat_message_id = await harness.say(one, harness.person, "do not lose me")
        await one.events.refusal()
        await one.session.close()
        assert one.events.all(Inbound) == []

        later = await harness.connected(one.account)

        inbound = await later.events.next(Inbound)
        assert inbound.chat_message_id == chat_message_id

    async def test_a_session_that_lost_its_lease_stops_and_acknowledges_nothing(
        self, harness: Harness, one: Connected
    ) -> None:
        one.events.refusing = LeaseLostError()
        chat_message_id = await harness.say(one, harness.person, "for whoever comes next")
        await one.events.refusal()

        later = await harness.connected(one.account)

        inbound = await later.events.next(Inbound)
        assert inbound.chat_message_id == chat_message_id
        assert len([event for event in one.events.refused if isinstance(event, Inbound)]) == 1
        await one.session.close()

    async def test_what_came_while_nobody_was_connected_arrives_once(
        self, harness: Harness, one: Connected
    ) -> None:
        asked = ["are you there?", "or there?", "or nowhere?"]
        await one.session.close()
        for text in asked:
            await harness.say(one, harness.person, text)

        later = await harness.connected(one.account)
        for text in asked:
            await later.events.next(Inbound, content=Text(text))
        await later.session.close()
        last = await harness.connected(one.account)
        await last.session.ping()
        await harness.say(last, harness.person, "now?")
        await last.events.next(Inbound, content=Text("now?"))

        assert len(last.events.all(Inbound)) == 1, "what was acknowledged came again"

    # --- the connection ---

    async def test_a_cut_connection_comes_back_by_itself(
        self, harness: Harness, one: Connected
    ) -> None:
        await harness.cut(one)

        dropped = await one.events.status(AccountStatus.DISCONNECTED)
        await one.events.status(AccountStatus.CONNECTING)
        await one.events.status(AccountStatus.CONNECTED)
        assert dropped.reason
        await one.send(harness.person, "back again")

    async def test_an_account_logged_out_by_the_network_stays_out(
        self, harness: Harness, one: Connected
    ) -> None:
        await harness.expel(one)

        state = await one.events.status(AccountStatus.LOGGED_OUT)
        assert state.reason
        with pytest.raises(LoggedOutError):
            await one.session.ping()
        with pytest.raises(LoggedOutError):
            await one.send(harness.person, "too late")

    async def test_logging_out_ends_the_registration(
        self, harness: Harness, one: Connected
    ) -> None:
        await one.session.log_out()

        await one.events.status(AccountStatus.LOGGED_OUT)
        with pytest.raises(LoggedOutError):
            await one.session.ping()
        if harness.password_lasts:
            return
        again = await harness.network.connect(one.account, events := Recorder())
        await events.status(AccountStatus.LOGGED_OUT)
        await again.close()

    async def test_a_closed_session_reports_nothing_more(
        self, harness: Harness, one: Connected
    ) -> None:
        await one.session.close()
        before = len(one.events.events)

        await harness.say(one, harness.person, "psst")
        await asyncio.sleep(0.05)

        assert len(one.events.events) == before

    async def test_a_closed_session_leaves_no_connection(
        self, harness: Harness, one: Connected
    ) -> None:
        if await harness.has_connection(one) is None:
            pytest.skip("the harness can't tell")
        assert await harness.has_connection(one)

        await one.session.close()

        async with one.events.waiting("the end of the connection"):
            while await harness.has_connection(one):  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0.01)

    async def test_the_newer_session_of_an_account_replaces_the_older(
        self, harness: Harness, one: Connected
    ) -> None:
        newer = await harness.connected(one.account)

        await one.events.status(AccountStatus.DISCONNECTED)
        with pytest.raises(NetworkError):
            await one.session.ping()
        await newer.session.ping()
        await harness.say(newer, harness.person, "who hears me?")
        await newer.events.next(Inbound)
        assert one.events.all(Inbound) == []

    async def test_a_replaced_session_does_not_fight(
        self, harness: Harness, one: Connected
    ) -> None:
        newer = await harness.connected(one.account)
        await one.events.status(AccountStatus.DISCONNECTED)

        await asyncio.sleep(SETTLING_SECONDS)

        states = [state.status for state in newer.events.all(SessionState)]
        # the older may look once whether its lease still holds, which it does here
        is_quiet = states.count(AccountStatus.DISCONNECTED) <= 1
        assert is_quiet, "the older session comes back again and again"
        assert states[-1] is AccountStatus.CONNECTED
        await newer.session.ping()

    # --- groups ---

    async def test_a_group_is_created_with_its_members(
        self, harness: Harness, one: Connected
    ) -> None:
        session = _groups(one)
        people = [_address(one, harness.person), _address(one, harness.other_person)]

        group = await session.create_group("Picnic on Sunday", people)

        assert group.subject == "Picnic on Sunday"
        assert group.created_at is not None
        assert {*people, group.owner_jid} <= set(group.participants)
        found = await session.find_group("Picnic on Sunday", group.created_at)
        assert found is not None
        assert found.remote_jid == group.remote_jid

    async def test_a_group_made_before_is_not_mistaken_for_a_later_one(
        self, harness: Harness, one: Connected
    ) -> None:
        session = _groups(one)
        group = await session.create_group("Choir", [_address(one, harness.person)])
        assert group.created_at is not None

        later = group.created_at + timedelta(seconds=1)
        assert await session.find_group("Choir", later) is None
        assert await session.find_group("Another choir", group.created_at) is None

    async def test_group_messages_go_out_and_come_in(
        self, harness: Harness, one: Connected
    ) -> None:
        session = _groups(one)
        group = await session.create_group("Chess club", [_address(one, harness.person)])

        _, sent = await one.send(group.remote_jid, "Saturday, six o'clock?")
        await harness.say(one, harness.person, "I bring the boards", group.remote_jid)

        inbound = await one.events.next(Inbound)
        assert inbound.is_group
        assert sent.is_group or (sent.is_group is None and one.network.is_group(sent.remote_jid))
        assert inbound.chat_jid == group.remote_jid
        assert inbound.sender_jid == _address(one, harness.person)
        assert inbound.group_subject == "Chess club"

    async def test_an_invite_link_leads_into_the_group_once(
        self, harness: Harness, one: Connected
    ) -> None:
        session = _groups(one)
        link = await harness.invite(one, "Gardeners")

        group = await session.join_group(link)

        assert group.subject == "Gardeners"
        assert group.created_at is not None or not harness.groups_tell_creation
        with pytest.raises(AlreadyInGroupError) as refused:
            await session.join_group(link)
        assert refused.value.remote_jid == group.remote_jid

    async def test_bad_invite_links_are_told_apart(self, harness: Harness, one: Connected) -> None:
        session = _groups(one)
        revoked = await harness.invite(one, "Closed")
        await harness.revoke(revoked)

        with pytest.raises(InviteRevokedError):
            await session.join_group(revoked)
        with pytest.raises(InviteNotFoundError):
            await session.join_group(harness.unknown_invite())
        for no_link in ("", "Gardeners", "https://example.com/elsewhere"):
            with pytest.raises(InvalidInviteError):
                harness.network.check_invite_link(no_link)
        with pytest.raises(ApprovalRequiredError):
            await session.join_group(await harness.invite(one, "Board", approval=True))

    # --- contacts and pictures ---

    async def test_contacts_are_listed_each_once(self, harness: Harness, one: Connected) -> None:
        if not harness.network.capabilities.contacts:
            pytest.skip("the network has no contacts")
        session = _require(one, "contacts", Contacts)  # type: ignore[type-abstract]  # a protocol
        contacts: list[ContactSeen] = []
        async for page in session.contacts():
            contacts += page

        jids = [contact.remote_jid for contact in contacts]
        assert _address(one, harness.person) in jids
        assert len(set(jids)) == len(jids)
        assert all(contact.name for contact in contacts)

    async def test_a_picture_is_fetched_whole_small_or_not_again(
        self, harness: Harness, one: Connected
    ) -> None:
        if not harness.network.capabilities.pictures:
            pytest.skip("the network has no pictures")
        session = _require(one, "pictures", Pictures)  # type: ignore[type-abstract]  # a protocol
        jid = _address(one, harness.person)

        full = await session.picture(jid, preview=False)
        small = await session.picture(jid, preview=True)

        assert full is not None
        assert small is not None
        assert 0 < len(small.data) <= len(full.data)
        again = await session.picture(jid, preview=False, known_id=full.picture_id)
        assert again is None

    # --- many at once ---

    async def test_a_crowd_on_ten_accounts_keeps_its_own_names(self, harness: Harness) -> None:
        accounts = [await harness.connected() for _ in range(10)]

        async def speak(n: int) -> None:
            await harness.say(accounts[n % 10], harness.stranger(n), f"I am {n}")

        await asyncio.gather(*(speak(n) for n in range(harness.crowd)))
        for index, at in enumerate(accounts):
            for n in range(index, harness.crowd, 10):
                inbound = await at.events.next(Inbound, content=Text(f"I am {n}"))
                assert inbound.sender_jid == _address(at, harness.stranger(n))
            assert len(at.events.all(Inbound)) == harness.crowd // 10

    async def test_states_tell_who_the_account_is(self, harness: Harness, one: Connected) -> None:
        first = one.events.all(SessionState)[-1]

        assert first.status is AccountStatus.CONNECTED
        assert first.remote_jid is not None


def _groups(at: Connected) -> Groups:
    if not at.network.capabilities.create_group:
        pytest.skip("the network has no groups")
    return _require(at, "create_group", Groups)  # type: ignore[type-abstract]  # a protocol


def _require(at: Connected, claim: str, protocol: type[P]) -> P:
    wanted = protocol.__name__
    assert isinstance(at.session, protocol), f"claims {claim}, but its session is no {wanted}"
    return at.session


def _installed_names(network: Network) -> list[str]:
    """Return the names of the entry points that make networks of this one's class."""
    names = []
    for name, driver in installed_drivers().items():
        with contextlib.suppress(Exception):  # another driver may be broken
            if isinstance(network, type(driver.load()())):
                names.append(name)
    return names


def _address(at: Connected, person: str) -> str:
    return at.network.recipient(person, at.account.settings)
