"""Parts of a message beside its text, as lines above and below it, so that nothing is lost.

Parts that the text repeats, for programs that don't know them, are left out.

Namespaces are those of the XEPs: 0249 invitations, 0297 forwarding, 0382 spoilers, 0439 quick
responses.
"""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator
from typing import NamedTuple
from urllib.parse import quote

from heliograph.networks.xmpp.cards import card_lines
from heliograph.networks.xmpp.forms import form_lines
from heliograph.networks.xmpp.places import GEO, place_lines
from heliograph.networks.xmpp.shared_files import announcements
from heliograph.networks.xmpp.stanzas import (
    CLIENT,
    DATA,
    FORWARDED,
    INVITE,
    MAX_BODY_LENGTH,
    MUC_USER,
    QUICK,
    Message,
    read_message,
)
from heliograph.networks.xmpp.unknown import encrypted_of, unknown_of

MAX_ELEMENTS = 20
"""The most elements of one kind that are read."""
_SPOILER = "{urn:xmpp:spoiler:0}spoiler"
_ACTION = "{urn:xmpp:tmp:quick-response}action"


class Line(NamedTuple):
    """A line, and the words that, if all are in the text, show that it is there already."""

    text: str
    known_by: tuple[str, ...]


def with_what_is_beside(
    message: Message, text: str, *, file_url: str = "", data: bool = True
) -> str:
    """Return the text with the parts beside it. `file_url` is the address of the message's own
    file. Without `data`, places and cards are left out."""
    above = _missing(_above(message.xml), text)
    below = _missing(_below(message, file_url, data=data), text)
    told = "\n".join(part for part in (*above, text, *below) if part)
    if told:
        forms = message.xml.findall(f"{DATA}x")[:MAX_ELEMENTS]
        said = (line for form in forms for line in form_lines(form))
        told = "\n".join([told, *_missing(_as_they_are(said), told)])
    return told[:MAX_BODY_LENGTH]


def _missing(lines: Iterable[Line], text: str) -> list[str]:
    """Return the lines that are not in the text, each once."""
    missing: list[str] = []
    for line in lines:
        if len(text) >= MAX_BODY_LENGTH:
            break
        if line.text and not all(_has(text, words) for words in line.known_by):
            missing.append(line.text[:MAX_BODY_LENGTH])
            text = f"{text}\n{missing[-1]}"
    return missing


def _has(text: str, words: str) -> bool:
    """Return whether a text has these words, and not just within others or another address."""
    pattern = rf"(?<!\w){re.escape(words)}(?![\w/?#&=%])"
    return words in text and re.search(pattern, text) is not None


def _as_they_are(lines: Iterable[str | None]) -> Iterator[Line]:
    for line in lines:
        text = (line or "").strip()
        yield Line(text, (text,))


def _above(xml: ET.Element) -> Iterator[Line]:
    yield from _as_they_are([xml.findtext(f"{CLIENT}subject"), xml.findtext(_SPOILER)])


def _below(message: Message, file_url: str, *, data: bool) -> Iterator[Line]:
    yield from _links(message.xml, file_url)
    if data:
        *words, address = place_lines(message.xml) or [""]
        yield from _as_they_are([*words, *card_lines(message.xml)])
        if GEO not in message.body.lower():
            yield Line(address, (address,))
    yield from _choices(message.xml)
    yield from _invitations(message)
    yield from _forwarded(message)


def _links(xml: ET.Element, file_url: str) -> Iterator[Line]:
    for each in announcements(xml):
        url = each.web_url or next(filter(None, each.urls), each.name)
        yield from _as_they_are([each.words, "" if url == file_url else url])


def _choices(xml: ET.Element) -> Iterator[Line]:
    """Yield the choices, each with the answer to write if that is not its title."""
    lines, titles = [], []
    for each in [*xml.findall(QUICK)[:MAX_ELEMENTS], *xml.findall(_ACTION)[:MAX_ELEMENTS]]:
        value = each.get("value", "").strip()
        title = each.get("label", "").strip() or value
        is_same = value.casefold() in ("", title.casefold())
        lines.append(f"- {title}" if is_same else f"- {title} ({value})")
        titles.append(title)
    yield Line("\n".join(lines), tuple(titles))


def _invitations(message: Message) -> Iterator[Line]:
    room = message.sender.partition("/")[0]
    for user in message.xml.findall(f"{MUC_USER}x")[:MAX_ELEMENTS]:
        for invite in user.findall(f"{MUC_USER}invite")[:MAX_ELEMENTS]:
            jid, _, nick = invite.get("from", "").partition("/")
            if inviter := nick if jid == room else jid:
                link = _link(room, user.findtext(f"{MUC_USER}password"))
                yield Line(f"Invitation to a group, by {inviter}: {link}", (link,))
                yield from _as_they_are([invite.findtext(f"{MUC_USER}reason")])
    for invite in message.xml.findall(INVITE)[:MAX_ELEMENTS]:
        if room := invite.get("jid", "").strip():
            link = _link(room, invite.get("password"))
            yield Line(f"Invitation to a group: {link}", (link,))
            yield from _as_they_are([invite.get("reason")])


def _link(room: str, password: str | None) -> str:
    link = f"xmpp:{quote(room, safe='@')}?join"
    return f"{link};password={quote(password, safe='')}" if password else link


def _forwarded(message: Message) -> Iterator[Line]:
    for holder in message.xml.findall(FORWARDED)[:MAX_ELEMENTS]:
        inner = holder.find(f"{CLIENT}message")
        if inner is not None and (text := _text_of(read_message(inner, message.at))):
            sender = inner.get("from", "").partition("/")[0]
            yield Line(f"Forwarded from {sender}:\n{text}" if sender else text, (text,))


def _text_of(message: Message) -> str:
    """Return all of a message as one text."""
    encrypted = encrypted_of(message)
    if encrypted is not None:
        return encrypted.body
    unknown = unknown_of(message)
    return with_what_is_beside(message, message.body) or (unknown.body if unknown else "")
