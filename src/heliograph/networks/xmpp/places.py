"""Places in messages: `geo:` addresses (RFC 5870), and data (XEP-0080)."""

import re
import xml.etree.ElementTree as ET

from heliograph.networks.content import Location, is_on_globe
from heliograph.networks.xmpp.payloads import GEOLOC

MAX_TEXT_LENGTH = 1000
GEO = "geo:"
_DEGREES = r"-?[0-9]{1,3}(?:\.[0-9]{1,20})?"
_GEO = re.compile(
    rf"geo:({_DEGREES}),({_DEGREES})(?:,[0-9.-]{{1,20}})?(?:;[^\s]{{0,200}})?", re.IGNORECASE
)


def read_location(xml: ET.Element, body: str) -> Location | None:
    """Return the location of a message, or None.

    Programs send a location as a `geo:` address, and perhaps as data beside it. With the latter,
    the text may name the place above the address, or be missing. A text that says more is a text.
    """
    geoloc = xml.find(f"{GEOLOC}geoloc")
    said = body.strip()
    if geoloc is None:
        return _at(said)
    above, _, last_line = said.rpartition("\n")
    by_text = _at(last_line)
    if by_text is None:
        above = said
    place = by_text or _at(f"geo:{_word(geoloc, 'lat')},{_word(geoloc, 'lon')}")
    if place is None:
        return None
    name, address = _words(geoloc)
    if by_text is not None and not name:
        name, above = above.strip()[:MAX_TEXT_LENGTH], above.strip()[MAX_TEXT_LENGTH:]
    said_by_data = {*name.splitlines(), *address.splitlines()}
    if any(line.strip() and line.strip() not in said_by_data for line in above.splitlines()):
        return None
    return Location(place.latitude, place.longitude, name, address)


def place_lines(xml: ET.Element) -> list[str]:
    """Return the place beside a text in words, with its `geo:` address last; nothing if it is
    none."""
    geoloc = xml.find(f"{GEOLOC}geoloc")
    if geoloc is None:
        return []
    address = f"{GEO}{_word(geoloc, 'lat')},{_word(geoloc, 'lon')}"
    return [] if _at(address) is None else [*filter(None, _words(geoloc)), address]


def _at(address: str) -> Location | None:
    """Return the place of a `geo:` address; None for anything else, or for impossible
    coordinates."""
    match = _GEO.fullmatch(address.strip())
    if match is None or not is_on_globe(float(match[1]), float(match[2])):
        return None
    return Location(float(match[1]), float(match[2]))


def _words(geoloc: ET.Element) -> tuple[str, str]:
    """Return the place's name and its address."""
    parts = [_word(geoloc, part) for part in ("street", "postalcode", "locality", "country")]
    name = _word(geoloc, "description") or _word(geoloc, "text")
    return name, ", ".join(part for part in parts if part)


def _word(geoloc: ET.Element, name: str) -> str:
    return (geoloc.findtext(GEOLOC + name) or "").strip()[:MAX_TEXT_LENGTH]
