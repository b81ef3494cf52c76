"""Somebody's address in a message: a vCard (RFC 6350), written in XML (RFC 6351, XEP-0292).

Programs show the text beside it: the name and the phone numbers.
"""

import re
import xml.etree.ElementTree as ET
from itertools import zip_longest

from heliograph.networks.content import ContactCard
from heliograph.networks.xmpp.stanzas import clean

VCARD4 = "{urn:ietf:params:xml:ns:vcard-4.0}"
_TEXTS = {"FN": "fn", "NICKNAME": "nickname", "ORG": "org", "TITLE": "title", "NOTE": "note"}
_URIS = {"TEL": "tel", "EMAIL": "email", "URL": "url", "IMPP": "impp"}
_NAME = ("surname", "given", "additional", "prefix", "suffix")
"""The parts of the property N."""
MOST_PROPERTIES = 50
LONGEST_VALUE = 1000
_LINE = re.compile(r"(?:[^.:;]+\.)?([A-Za-z-]+)(?:;[^:]*)?:(.*)")


def card_element(card: ContactCard) -> ET.Element:
    """Write the properties of a card that XMPP's programs may use."""
    made = ET.Element(f"{VCARD4}vcard")
    has_name = False
    for name, value in _properties(card.vcard):
        tag = _TEXTS.get(name) or _URIS.get(name)
        if name == "N":
            made.append(_name_element(value))
        if tag is None or not value:
            continue
        has_name |= name == "FN"
        kind = "text" if name in _TEXTS or name in ("TEL", "EMAIL") else "uri"
        written = ET.SubElement(ET.SubElement(made, VCARD4 + tag), VCARD4 + kind)
        written.text = clean(_unescaped(value))
    if not has_name:
        full_name = ET.Element(f"{VCARD4}fn")
        ET.SubElement(full_name, f"{VCARD4}text").text = clean(card.name)
        made.insert(0, full_name)
    return made


def _name_element(value: str) -> ET.Element:
    made = ET.Element(f"{VCARD4}n")
    words = re.split(r"(?<!\\);", value)[: len(_NAME)]
    for part, word in zip_longest(_NAME, words, fillvalue=""):
        ET.SubElement(made, VCARD4 + part).text = clean(_unescaped(word))
    return made


def _properties(vcard: str) -> list[tuple[str, str]]:
    """Return the names of a card's properties with their values, as they are escaped."""
    unfolded = re.sub(r"\r?\n[ \t]", "", vcard)
    matches = [_LINE.fullmatch(line.strip()) for line in unfolded.splitlines()]
    return [(match[1].upper(), match[2].strip()) for match in matches if match is not None][
        :MOST_PROPERTIES
    ]


def read_card(xml: ET.Element) -> ContactCard | None:
    """Return the card that a message is; None for any other message."""
    vcard = xml.find(f"{VCARD4}vcard")
    if vcard is None:
        return None
    lines, name = [], ""
    for child in list(vcard)[:MOST_PROPERTIES]:
        tag = child.tag.removeprefix(VCARD4).upper()
        value = _value(child)
        if tag == "N":
            lines.append(f"N:{_name(child)}")
        if value and (tag in _TEXTS or tag in _URIS):
            name = name or (value if tag == "FN" else "")
            lines.append(f"{tag}:{_escaped(value)}")
    if not name:
        return None
    return ContactCard(name, "\n".join(["BEGIN:VCARD", "VERSION:4.0", *lines, "END:VCARD"]))


def _value(written: ET.Element) -> str:
    """Return a property's value, without its parameters, such as which telephone it is."""
    values = (each for each in written if each.tag != f"{VCARD4}parameters")
    text = (written.text or "") + "".join("".join(each.itertext()) for each in values)
    return text.strip().removeprefix("tel:")[:LONGEST_VALUE]


def _name(written: ET.Element) -> str:
    parts = ((written.findtext(VCARD4 + part) or "").strip()[:LONGEST_VALUE] for part in _NAME)
    return ";".join(_escaped(part) for part in parts)


def _unescaped(value: str) -> str:
    return re.sub(r"\\(.)", lambda found: "\n" if found[1] in "nN" else found[1], value)


def _escaped(value: str) -> str:
    value = value.replace("\\", "\\\\").replace(",", "\\,").replace(";", "\\;")
    return "\\n".join(value.splitlines())
