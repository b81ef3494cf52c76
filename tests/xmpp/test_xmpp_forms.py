"""Forms are filled in with what they offer, and nothing else."""

import xml.etree.ElementTree as ET

from heliograph.networks.xmpp.forms import fill_in
from heliograph.networks.xmpp.stanzas import DATA

FORM = """<x xmlns='jabber:x:data' type='form'>
  <field var='FORM_TYPE' type='hidden'><value>about:rooms</value></field>
  <field type='fixed'><value>Who may enter</value></field>
  <field var='name' type='text-single'/>
  <field var='about' type='text-multi'><value>old</value></field>
  <field var='open' type='boolean'><value>1</value></field>
  <field var='shows' type='list-single'><value>moderators</value>
    <option><value>moderators</value></option><option><value>anyone</value></option></field>
  <field var='heard' type='list-multi'><value>a</value><value>b</value>
    <option><value>a</value></option><option><value>b</value></option></field>
</x>"""


def filled(**wanted: str) -> tuple[dict[str, list[str]], frozenset[str]]:
    made, lacking = fill_in(ET.fromstring(FORM), wanted)  # noqa: S314 - a form of our own
    values = {
        field.get("var", ""): [value.text or "" for value in field.findall(f"{DATA}value")]
        for field in made.findall(f"{DATA}field")
    }
    assert made.get("type") == "submit"
    return values, lacking


def test_what_a_form_offers_is_filled_in_and_the_rest_stays() -> None:
    values, lacking = filled(name="Choir", open="0", shows="anyone")
    assert values == {
        "FORM_TYPE": ["about:rooms"],
        "name": ["Choir"],
        "about": ["old"],
        "open": ["0"],
        "shows": ["anyone"],
        "heard": ["a", "b"],
    }
    assert not lacking


def test_a_field_that_a_form_lacks_is_not_submitted_but_told() -> None:
    values, lacking = filled(archive="1", name="Choir")
    assert "archive" not in values
    assert lacking == {"archive"}


def test_a_choice_that_a_list_does_not_have_is_left_as_it_is() -> None:
    values, lacking = filled(shows="nobody")
    assert values["shows"] == ["moderators"]
    assert lacking == {"shows"}


def test_a_text_of_several_lines_is_written_line_by_line() -> None:
    values, _ = filled(about="one\ntwo")
    assert values["about"] == ["one", "two"]


def test_an_empty_text_takes_away_what_was_there() -> None:
    assert filled(about="")[0]["about"] == [""]


def test_without_a_form_nothing_is_filled_in() -> None:
    made, lacking = fill_in(None, {"name": "Choir"})
    assert len(made) == 0
    assert lacking == {"name"}
