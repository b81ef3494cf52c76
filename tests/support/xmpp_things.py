"""What people's programs send besides texts: files, reactions, corrections."""

import asyncio
import base64
import hashlib
import xml.etree.ElementTree as ET
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from heliograph.networks.content import (
    Audio,
    ContactCard,
    Content,
    Document,
    Image,
    Location,
    Media,
    Sticker,
    Text,
    Video,
)
from xmpp_friend import CLIENT, FALLBACK, PATIENCE, Friend
from xmpp_server import UPLOADS

UPLOAD = "{urn:xmpp:http:upload:0}"
OOB = "{jabber:x:oob}"
SHARING = "{urn:xmpp:sfs:0}"
FILE = "{urn:xmpp:file:metadata:0}"
HASH = "{urn:xmpp:hashes:2}hash"
URL_DATA = "{http://jabber.org/protocol/url-data}url-data"
REACTIONS = "{urn:xmpp:reactions:0}"
REPLACE = "{urn:xmpp:message-correct:0}replace"
RETRACT = "{urn:xmpp:message-retract:1}retract"
REPLY = "{urn:xmpp:reply:0}reply"
GEOLOC = "{http://jabber.org/protocol/geoloc}"
REFERENCE = "{urn:xmpp:reference:0}reference"
IDS = "{urn:xmpp:sid:0}"
MARKERS = "{urn:xmpp:chat-markers:0}"
CHAT_STATES = "{http://jabber.org/protocol/chatstates}"
STICKER = "{urn:xmpp:stickers:0}sticker"
VCARD4 = "{urn:ietf:params:xml:ns:vcard-4.0}"
CARD_NAMES = ("surname", "given", "additional", "prefix", "suffix")
"""The parts of a name in their order (RFC 6351)."""


@dataclass
class FileInMemory:
    """An outgoing file, as the gateway hands it over."""

    data: bytes
    media_type: str
    file_name: str
    size: int = -1
    pause: float = 0.0
    pieces: int = 0

    def __post_init__(self) -> None:
        if self.size < 0:
            self.size = len(self.data)

    async def chunks(self) -> AsyncIterator[bytes]:
        for first in range(0, len(self.data), 64 * 1024):
            self.pieces += 1
            await asyncio.sleep(self.pause)
            yield self.data[first : first + 64 * 1024]

    @asynccontextmanager
    async def on_disk(self) -> AsyncIterator[Path]:
        raise NotImplementedError
        yield Path()


async def everything(friend: Friend) -> list[ET.Element]:
    """All messages that came from now on, with a text or without."""
    came: list[ET.Element] = []
    friend.client.add_filter("in", lambda stanza: _keep(came, stanza))
    return came


def _keep(came: list[ET.Element], stanza: object) -> object:
    xml = getattr(stanza, "xml", None)
    if xml is not None and xml.tag == f"{CLIENT}message":
        came.append(xml)
    return stanza


async def upload(friend: Friend, data: bytes, name: str, media_type: str) -> str:
    """Put a file on the friend's server; where it can be fetched."""
    request = ET.Element(f"{UPLOAD}request", {"filename": name, "size": str(len(data))})
    request.set("content-type", media_type)
    answer = await friend.ask("get", request, UPLOADS)
    slot = answer.xml.find(f"{UPLOAD}slot")
    put, get = slot.find(f"{UPLOAD}put"), slot.find(f"{UPLOAD}get")
    headers = {header.get("name"): header.text for header in put}
    async with httpx.AsyncClient(verify=friend.tls, timeout=PATIENCE) as client:
        done = await client.put(put.get("url"), content=data, headers=headers)
    assert done.is_success
    return str(get.get("url"))


async def download(friend: Friend, url: str) -> bytes:
    async with httpx.AsyncClient(verify=friend.tls, timeout=PATIENCE) as client:
        answer = await client.get(url)
    assert answer.is_success
    return answer.content


