"""Checks of `docs/switching.md`: moving a number, chats, and what is sent and changed."""

import struct
from typing import Any

from acceptance.running_program import wait_for
from heliograph.networks.content import (
    Audio,
    Button,
    Buttons,
    ContactCard,
    Document,
    Image,
    ListMessage,
    Location,
    Poll,
    Sticker,
    Text,
    Video,
)
from heliograph.networks.phone_actions import Say, Scan
from switching_checks import Checks, conversation, device, ids_in
from switching_reader import ADA, BRUNO, Answer, Reader

QUESTION = "Is there a table?"
MP4 = struct.pack(">I", 32) + b"ftypisom\0\0\2\0isomiso2avc1mp41" + b"\0" * 64
OGG = b"OggS\0\2" + b"\0" * 20 + b"\x01\x13OpusHead\x01\x01" + b"\0" * 64
PDF = b"%PDF-1.4\n%%EOF\n"
WEBP = b"RIFF" + struct.pack("<I", 22) + b"WEBPVP8L" + struct.pack("<I", 9) + b"\x2f" + b"\0" * 9
checks = Checks()


# --- moving a number -------------------------------------------------------------------------


@checks.effect_of("Connect a number", 201)
def _(reader: Reader, answer: Answer) -> None:
    assert (answer.json["session_name"], answer.json["status"]) == ("shop", "pairing")


@checks.before("Show the QR code")
def _(reader: Reader) -> None:
    path = f"/devices/{reader.device_id}/pairing"
    wait_for(lambda: reader.get(path)["kind"] == "qr")


@checks.effect_of("Show the QR code")
def _(reader: Reader, answer: Answer) -> None:
    assert (reader.folder / "qr.png").read_bytes().startswith(b"\x89PNG")
    pairing = reader.get(f"/devices/{reader.device_id}/pairing")
    reader.phone(lambda phones: phones.act(Scan(pairing["payload"])))


@checks.before("See whether it is connected")
def _(reader: Reader) -> None:
    wait_for(lambda: device(reader)["status"] == "connected", 30)


@checks.effect_of("See whether it is connected")
def _(reader: Reader, answer: Answer) -> None:
    assert answer.json["status"] == "connected"
    assert answer.json["phone_number"]


@checks.effect_of("Make it the default")
def _(reader: Reader, answer: Answer) -> None:
    defaults = [each["id"] for each in reader.get("/devices")["devices"] if each["is_primary"]]
    assert defaults == [str(reader.device_id)]


@checks.effect_of("Set a webhook", 201)
def _(reader: Reader, answer: Answer) -> None:
    assert answer.json["secret"].startswith("whsec_")


@checks.effect_of("Send a text")
def _(reader: Reader, answer: Answer) -> None:
    assert reader.said(answer) == Text("We have moved.")
    steps = ("message.sent", "message.delivered", "message.read")
    secret = reader.answers["Set a webhook"].json["secret"]
    for hook in reader.hooks.wait_for(answer.json["message_id"], *steps, seconds=30):
        hook.verify(secret)


# --- chats -----------------------------------------------------------------------------------


@checks.effect_of("Find a chat")
def _(reader: Reader, answer: Answer) -> None:
    [chat] = answer.json["conversations"]
    assert chat["phone_number"] == f"+{ADA}"
    assert chat["id"] == reader.get(f"/messages/{reader.variables['MESSAGE']}")["conversation_id"]


@checks.effect_of("List chats")
def _(reader: Reader, answer: Answer) -> None:
    assert ids_in(answer.json["conversations"]) == [reader.variables["CONVERSATION"]]
    assert answer.json["next_cursor"] is None


@checks.effect_of("Read a chat")
def _(reader: Reader, answer: Answer) -> None:
    assert answer.json["last_message_preview"] == "We have moved."
    assert answer.json["labels"] == []


@checks.effect_of("Read the messages of a chat")
def _(reader: Reader, answer: Answer) -> None:
    assert ids_in(answer.json["messages"]) == [reader.variables["MESSAGE"]]


@checks.before("Read what came in")
def _(reader: Reader) -> None:
    reader.phone(lambda phones: phones.act(Say(ADA, QUESTION)))
    wait_for(lambda: conversation(reader)["unread_count"])


@checks.effect_of("Read what came in")
def _(reader: Reader, answer: Answer) -> None:
    [message] = answer.json["messages"]
    assert (message["content"], message["status"]) == (QUESTION, "received")
    reader.hooks.wait_for(message["id"], "message.received")


@checks.effect_of("Read one message")
def _(reader: Reader, answer: Answer) -> None:
    assert answer.json["typed_content"] == {"type": "text", "body": QUESTION}
    assert answer.json["conversation_id"] == reader.variables["CONVERSATION"]


@checks.effect_of("Mark a chat as read")
def _(reader: Reader, answer: Answer) -> None:
    assert answer.json["unread_count"] == 0
    bubbles = wait_for(lambda: own_bubbles(reader, status="read"))
    assert [bubble.content for bubble in bubbles] == [Text(QUESTION)]


