"""Whatever arrives is told: every field that a message can have, known or not, and what came
without its content. Only protocol stays silent."""

from typing import Any

import pytest
from neonize.proto.waE2E import WAWebProtobufsE2E_pb2 as wa
from neonize.proto.waE2E.WAWebProtobufsE2E_pb2 import ContextInfo, Message

import libmagic_needed  # noqa: F401 - before the library
import whatsapp_events as made
from each_case import for_each
from heliograph.networks.content import (
    Image,
    Referral,
    System,
    Text,
    decode_content,
    encode_content,
)
from heliograph.networks.port import Changed, Inbound
from heliograph.networks.whatsapp.conversion.arrivals import arrival_of, unreadable_arrival_of
from heliograph.networks.whatsapp.conversion.unknown import PROTOCOL
from heliograph.networks.whatsapp.conversion.wrapping import MAX_LAYERS, is_wrapper
from whatsapp_arrivals import arrived, changed, said, wrapped
from whatsapp_events import ADA, GROUP, OWN_JID
from whatsapp_world import NEWER_KIND

FIELDS = list(Message.DESCRIPTOR.fields)
WRAPPERS = [field.name for field in FIELDS if is_wrapper(field)]


def with_field(field: Any) -> Message:
    if field.message_type is None:
        return Message(conversation="Hello")
    message = Message()
    getattr(message, field.name).SetInParent()
    return message


def test_protocol_is_a_short_list_with_reasons() -> None:
    silent = {field.name for field in FIELDS if field.message_type in PROTOCOL}

    assert silent == {
        "senderKeyDistributionMessage",
        "fastRatchetKeySenderKeyDistributionMessage",
        "groupRootKeyShare",
        "rootSecretDistributeMessage",
        "messageContextInfo",
        "statusLinkPreviewMetadata",
        "stickerSyncRmrMessage",
        "protocolMessage",
    }
    assert all(PROTOCOL.values())


@for_each("field", FIELDS, ids=lambda field: field.name)
def test_every_field_of_a_message_is_told_unless_it_is_protocol(field: Any) -> None:
    message = with_field(field)
    arrival = arrival_of(made.message(message), OWN_JID, {})

    if field.message_type in PROTOCOL:
        assert arrival is None
    elif field.name == "reactionMessage":
        assert isinstance(arrival, Changed)
    else:
        assert isinstance(arrival, Inbound)
        assert arrival.content.summary
        assert decode_content(encode_content(arrival.content)) == arrival.content


@for_each("name", WRAPPERS)
def test_a_message_is_read_out_of_every_wrapper(name: str) -> None:
    assert said(wrapped(name, Message(conversation="inner"))) == Text("inner")
    assert said(wrapped(name, wrapped("ephemeralMessage", Message(conversation="inner")))) == Text(
        "inner"
    )


@for_each("name", WRAPPERS)
def test_a_wrapper_with_nothing_in_it_is_told(name: str) -> None:
    empty = wrapped(name, Message())

    content = said(empty)
    assert isinstance(content, System)
    assert content.kind == name


def test_there_are_more_wrappers_than_a_list_of_names_had() -> None:
    assert len(WRAPPERS) >= 30


def test_what_is_wrapped_without_end_is_told_and_not_followed() -> None:
    message = Message(conversation="inner")
    for _ in range(MAX_LAYERS + 1):
        message = wrapped("viewOnceMessage", message)

    assert isinstance(said(message), System)


@pytest.mark.parametrize("keys", [b"", Message(messageContextInfo={}).SerializeToString()])
def test_a_kind_that_is_newer_than_the_library_is_told(keys: bytes) -> None:
    content = said(Message.FromString(keys + NEWER_KIND))

    assert isinstance(content, System)
    assert content.kind == "field_10144"
    assert "Open it on the phone" in content.body


def test_a_newer_kind_in_a_wrapper_is_told() -> None:
    assert isinstance(said(wrapped("ephemeralMessage", Message.FromString(NEWER_KIND))), System)


def test_keys_beside_a_message_do_not_hide_it() -> None:
    message = Message(senderKeyDistributionMessage={"groupID": "g"}, musicMessage={})

    content = said(message)
    assert isinstance(content, System)
    assert content.kind == "musicMessage"


def test_what_a_person_wrote_in_an_unknown_kind_is_shown() -> None:
    song = wa.EmbeddedMusic(title="Nachtlied", author="Clara")
    content = said(Message(musicMessage=wa.MusicMessage(embeddedMusic=song)))

    assert content.summary.startswith("Clara\nNachtlied\n")


def test_what_another_device_of_the_owner_sent_is_told_too() -> None:
    where = made.source(ADA, from_me=True)
    arrival = arrived(Message(musicMessage={}), where=where)

    assert arrival.from_me
    assert isinstance(arrival.content, System)


