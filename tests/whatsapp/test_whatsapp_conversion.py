"""From the library's own objects to ours: each kind of message, receipt, group and contact."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from neonize.proto.Neonize_pb2 import Receipt as ReceiptEvent
from neonize.proto.waCommon.WACommon_pb2 import MessageKey
from neonize.proto.waE2E.WAWebProtobufsE2E_pb2 import Message

import libmagic_needed  # noqa: F401 - before the library
import whatsapp_events as made
from each_case import for_each
from heliograph.networks.content import Button, Buttons, Text
from heliograph.networks.port import ContactSeen, ReadElsewhere, Receipt
from heliograph.networks.whatsapp.conversion.arrivals import arrival_of, receipts_of
from heliograph.networks.whatsapp.conversion.jids import pairs_of, to_device_text, to_jid, to_text
from heliograph.networks.whatsapp.conversion.outgoing import message_to_send, sent_of
from heliograph.networks.whatsapp.conversion.people import (
    changes_members,
    contacts_of,
    group_of,
    pairs_in,
    renamed_group_of,
)
from whatsapp_arrivals import arrived, changed
from whatsapp_events import ADA, ADA_LID, BRUNO, GROUP, NOW, OWN_JID, OWN_LID

AT = datetime(2026, 3, 2, 9, 15, 10, tzinfo=UTC)
ADA_IN_BOOK = {ADA_LID: ADA, OWN_LID: OWN_JID}


@for_each(
    "silent",
    [
        Message(),
        Message(senderKeyDistributionMessage={"groupID": "g"}),
        Message(protocolMessage={"type": "APP_STATE_SYNC_KEY_SHARE"}),
        Message(protocolMessage={"type": "EPHEMERAL_SETTING"}),
    ],
    ids=["nothing", "keys of a group", "keys", "a setting"],
)
def test_what_is_nobodys_message_is_passed_over(silent: Message) -> None:
    assert arrival_of(made.message(silent), OWN_JID, {}) is None


@pytest.mark.parametrize("chat", ["status@broadcast", "120363@newsletter", "1@call"])
def test_what_is_no_chat_is_passed_over(chat: str) -> None:
    event = made.message(where=made.source(chat, ADA), conversation="news")

    assert arrival_of(event, OWN_JID, {}) is None


# --- who, where, when ------------------------------------------------------------------------


def test_a_message_tells_who_wrote_it_when() -> None:
    inbound = arrived(Message(conversation="hello"))

    assert inbound.chat_jid == inbound.sender_jid == ADA
    assert inbound.chat_message_id == "3A0123456789ABCDEF01"
    assert inbound.sent_at == AT
    assert inbound.sender_phone_number == "+4915112340002"
    assert inbound.sender_name == "Ada"
    assert not inbound.is_group
    assert not inbound.from_me


def test_a_device_of_the_sender_is_no_other_person() -> None:
    where = made.source(ADA, "4915112340002:12@s.whatsapp.net")

    assert arrived(Message(conversation="hello"), where).sender_jid == ADA


@pytest.mark.parametrize("name", ["", "-"])
def test_no_name_is_no_name(name: str) -> None:
    assert arrived(Message(conversation="hello"), name=name).sender_name is None


def test_a_hidden_id_and_the_number_that_comes_with_it_are_one() -> None:
    where = made.source(ADA_LID, ADA_LID, sender_alt=ADA)

    assert pairs_of(where) == pairs_of(made.source(ADA, ADA, sender_alt=ADA_LID)) == {ADA_LID: ADA}
    inbound = arrived(Message(conversation="hello"), where, book=pairs_of(where))
    assert inbound.chat_jid == inbound.sender_jid == ADA


def test_what_the_owner_writes_on_the_phone_is_from_us_in_the_other_ones_chat() -> None:
    where = made.source(ADA_LID, recipient_alt=ADA, from_me=True)
    inbound = arrived(Message(conversation="mine"), where, book=pairs_of(where))

    assert inbound.from_me
    assert inbound.chat_jid == ADA
    assert inbound.sender_jid == OWN_JID
    assert inbound.sender_name is None


def test_a_group_message_has_its_group_and_its_sender() -> None:
    where = made.source(GROUP, ADA_LID, sender_alt=ADA)
    inbound = arrived(Message(conversation="all"), where, book=pairs_of(where))

    assert inbound.is_group
    assert (inbound.chat_jid, inbound.sender_jid) == (GROUP, ADA)
    assert inbound.group_subject == "Choir"


def test_what_was_sent_to_a_list_of_people_is_in_the_chat_with_its_sender() -> None:
    where = made.source("1700000000@broadcast", ADA)

    assert arrived(Message(conversation="to many"), where).chat_jid == ADA


@pytest.mark.parametrize("part", ["extendedTextMessage", "listResponseMessage"])
def test_an_answer_names_the_message_it_answers(part: str) -> None:
    message = Message(**{part: {"contextInfo": {"stanzaID": "3EB0AA", "participant": ADA}}})

    assert arrived(message).reply_to_chat_message_id == "3EB0AA"


# --- changes ---------------------------------------------------------------------------------


def reaction(emoji: str, *, from_me: bool = False, participant: str = "") -> Message:
    key = MessageKey(ID="3A01", fromMe=from_me, participant=participant)
    return Message(reactionMessage={"key": key, "text": emoji})


def test_our_owners_reaction_to_what_somebody_wrote() -> None:
    change = changed(reaction("❤"), made.source(ADA, from_me=True))

    assert (change.sender_jid, change.message_sender_jid) == (OWN_JID, ADA)


def test_only_what_our_own_devices_change_is_of_our_own_account() -> None:
    """Whatever the key says: whoever makes the change writes that."""
    for message in (
        made.edit("3A01", conversation="after noon"),
        made.revoke("3A01", participant=OWN_JID),
        reaction("👍", from_me=True, participant=OWN_JID),
    ):
        assert changed(message, made.source(GROUP, OWN_JID, from_me=True)).from_own_account
        assert not changed(message, made.source(GROUP, BRUNO)).from_own_account


def test_a_reaction_in_a_group_names_the_author_by_hidden_id() -> None:
    message = reaction("👍", participant=ADA_LID)
    change = changed(message, made.source(GROUP, BRUNO), book=ADA_IN_BOOK)

    assert (change.chat_jid, change.sender_jid) == (GROUP, BRUNO)
    assert change.message_sender_jid == ADA


def test_an_edit_is_a_message_of_its_own_where_nobody_knows_the_one_that_it_changes() -> None:
    message = made.edit("3A01", conversation="after noon")
    change = changed(message, made.source(GROUP, ADA))

    assert change.otherwise is not None
    assert (change.otherwise.chat_jid, change.otherwise.sender_jid) == (GROUP, ADA)
    assert change.otherwise.chat_message_id == change.change_id
    assert change.otherwise.content == Text("after noon")


def test_of_what_the_owner_edits_and_others_take_back_or_react_to_nothing_else_is_told() -> None:
    ours = made.source(GROUP, OWN_JID, from_me=True)

    assert changed(made.edit("3A01", conversation="after noon"), ours).otherwise is None
    assert changed(made.revoke("3A01")).otherwise is None
    assert changed(reaction("👍", from_me=True)).otherwise is None


def test_a_message_that_an_admin_takes_away() -> None:
    message = made.revoke("3A01", from_me=False, participant=ADA)
    change = changed(message, made.source(GROUP, BRUNO))

    assert (change.sender_jid, change.message_sender_jid) == (BRUNO, ADA)


# --- receipts --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        (ReceiptEvent.DELIVERED, "delivered"),
        (ReceiptEvent.READ, "read"),
        (ReceiptEvent.PLAYED, "read"),
    ],
)
def test_a_receipt_tells_how_far_each_message_came(kind: Any, told: str) -> None:
    receipts = receipts_of(made.receipt(kind, "3EB0AA", "3EB0BB"), {})

    assert receipts == [Receipt(ADA, message_id, told, AT) for message_id in ("3EB0AA", "3EB0BB")]  # type: ignore[arg-type]  # one of the three


@for_each(
    "kind",
    [
        ReceiptEvent.SENDER,
        ReceiptEvent.RETRY,
        ReceiptEvent.READ_SELF,
        ReceiptEvent.PLAYED_SELF,
        ReceiptEvent.INACTIVE,
        ReceiptEvent.PEER_MSG,
        ReceiptEvent.HISTORY_SYNC,
    ],
)
def test_other_receipts_tell_nothing_of_a_recipient(kind: Any) -> None:
    assert receipts_of(made.receipt(kind, "3EB0AA"), {}) == []


@for_each(
    "kind",
    [
        ReceiptEvent.READ,
        ReceiptEvent.READ_SELF,
        ReceiptEvent.PLAYED,
        ReceiptEvent.PLAYED_SELF,
    ],
)
@for_each("chat", [ADA, GROUP])
def test_what_the_owner_reads_on_the_phone_is_told(kind: Any, chat: str) -> None:
    where = made.source(chat, from_me=True)
    told = receipts_of(made.receipt(kind, "3A01", "3A02", where=where), {})
    assert told == [ReadElsewhere(chat, AT, ("3A01", "3A02"))]


@pytest.mark.parametrize("kind", [ReceiptEvent.DELIVERED, ReceiptEvent.SENDER, ReceiptEvent.RETRY])
def test_what_the_owners_devices_say_besides_is_nothing(kind: Any) -> None:
    where = made.source(ADA, from_me=True)
    assert receipts_of(made.receipt(kind, "3A01", where=where), {}) == []


def test_an_error_of_the_server_fails_what_was_sent() -> None:
    [receipt] = receipts_of(made.receipt(ReceiptEvent.SERVER_ERROR, "3EB0AA"), {})

    assert isinstance(receipt, Receipt)
    assert (receipt.chat_jid, receipt.chat_message_id, receipt.at) == (ADA, "3EB0AA", AT)
    assert (receipt.kind, receipt.only_of_chat) == ("failed", True)
    assert receipt.reason


def test_one_members_error_fails_nothing_in_a_group() -> None:
    where = made.source(GROUP, ADA)

    assert receipts_of(made.receipt(ReceiptEvent.SERVER_ERROR, "3EB0AA", where=where), {}) == []


def test_a_receipt_under_a_hidden_id_is_for_the_chat_with_the_number() -> None:
    where = made.source(ADA_LID, ADA_LID)
    [receipt] = receipts_of(made.receipt(ReceiptEvent.READ, "3EB0AA", where=where), ADA_IN_BOOK)

    assert receipt.chat_jid == ADA


# --- what we send ----------------------------------------------------------------------------


def test_buttons_are_sent_as_quick_replies_of_a_native_flow() -> None:
    sent = message_to_send(
        Buttons("Shall we?", (Button("yes", "Ja ✓"), Button("no", "No")), footer="soon")
    )

    asked = sent.interactiveMessage
    assert (asked.body.text, asked.footer.text) == ("Shall we?", "soon")
    buttons = asked.nativeFlowMessage.buttons
    assert [button.name for button in buttons] == ["quick_reply", "quick_reply"]
    assert json.loads(buttons[0].buttonParamsJSON) == {"display_text": "Ja ✓", "id": "yes"}


def test_what_the_server_acknowledged_is_sent() -> None:
    sent = sent_of(made.response("3EB0AA", NOW), ADA)

    assert (sent.remote_jid, sent.sent_at, sent.phone_number) == (ADA, AT, "+4915112340002")


# --- people and groups -----------------------------------------------------------------------


def test_contacts_come_once_each_under_their_number() -> None:
    contacts = [
        made.contact(ADA, name="Ada Abara", push_name="ada"),
        made.contact(ADA_LID, push_name="ada ✿"),
        made.contact(BRUNO, push_name="bruno"),
        made.contact("70000000009999@lid"),
        made.contact(GROUP, name="a group"),
    ]

    assert list(contacts_of(contacts, ADA_IN_BOOK)) == [
        ContactSeen(ADA, "+4915112340002", "Ada Abara", "ada ✿"),
        ContactSeen(BRUNO, "+4915112340003", None, "bruno"),
    ]


def test_a_group_with_members_under_their_numbers() -> None:
    members = [
        made.member(OWN_JID, OWN_LID),
        made.member(ADA, ADA_LID),
        made.member(BRUNO, error=403),
    ]
    group = group_of(made.group("Choir", members, owner=OWN_LID), {})

    assert (group.remote_jid, group.subject, group.owner_jid) == (GROUP, "Choir", OWN_JID)
    assert group.participants == (OWN_JID, ADA)
    assert pairs_in(made.group("Choir", members)) == {OWN_LID: OWN_JID, ADA_LID: ADA}


def test_a_groups_age_is_to_the_second_though_the_library_rounds_it() -> None:
    info = made.group("Choir", [])

    assert int(info.GroupCreated) != NOW  # a 32-bit float
    assert group_of(info, {}).created_at == AT


def test_the_age_of_a_group_that_was_renamed_is_about_right() -> None:
    created = group_of(made.group("Choir", [], named=NOW + 86_400), {}).created_at

    assert created is not None
    assert abs((created - AT).total_seconds()) <= 128


def test_a_group_that_is_renamed_is_told() -> None:
    event = made.renamed(GROUP, "New choir")
    renamed = renamed_group_of(event)

    assert renamed is not None
    assert (renamed.remote_jid, renamed.subject) == (GROUP, "New choir")
    assert not changes_members(event)
    event.Join.append(made.jid(BRUNO))
    assert changes_members(event)


@for_each(
    ("text", "plain"),
    [
        ("4915112340001:7@s.whatsapp.net", OWN_JID),
        ("4915112340001@c.us", OWN_JID),
        ("70000000000001:7@hosted.lid", OWN_LID),
        ("s.whatsapp.net", "s.whatsapp.net"),
    ],
)
def test_addresses_lose_their_device(text: str, plain: str) -> None:
    assert to_text(to_jid(text)) == plain


def test_a_device_keeps_its_address() -> None:
    assert to_device_text(to_jid(made.OWN)) == made.OWN
    assert to_device_text(to_jid(OWN_JID)) == OWN_JID
    assert to_text(made.jid("")) == ""
