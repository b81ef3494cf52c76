"""WhatsApp over the stand-in: files, polls, answers, mentions, changes, typing, read marks,
numbers."""

import asyncio
import threading
from datetime import timedelta
from uuid import uuid4

import pytest
from msgspec.structs import replace
from neonize.proto.waE2E.WAWebProtobufsE2E_pb2 import Message, PollCreationMessage
from neonize.utils.enum import MediaType

import libmagic_needed  # noqa: F401 - before the library
import whatsapp_events as made
from heliograph.networks.content import (
    Audio,
    Content,
    Document,
    Image,
    Poll,
    PollVote,
    Sticker,
    System,
    Text,
)
from heliograph.networks.errors import (
    FileUnavailableError,
    NetworkError,
    NoAnswerError,
    NotConnectedError,
    TooOldError,
)
from heliograph.networks.port import (
    Inbound,
    MessageChanges,
    NumberCheck,
    NumberChecks,
    OutgoingChange,
    Quoted,
    ReadMarks,
    Sent,
)
from heliograph.networks.testing import Connected
from heliograph.networks.whatsapp import client_run, uploads
from heliograph.networks.whatsapp.connection import UPLOADS_AT_ONCE
from heliograph.networks.whatsapp.options import MAX_DELETE_AGE, MAX_EDIT_AGE, MAX_FILE_BYTES
from whatsapp_events import ADA, ADA_LID, BRUNO
from whatsapp_files import FileToSend
from whatsapp_standin import Room, lid_of
from whatsapp_world import WhatsApp

pytest_plugins = ("whatsapp_fixtures",)

POLL = Poll("Which day?", ("Monday", "Friday"), 2)
PICTURE = Image("image/png", "The square")


async def send(
    at: Connected,
    content: Content,
    *,
    to: str = ADA,
    file: FileToSend | None = None,
    reply_to: Quoted | None = None,
) -> tuple[str, Sent]:
    """Send a message; our id of it, and what the network said."""
    message = replace(at.outgoing(to, content), file=file, reply_to=reply_to)
    return message.chat_message_id, await at.session.send(message)


def last(whatsapp: WhatsApp, person: str = ADA) -> tuple[str, Message]:
    """The network's id of the last message that the person got, and the message."""
    _, remote_id, message = whatsapp.world.got[person][-1]
    return remote_id, message


async def change(at: Connected, ours: str, **what: object) -> None:
    assert isinstance(at.session, MessageChanges)
    values = {"chat_jid": ADA, "sender_jid": None, "change_id": f"3EB0{uuid4().hex[:18]}"} | what
    await at.session.change(OutgoingChange(chat_message_id=ours, **values))  # type: ignore[arg-type]


def a_group(whatsapp: WhatsApp, at: Connected) -> tuple[str, Room]:
    """A group of the account with Ada and Bruno, in which numbers are hidden."""
    own = at.account.remote_jid or ""
    room = whatsapp.world.make_room("Choir", own)
    room.members |= {ADA, BRUNO}
    people = [made.member("", lid_of(person)) for person in (ADA, BRUNO)]
    room.info.Participants.extend(people)
    room.info.Participants[0].JID.CopyFrom(made.jid(lid_of(own)))
    return f"{room.info.JID.User}@g.us", room


# --- files -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "part", "kind"),
    [
        (PICTURE, "imageMessage", MediaType.MediaImage),
        (Audio("audio/ogg", voice=True), "audioMessage", MediaType.MediaAudio),
        (Document("application/pdf"), "documentMessage", MediaType.MediaDocument),
        (Sticker("image/webp"), "stickerMessage", MediaType.MediaImage),
    ],
)
async def test_a_file_is_uploaded_as_what_it_is(
    whatsapp: WhatsApp, one: Connected, content: Content, part: str, kind: MediaType
) -> None:
    await send(one, content, file=FileToSend(b"the file"))

    assert whatsapp.world.uploaded == [(b"the file", kind)]
    _, message = last(whatsapp)
    assert getattr(message, part).fileLength == 8


async def test_a_file_is_uploaded_once_for_a_message_that_was_taken(
    whatsapp: WhatsApp, one: Connected
) -> None:
    message = replace(one.outgoing(ADA, PICTURE), file=FileToSend(b"x"))

    first = await one.session.send(message)
    again = await one.session.send(replace(message, attempt=1))

    assert first.sent_at == again.sent_at
    assert len(whatsapp.world.uploaded) == len(whatsapp.world.got[ADA]) == 1


