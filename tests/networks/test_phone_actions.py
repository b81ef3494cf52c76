"""What can be done with virtual phones is said once: every face is made of it."""

import pytest

from heliograph.faces.cli.simulator import make_commands
from heliograph.faces.dashboard.app import PAGES
from heliograph.networks.action_fields import check_bounds, fields_of, list_actions, read_action
from heliograph.networks.content import Audio, ContactCard, Document, Image
from heliograph.networks.errors import NetworkError
from heliograph.networks.phone_actions import (
    Action,
    GivenFile,
    NetworkAction,
    PhoneAction,
    Restrict,
    Say,
    SendCard,
    SendFile,
    SendLocation,
)

ACTIONS = list_actions(PhoneAction, NetworkAction)


@pytest.mark.parametrize("kind", ACTIONS.values(), ids=ACTIONS)
def test_an_action_and_its_fields_are_described(kind: type[Action]) -> None:
    assert (kind.__doc__ or "").endswith(".")
    assert all(each.description.endswith(".") for each in fields_of(kind))


def test_every_action_is_a_command_and_what_people_do_has_a_form() -> None:
    app = make_commands("sandbox", lambda: pytest.fail("not opened"))
    commands = {
        each.name or getattr(each.callback, "__name__", "") for each in app.registered_commands
    }
    assert commands == ACTIONS.keys() | {"people", "receive", "save"}
    forms = {page.path.rpartition("/")[2] for page in PAGES if page.path.startswith("phone/")}
    by_the_form_to_write = {"reply", "file"}
    assert list_actions(PhoneAction).keys() - by_the_form_to_write <= forms
    assert forms.isdisjoint(list_actions(NetworkAction).keys() - {"scan"})


@pytest.mark.parametrize(
    ("action", "sentence"),
    [
        (Say("Ada", ""), "Text must have 1 to 65536 characters."),
        (SendLocation("Ada", float("nan"), 0), "Latitude must be from -90 to 90."),
        (Restrict(1e9), "Seconds must be from 0 to 2592000."),
    ],
)
def test_what_is_out_of_bounds_is_refused_with_a_sentence(action: Action, sentence: str) -> None:
    with pytest.raises(NetworkError, match=f"^{sentence}$"):
        check_bounds(action)


def test_an_action_is_read_by_the_names_that_people_write() -> None:
    given = {"phone": "Ada", "file": GivenFile("a.png", b"x"), "as": "document", "type": ""}
    action = read_action(SendFile, given)
    assert action == SendFile("Ada", GivenFile("a.png", b"x"), kind="document")
    assert action.content == Document("image/png", "", "a.png")
    assert SendFile("Ada", GivenFile("a.png", b"x"), "A dot").content == Image("image/png", "A dot")
    voice = SendFile("Ada", GivenFile("a", b"x"), kind="voice", media_type="audio/ogg")
    assert voice.content == Audio("audio/ogg", voice=True)


def test_a_card_is_written_or_as_in_a_file() -> None:
    written = SendCard("Ada", "Berg; Bruno", "+1 555 010 0002").content
    assert isinstance(written, ContactCard)
    assert "\r\nFN:Berg\\; Bruno\r\n" in written.vcard
    assert "\r\nTEL;TYPE=CELL;waid=15550100002:+15550100002\r\n" in written.vcard
    card = SendCard("Ada", "Zoë", vcard=GivenFile("zoe.vcf", b"BEGIN:VCARD")).content
    assert card == ContactCard("Zoë", "BEGIN:VCARD")
    for wrong in (
        SendCard("Ada", "Zoë", "12"),
        SendCard("Ada", "Zoë", vcard=GivenFile("z", b"\xff")),
    ):
        with pytest.raises(NetworkError):
            _ = wrong.content