def oob(url: str) -> ET.Element:
    made = ET.Element(f"{OOB}x")
    ET.SubElement(made, f"{OOB}url").text = url
    return made


def sharing(url: str, data: bytes, media_type: str, name: str = "") -> ET.Element:
    """A file as XEP-0447 shares it."""
    made = ET.Element(f"{SHARING}file-sharing")
    told = ET.SubElement(made, f"{FILE}file")
    ET.SubElement(told, f"{FILE}media-type").text = media_type
    ET.SubElement(told, f"{FILE}name").text = name
    ET.SubElement(told, f"{FILE}size").text = str(len(data))
    hashed = base64.b64encode(hashlib.sha256(data).digest()).decode()
    ET.SubElement(told, HASH, {"algo": "sha-256"}).text = hashed
    sources = ET.SubElement(made, f"{SHARING}sources")
    ET.SubElement(sources, URL_DATA, {"target": url})
    return made


def stand_in(namespace: str, start: int, end: int) -> ET.Element:
    made = ET.Element(f"{FALLBACK}fallback", {"for": namespace})
    ET.SubElement(made, f"{FALLBACK}body", {"start": str(start), "end": str(end)})
    return made


def reactions(to_id: str, *emoji: str) -> ET.Element:
    made = ET.Element(f"{REACTIONS}reactions", {"id": to_id})
    for each in emoji:
        ET.SubElement(made, f"{REACTIONS}reaction").text = each
    return made


def with_id(tag: str, id_: str) -> ET.Element:
    return ET.Element(tag, {"id": id_})


def given_id(message: ET.Element, room: str) -> str:
    """The id that a group gave a message."""
    [found] = [each for each in message.findall(f"{IDS}stanza-id") if each.get("by") == room]
    return found.get("id", "")


# --- whatever somebody says ---


async def said(
    friend: Friend, content: Content, file: bytes | None = None
) -> tuple[str, list[ET.Element]]:
    """The text and the payload of a message as new programs write it. Raises
    `NotImplementedError` for a kind that none of them has."""
    match content:
        case Text():
            return content.body, []
        case Location():
            return f"geo:{content.latitude},{content.longitude}", [_geoloc(content)]
        case ContactCard():
            return content.name, [_card(content)]
        case Image() | Video() | Audio() | Document() | Sticker() if file is not None:
            return await _shared(friend, content, file)
    raise NotImplementedError


async def _shared(friend: Friend, content: Media, data: bytes) -> tuple[str, list[ET.Element]]:
    """A file with its caption above its address, which is marked as such (XEP-0447)."""
    name = content.file_name or "file"
    url = await upload(friend, data, name, content.media_type)
    caption = f"{content.caption}\n" if content.caption else ""
    body = caption + url
    marked = stand_in("urn:xmpp:sfs:0", len(caption), len(body))
    payload = [oob(url), sharing(url, data, content.media_type, name), marked]
    if isinstance(content, Sticker):
        payload.append(ET.Element(STICKER, {"pack": "of their own"}))
    return body, payload


def _geoloc(place: Location) -> ET.Element:
    made = ET.Element(f"{GEOLOC}geoloc")
    told = {"lat": place.latitude, "lon": place.longitude}
    for name, value in {**told, "description": place.name, "street": place.address}.items():
        ET.SubElement(made, GEOLOC + name).text = str(value)
    return made


def _card(card: ContactCard) -> ET.Element:
    """A vCard in XML (RFC 6351)."""
    made = ET.Element(f"{VCARD4}vcard")
    for line in card.vcard.splitlines():
        name, _, value = line.partition(":")
        tag = name.partition(";")[0].lower()
        if tag in ("begin", "version", "end"):
            continue
        written = ET.SubElement(made, VCARD4 + tag)
        if tag == "n":
            for part, word in zip(CARD_NAMES, value.split(";"), strict=True):
                ET.SubElement(written, VCARD4 + part).text = word
        else:
            ET.SubElement(written, f"{VCARD4}text").text = value
    return made
