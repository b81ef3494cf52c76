"""The payloads of outgoing messages: texts, places, cards, files, quotes, and changes.

Each is written so that a program which does not support it still shows a text.
"""

import base64
import xml.etree.ElementTree as ET
from typing import NamedTuple
from urllib.parse import quote

from heliograph.networks.choices import as_text
from heliograph.networks.content import (
    Buttons,
    ContactCard,
    Content,
    Location,
    Media,
    Sticker,
    Text,
)
from heliograph.networks.errors import NetworkError
from heliograph.networks.port import OutgoingChange
from heliograph.networks.xmpp.cards import card_elements
from heliograph.networks.xmpp.stanzas import (
    CLIENT,
    FALLBACK,
    QUICK,
    REACTIONS,
    REPLACE,
    REPLY,
    RETRACT,
    SHARING,
    STICKER,
    clean,
    element,
)

OOB = "{jabber:x:oob}"
FILE = "{urn:xmpp:file:metadata:0}"
HASH = "{urn:xmpp:hashes:2}hash"
URL_DATA = "{http://jabber.org/protocol/url-data}url-data"
GEOLOC = "{http://jabber.org/protocol/geoloc}"
HINTS = "{urn:xmpp:hints}"
REFERENCE = "{urn:xmpp:reference:0}reference"
CHAT_STATES = "{http://jabber.org/protocol/chatstates}"
MAX_QUOTE_LENGTH = 200
"""Characters of a quoted message, for programs that can't find it by its id."""
TAKEN_BACK = "(This message was taken back. Your program can't remove it.)"


class UploadedFile(NamedTuple):
    """The address and the metadata of an uploaded file."""

    url: str
    name: str
    media_type: str
    size: int
    sha256: bytes


class AnsweredMessage(NamedTuple):
    """A message that another one answers: its id as the others know it, who wrote it (a JID, or
    their place in the group), and its text. Without an id it is quoted only as text."""

    id: str | None
    author: str | None
    text: str


def content_elements(
    content: Content, file: UploadedFile | None = None, answered: AnsweredMessage | None = None
) -> list[ET.Element]:
    """Make a message's payload. `file` is what a `Media` content is about."""
    if isinstance(content, Media):
        if file is None:
            raise NetworkError("The message's file can't be found any more.", permanent=True)
        body, more = _with_file(content, file)
    elif isinstance(content, Location):
        body, more = _with_place(content)
    else:
        body, more = clean(as_text(content)), []
    if isinstance(content, Buttons):
        more = [
            element(QUICK, value=clean(button.id), label=clean(button.title))
            for button in content.buttons
        ]
    elif isinstance(content, ContactCard):
        more = card_elements(content)
    quoted = ""
    if answered is not None:
        # a file and a place are recognized by a body that has nothing else in it
        if not isinstance(content, (Media, Location)):
            quoted = _quoted(answered.text)
        body, more = quoted + body, [*_reply(answered, len(quoted)), *more]
    if isinstance(content, Text):
        more += _mentions(content, body, len(quoted))
    return [element(f"{CLIENT}body", body), *more]


def _quoted(text: str) -> str:
    shown = clean(text)[:MAX_QUOTE_LENGTH] + ("…" if len(text) > MAX_QUOTE_LENGTH else "")
    return "".join(f"> {line}\n" for line in shown.splitlines())


def _reply(answered: AnsweredMessage, quoted: int) -> list[ET.Element]:
    """Make what names the message that is answered, and marks the quote in the text."""
    if answered.id is None:
        return []
    made = [element(REPLY, id=answered.id)]
    if answered.author:
        made[0].set("to", answered.author)
    return [*made, _stand_in(REPLY, 0, quoted)] if quoted else made


def _stand_in(tag: str, start: int, end: int) -> ET.Element:
    """Mark the part of the text that is a fallback for an element."""
    fallback = ET.Element(f"{FALLBACK}fallback", {"for": tag[1:].partition("}")[0]})
    ET.SubElement(fallback, f"{FALLBACK}body", {"start": str(start), "end": str(end)})
    return fallback


