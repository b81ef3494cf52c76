"""Messages that come without their content: told, unless their sender sends them again in time."""

import pytest
from neonize.proto.waE2E.WAWebProtobufsE2E_pb2 import Message

import libmagic_needed  # noqa: F401 - before the library
import whatsapp_events as made
from heliograph.networks.content import System, Text
from heliograph.networks.port import Changed, Inbound
from heliograph.networks.testing import Connected
from heliograph.networks.whatsapp import unprocessed_events
from heliograph.networks.whatsapp.unprocessed_events import UNDECRYPTABLE
from waiting import seen_until
from whatsapp_events import ADA
from whatsapp_world import WhatsApp

pytest_plugins = ("whatsapp_fixtures",)

MESSAGE_ID = "3A11"


def comes(whatsapp: WhatsApp, at: Connected, **kind: bool) -> None:
    event = made.unreadable(message_id=MESSAGE_ID, **kind)
    whatsapp.world.send(whatsapp.device(at), event, UNDECRYPTABLE)


def resent(whatsapp: WhatsApp, at: Connected) -> None:
    event = made.message(message_id=MESSAGE_ID, conversation="Here it is")
    whatsapp.world.send(whatsapp.device(at), event)


async def test_what_could_not_be_decrypted_waits_for_its_sender(
    whatsapp: WhatsApp, one: Connected
) -> None:
    comes(whatsapp, one)
    resent(whatsapp, one)

    await one.events.next(Inbound, content=Text("Here it is"))
    assert len(one.events.all(Inbound)) == 1


async def test_what_nobody_sends_again_is_told(
    whatsapp: WhatsApp, one: Connected, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unprocessed_events, "RESEND_TIMEOUT", 0.1)
    comes(whatsapp, one)

    told = await one.events.next(Inbound)
    assert isinstance(told.content, System)
    assert (told.chat_message_id, told.chat_jid) == (MESSAGE_ID, ADA)


def is_changed(whatsapp: WhatsApp, at: Connected, change: Message) -> None:
    whatsapp.world.send(whatsapp.device(at), made.message(change))


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (made.revoke(MESSAGE_ID), "deleted"),
        (made.edit(MESSAGE_ID, conversation="Nine o'clock"), "edited"),
    ],
)
async def test_what_changes_it_meanwhile_is_told_behind_it(
    whatsapp: WhatsApp,
    one: Connected,
    monkeypatch: pytest.MonkeyPatch,
    change: Message,
    kind: str,
) -> None:
    monkeypatch.setattr(unprocessed_events, "RESEND_TIMEOUT", 0.1)
    comes(whatsapp, one)
    is_changed(whatsapp, one, change)

    changed = await one.events.next(Changed)
    assert (changed.kind, changed.chat_message_id) == (kind, MESSAGE_ID)
    told = [event for event in one.events.events if isinstance(event, Inbound | Changed)]
    assert [type(event) for event in told] == [Inbound, Changed]


async def test_changes_of_what_came_again_are_told_in_their_order(
    whatsapp: WhatsApp, one: Connected, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unprocessed_events, "RESEND_TIMEOUT", 0.1)
    comes(whatsapp, one)
    is_changed(whatsapp, one, made.edit(MESSAGE_ID, conversation="Nine"))
    resent(whatsapp, one)
    is_changed(whatsapp, one, made.edit(MESSAGE_ID, conversation="Ten"))

    await one.events.next(Inbound, content=Text("Here it is"))
    await one.events.next(Changed, content=Text("Ten"))
    assert [each.content for each in one.events.all(Changed)] == [Text("Nine"), Text("Ten")]


async def test_what_waits_when_the_session_ends_is_told_by_the_next(
    whatsapp: WhatsApp, one: Connected, monkeypatch: pytest.MonkeyPatch
) -> None:
    comes(whatsapp, one)
    whatsapp.world.say(whatsapp.device(one), ADA, "behind it")
    await one.events.next(Inbound, content=Text("behind it"))
    await one.session.close()
    await whatsapp.database.pool.execute(
        "UPDATE whatsapp.unheard SET due_at = now() - interval '1 second'"
    )

    later = await whatsapp.connected(one.account)
    told = await later.events.next(Inbound)
    assert isinstance(told.content, System)
    left = "SELECT count(*) FROM whatsapp.unheard"
    await seen_until(lambda: whatsapp.database.pool.fetchval(left), lambda count: count == 0)


async def test_what_its_sender_hides_stays_hidden(whatsapp: WhatsApp, one: Connected) -> None:
    comes(whatsapp, one, hidden=True)
    whatsapp.world.say(whatsapp.device(one), ADA, "behind it")

    await one.events.next(Inbound, content=Text("behind it"))
    assert len(one.events.all(Inbound)) == 1
    assert await whatsapp.database.pool.fetchval("SELECT count(*) FROM whatsapp.unheard") == 0
