"""Places: what programs send as a `geo:` address (RFC 5870), or beside it as XEP-0080."""

import re
import xml.etree.ElementTree as ET

from heliograph.networks.content import Location, is_on_globe

GEOLOC = "{http://jabber.org/protocol/geoloc}"
LONGEST_WORD = 1000
_DEGREES = r"-?[0-9]{1,3}(?:\.[0-9]{1,20})?"
_GEO = re.compile(
    rf"geo:({_DEGREES}),({_DEGREES})(?:,[0-9.-]{{1,20}})?(?:;[^\s]{{0,200}})?", re.IGNORECASE
)


def read_place(xml: ET.Element, body: str) -> Location | None:
    """The place that a message says, and nothing else; None for any other message."""
    match = _GEO.fullmatch(body.strip())
    if match is None:
        return None
    latitude, longitude = float(match[1]), float(match[2])
    if not is_on_globe(latitude, longitude):
        return None
    geoloc = xml.find(f"{GEOLOC}geoloc")
    name = address = ""
    if geoloc is not None:
        name = _word(geoloc, "description") or _word(geoloc, "text")
        parts = [_word(geoloc, part) for part in ("street", "postalcode", "locality", "country")]
        address = ", ".join(part for part in parts if part)
    return Location(latitude, longitude, name, address)


def _word(geoloc: ET.Element, name: str) -> str:
    return (geoloc.findtext(GEOLOC + name) or "").strip()[:LONGEST_WORD]
