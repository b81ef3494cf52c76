"""Contact cards in messages: vCards (RFC 6350), written in XML (RFC 6351, XEP-0292).

Programs show the text beside it: the name and the phone numbers.
"""

import xml.etree.ElementTree as ET
from itertools import zip_longest

from heliograph.networks.cards import Card, Property, escaped, number_of, read_cards
from heliograph.networks.content import ContactCard
from heliograph.networks.xmpp.stanzas import clean

VCARD4 = "{urn:ietf:params:xml:ns:vcard-4.0}"
_TEXTS = {"FN": "fn", "NICKNAME": "nickname", "ORG": "org", "TITLE": "title", "NOTE": "note"}
_URIS = {"TEL": "tel", "EMAIL": "email", "URL": "url", "IMPP": "impp"}
_NAME = ("surname", "given", "additional", "prefix", "suffix")
"""The parts of the property N."""
MAX_PROPERTIES = 50
MAX_CARDS = 50
MAX_VALUE_LENGTH = 1000


def card_elements(content: ContactCard) -> list[ET.Element]:
    """Write each of the cards, with the properties that XMPP's programs may use."""
    cards = read_cards(content.vcard) or [Card(content.name, (), ())]
    if len(cards) == 1:
        return [_element(cards[0], content.name)]
    return [_element(card, card.name) for card in cards]


def _element(card: Card, name: str) -> ET.Element:
    made = ET.Element(f"{VCARD4}vcard")
    has_name = False
    for each in card.properties[:MAX_PROPERTIES]:
        tag = _TEXTS.get(each.name) or _URIS.get(each.name)
        if each.name == "N":
            made.append(_name_element(each))
        text = _shown(each)
        if tag is None or not text:
            continue
        has_name |= each.name == "FN"
        kind = "text" if each.name in _TEXTS or each.name in ("TEL", "EMAIL") else "uri"
        written = ET.SubElement(ET.SubElement(made, VCARD4 + tag), VCARD4 + kind)
        written.text = clean(text)
    if not has_name:
        full_name = ET.Element(f"{VCARD4}fn")
        ET.SubElement(full_name, f"{VCARD4}text").text = clean(name)
        made.insert(0, full_name)
    return made


def _shown(written: Property) -> str:
    if written.name != "TEL":
        return written.text.strip()
    number = number_of(written, {})
    return "" if number is None else number.shown


def _name_element(name: Property) -> ET.Element:
    made = ET.Element(f"{VCARD4}n")
    for part, word in zip_longest(_NAME, name.parts[: len(_NAME)], fillvalue=""):
        ET.SubElement(made, VCARD4 + part).text = clean(word)
    return made


def read_card(xml: ET.Element) -> ContactCard | None:
    """Return the card or cards of a message, or None."""
    cards = [_read(vcard) for vcard in xml.findall(f"{VCARD4}vcard")[:MAX_CARDS]]
    named = [card for card in cards if card is not None]
    if not named:
        return None
    names, texts = zip(*named, strict=True)
    return ContactCard(", ".join(names), "\n".join(texts))


def card_lines(xml: ET.Element) -> list[str]:
    """Return the values of the cards beside a text, one per line."""
    cards = xml.findall(f"{VCARD4}vcard")[:MAX_CARDS]
    children = (child for vcard in cards for child in list(vcard)[:MAX_PROPERTIES])
    tags = {VCARD4 + tag for tag in (*_TEXTS.values(), *_URIS.values())}
    return [value for child in children if child.tag in tags and (value := _value(child))]


def _read(vcard: ET.Element) -> tuple[str, str] | None:
    """Return a card's name and its text; None for one without a name."""
    lines, name = [], ""
    for child in list(vcard)[:MAX_PROPERTIES]:
        tag = child.tag.removeprefix(VCARD4).upper()
        value = _value(child)
        if tag == "N":
            lines.append(f"N:{_name(child)}")
        if value and (tag in _TEXTS or tag in _URIS):
            name = name or (value if tag == "FN" else "")
            lines.append(f"{tag}:{escaped(value)}")
    if not name:
        return None
    return name, "\n".join(["BEGIN:VCARD", "VERSION:4.0", *lines, "END:VCARD"])


def _value(written: ET.Element) -> str:
    """Return a property's value, without its parameters, such as the type of a telephone."""
    values = (each for each in written if each.tag != f"{VCARD4}parameters")
    text = (written.text or "") + "".join("".join(each.itertext()) for each in values)
    return text.strip().removeprefix("tel:")[:MAX_VALUE_LENGTH]


def _name(written: ET.Element) -> str:
    parts = ((written.findtext(VCARD4 + part) or "").strip()[:MAX_VALUE_LENGTH] for part in _NAME)
    return ";".join(escaped(part) for part in parts)
