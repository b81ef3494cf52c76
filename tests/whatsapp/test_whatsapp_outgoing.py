"""What we send as the library's own objects, and back: kinds, files, answers, changes, polls."""

import struct
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from neonize.proto.waE2E.WAWebProtobufsE2E_pb2 import (
    ContextInfo,
    ExtendedTextMessage,
    Message,
    PollCreationMessage,
    PollVoteMessage,
)

import libmagic_needed  # noqa: F401 - before the library
import whatsapp_events as made
from each_case import for_each
from heliograph.networks.content import (
    Audio,
    Button,
    Buttons,
    ContactCard,
    Content,
    Document,
    Image,
    LinkPreview,
    ListMessage,
    Location,
    Media,
    Poll,
    PollVote,
    Row,
    Section,
    Sticker,
    Text,
    Video,
)
from heliograph.networks.errors import NetworkError
from heliograph.networks.port import Quoted
from heliograph.networks.whatsapp.conversion.contents import content_of, file_of
from heliograph.networks.whatsapp.conversion.mentions import readdressed
from heliograph.networks.whatsapp.conversion.outgoing import (
    file_to_send,
    message_to_send,
    quote_of,
    recaptioned,
    with_context,
)
from heliograph.networks.whatsapp.conversion.outgoing_changes import (
    edit_to_send,
    key_of,
    reaction_to_send,
)
from heliograph.networks.whatsapp.conversion.polls import option_hash, vote_of
from heliograph.networks.whatsapp.conversion.wrapping import unwrapped
from heliograph.networks.whatsapp.uploads import seconds_of_voice
from whatsapp_arrivals import arrived, changed
from whatsapp_events import ADA, ADA_LID, BRUNO, GROUP

AT = datetime(2026, 3, 2, 9, 15, 10, tzinfo=UTC)
VCARD = "BEGIN:VCARD\nVERSION:3.0\nFN:Ada Abara\nTEL:+4915112340002\nEND:VCARD"
POLL = Poll("Which day?", ("Monday", "Friday"), 2)
FILES: list[Media] = [
    Image("image/jpeg", "The square"),
    Video("video/mp4", "A film"),
    Audio("audio/mpeg"),
    Document("application/pdf", "", "menu.pdf"),
    Document("application/pdf", "The menu", "menu.pdf"),
    Sticker("image/webp"),
]


def filed(content: Media, **more: Any) -> Message:
    return file_to_send(content, made.upload(b"data"), **more)


# --- kinds -----------------------------------------------------------------------------------


@for_each(
    "content",
    [
        Text("plain *bold*"),
        Text(
            "See https://example.com", (), LinkPreview("https://example.com", "Example", "A site")
        ),
        Text("Hello @4915112340003", (BRUNO,)),
        POLL,
        Location(52.52, 13.405, "The square", "Alexanderplatz 1"),
        Location(-1.5, 0.0),
        ContactCard("Ada Abara", VCARD),
    ],
)
def test_what_is_sent_would_come_in_as_it_is(content: Content) -> None:
    assert arrived(message_to_send(content, b"s" * 32)).content == content


@for_each("content", FILES)
def test_a_file_that_is_sent_would_come_in_as_it_is(content: Media) -> None:
    sent = filed(content)
    found = content_of(unwrapped(sent))
    file = file_of(unwrapped(sent))

    assert isinstance(found, type(content))
    assert (found.media_type, found.caption) == (content.media_type, content.caption)
    assert (found.file_name, found.size) == (content.file_name, 4)
    assert file is not None
    assert (file.path, file.key, file.size) == ("/v/t62.7118-24/4.enc", b"k" * 32, 4)


def test_a_document_with_a_caption_is_wrapped_as_phones_do_it() -> None:
    plain, captioned = filed(FILES[3]), filed(FILES[4])

    assert plain.documentMessage.fileName == "menu.pdf"
    assert captioned.documentWithCaptionMessage.message.documentMessage.caption == "The menu"


def test_a_document_without_a_name_has_that_of_its_file() -> None:
    sent = filed(Document("application/pdf"), file_name="upload.pdf")

    assert sent.documentMessage.fileName == "upload.pdf"


