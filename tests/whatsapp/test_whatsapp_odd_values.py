"""Values that no phone sends and a stranger's program may: texts and times that are none, parts
that lack something. Each message is told, and so is what comes behind it."""

from datetime import UTC, datetime
from typing import Any

import pytest
from neonize.proto.Neonize_pb2 import Message as MessageEvent
from neonize.proto.Neonize_pb2 import Receipt as ReceiptEvent
from neonize.proto.waCommon.WACommon_pb2 import MessageKey
from neonize.proto.waE2E.WAWebProtobufsE2E_pb2 import Message, ProtocolMessage

import libmagic_needed  # noqa: F401 - before the library
import whatsapp_events as made
from each_case import for_each
from heliograph.networks.content import System, Text
from heliograph.networks.port import Changed, GroupSeen, Inbound, Receipt
from heliograph.networks.testing import Connected
from heliograph.networks.whatsapp import event_converter
from heliograph.networks.whatsapp.conversion.arrivals import arrival_of, at_of
from heliograph.networks.whatsapp.conversion.jids import to_text
from heliograph.networks.whatsapp.conversion.readable import readable
from whatsapp_arrivals import changed
from whatsapp_events import ADA, OWN_JID
from whatsapp_standin import CODES
from whatsapp_world import WhatsApp

pytest_plugins = ("whatsapp_fixtures",)

BAD, MENDED = b"\xff\xfe", "\ufffd\ufffd"
AFTER = "What comes behind it"


def with_bad_text(event: Any) -> Any:
    """The event as the library hands it over: `??` are bytes that are not UTF-8."""
    return type(event).FromString(event.SerializeToString().replace(b"??", BAD))


async def comes(whatsapp: WhatsApp, at: Connected, event: Any, code: int = 17) -> Inbound:
    """What is told of it, if what comes behind it is told, too."""
    whatsapp.world.send(whatsapp.device(at), event, code)
    after = made.message(message_id="3A99", conversation=AFTER)
    whatsapp.world.send(whatsapp.device(at), after)
    await at.events.next(Inbound, content=Text(AFTER))
    return at.events.all(Inbound)[0]


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ({"conversation": "a??"}, f"a{MENDED}"),
        ({"conversation": "a\0b"}, "a\ufffdb"),
        ({"ephemeralMessage": {"message": {"conversation": "??"}}}, MENDED),
        ({"buttonsMessage": {"contentText": "a??", "footerText": "b"}}, f"a{MENDED}\nb"),
    ],
)
async def test_a_text_that_is_none_is_told(
    whatsapp: WhatsApp, one: Connected, said: dict[str, Any], text: str
) -> None:
    arrived = await comes(whatsapp, one, with_bad_text(made.message(Message(**said))))
    assert arrived.content == Text(text)


async def test_names_and_mentions_may_be_no_text(whatsapp: WhatsApp, one: Connected) -> None:
    context = {"mentionedJID": ["??@lid", "1@lid"]}
    message = Message(extendedTextMessage={"text": "Hi", "contextInfo": context})
    arrived = await comes(whatsapp, one, with_bad_text(made.message(message, name="A??a")))
    assert (arrived.content, arrived.sender_name) == (
        Text("Hi", (f"{MENDED}@lid", "1@lid")),
        f"A{MENDED}a",
    )


@pytest.mark.parametrize("name", ["a\0b", "a??"])
async def test_what_a_message_answers_may_be_no_id(
    whatsapp: WhatsApp, one: Connected, name: str
) -> None:
    message = Message(extendedTextMessage={"text": "Hi", "contextInfo": {"stanzaID": name}})
    arrived = await comes(whatsapp, one, with_bad_text(made.message(message)))
    assert arrived.content == Text("Hi")


async def test_what_is_reacted_to_may_be_no_id(whatsapp: WhatsApp, one: Connected) -> None:
    key = MessageKey(fromMe=False, ID="a\0b")
    await comes(whatsapp, one, made.message(reactionMessage={"key": key, "text": "👍"}))
    assert one.events.all(Changed)[0].emoji == "👍"