@pytest.mark.parametrize(
    ("file", "error", "permanent"),
    [
        (None, FileUnavailableError, False),
        (FileToSend(b"x", is_away=True), FileUnavailableError, False),
        (FileToSend(b"x", size=MAX_FILE_BYTES + 1), NetworkError, True),
        (FileToSend(b"x" * (MAX_FILE_BYTES + 1), size=1), NetworkError, True),
    ],
)
async def test_a_file_that_can_not_go_sends_nothing(
    whatsapp: WhatsApp,
    one: Connected,
    file: FileToSend | None,
    error: type[NetworkError],
    permanent: bool,
) -> None:
    with pytest.raises(error) as refused:
        await send(one, PICTURE, file=file)

    assert (refused.value.permanent, refused.value.certain) == (permanent, True)
    assert not whatsapp.world.uploaded
    assert not whatsapp.world.got[ADA]


@pytest.mark.parametrize(
    ("said", "permanent"),
    [
        ("upload failed with status code 413", True),
        ("upload failed with status code 503", False),
        ("failed to execute request: connection reset", False),
    ],
)
async def test_a_refused_upload_says_why_and_is_certain(
    whatsapp: WhatsApp, one: Connected, said: str, permanent: bool
) -> None:
    whatsapp.world.upload_error = said

    with pytest.raises(NetworkError) as refused:
        await send(one, PICTURE, file=FileToSend(b"x"))

    assert (refused.value.permanent, refused.value.certain) == (permanent, True)
    assert not whatsapp.world.got[ADA]


async def test_uploads_that_hang_keep_their_places_and_stop_nothing_else(
    whatsapp: WhatsApp, one: Connected, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "UPLOAD_TIMEOUT", 0.2)
    monkeypatch.setattr(uploads, "PLACE_TIMEOUT", 0.2)
    whatsapp.world.uploading = threading.Event()

    hung = await asyncio.gather(
        *(send(one, PICTURE, file=FileToSend(b"x")) for _ in range(UPLOADS_AT_ONCE)),
        return_exceptions=True,
    )
    with pytest.raises(NetworkError, match="Too many files"):
        await send(one, PICTURE, file=FileToSend(b"x"))
    await send(one, Text("still here"))
    whatsapp.world.uploading.set()

    assert [type(error) for error in hung] == [NoAnswerError] * UPLOADS_AT_ONCE
    monkeypatch.setattr(uploads, "PLACE_TIMEOUT", 5.0)
    await send(one, PICTURE, file=FileToSend(b"later"))
    assert (b"later", MediaType.MediaImage) in whatsapp.world.uploaded


async def test_a_library_that_hangs_hangs_no_session(
    whatsapp: WhatsApp, one: Connected, monkeypatch: pytest.MonkeyPatch
) -> None:
    hangs = threading.Event()
    phone = whatsapp.world.phones[-1]
    monkeypatch.setattr(phone, "set_passive", lambda _: hangs.wait(20))

    for _ in range(client_run.AT_ONCE + 1):
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(one.session.ping(), 0.2)
    await send(one, Text("still here"))
    hangs.set()

    assert last(whatsapp)[1].conversation == "still here"


# --- polls -----------------------------------------------------------------------------------


async def test_a_poll_of_somebody_else_arrives_and_so_do_its_votes(
    whatsapp: WhatsApp, one: Connected
) -> None:
    options = [PollCreationMessage.Option(optionName=option) for option in ("Soup", "Bread")]
    poll = PollCreationMessage(name="What?", options=options, selectableOptionsCount=1)
    asked = made.message(Message(pollCreationMessageV3=poll), message_id="3APOLL")
    vote = made.message(made.vote("3APOLL", "Bread", poll_from_me=True), message_id="3AVOTE")

    whatsapp.world.send(whatsapp.device(one), asked)
    whatsapp.world.send(whatsapp.device(one), vote)

    first = await one.events.next(Inbound, chat_message_id="3APOLL")
    second = await one.events.next(Inbound, chat_message_id="3AVOTE")
    assert first.content == Poll("What?", ("Soup", "Bread"))
    assert (second.content, second.reply_to_chat_message_id) == (PollVote(("Bread",)), "3APOLL")