@pytest.mark.parametrize(
    ("kind", "told"),
    [("SHARE_PHONE_NUMBER", True), ("REQUEST_WELCOME_MESSAGE", True), ("EPHEMERAL_SETTING", False)],
)
def test_of_protocol_only_what_phones_show_in_the_chat_is_told(kind: str, *, told: bool) -> None:
    protocol = wa.ProtocolMessage(type=wa.ProtocolMessage.Type.Value(kind))
    arrival = arrival_of(made.message(Message(protocolMessage=protocol)), OWN_JID, {})

    assert (arrival is not None) is told


@pytest.mark.parametrize("empty", [{"conversation": ""}, {"extendedTextMessage": {}}])
def test_an_edit_that_says_nothing_changes_nothing(empty: dict[str, Any]) -> None:
    assert arrival_of(made.message(made.edit("3A01", **empty)), OWN_JID, {}) is None


def test_an_edit_into_something_unknown_is_told() -> None:
    assert isinstance(changed(made.edit("3A01", musicMessage={})).content, System)


@for_each(
    ("name", "member", "type_", "sentence"),
    [
        ("pinInChatMessage", "type", 1, "Pinned a message."),
        ("pinInChatMessage", "type", 2, "Unpinned a message."),
        ("pinInChatMessage", "type", 0, "Pinned a message, or unpinned one."),
        ("keepInChatMessage", "keepType", 1, "Kept a message in the chat."),
        ("keepInChatMessage", "keepType", 2, "No longer keeps a message in the chat."),
    ],
)
def test_what_is_done_to_another_message_is_said(
    name: str, member: str, type_: int, sentence: str
) -> None:
    message = Message()
    setattr(getattr(message, name), member, type_)

    assert said(message).summary == sentence


@pytest.mark.parametrize("name", ["pinInChatMessage", "keepInChatMessage"])
def test_what_is_about_another_message_names_it(name: str) -> None:
    message = Message()
    getattr(message, name).key.ID = "3A77"

    assert arrived(message).reply_to_chat_message_id == "3A77"


def test_a_comment_names_what_it_is_about() -> None:
    comment = wrapped("commentMessage", Message(conversation="Nice"))
    comment.commentMessage.targetMessageKey.ID = "3A77"

    for message in (comment, wrapped("ephemeralMessage", comment)):
        arrival = arrived(message)
        assert (arrival.content, arrival.reply_to_chat_message_id) == (Text("Nice"), "3A77")


# --- messages that belong to another one -------------------------------------------------------

PICTURE = Message(imageMessage={"mimetype": "image/jpeg", "directPath": "/v/1"})


def associated(kind: str, wrapper: str, *, outside: bool = False) -> Message:
    inner = Message.FromString(PICTURE.SerializeToString())
    message = wrapped(wrapper, inner)
    target = message if outside else getattr(message, wrapper).message
    association = target.messageContextInfo.messageAssociation
    association.associationType = wa.MessageAssociation.AssociationType.Value(kind)
    association.parentMessageKey.ID = "3A77"
    return message


@for_each("outside", [False, True])
@for_each(
    "kind",
    ["HD_IMAGE_DUAL_UPLOAD", "HD_VIDEO_DUAL_UPLOAD", "HEVC_VIDEO_DUAL_UPLOAD", "MOTION_PHOTO"],
)
def test_a_better_copy_of_a_picture_is_the_same_message(kind: str, *, outside: bool) -> None:
    for message in (
        (copy := associated(kind, "associatedChildMessage", outside=outside)),
        wrapped("ephemeralMessage", copy),
    ):
        arrival = arrived(message)
        assert (arrival.chat_message_id, arrival.content) == ("3A77", Image("image/jpeg"))


@for_each(
    ("kind", "wrapper"),
    [
        ("EVENT_COVER_IMAGE", "eventCoverImage"),
        ("MEDIA_POLL", "pollCreationOptionImageMessage"),
        ("EVENT_COVER_IMAGE", "associatedChildMessage"),
        ("UNKNOWN", "eventCoverImage"),
        ("UNKNOWN", "pollCreationOptionImageMessage"),
    ],
)
def test_a_picture_within_another_message_is_none_of_its_own(kind: str, wrapper: str) -> None:
    for message in ((part := associated(kind, wrapper)), wrapped("ephemeralMessage", part)):
        assert arrival_of(made.message(message), OWN_JID, {}) is None


@pytest.mark.parametrize("kind", ["MEDIA_ALBUM", "UNKNOWN"])
def test_a_picture_of_an_album_is_a_message_of_its_own(kind: str) -> None:
    arrival = arrived(associated(kind, "associatedChildMessage"))
    assert (arrival.chat_message_id, arrival.content) == (
        "3A0123456789ABCDEF01",
        Image("image/jpeg"),
    )


