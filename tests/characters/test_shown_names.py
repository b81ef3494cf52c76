"""Every name goes through the one list of characters that show nothing, or that terminals obey."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace
from pydantic import ValidationError

from core_scene import arrival
from each_case import for_each
from heliograph.core.accounts.form import check_names
from heliograph.core.ingest.storable import storable
from heliograph.core.tenants.names import check_name, require_visible
from heliograph.errors import InvalidInputError
from heliograph.networks.content import ContactCard, Content, Location
from heliograph.networks.content.choices import ButtonInput, ListInput, PollInput
from heliograph.networks.content.people import ContactInput
from heliograph.networks.content.places import LocationInput
from heliograph.networks.content.texts import TextInput
from heliograph.networks.port import Inbound

SHOWS_NOTHING = [
    " ",
    "\u00a0",
    "\u200b",
    "\u3164",
    "\u0301",
    "\u200e\u0301",
    "\U000e0041",
    "\U0001bca0",
    "\U00013430",
]
OBEYED = ["a\x1b[8mb", "a\x9b8mb", "a\nb", "a\u0085b", "a\tb", "a\x7f"]
OPTION = {"id": "a", "title": "A"}
DOORS: dict[str, Callable[[str], object]] = {
    "a button's title": lambda text: ButtonInput(id="a", title=text),
    "a card's name": lambda text: ContactInput(type="contact", name=text, phones=["+15550100001"]),
    "a place's name": lambda text: LocationInput(
        type="location", latitude=1.0, longitude=1.0, name=text
    ),
    "an answer": lambda text: PollInput(type="poll", question="Q", options=["a", text]),
    "a list's button": lambda text: ListInput.model_validate(
        {"type": "list", "body": "B", "button": text, "sections": [{"rows": [OPTION]}]}
    ),
    "a name": lambda text: check_name(text, 100),
    "a device's name": lambda text: check_names(text, "desk"),
    "a session name": lambda text: check_names("Desk", text),
    "a subject": lambda text: require_visible("A subject", text, "subject"),
}


@for_each("door", DOORS)
@for_each("text", [*SHOWS_NOTHING, *OBEYED], ids=ascii)
def test_what_nobody_sees_and_what_a_terminal_obeys_is_no_name(door: str, text: str) -> None:
    with pytest.raises((ValidationError, InvalidInputError)):
        DOORS[door](text)


@for_each("door", DOORS)
@for_each("text", ["Ana", "é", "é\u0301", "❤\ufe0f", "👩\u200d🚒", "שלום", "¿?"])
def test_what_people_see_is_a_name(door: str, text: str) -> None:
    DOORS[door](text)


@for_each("text", SHOWS_NOTHING, ids=ascii)
def test_a_text_has_something_to_see(text: str) -> None:
    with pytest.raises(ValidationError):
        TextInput(type="text", body=text)


def test_a_place_needs_no_name() -> None:
    for name in ("", None):
        LocationInput(type="location", latitude=1.0, longitude=1.0, name=name)


def received(content: Content) -> Content:
    event = storable(replace(arrival("A1"), content=content))
    assert isinstance(event, Inbound)
    return event.content


@for_each("text", SHOWS_NOTHING, ids=ascii)
def test_a_name_that_came_in_and_shows_nothing_is_none(text: str) -> None:
    assert received(Location(1.0, 2.0, text)) == Location(1.0, 2.0)
    card = received(ContactCard(text, "BEGIN:VCARD\nTEL:+15550100001\nEND:VCARD"))
    assert card.members["name"] == ""
    assert card.summary == "+15550100001"
    assert received(ContactCard(text, "")).summary == "[contact]"


@pytest.mark.parametrize("text", ["a\x1b[8m\nb", "a\u202e\x9b\r b"], ids=ascii)
def test_no_name_that_came_in_steers_a_terminal(text: str) -> None:
    event = storable(replace(arrival("A1", sender_name=text), content=ContactCard(text, "")))
    assert isinstance(event, Inbound)
    assert event.sender_name is not None
    assert event.sender_name == event.content.members["name"]
    assert event.sender_name.isprintable()


@pytest.mark.parametrize("front", ["\ufeff", "\ufeff\r\n", "\n"])
def test_a_card_may_have_a_byte_order_mark_in_front(front: str) -> None:
    vcard = "BEGIN:VCARD\nTEL:+15550100001\nEND:VCARD"
    card = ContactInput(type="contact", name="Ana", vcard=front + vcard).to_content()
    assert card.vcard.strip() == vcard
    assert card.phones == ("+15550100001",)