async def test_a_vote_that_can_not_be_read_holds_up_nothing(
    whatsapp: WhatsApp, one: Connected
) -> None:
    ours, _ = await send(one, POLL)
    remote_id, _ = last(whatsapp)
    forged = made.vote(remote_id, "Monday")
    forged.pollUpdateMessage.vote.encIV = b"another"
    for vote in (forged, made.vote("3AUNKNOWN", "Monday")):
        whatsapp.world.send(whatsapp.device(one), made.message(vote, made.source(ADA)))

    await whatsapp.say(one, whatsapp.person, "after it")

    await one.events.next(Inbound, content=Text("after it"))
    *votes, _ = one.events.all(Inbound)
    for vote in votes:
        assert isinstance(vote.content, System)
        assert vote.content.kind == "pollUpdateMessage"
    assert [vote.reply_to_chat_message_id for vote in votes] == [ours, "3AUNKNOWN"]


# --- answers and mentions --------------------------------------------------------------------


async def test_in_a_group_that_hides_numbers_people_are_named_by_their_hidden_ids(
    whatsapp: WhatsApp, one: Connected
) -> None:
    group, _ = a_group(whatsapp, one)
    quoted = Quoted("3A01", BRUNO, Text("Shall we?"))

    await send(one, Text("Ask @4915112340002", (ADA,)), to=group, reply_to=quoted)

    text = last(whatsapp)[1].extendedTextMessage
    assert text.text == f"Ask @{lid_of(ADA).partition('@')[0]}"
    assert list(text.contextInfo.mentionedJID) == [lid_of(ADA)]
    assert text.contextInfo.participant == lid_of(BRUNO)


# --- changes ---------------------------------------------------------------------------------


async def test_a_reaction_in_a_group_names_the_author_as_the_group_knows_them(
    whatsapp: WhatsApp, one: Connected
) -> None:
    group, _ = a_group(whatsapp, one)

    await change(one, "3A01", kind="reaction", chat_jid=group, sender_jid=BRUNO, emoji="👍")

    assert last(whatsapp)[1].reactionMessage.key.participant == lid_of(BRUNO)


@pytest.mark.parametrize(("kind", "limit"), [("edited", MAX_EDIT_AGE), ("deleted", MAX_DELETE_AGE)])
async def test_what_phones_take_no_more_is_too_old(
    whatsapp: WhatsApp, one: Connected, kind: str, limit: int
) -> None:
    ours, _ = await send(one, Text("Noon"))
    await whatsapp.database.pool.execute(
        "UPDATE whatsapp.sent SET sent_at = sent_at - $1::interval", timedelta(seconds=limit + 5)
    )

    with pytest.raises(TooOldError):
        await change(one, ours, kind=kind, content=Text("One"))
    await change(one, ours, kind="reaction", emoji="👍")

    assert len(whatsapp.world.got[ADA]) == 2


async def test_a_change_without_a_connection_waits(whatsapp: WhatsApp, one: Connected) -> None:
    ours, _ = await send(one, Text("Noon"))
    await one.session.close()

    with pytest.raises(NotConnectedError):
        await change(one, ours, kind="deleted")


# --- typing, read marks, numbers -------------------------------------------------------------


async def test_messages_are_marked_as_read_by_sender(whatsapp: WhatsApp, one: Connected) -> None:
    group, _ = a_group(whatsapp, one)
    assert isinstance(one.session, ReadMarks)
    await one.session.mark_read(group, [("1", ADA), ("2", ADA), ("3", BRUNO), ("4", ADA_LID)])

    assert whatsapp.world.marked == [
        (group, lid_of(ADA), ("1", "2")),
        (group, lid_of(BRUNO), ("3",)),
        (group, ADA_LID, ("4",)),
    ]


async def test_of_a_number_that_has_changed_its_form_the_new_one_is_told(
    whatsapp: WhatsApp, one: Connected
) -> None:
    old, new = "5511987654321", "551187654321@s.whatsapp.net"
    whatsapp.world.moved[f"{old}@s.whatsapp.net"] = new
    assert isinstance(one.session, NumberChecks)

    assert list(await one.session.check_numbers([old])) == [NumberCheck(old, new)]