def test_a_voice_in_opus_is_one_and_other_audio_is_not() -> None:
    voice = filed(Audio("audio/ogg", voice=True), seconds=7).audioMessage
    other = filed(Audio("audio/mpeg", voice=True)).audioMessage

    assert (voice.PTT, voice.seconds, voice.mimetype) == (True, 7, "audio/ogg; codecs=opus")
    assert (other.PTT, other.mimetype) == (False, "audio/mpeg")
    opus = filed(Audio("audio/ogg; codecs=opus", voice=True)).audioMessage
    vorbis = filed(Audio("audio/ogg; codecs=vorbis", voice=True)).audioMessage
    song = filed(Audio("audio/ogg; codecs=opus")).audioMessage
    assert (opus.PTT, opus.mimetype) == (True, "audio/ogg; codecs=opus")
    assert (vorbis.PTT, vorbis.mimetype) == (False, "audio/ogg; codecs=vorbis")
    assert (song.PTT, song.mimetype) == (False, "audio/ogg; codecs=opus")
    found = content_of(Message(audioMessage=voice))
    assert isinstance(found, Audio)
    assert found.voice


def test_a_poll_has_the_secret_that_votes_need() -> None:
    sent = message_to_send(POLL, b"s" * 32)

    assert sent.messageContextInfo.messageSecret == b"s" * 32
    assert sent.pollCreationMessage.selectableOptionsCount == 2


def test_buttons_have_their_header() -> None:
    sent = message_to_send(Buttons("Shall we?", (Button("y", "Yes"),), header="Lunch"))
    bare = message_to_send(Buttons("?", (Button("y", "Yes"),))).interactiveMessage

    assert sent.interactiveMessage.header.title == "Lunch"
    assert not bare.HasField("header")
    assert not bare.HasField("footer")


@pytest.mark.parametrize(
    "content",
    [
        ListMessage("?", "Open", (Section((Row("1", "One"),)),)),
        PollVote(("x",)),
        Image("image/png"),
    ],
)
def test_a_kind_that_whatsapp_does_not_take_is_refused_for_good(content: Content) -> None:
    with pytest.raises(NetworkError) as refused:
        message_to_send(content)

    assert refused.value.permanent


def page(position: int) -> bytes:
    return b"OggS\0\4" + struct.pack("<q", position) + b"\0" * 40


@for_each(
    ("end", "seconds"),
    [
        (page(48_000) + page(48_000 * 9 + 5), 9),
        (b"no such file", 0),
        (b"", 0),
        (b"OggS\0\4abc", 0),
        (page(-1), 0),
        (page(2**62), 0),
    ],
)
def test_how_long_a_voice_is(end: bytes, seconds: int) -> None:
    assert seconds_of_voice(end) == seconds


@given(st.binary(max_size=200))
def test_no_file_makes_the_length_of_a_voice_fail(end: bytes) -> None:
    assert 0 <= seconds_of_voice(b"OggS" + end) <= 86_400


# --- answers and mentions --------------------------------------------------------------------

QUOTE = quote_of(Quoted("3EB0OURS", ADA, Text("Shall we?")), "3A01", ADA)


@for_each(
    "message",
    [
        *(message_to_send(content, b"s" * 32) for content in (Text("Yes"), POLL)),
        message_to_send(Buttons("Shall we?", (Button("y", "Yes"),))),
        message_to_send(ContactCard("Ada", VCARD)),
        message_to_send(Location(1.0, 2.0)),
        *(filed(content) for content in FILES),
    ],
)
def test_every_kind_can_answer_a_message(message: Message) -> None:
    arrival = arrived(with_context(message, QUOTE))

    assert arrival.reply_to_chat_message_id == "3A01"
    assert arrival.content == arrived(message).content


def test_an_answer_shows_what_it_answers_and_whose_that_is() -> None:
    sent = with_context(Message(conversation="Yes"), QUOTE).extendedTextMessage

    assert sent.text == "Yes"
    assert sent.contextInfo.participant == ADA
    assert sent.contextInfo.quotedMessage.conversation == "Shall we?"


def test_without_an_answer_nothing_is_changed() -> None:
    assert with_context(Message(conversation="Yes"), ContextInfo()) == Message(conversation="Yes")


def test_an_answer_may_mention_somebody_too() -> None:
    sent = with_context(message_to_send(Text("@4915112340003", (BRUNO,))), QUOTE)

    context = sent.extendedTextMessage.contextInfo
    assert (context.stanzaID, list(context.mentionedJID)) == ("3A01", [BRUNO])


def test_whom_a_text_mentions_is_known_by_number() -> None:
    text = ExtendedTextMessage(
        text="Hello @70000000000002 and @700000000000021!",
        contextInfo=ContextInfo(mentionedJID=[ADA_LID, "abc:x@lid", "not an address", GROUP]),
    )

    content = arrived(Message(extendedTextMessage=text), book={ADA_LID: ADA}).content

    assert content == Text("Hello @4915112340002 and @700000000000021!", (ADA, "abc@lid"))


