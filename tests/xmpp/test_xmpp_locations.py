"""A place that somebody sends over XMPP: a `geo:` address, perhaps with a name beside it."""

import xml.etree.ElementTree as ET
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from each_case import for_each
from heliograph.networks.content import Location, Text
from heliograph.networks.port import Inbound
from heliograph.networks.xmpp.group_ids import GroupIds
from heliograph.networks.xmpp.places import read_location
from heliograph.networks.xmpp.questions import Questions
from heliograph.networks.xmpp.reading import Reader
from heliograph.networks.xmpp.stanzas import read_message

NAMED = """
<geoloc xmlns='http://jabber.org/protocol/geoloc'>
  <lat>1</lat><lon>2</lon><description>Harbour</description>
  <street>Quay 1</street><locality>Porto</locality>
</geoloc>
"""


def message(body: str, more: str = "") -> ET.Element:
    made = ET.fromstring(  # noqa: S314 - our own
        f"<message xmlns='jabber:client' from='ada@example.org/phone' to='desk@example.org' "
        f"type='chat' id='m1'><body/>{more}</message>"
    )
    made[0].text = body
    return made


@for_each(
    ("body", "place"),
    [
        ("geo:50.5,-7.25", Location(50.5, -7.25)),
        ("GEO:50.5,-7.25,12.0;u=35", Location(50.5, -7.25)),
        (" geo:-33.9,18 \n", Location(-33.9, 18.0)),
        ("geo:90.1,0", None),
        ("geo:0,180.5", None),
        ("geo:nan,0", None),
        ("geo:1e1,0", None),
        ("I am at geo:50.5,-7.25", None),
        ("Hello", None),
    ],
)
def test_what_is_a_place(body: str, place: Location | None) -> None:
    assert read_location(message(body), body) == place


def test_its_name_and_address_are_those_beside_it() -> None:
    found = read_location(message("geo:1,2", NAMED), "geo:1,2")
    assert found == Location(1.0, 2.0, "Harbour", "Quay 1, Porto")


@given(st.text())
def test_any_text_is_read(body: str) -> None:
    assert read_location(message("x"), body) is None or body.strip().lower().startswith("geo:")


@pytest.mark.parametrize(
    ("body", "content"), [("geo:1,2", Location(1.0, 2.0)), ("geo: here", Text("geo: here"))]
)
def test_a_place_arrives_as_one(body: str, content: object) -> None:
    reader = Reader("desk@example.org", {}, Questions(), GroupIds(lambda: None, lambda *_: None))
    [inbound] = reader.direct(read_message(message(body), datetime(2026, 1, 1, tzinfo=UTC)))
    assert isinstance(inbound, Inbound)
    assert inbound.content == content
