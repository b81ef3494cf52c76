"""Messages that come without their content: told, unless their sender sends them again in time."""

import asyncio
from typing import Any

import pytest
from neonize.proto.Neonize_pb2 import UndecryptableMessage
from neonize.proto.waCommon.WACommon_pb2 import MessageKey
from neonize.proto.waE2E.WAWebProtobufsE2E_pb2 import ProtocolMessage

import libmagic_needed  # noqa: F401 - before the library
import whatsapp_events as made
from heliograph.networks.content import System, Text
from heliograph.networks.port import Changed, Inbound
from heliograph.networks.testing import Connected
from heliograph.networks.whatsapp import unprocessed_events
from heliograph.networks.whatsapp.unprocessed_events import UNDECRYPTABLE
from whatsapp_events import ADA
from whatsapp_world import WhatsApp

pytest_plugins = ("whatsapp_fixtures",)

MESSAGE_ID = "3A11"


@pytest.fixture
async def one(whatsapp: WhatsApp) -> Connected:
    return await whatsapp.connected()


def unreadable(*, gone: bool = False, hidden: bool = False) -> Any:
    mode = (
        UndecryptableMessage.DECRYPT_FAIL_HIDE if hidden else UndecryptableMessage.DECRYPT_FAIL_SHOW
    )
    info = made.message(message_id=MESSAGE_ID).Info
    return UndecryptableMessage(Info=info, IsUnavailable=gone, DecryptFailMode=mode)


def comes(whatsapp: WhatsApp, at: Connected, **kind: bool) -> None:
    whatsapp.world.send(whatsapp.device(at), unreadable(**kind), UNDECRYPTABLE)


def resent(whatsapp: WhatsApp, at: Connected) -> None:
    event = made.message(message_id=MESSAGE_ID, conversation="Here it is")
    whatsapp.world.send(whatsapp.device(at), event)


async def test_what_only_the_phone_shows_is_told_at_once_and_again_when_it_comes(
    whatsapp: WhatsApp, one: Connected
) -> None:
    comes(whatsapp, one, gone=True)
    first = await one.events.next(Inbound)
    assert isinstance(first.content, System)

    resent(whatsapp, one)
    second = await one.events.next(Inbound, content=Text("Here it is"))
    assert (first.chat_jid, first.sender_jid, first.chat_message_id) == (
        second.chat_jid,
        second.sender_jid,
        second.chat_message_id,
    )


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


def is_changed(whatsapp: WhatsApp, at: Connected, kind: int, text: str = "") -> None:
    change = ProtocolMessage(type=kind, key=MessageKey(fromMe=True, ID=MESSAGE_ID))
    if text:
        change.editedMessage.conversation = text
    whatsapp.world.send(whatsapp.device(at), made.message(protocolMessage=change))


@pytest.mark.parametrize(
    ("change", "text", "kind"),
    [
        (ProtocolMessage.REVOKE, "", "deleted"),
        (ProtocolMessage.MESSAGE_EDIT, "Nine o'clock", "edited"),
    ],
)
async def test_what_changes_it_meanwhile_is_told_behind_it(
    whatsapp: WhatsApp,
    one: Connected,
    monkeypatch: pytest.MonkeyPatch,
    change: int,
    text: str,
    kind: str,
) -> None:
    monkeypatch.setattr(unprocessed_events, "RESEND_TIMEOUT", 0.1)
    comes(whatsapp, one)
    is_changed(whatsapp, one, change, text)

    changed = await one.events.next(Changed)
    assert (changed.kind, changed.chat_message_id) == (kind, MESSAGE_ID)
    told = [event for event in one.events.events if isinstance(event, Inbound | Changed)]
    assert [type(event) for event in told] == [Inbound, Changed]


async def test_changes_of_what_came_again_are_told_in_their_order(
    whatsapp: WhatsApp, one: Connected, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unprocessed_events, "RESEND_TIMEOUT", 0.1)
    comes(whatsapp, one)
    is_changed(whatsapp, one, ProtocolMessage.MESSAGE_EDIT, "Nine")
    resent(whatsapp, one)
    is_changed(whatsapp, one, ProtocolMessage.MESSAGE_EDIT, "Ten")

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
    await whatsapp.database.pool.execute("UPDATE whatsapp.unheard SET due_at = now()")

    later = await whatsapp.connected(one.account)
    told = await later.events.next(Inbound)
    assert isinstance(told.content, System)
    pool = whatsapp.database.pool
    async with asyncio.timeout(60):
        while await pool.fetchval("SELECT count(*) FROM whatsapp.unheard"):  # noqa: ASYNC110 - in the database
            await asyncio.sleep(0.01)


async def test_what_its_sender_hides_stays_hidden(whatsapp: WhatsApp, one: Connected) -> None:
    comes(whatsapp, one, hidden=True)
    whatsapp.world.say(whatsapp.device(one), ADA, "behind it")

    await one.events.next(Inbound, content=Text("behind it"))
    assert len(one.events.all(Inbound)) == 1
    assert await whatsapp.database.pool.fetchval("SELECT count(*) FROM whatsapp.unheard") == 0


async def test_a_vote_that_cannot_be_read_is_told(whatsapp: WhatsApp, one: Connected) -> None:
    whatsapp.world.send(whatsapp.device(one), made.message(made.vote("3A99", "Pizza")))

    told = await one.events.next(Inbound)
    assert isinstance(told.content, System)
    assert told.content.kind == "pollUpdateMessage"
    assert told.reply_to_chat_message_id == "3A99"
