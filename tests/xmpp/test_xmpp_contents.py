"""Places, cards and mentions, as other programs read and write them."""

import xml.etree.ElementTree as ET
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from heliograph.networks.content import ContactCard, Content, Location, Text
from heliograph.networks.port import Inbound
from heliograph.networks.xmpp.cards import VCARD4, card_elements, read_card
from heliograph.networks.xmpp.payloads import content_elements
from heliograph.networks.xmpp.shared_files import read_file
from heliograph.networks.xmpp.stanzas import CLIENT, read_message
from xmpp_friend import FALLBACK
from xmpp_stanzas import reader
from xmpp_things import (
    FILE,
    GEOLOC,
    HASH,
    OOB,
    REACTIONS,
    REFERENCE,
    REPLACE,
    REPLY,
    RETRACT,
    SHARING,
    URL_DATA,
)
from xmpp_world import Xmpp

pytest_plugins = ("xmpp_fixtures",)

CARD = ContactCard(
    "Ada Lovelace",
    "BEGIN:VCARD\nVERSION:4.0\nFN:Ada Lovelace\nTEL;TYPE=cell:+44 20 7946\n"
    "item1.EMAIL:ada@example.org\nNOTE:a\\, b\\nc\nX-ODD:left out\nEND:VCARD",
)

ODD = [
    f"{SHARING}file-sharing|{FILE}file|{FILE}size",
    f"{SHARING}file-sharing|{FILE}file|{FILE}media-type",
    f"{SHARING}file-sharing|{FILE}file|{HASH}",
    f"{SHARING}file-sharing|{SHARING}sources|{URL_DATA}",
    f"{FALLBACK}fallback|{FALLBACK}body",
    f"{OOB}x|{OOB}url",
    f"{REACTIONS}reactions|{REACTIONS}reaction",
    f"{GEOLOC}geoloc|{GEOLOC}lat",
    f"{VCARD4}vcard|{VCARD4}fn|{VCARD4}text",
    REFERENCE,
    REPLACE,
    RETRACT,
    REPLY,
]
"""Elements, each within the one before it."""


async def received(xmpp: Xmpp, content: Content) -> ET.Element:
    one = await xmpp.connected()
    await one.send(xmpp.person, content)
    friend = await xmpp.friend(xmpp.person)
    await friend.synchronize()
    return friend.received[-1]


async def test_a_place_without_a_name_is_a_geo_address_and_nothing_else(xmpp: Xmpp) -> None:
    message = await received(xmpp, Location(52.5, -13.25))

    assert message.findtext(f"{CLIENT}body") == "geo:52.500000,-13.250000"
    assert message.findtext(f"{GEOLOC}geoloc/{GEOLOC}lon") == "-13.25"


async def test_a_place_with_a_name_shows_it_and_arrives_as_it_was(xmpp: Xmpp) -> None:
    place = Location(52.5, 13.25, "Harbour", "Quay 1")
    message = await received(xmpp, place)
    assert message.findtext(f"{CLIENT}body") == "Harbour\nQuay 1\n\ngeo:52.500000,13.250000"
    one, friend = xmpp.open[0], await xmpp.friend(xmpp.person)

    body, *payload = content_elements(place)
    friend.post(one.account.settings["jid"], body.text or "", *payload)

    assert (await one.events.next(Inbound)).content == place


async def test_a_card_shows_its_name_and_numbers_and_arrives_as_one(xmpp: Xmpp) -> None:
    message = await received(xmpp, CARD)
    assert message.findtext(f"{CLIENT}body") == "Ada Lovelace\n\n+44 20 7946"
    assert message.findtext(f"{VCARD4}vcard/{VCARD4}fn/{VCARD4}text") == "Ada Lovelace"
    one, friend = xmpp.open[0], await xmpp.friend(xmpp.person)

    friend.post(one.account.settings["jid"], "Ada", *card_elements(CARD))

    came = (await one.events.next(Inbound)).content
    assert isinstance(came, ContactCard)
    assert came.name == "Ada Lovelace"
    assert "TEL:+44 20 7946" in came.vcard
    assert "NOTE:a\\, b\\nc" in came.vcard
    assert "EMAIL:ada@example.org" in came.vcard


