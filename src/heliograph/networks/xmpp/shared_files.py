"""The files that a message announces, and the one that is its content.

XEP-0447 and XEP-0385 describe a file; XEP-0066 only says where something is.
"""

import base64
import mimetypes
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from itertools import chain, islice
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from heliograph.networks.content import Audio, Document, Image, Sticker, Video
from heliograph.networks.xmpp.payloads import HASH, OOB, REFERENCE, URL_DATA
from heliograph.networks.xmpp.stanzas import REPLY, SHARING, STICKER, Message

SIMS = "{urn:xmpp:sims:1}"
MAX_FILES = 20
"""The most files of one message that are checked."""
MAX_NAME_LENGTH = 1000
MAX_URL_LENGTH = 4096
_WORD = r"[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,99}"
_MEDIA_TYPE = re.compile(rf"({_WORD}/{_WORD})((?:; ?{_WORD}={_WORD}){{0,5}})")
_PAGES = frozenset({"text/html", "application/xhtml+xml"})
File = Image | Video | Audio | Document | Sticker
_KINDS: dict[str, type[File]] = {"image": Image, "video": Video, "audio": Audio}


class Announcement(NamedTuple):
    """A file or an address in a message: its `<file/>` element, its stated addresses and its text.
    It is never fetched if `is_link`."""

    told: ET.Element | None
    urls: tuple[str, ...]
    words: str = ""
    is_link: bool = False

    @property
    def web_url(self) -> str | None:
        """The first of the addresses that a file can be fetched from."""
        fit = (url for url in self.urls if len(url) <= MAX_URL_LENGTH and web_path(url) is not None)
        return next(fit, None)

    @property
    def name(self) -> str:
        return _told(self.told, "name")


class AnnouncedFile(NamedTuple):
    """A file as its sender describes it. `url` is where it is said to be."""

    url: str
    content: File
    sha256: bytes | None


def announcements(xml: ET.Element) -> list[Announcement]:
    """List the announcements of a message, described files first."""
    return list(islice(chain(_shared(xml), _referred(xml), _out_of_band(xml)), MAX_FILES))


def _shared(xml: ET.Element) -> Iterator[Announcement]:
    for sharing in xml.findall(f"{SHARING}file-sharing"):
        targets = sharing.findall(f"{SHARING}sources/{URL_DATA}")
        yield _described(sharing, [each.get("target", "") for each in targets])


def _referred(xml: ET.Element) -> Iterator[Announcement]:
    for reference in xml.findall(REFERENCE):
        sharing = reference.find(f"{SIMS}media-sharing")
        if sharing is not None:
            sources = sharing.findall(f"{SIMS}sources/{REFERENCE}")
            yield _described(sharing, [each.get("uri", "") for each in sources])
        elif reference.get("type") == "data":
            yield Announcement(None, (reference.get("uri", "").strip(),), is_link=True)


def _out_of_band(xml: ET.Element) -> Iterator[Announcement]:
    for oob in xml.findall(f"{OOB}x"):
        url, words = oob.findtext(f"{OOB}url") or "", oob.findtext(f"{OOB}desc") or ""
        yield Announcement(None, (url.strip(),), words.strip())


def _described(sharing: ET.Element, urls: list[str]) -> Announcement:
    told = next((each for each in sharing if each.tag.endswith("}file")), None)
    told = ET.Element("file") if told is None else told
    return Announcement(told, tuple(url.strip() for url in urls[:MAX_FILES]), _told(told, "desc"))


def read_file(message: Message) -> AnnouncedFile | None:
    """Return the file of a message, or None.

    That is the first one that is described. Else it is one that is only named by its address: if
    the address is the whole text, if there is no text, or if it is beside a text and looks like a
    file's. An address within a text is a link.
    """
    body = message.body.strip()
    for each in announcements(message.xml):
        url = each.web_url
        if url is None or each.is_link:
            continue
        is_alone = body in ("", url)
        if each.told is not None or is_alone or (url not in body and _looks_like_file(url)):
            return _announced(message, each, url)
    return None


def _looks_like_file(url: str) -> bool:
    media_type, _ = mimetypes.guess_type(web_path(url) or "")
    return media_type is not None and media_type not in _PAGES


def web_path(url: str) -> str | None:
    """Return the path of a web address; None for anything else."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    return parts.path if parts.scheme in ("https", "http") and parts.hostname else None


def _announced(message: Message, announcement: Announcement, url: str) -> AnnouncedFile:
    told, path = announcement.told, web_path(url) or ""
    said = message.text_without(REPLY, SHARING).strip().removesuffix(url).rstrip()
    name = announcement.name or unquote(path.rpartition("/")[2])
    named = _MEDIA_TYPE.fullmatch(_told(told, "media-type"))
    media_type = named[1].lower() + named[2] if named else mimetypes.guess_type(path)[0] or ""
    size = _told(told, "size")
    media = media_of(media_type)(
        media_type or "application/octet-stream",
        said or announcement.words,
        file_name=name.strip()[:MAX_NAME_LENGTH] or None,
        size=int(size) if re.fullmatch(r"[0-9]{1,15}", size) else None,
    )
    is_sticker = message.xml.find(STICKER) is not None and isinstance(media, Image)
    return AnnouncedFile(url, _as_sticker(media) if is_sticker else media, _sha256(told))


def _as_sticker(image: File) -> Sticker:
    return Sticker(image.media_type, image.caption, file_name=image.file_name, size=image.size)


def media_of(media_type: str) -> type[File]:
    """Return the kind of content for files of this type."""
    return _KINDS.get(media_type.partition("/")[0], Document)


def _told(told: ET.Element | None, name: str) -> str:
    """Return what `<file/>` says, whichever XEP it is of: both use the same words in it."""
    namespace = "" if told is None else told.tag.rpartition("}")[0] + "}"
    return "" if told is None else (told.findtext(namespace + name) or "").strip()


def _sha256(told: ET.Element | None) -> bytes | None:
    for each in told.findall(HASH) if told is not None else ():
        if each.get("algo") == "sha-256":
            try:
                return base64.b64decode((each.text or "").strip(), validate=True)
            except ValueError:
                return None
    return None