async def test_a_receipt_may_be_for_no_id(whatsapp: WhatsApp, one: Connected) -> None:
    event = with_bad_text(made.receipt(ReceiptEvent.READ, "a\0b", "a??", "3EB0"))
    await comes(whatsapp, one, event, CODES[ReceiptEvent])
    assert one.events.all(Receipt)[-1].chat_message_id == "3EB0"


async def test_what_was_kept_for_the_next_connection_is_mended_as_well(
    whatsapp: WhatsApp, one: Connected
) -> None:
    event = with_bad_text(made.message(conversation="a??"))
    await whatsapp.database.pool.execute(
        "INSERT INTO whatsapp.unheard (account_id, code, event) VALUES ($1, 17, $2)",
        one.account.id,
        event.SerializeToString(),
    )
    await one.session.close()
    again = await whatsapp.connected(one.account)
    await again.events.next(Inbound, content=Text(f"a{MENDED}"))


async def test_the_name_of_a_group_may_be_no_text(whatsapp: WhatsApp, one: Connected) -> None:
    room = whatsapp.world.make_room("C??r", ADA)
    room.members.add(one.account.remote_jid or "")
    room.info = with_bad_text(room.info)
    where = made.source(to_text(room.info.JID), ADA)
    arrived = await comes(whatsapp, one, made.message(where=where, conversation="Hi"))
    assert arrived.group_subject == f"C{MENDED}r"
    assert not one.events.all(GroupSeen)


def test_each_of_several_answers_is_mended() -> None:
    contacts = [with_bad_text(made.contact(ADA, name="A??a")), made.contact(ADA, name="Ada")]
    assert [each.Info.FullName for each in readable(contacts)] == [f"A{MENDED}a", "Ada"]
    assert readable("as it is") == "as it is"


async def test_what_lacks_a_part_that_it_must_have_is_told(
    whatsapp: WhatsApp, one: Connected
) -> None:
    text = Message(extendedTextMessage={"text": "Hi", "endCardTiles": [{}]})
    event = made.message(Message(ephemeralMessage={"message": text}))
    assert (await comes(whatsapp, one, event)).content == Text("Hi")


async def test_a_message_whose_conversion_fails_is_told_all_the_same(
    whatsapp: WhatsApp, one: Connected, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails_once(event: MessageEvent, *rest: Any, **more: Any) -> Any:
        if event.Info.ID == "3A01":
            raise RuntimeError
        return arrival_of(event, *rest, **more)

    monkeypatch.setattr(event_converter, "arrival_of", fails_once)
    arrived = await comes(whatsapp, one, made.message(message_id="3A01", conversation="Hi"))
    assert (arrived.chat_message_id, arrived.chat_jid) == ("3A01", ADA)
    assert isinstance(arrived.content, System)


@for_each("named", ["a:b@s.whatsapp.net", "@", ":::", "x"])
def test_who_wrote_what_is_deleted_may_be_no_address(named: str) -> None:
    changed(made.revoke("3A01", from_me=False, participant=named))


@for_each(
    ("value", "year"),
    [
        (0, 1970),
        (-1, 1970),
        (-62_135_596_800, 1970),
        (-62_135_596_800_000, 1970),
        (made.NOW, 2026),
        (made.NOW * 1000, 2026),
        (2**62, 5138),
    ],
)
def test_a_time_that_is_none_is_read(value: int, year: int) -> None:
    assert at_of(value).year == year
    event = made.message(conversation="Hi")
    event.Info.Timestamp = value
    assert arrival_of(event, OWN_JID, {}) is not None


def test_times_are_read_to_the_second() -> None:
    assert at_of(made.NOW * 1000) == at_of(made.NOW) == datetime.fromtimestamp(made.NOW, UTC)


def test_a_kind_of_protocol_that_is_newer_than_the_library_deletes_nothing() -> None:
    key = ProtocolMessage(key=MessageKey(fromMe=True, ID="3A01")).SerializeToString()
    newer = ProtocolMessage.FromString(key + bytes([0x10, 0x7B]))
    assert newer.type == ProtocolMessage.REVOKE
    assert arrival_of(made.message(protocolMessage=newer), OWN_JID, {}) is None
    changed(Message(protocolMessage=ProtocolMessage.FromString(key)))