def _mentions(content: Text, body: str, after: int) -> list[ET.Element]:
    """Name those whom the text mentions, with their places in it (XEP-0372)."""
    made = []
    for jid in content.mentions:
        name = f"@{jid.partition('@')[0]}"
        begin = body.find(name, after)
        if begin >= 0:
            end = str(begin + len(name))
            uri = "xmpp:" + quote(jid, safe="@/")
            made.append(element(REFERENCE, type="mention", begin=str(begin), end=end, uri=uri))
    return made


# --- files ---


def _with_file(content: Media, file: UploadedFile) -> tuple[str, list[ET.Element]]:
    """Announce a file: by its address alone in the text, which most programs show as a picture or
    a video (XEP-0066), and by what else is known of it (XEP-0446, 0447, 0449).

    With a caption, those that don't know the latter show the caption and the address.
    """
    caption = f"{clean(content.caption)}\n" if content.caption else ""
    body = caption + file.url
    sharing = ET.Element(f"{SHARING}file-sharing", {"disposition": _disposition(file)})
    told = ET.SubElement(sharing, f"{FILE}file")
    told.append(element(f"{FILE}media-type", clean(file.media_type)))
    told.append(element(f"{FILE}name", clean(file.name)))
    told.append(element(f"{FILE}size", str(file.size)))
    told.append(element(HASH, base64.b64encode(file.sha256).decode(), algo="sha-256"))
    if content.caption:
        told.append(element(f"{FILE}desc", clean(content.caption)))
    sources = ET.SubElement(sharing, f"{SHARING}sources")
    sources.append(element(URL_DATA, target=file.url))
    oob = ET.Element(f"{OOB}x")
    oob.append(element(f"{OOB}url", file.url))
    sticker = [element(STICKER)] if isinstance(content, Sticker) else []
    return body, [oob, sharing, _stand_in(SHARING, len(caption), len(body)), *sticker]


def _disposition(file: UploadedFile) -> str:
    return "inline" if file.media_type.startswith(("image/", "video/", "audio/")) else "attachment"


# --- places ---


def _with_place(place: Location) -> tuple[str, list[ET.Element]]:
    """Write a place as a `geo:` address (RFC 5870), under its name if it has one, and as data
    (XEP-0080)."""
    geoloc = ET.Element(f"{GEOLOC}geoloc")
    geoloc.append(element(f"{GEOLOC}lat", repr(place.latitude)))
    geoloc.append(element(f"{GEOLOC}lon", repr(place.longitude)))
    if place.name:
        geoloc.append(element(f"{GEOLOC}description", clean(place.name)))
    if place.address:
        geoloc.append(element(f"{GEOLOC}street", clean(place.address)))
    return clean(as_text(place)), [geoloc]


# --- changes ---


def change_elements(
    change: OutgoingChange, named: str, file: UploadedFile | None = None
) -> list[ET.Element]:
    """Make the payload that changes the message of this id. `file` is what a new caption is about.
    Raises `NetworkError`."""
    if change.kind == "edited":
        if change.content is None:
            raise NetworkError("An edit needs what the message says now.", permanent=True)
        return [*content_elements(change.content, file), element(REPLACE, id=named)]
    if change.kind == "deleted":
        fallback = ET.Element(f"{FALLBACK}fallback", {"for": RETRACT[1:].partition("}")[0]})
        body = element(f"{CLIENT}body", TAKEN_BACK)
        return [body, element(RETRACT, id=named), fallback, ET.Element(f"{HINTS}store")]
    reactions = element(f"{REACTIONS}reactions", id=named)
    if change.emoji:
        reactions.append(element(f"{REACTIONS}reaction", clean(change.emoji)))
    return [reactions, ET.Element(f"{HINTS}store")]
