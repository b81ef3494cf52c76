"""What people write to the account."""

from heliograph.networks.content import System, Text
from heliograph.networks.errors import LeaseLostError
from heliograph.networks.port import Inbound
from heliograph.networks.testing.harness import Connected, Harness
from heliograph.networks.testing.suite import LONG, Suite, possible


class Receiving(Suite):
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

    async def test_an_arrival_of_a_kind_nobody_knows_is_told(
        self, harness: Harness, one: Connected
    ) -> None:
        has_kinds = not harness.network.capabilities.content <= {"text"}
        with possible("send what no driver has heard of", claimed=has_kinds):
            chat_message_id = await harness.send_unknown(one, harness.person)
        await harness.say(one, harness.person, "did you see it?")

        text = await one.events.next(Inbound, content=Text("did you see it?"))
        told = [event for event in one.events.all(Inbound) if event is not text]
        assert len(told) == 1, "what the driver does not know was dropped, or told more than once"
        [unknown] = told
        assert isinstance(unknown.content, System), "what nobody knows is a `content.System`"
        assert unknown.content.summary, "its summary is empty"
        assert unknown.content.kind, "it does not say what kind it is"
        assert unknown.chat_message_id == chat_message_id
        assert unknown.chat_jid == unknown.sender_jid == text.chat_jid

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
