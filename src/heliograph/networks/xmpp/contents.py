"""What a message that came says: a text, a place, a card, or a file that lies somewhere."""

import base64
import mimetypes
import re
import xml.etree.ElementTree as ET
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from heliograph.networks.content import (
    Audio,
    Content,
    Document,
    Image,
    Location,
    Sticker,
    Text,
    Video,
    is_on_globe,
)
from heliograph.networks.xmpp.addresses import bare_or_none
from heliograph.networks.xmpp.cards import read_card
from heliograph.networks.xmpp.payloads import FILE, GEOLOC, HASH, OOB, REFERENCE, URL_DATA
from heliograph.networks.xmpp.stanzas import REPLY, SHARING, STICKER, Message, attribute

LONGEST_WORD = 1000
LONGEST_URL = 4096
MOST_MENTIONS = 100
_DEGREES = r"-?[0-9]{1,3}(?:\.[0-9]{1,20})?"
_GEO = re.compile(
    rf"geo:({_DEGREES}),({_DEGREES})(?:,[0-9.-]{{1,20}})?(?:;[^\s]{{0,200}})?", re.IGNORECASE
)
_WORD = r"[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,99}"
_MEDIA_TYPE = re.compile(rf"({_WORD}/{_WORD})((?:; ?{_WORD}={_WORD}){{0,5}})")
File = Image | Video | Audio | Document | Sticker
_KINDS: dict[str, type[File]] = {"image": Image, "video": Video, "audio": Audio}


class AnnouncedFile(NamedTuple):
    """A file as its sender describes it. `url` is where it is said to be."""

    url: str
    content: File
    sha256: bytes | None


def read_content(message: Message) -> Content:
    """Return what a message says, but for its file."""
    return (
        read_location(message.xml, message.body)
        or read_card(message.xml)
        or Text(message.body, _mentions(message))
    )


def read_correction(message: Message) -> Content:
    """Return what a corrected message says; of a file, its caption."""
    file = read_file(message)
    return Text(file.content.caption) if file and file.content.caption else read_content(message)


# --- files ---


def read_file(message: Message) -> AnnouncedFile | None:
    """Return the file that a message is about; None for any other message.

    That is one of XEP-0447, or one whose address is the whole text (XEP-0066): an address with a
    text around it is one.
    """
    sharing = message.xml.find(f"{SHARING}file-sharing")
    if sharing is not None:
        url = attribute(sharing, f"{SHARING}sources/{URL_DATA}", "target") or ""
    else:
        url = (message.xml.findtext(f"{OOB}x/{OOB}url") or "").strip()
        if url != message.body.strip():
            return None
    if not 0 < len(url) <= LONGEST_URL or urlsplit_or_none(url) is None:
        return None
    told = sharing.find(f"{FILE}file") if sharing is not None else None
    caption = message.text_without(REPLY, SHARING).strip() if sharing is not None else ""
    caption = "" if caption == url else caption
    announced = _described(url, told if told is not None else ET.Element(f"{FILE}file"), caption)
    is_sticker = message.xml.find(STICKER) is not None and isinstance(announced.content, Image)
    return _as_sticker(announced) if is_sticker else announced


def _as_sticker(announced: AnnouncedFile) -> AnnouncedFile:
    image = announced.content
    sticker = Sticker(image.media_type, image.caption, file_name=image.file_name, size=image.size)
    return announced._replace(content=sticker)


def urlsplit_or_none(url: str) -> str | None:
    """Return the path of a web address; None for what is no web address."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    return parts.path if parts.scheme in ("https", "http") and parts.hostname else None


def _described(url: str, told: ET.Element, caption: str) -> AnnouncedFile:
    path = urlsplit_or_none(url) or ""
    name = told.findtext(f"{FILE}name") or unquote(path.rpartition("/")[2])
    named = _MEDIA_TYPE.fullmatch((told.findtext(f"{FILE}media-type") or "").strip())
    media_type = named[1].lower() + named[2] if named else mimetypes.guess_type(path)[0] or ""
    size = told.findtext(f"{FILE}size") or ""
    media = media_of(media_type)(
        media_type or "application/octet-stream",
        caption,
        file_name=name.strip()[:LONGEST_WORD] or None,
        size=int(size) if re.fullmatch(r"[0-9]{1,15}", size) else None,
    )
    return AnnouncedFile(url, media, _sha256(told))


def media_of(media_type: str) -> type[File]:
    """Return the kind of content that files of this type are."""
    return _KINDS.get(media_type.partition("/")[0], Document)


def _sha256(told: ET.Element) -> bytes | None:
    for each in told.findall(HASH):
        if each.get("algo") == "sha-256":
            try:
                return base64.b64decode((each.text or "").strip(), validate=True)
            except ValueError:
                return None
    return None


# --- people ---


def _mentions(message: Message) -> tuple[str, ...]:
    """Return whom the text names, each as `@` and its user part (XEP-0372)."""
    found: dict[str, None] = {}
    for reference in message.xml.findall(REFERENCE)[:MOST_MENTIONS]:
        uri = unquote(reference.get("uri", ""))
        if reference.get("type") != "mention" or not uri.startswith("xmpp:"):
            continue
        jid = bare_or_none(uri.removeprefix("xmpp:").partition("?")[0])
        if jid is not None and f"@{jid.partition('@')[0]}" in message.body:
            found[jid] = None
    return tuple(found)


# --- places ---


def read_location(xml: ET.Element, body: str) -> Location | None:
    """Return the location that a message is; None for any other message.

    Programs send a location as a `geo:` address (RFC 5870), and perhaps as XEP-0080 beside it. With
    the latter, the text may name the place above the address.
    """
    geoloc = xml.find(f"{GEOLOC}geoloc")
    last_line = body.strip().rpartition("\n")[2] if geoloc is not None else body.strip()
    match = _GEO.fullmatch(last_line)
    if match is None:
        return None
    latitude, longitude = float(match[1]), float(match[2])
    if not is_on_globe(latitude, longitude):
        return None
    name = address = ""
    if geoloc is not None:
        name = _word(geoloc, "description") or _word(geoloc, "text")
        parts = [_word(geoloc, part) for part in ("street", "postalcode", "locality", "country")]
        address = ", ".join(part for part in parts if part)
    return Location(latitude, longitude, name, address)


def _word(geoloc: ET.Element, name: str) -> str:
    return (geoloc.findtext(GEOLOC + name) or "").strip()[:LONGEST_WORD]