def test_the_parameters_of_a_cards_lines_are_no_part_of_their_values() -> None:
    """As RFC 6351 writes a number, and XEP-0292 the parts of a name."""
    card = (
        f'<vcard xmlns="{VCARD4[1:-1]}"><fn><text>Simon</text></fn>'
        "<n><surname>P;r</surname><given>Simon</given><prefix/></n>"
        "<tel><parameters><type><text>work</text><text>voice</text></type></parameters>"
        "<uri>tel:+1-418-656-9254</uri></tel></vcard>"
    )
    message = ET.Element("message")
    message.append(ET.fromstring(card))  # noqa: S314 - our own

    read = read_card(message)

    assert read is not None
    lines = read.vcard.splitlines()
    assert "TEL:+1-418-656-9254" in lines
    assert "N:P\\;r;Simon;;;" in lines
    [written] = card_elements(read)
    assert written.findtext(f"{VCARD4}n/{VCARD4}surname") == "P;r"


def test_each_number_of_a_card_is_written_beside_its_own_property() -> None:
    numbers = ["TEL:\u200b", "TEL:+15550100001", "TEL;VALUE=uri:sip:a@b.c", "TEL:+15550100002"]
    vcard = "\n".join(["BEGIN:VCARD", "FN:Simon", *numbers, "END:VCARD"])
    written, *_ = card_elements(ContactCard("Simon", vcard))
    assert [each.text for each in written.iterfind(f"{VCARD4}tel/*")] == [
        "+15550100001",
        "sip:a@b.c",
        "+15550100002",
    ]


@given(st.text(), st.text())
def test_any_card_is_written_and_read(name: str, vcard: str) -> None:
    message = ET.Element("message")
    message.extend(card_elements(ContactCard(name, f"BEGIN:VCARD\n{vcard}\nEND:VCARD")))
    ET.tostring(message)
    read_card(message)


WORDS = st.text(max_size=20) | st.sampled_from(["https://[", "https://a.b/c", "xmpp:a@b.c", "-1"])


@given(st.lists(st.tuples(st.sampled_from(ODD), WORDS, WORDS), max_size=8), WORDS)
def test_whatever_a_stranger_writes_is_read(parts: list[tuple[str, str, str]], body: str) -> None:
    xml = ET.Element(f"{CLIENT}message", {"from": "ada@example.org/x", "type": "chat", "id": body})
    ET.SubElement(xml, f"{CLIENT}body").text = body
    for path, attribute, text in parts:
        parent = xml
        for tag in path.split("|"):
            found = parent.find(tag)
            parent = ET.SubElement(parent, tag) if found is None else found
        parent.text = text
        for name in ("id", "for", "start", "end", "target", "uri", "type", "algo"):
            parent.set(name, attribute)
    reader().direct(read_message(xml, datetime.now(UTC)))
    read_file(read_message(xml, datetime.now(UTC)))


async def test_who_is_mentioned_is_named_at_its_place(xmpp: Xmpp) -> None:
    ada, number = "ada@example.org", "+493012345"
    said = Text("Ask @ada, not @493012345", mentions=(ada, number, "bob@example.org"))
    message = await received(xmpp, said)

    reference, by_number = message.findall(REFERENCE)
    assert (reference.get("begin"), reference.get("end")) == ("4", "8")
    assert reference.get("uri") == f"xmpp:{ada}"
    assert by_number.get("uri") == "xmpp:493012345@xmpp.test"
    one, friend = xmpp.open[0], await xmpp.friend(xmpp.person)
    friend.post(one.account.settings["jid"], "Ask @ada", reference)
    assert (await one.events.next(Inbound)).content == Text("Ask @ada", mentions=(ada,))
