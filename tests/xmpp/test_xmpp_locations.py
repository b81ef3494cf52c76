"""A place that somebody sends over XMPP: a `geo:` address, perhaps with a name beside it."""

from hypothesis import given
from hypothesis import strategies as st

from each_case import for_each
from heliograph.networks.content import Location
from heliograph.networks.xmpp.places import read_location
from xmpp_stanzas import text_stanza

NAMED = """
<geoloc xmlns='http://jabber.org/protocol/geoloc'>
  <lat>1</lat><lon>2</lon><description>Harbour</description>
  <street>Quay 1</street><locality>Porto</locality>
</geoloc>
"""


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
    assert read_location(text_stanza(body).xml, body) == place


def test_its_name_and_address_are_those_beside_it() -> None:
    found = read_location(text_stanza("geo:1,2", NAMED).xml, "geo:1,2")
    assert found == Location(1.0, 2.0, "Harbour", "Quay 1, Porto")


@given(st.text())
def test_any_text_is_read(body: str) -> None:
    found = read_location(text_stanza("x").xml, body)
    assert found is None or body.strip().lower().startswith("geo:")