@pytest.mark.parametrize("chat", ["1-4711@interop", "4711@msgr", "4711@bot"])
def test_somebody_on_a_server_that_is_not_known_is_told(chat: str) -> None:
    arrival = arrived(Message(conversation="Hello"), where=made.source(chat))

    assert (arrival.chat_jid, arrival.sender_jid) == (chat, chat)
    assert not arrival.is_group
    assert arrival.sender_phone_number is None


def test_what_the_owners_devices_tell_each_other_is_silent() -> None:
    event = made.message(Message.FromString(NEWER_KIND))
    event.Info.Category = "peer"

    assert arrival_of(event, OWN_JID, {}) is None


# --- advertisements ----------------------------------------------------------------------------

AD = ContextInfo.ExternalAdReplyInfo(
    title="Spring offer",
    body="Half price",
    sourceType="ad",
    sourceID="120200000000000001",
    sourceURL="https://fb.me/1",
    ctwaClid="ARAk",
)
REFERRAL = Referral(
    "120200000000000001", "ad", "https://fb.me/1", "Spring offer", "Half price", "ARAk"
)


def test_an_answer_to_a_status_says_which() -> None:
    context = ContextInfo(
        stanzaID="3A55",
        remoteJID="status@broadcast",
        quotedMessage=Message(imageMessage={"caption": "Plum cake today"}),
    )
    text = {"text": "How much?", "contextInfo": context}
    arrival = arrived(Message(extendedTextMessage=text))
    assert (arrival.content, arrival.reply_to_chat_message_id) == (Text("How much?"), "3A55")
    assert arrival.referral == Referral("3A55", "status", body="Plum cake today")


def test_an_empty_answer_to_a_status_is_no_click_on_an_advertisement() -> None:
    context = ContextInfo(stanzaID="3A55", remoteJID="status@broadcast")
    arrival = arrived(Message(extendedTextMessage={"contextInfo": context}))
    assert arrival.content == System("extendedTextMessage", "An empty message.")


def test_a_click_on_an_advertisement_without_a_text_is_told() -> None:
    arrival = arrived(Message(extendedTextMessage={"contextInfo": {"externalAdReply": AD}}))

    assert arrival.referral == REFERRAL
    assert arrival.content == System("referral", "Came from an advertisement: Spring offer")


@for_each("name", ["extendedTextMessage", "imageMessage", "locationMessage"])
@for_each("wrapper", ["", "ephemeralMessage"])
def test_what_came_from_an_advertisement_says_so(name: str, wrapper: str) -> None:
    message = Message()
    getattr(message, name).contextInfo.externalAdReply.CopyFrom(AD)
    if name == "extendedTextMessage":
        message.extendedTextMessage.text = "Hello"

    arrival = arrived(wrapped(wrapper, message) if wrapper else message)
    assert arrival.referral == REFERRAL
    assert not isinstance(arrival.content, System)


def test_older_and_bare_forms_of_an_advertisement() -> None:
    quoted = {"text": "Hi", "contextInfo": {"quotedAd": {"advertiserName": "Lume"}}}
    bare = {"text": "Hi", "contextInfo": {"entryPointConversionSource": "ctwa_ad"}}

    assert arrived(Message(extendedTextMessage=quoted)).referral == Referral(
        source_type="ad", headline="Lume"
    )
    assert arrived(Message(extendedTextMessage=bare)).referral == Referral(source_type="ad")


def test_the_preview_of_a_link_is_no_advertisement() -> None:
    preview = {"text": "Hi", "contextInfo": {"externalAdReply": {"title": "A page"}}}

    assert arrived(Message(extendedTextMessage=preview)).referral is None


def test_the_owners_own_words_come_from_no_advertisement() -> None:
    message = Message(extendedTextMessage={"text": "Hi", "contextInfo": {"externalAdReply": AD}})

    assert arrived(message, where=made.source(ADA, from_me=True)).referral is None


# --- what comes without its content ------------------------------------------------------------


@pytest.mark.parametrize(("gone", "kind"), [(True, "unavailable"), (False, "undecryptable")])
def test_a_message_without_its_content_is_told(kind: str, *, gone: bool) -> None:
    where = made.source(GROUP, ADA)
    arrival = unreadable_arrival_of(made.unreadable(where, gone=gone), OWN_JID, {})

    assert arrival is not None
    assert isinstance(arrival.content, System)
    assert arrival.content.kind == kind
    assert "pen it on the phone" in arrival.content.body
    assert (arrival.chat_jid, arrival.sender_jid, arrival.is_group) == (GROUP, ADA, True)
    assert arrival.chat_message_id == made.message().Info.ID


def test_a_status_that_cannot_be_read_is_not_told() -> None:
    where = made.source("status@broadcast", ADA)
    assert unreadable_arrival_of(made.unreadable(where), OWN_JID, {}) is None
