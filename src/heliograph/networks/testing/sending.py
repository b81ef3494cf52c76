"""What the account sends: texts, buttons, receipts."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from heliograph.networks.content import Button, ButtonReply, Buttons, Text
from heliograph.networks.errors import (
    InvalidAddressError,
    RecipientNotFoundError,
    RestrictedError,
)
from heliograph.networks.port import Inbound, Receipt
from heliograph.networks.testing.harness import Connected, Harness
from heliograph.networks.testing.suite import LONG, Suite

QUESTION = Buttons(
    "Shall we meet?",
    (Button("yes", "Yes, gladly"), Button("no", "No, sorry")),
    footer="Answer by noon",
)


class Sending(Suite):
    # --- sending ---

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
        assert reply.content == ButtonReply("no", "No, sorry")
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
            assert abs(datetime.now(UTC) - at) < timedelta(days=1), f"{what} is wrong"
