"""The contents of inbound messages: a text, a place, a card, or a file at some address."""

import re
from urllib.parse import unquote

from msgspec.structs import replace

from heliograph.networks.content import NOTHING, ContactCard, Content, Text
from heliograph.networks.xmpp.addresses import bare_or_none
from heliograph.networks.xmpp.beside import with_what_is_beside
from heliograph.networks.xmpp.cards import card_lines, read_card
from heliograph.networks.xmpp.payloads import REFERENCE
from heliograph.networks.xmpp.places import read_location
from heliograph.networks.xmpp.shared_files import File, read_file
from heliograph.networks.xmpp.stanzas import Message
from heliograph.networks.xmpp.unknown import encrypted_of, unknown_of

MAX_MENTIONS = 100
_LABEL = re.compile(r"(?<=\d) \([^()]{0,100}\)")
"""What a number is called, behind it: in a text that stands in for a card, and not in the card."""


def content_of(message: Message) -> Content | None:
    """Return the content of a message, or None if it has none for people."""
    encrypted = encrypted_of(message)
    if encrypted is not None:
        return encrypted
    file = _file_with_caption(message)
    if file is not None:
        return file
    content = read_content(message)
    return content if content != NOTHING else unknown_of(message)


def read_content(message: Message) -> Content:
    """Return the content of a message; for a file, its address."""
    place, card = read_location(message.xml, message.body), _card_alone(message)
    alone = place or card
    if alone is not None and not with_what_is_beside(message, "", data=False):
        return alone
    return Text(with_what_is_beside(message, message.body), _mentions(message))


def _card_alone(message: Message) -> ContactCard | None:
    """Return the card or cards of a message, or None if its text says more."""
    in_card = {word.casefold() for line in card_lines(message.xml) for word in line.split()}
    said = _LABEL.sub("", message.body).casefold().split()
    is_alone = all(word in in_card or word.strip(":,") in in_card for word in said)
    return read_card(message.xml) if is_alone else None


def read_correction(message: Message) -> Content:
    """Return the content of a corrected message; for a file, its caption."""
    if (encrypted := encrypted_of(message)) is not None:
        return encrypted
    file = _file_with_caption(message)
    return Text(file.caption) if file and file.caption else read_content(message)


def _file_with_caption(message: Message) -> File | None:
    """Return the file of a message, with the rest of its contents as the caption."""
    file = read_file(message)
    if file is None:
        return None
    caption = with_what_is_beside(message, file.content.caption, file_url=file.url)
    return replace(file.content, caption=caption)


def _mentions(message: Message) -> tuple[str, ...]:
    """Return whom the text names, each as `@` and its user part (XEP-0372)."""
    found: dict[str, None] = {}
    for reference in message.xml.findall(REFERENCE)[:MAX_MENTIONS]:
        uri = unquote(reference.get("uri", ""))
        if reference.get("type") != "mention" or not uri.startswith("xmpp:"):
            continue
        jid = bare_or_none(uri.removeprefix("xmpp:").partition("?")[0])
        if jid is not None and f"@{jid.partition('@')[0]}" in message.body:
            found[jid] = None
    return tuple(found)