def own_bubbles(reader: Reader, *, status: str) -> list[Any]:
    """What Ada has written, if the account shows her that it is so far."""
    bubbles = reader.phone(lambda phones: phones.receive(ADA))
    return [bubble for bubble in bubbles if bubble.mine and bubble.status == status]


@checks.effect_of("Show typing")
def _(reader: Reader, answer: Answer) -> None:
    assert reader.phone(lambda phones: phones.is_typing(ADA))


@checks.effect_of("Stop typing")
def _(reader: Reader, answer: Answer) -> None:
    assert not reader.phone(lambda phones: phones.is_typing(ADA))


@checks.effect_of("Answer a message")
def _(reader: Reader, answer: Answer) -> None:
    bubble = reader.shown(answer.json["message_id"])
    assert bubble.content == Text("There is, at 20:00.")
    assert bubble.quoted is not None
    assert bubble.quoted.content == Text(QUESTION)


@checks.effect_of("Archive a chat")
def _(reader: Reader, answer: Answer) -> None:
    assert conversation(reader)["status"] == "closed"


@checks.effect_of("Reopen a chat")
def _(reader: Reader, answer: Answer) -> None:
    assert conversation(reader)["status"] == "open"


# --- changes of messages ---------------------------------------------------------------------


def reactions(reader: Reader) -> list[str]:
    """How others have reacted to what Ada asked, as her phone shows it."""
    bubbles = reader.phone(lambda phones: phones.receive(ADA))
    [asked] = [bubble for bubble in bubbles if bubble.mine]
    return list(asked.reactions.values())


@checks.effect_of("React", 202)
def _(reader: Reader, answer: Answer) -> None:
    wait_for(lambda: reactions(reader) == ["👍"])


@checks.effect_of("Take a reaction back", 202)
def _(reader: Reader, answer: Answer) -> None:
    wait_for(lambda: reactions(reader) == [])


@checks.effect_of("Edit a message", 202)
def _(reader: Reader, answer: Answer) -> None:
    wait_for(lambda: reader.shown(reader.variables["MESSAGE"]).is_edited)
    shown = reader.shown(reader.variables["MESSAGE"])
    assert shown.content == Text("We have moved to Main Street.")


@checks.effect_of("Take a message back", 202)
def _(reader: Reader, answer: Answer) -> None:
    wait_for(lambda: reader.shown(reader.variables["MESSAGE"]).is_deleted)


# --- what is sent ----------------------------------------------------------------------------


@checks.effect_of("Upload a file", 201)
def _(reader: Reader, answer: Answer) -> None:
    assert answer.json["media_type"] == "image/png"
    assert answer.json["file_name"] == "menu.png"


@checks.effect_of("Send a picture")
def _(reader: Reader, answer: Answer) -> None:
    content = reader.said(answer)
    assert isinstance(content, Image)
    assert content.caption == "Our menu"
    assert reader.shown(answer.json["message_id"]).has_file


@checks.before("Send a video")
def _(reader: Reader) -> None:
    reader.upload(MP4, "video/mp4")


@checks.effect_of("Send a video")
def _(reader: Reader, answer: Answer) -> None:
    assert isinstance(reader.said(answer), Video)


@checks.before("Send a voice message")
def _(reader: Reader) -> None:
    reader.upload(OGG, "audio/ogg")


@checks.effect_of("Send a voice message")
def _(reader: Reader, answer: Answer) -> None:
    content = reader.said(answer)
    assert isinstance(content, Audio)
    assert content.voice


@checks.before("Send a document")
def _(reader: Reader) -> None:
    reader.upload(PDF, "application/pdf")


@checks.effect_of("Send a document")
def _(reader: Reader, answer: Answer) -> None:
    content = reader.said(answer)
    assert isinstance(content, Document)
    assert content.file_name == "menu.pdf"


@checks.before("Send a sticker")
def _(reader: Reader) -> None:
    reader.upload(WEBP, "image/webp")


@checks.effect_of("Send a sticker")
def _(reader: Reader, answer: Answer) -> None:
    assert isinstance(reader.said(answer), Sticker)


@checks.effect_of("Send buttons")
def _(reader: Reader, answer: Answer) -> None:
    content = reader.said(answer)
    assert isinstance(content, Buttons)
    assert content.buttons == (Button("yes", "Yes"), Button("no", "No"))


@checks.effect_of("Send a list")
def _(reader: Reader, answer: Answer) -> None:
    content = reader.said(answer)
    assert isinstance(content, ListMessage)
    assert [row.id for section in content.sections for row in section.rows] == ["t1", "t2"]


@checks.effect_of("Send a poll")
def _(reader: Reader, answer: Answer) -> None:
    content = reader.said(answer)
    assert isinstance(content, Poll)
    assert (content.question, tuple(content.options)) == ("Which day?", ("Friday", "Saturday"))


@checks.effect_of("Send a place")
def _(reader: Reader, answer: Answer) -> None:
    content = reader.said(answer)
    assert isinstance(content, Location)
    assert (content.latitude, content.longitude) == (38.7139, -9.1394)


@checks.effect_of("Send a contact card")
def _(reader: Reader, answer: Answer) -> None:
    content = reader.said(answer)
    assert isinstance(content, ContactCard)
    assert BRUNO in content.vcard
