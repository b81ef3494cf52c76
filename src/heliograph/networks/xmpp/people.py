"""People: the roster, vCards, and pictures (XEP-0084, else XEP-0153)."""

import asyncio
import base64
import hashlib
import xml.etree.ElementTree as ET
from collections.abc import AsyncIterator, Mapping, Sequence

import msgspec

from heliograph.networks.errors import NetworkError, PictureNotFoundError
from heliograph.networks.phone_numbers import PhoneNumberError, read_phone_number
from heliograph.networks.port import ContactSeen, FetchedPicture
from heliograph.networks.xmpp.addresses import bare_or_none, phone_number
from heliograph.networks.xmpp.stanzas import PUBSUB, AnswerError, attribute
from heliograph.networks.xmpp.stream import Stream

ROSTER = "{jabber:iq:roster}"
VCARD = "{vcard-temp}"
AVATAR = "urn:xmpp:avatar:metadata"
AVATAR_DATA = "urn:xmpp:avatar:data"
ITEM = f"{PUBSUB}pubsub/{PUBSUB}items/{PUBSUB}item"
PAGE = 50
VCARDS_AT_ONCE = 10
VCARD_TIMEOUT = 5.0
"""Seconds; a person with a slow server is listed without a card this time."""


class PersonCard(msgspec.Struct, frozen=True):
    """The data of a person's vCard."""

    name: str | None = None
    phone_number: str | None = None
    photo: bytes | None = None


async def list_contacts(
    stream: Stream, settings: Mapping[str, str]
) -> AsyncIterator[Sequence[ContactSeen]]:
    """List the roster in pages, each person with the data of their card. Raises `NetworkError`."""
    answer = await stream.ask("get", ET.Element(f"{ROSTER}query"))
    names: dict[str, str | None] = {}
    for item in answer.iter(f"{ROSTER}item"):
        jid = bare_or_none(item.get("jid", ""))
        if jid is not None:
            names[jid] = item.get("name") or None
    gate = asyncio.Semaphore(VCARDS_AT_ONCE)

    async def see(jid: str) -> ContactSeen:
        async with gate:
            card = await _card_if_told(stream, jid)
        phone = phone_number(jid, settings) or card.phone_number
        return ContactSeen(jid, phone, names[jid], card.name)

    jids = list(names)
    for first in range(0, len(jids), PAGE):
        yield await asyncio.gather(*(see(jid) for jid in jids[first : first + PAGE]))


async def _card_if_told(stream: Stream, jid: str) -> PersonCard:
    try:
        return await fetch_card(stream, jid, timeout=VCARD_TIMEOUT)
    except NetworkError:
        return PersonCard()


async def fetch_card(stream: Stream, jid: str, *, timeout: float | None = None) -> PersonCard:
    """Fetch a person's vCard (XEP-0054). Raises `NetworkError`."""
    answer = await stream.ask("get", ET.Element(f"{VCARD}vCard"), jid, timeout=timeout)
    card = answer.find(f"{VCARD}vCard")
    if card is None:
        return PersonCard()
    name = card.findtext(f"{VCARD}NICKNAME") or card.findtext(f"{VCARD}FN")
    numbers = [_phone(number.text) for number in card.findall(f"{VCARD}TEL/{VCARD}NUMBER")]
    return PersonCard(
        name=(name or "").strip() or None,
        phone_number=next((number for number in numbers if number), None),
        photo=_decode(card.findtext(f"{VCARD}PHOTO/{VCARD}BINVAL")),
    )


async def fetch_picture(stream: Stream, jid: str, *, known_id: str | None) -> FetchedPicture | None:
    """Fetch the person's picture; None if it still is `known_id`.

    Raises `PictureNotFoundError`, and `NetworkError` when nobody answers.
    """
    found = await _avatar_id(stream, jid)
    if found is not None and found == known_id:
        return None
    data = await _avatar(stream, jid, found) if found is not None else None
    if data is None:
        data = await _photo(stream, jid)
    picture_id = hashlib.sha1(data).hexdigest()  # noqa: S324 - XEP-0084 names pictures so
    if picture_id == known_id:
        return None
    return FetchedPicture(picture_id, data)


async def _avatar_id(stream: Stream, jid: str) -> str | None:
    answer = await _newest_item(stream, jid, AVATAR)
    return attribute(answer, f"{ITEM}/{{{AVATAR}}}metadata/{{{AVATAR}}}info", "id")


async def _avatar(stream: Stream, jid: str, picture_id: str) -> bytes | None:
    answer = await _newest_item(stream, jid, AVATAR_DATA, picture_id)
    return _decode(answer.findtext(f"{ITEM}/{{{AVATAR_DATA}}}data"))


async def _newest_item(
    stream: Stream, jid: str, node: str, item_id: str | None = None
) -> ET.Element:
    """Return the answer with the item, if the person has one and shows it."""
    pubsub = ET.Element(f"{PUBSUB}pubsub")
    items = ET.SubElement(pubsub, f"{PUBSUB}items", {"node": node})
    if item_id is not None:
        ET.SubElement(items, f"{PUBSUB}item", {"id": item_id})
    else:
        items.set("max_items", "1")
    try:
        return await stream.ask("get", pubsub, jid)
    except AnswerError:
        return ET.Element("nothing")


async def _photo(stream: Stream, jid: str) -> bytes:
    try:
        card = await fetch_card(stream, jid)
    except AnswerError:
        card = PersonCard()
    if card.photo is None:
        raise PictureNotFoundError("This person has no picture, or hides it from the account.")
    return card.photo


def _decode(text: str | None) -> bytes | None:
    if not text:
        return None
    try:
        return base64.b64decode("".join(text.split()), validate=True) or None
    except ValueError:
        return None


def _phone(text: str | None) -> str | None:
    """`+` and digits, of a number written with its country; None for any other."""
    try:
        number = read_phone_number(text or "")
    except PhoneNumberError:
        return None
    return f"+{number.digits}" if number.is_international else None