@given(st.text(max_size=60), st.lists(st.sampled_from([ADA, BRUNO, ADA_LID]), max_size=3))
def test_readdressing_nobody_changes_no_text(body: str, jids: list[str]) -> None:
    text = Text(body, tuple(dict.fromkeys(jids)))

    assert readdressed(text, lambda jid: jid) == text


@given(st.text(alphabet="ab @.\n", max_size=30), st.text(alphabet="ab @.\n", max_size=30))
def test_readdressing_there_and_back_changes_no_text(before: str, behind: str) -> None:
    text = Text(f"{before}@4915112340002{behind}", (ADA,))
    hidden = readdressed(text, lambda _: ADA_LID)

    assert "@70000000000002" in hidden.body
    assert readdressed(hidden, lambda _: ADA) == text


# --- polls -----------------------------------------------------------------------------------


def asked(*options: str) -> PollCreationMessage:
    made_of = [PollCreationMessage.Option(optionName=option) for option in options]
    return PollCreationMessage(name="Which?", options=made_of, selectableOptionsCount=1)


def test_a_vote_names_all_that_it_chose_in_the_polls_order() -> None:
    chosen = [option_hash(option) for option in ("Friday", "Sunday", "Monday")]

    vote = vote_of(PollVoteMessage(selectedOptions=chosen), asked("Monday", "Friday", "Saturday"))

    assert vote == PollVote(("Monday", "Friday"))


@given(st.lists(st.text(min_size=1, max_size=20), unique=True, min_size=1), st.data())
def test_a_vote_for_some_answers_is_read_as_one_for_them(
    options: list[str], data: st.DataObject
) -> None:
    chosen = data.draw(st.sets(st.sampled_from(options)))
    vote = PollVoteMessage(selectedOptions=[option_hash(option) for option in chosen])

    assert set(vote_of(vote, asked(*options)).options) == chosen


def test_a_poll_without_a_limit_lets_choose_all() -> None:
    poll = asked("Monday", "Friday")
    poll.selectableOptionsCount = 0

    assert arrived(Message(pollCreationMessageV2=poll)).content == Poll(
        "Which?", ("Monday", "Friday"), 2
    )


def test_a_poll_without_answers_is_a_text() -> None:
    assert arrived(Message(pollCreationMessage=asked())).content == Text("Which?")


# --- changes ---------------------------------------------------------------------------------


def test_an_edit_has_the_new_text_under_the_old_id() -> None:
    key = key_of(ADA, "3EB0AA", None, is_group=False)
    sent = edit_to_send(key, message_to_send(Text("Later")), AT)

    change = changed(sent, made.source(ADA, from_me=True))
    assert (change.kind, change.chat_message_id, change.content) == (
        "edited",
        "3EB0AA",
        Text("Later"),
    )
    assert sent.editedMessage.message.protocolMessage.timestampMS == AT.timestamp() * 1000


@pytest.mark.parametrize("emoji", ["👍", ""])
def test_a_reaction_to_somebodys_message_in_a_group(emoji: str) -> None:
    key = key_of(GROUP, "3A01", BRUNO, is_group=True)

    change = changed(reaction_to_send(key, emoji, AT), made.source(GROUP, from_me=True))

    assert (change.kind, change.emoji, change.message_sender_jid) == ("reaction", emoji, BRUNO)


def test_a_reaction_in_a_direct_chat_names_no_participant() -> None:
    key = key_of(ADA, "3A01", ADA, is_group=False)

    assert not key.fromMe
    assert not key.participant


@for_each("content", [FILES[0], FILES[1], FILES[3], FILES[4]])
def test_an_edited_caption_leaves_the_file_as_it_is(content: Media) -> None:
    before = filed(content)

    after = recaptioned(before, "Another")

    found = content_of(unwrapped(after))
    assert isinstance(found, Media)
    assert found.caption == "Another"
    assert file_of(unwrapped(after)) == file_of(unwrapped(before))
    assert content_of(unwrapped(before)) != found


@pytest.mark.parametrize("content", [FILES[2], FILES[5]])
def test_what_has_no_caption_gets_none(content: Media) -> None:
    with pytest.raises(NetworkError) as refused:
        recaptioned(filed(content), "Another")

    assert refused.value.permanent
