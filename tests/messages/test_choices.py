"""Choices on networks without buttons: what is shown can be answered, in the ways people do."""

import unicodedata

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from pydantic import ValidationError

from each_case import for_each
from heliograph.networks.choices import (
    MAX_ANSWER_LENGTH,
    as_text,
    chosen_button,
    fold,
    is_numbered,
    without_kinds,
)
from heliograph.networks.content import Button, Buttons, Image, LinkButton, LocationRequest, Text
from heliograph.networks.content.choices import ButtonInput
from heliograph.platform.lines import has_title

CHOICES = (
    Button("yes", "Yes, please"),
    Button("later", "Another day"),
    Button("up", "👍"),
)
TEXTS = frozenset({"text"})
titles = st.text(min_size=1, max_size=20).filter(has_title)
ids = st.text(min_size=1, max_size=30).filter(lambda text: text == text.strip())
choices = st.lists(
    st.builds(Button, ids, titles),
    min_size=1,
    max_size=3,
    unique_by=(lambda b: b.id, lambda b: b.title),
)
any_number = st.sampled_from(
    ["{}", "{}.", "{})", "({})", "#{}", "{}!", "“{}”", " {} ", "'{}'.", "«{}»"]
)
WRAPPED = (
    *("{}", "{}.", "{}!", "{}!!", '"{}"', "'{}'", "“{}”", "„{}“", "‚{}‘", "«{}»", "»{}«"),
    *("‹{}›", "「{}」", "『{}』", "`{}`", "‘{}’.", "  {}\n", "{}。", "{}！", "{}…", "¡{}!"),
)
around = st.sampled_from(WRAPPED)


def test_the_list_reads_well_in_a_chat() -> None:
    buttons = (*CHOICES[:2], Button("cancel", "Cancel it"))
    assert as_text(Buttons("Shall we deliver tomorrow?", buttons, footer="Trattoria Lume")) == (
        "Shall we deliver tomorrow?\n"
        "\n"
        "1. Yes, please\n"
        "2. Another day\n"
        "3. Cancel it\n"
        "\n"
        "Reply with a number, 1 to 3.\n"
        "\n"
        "Trattoria Lume"
    )


def test_two_choices_and_one() -> None:
    assert "Reply with a number, 1 or 2." in as_text(Buttons("Well?", CHOICES[:2]))
    assert as_text(Buttons("Well?", CHOICES[:1])).endswith("\n\nReply with the number 1.")


def test_who_is_asked_for_a_place_reads_that() -> None:
    assert as_text(LocationRequest("Where shall we bring it?")) == (
        "Where shall we bring it?\n\nPlease send your location."
    )


def test_a_button_to_a_page_is_its_title_and_address() -> None:
    menu = LinkButton("New!", "See the menu", "https://example.com/", "Lume", "Until ten")
    assert as_text(menu) == ("Lume\n\nNew!\n\nSee the menu: https://example.com/\n\nUntil ten")


class Offer(Image, frozen=True, tag="offer"):
    """A kind with a file that says more than a caption, and in a member of its own."""

    text_in = "title"
    header = "Today"
    details = ("25.00 EUR",)
    footer = "Until ten"

    title: str = ""


def test_all_that_a_file_says_is_there_for_a_network_that_shows_only_text() -> None:
    offer = Offer("image/png", file_name="cake.png", title="A *cake*")
    assert as_text(offer, "https://example.com/f") == (
        "Today\n\nA *cake*\n\n25.00 EUR\n\nUntil ten\n\ncake.png\n\nhttps://example.com/f"
    )
    assert as_text(Image("image/png"), "https://example.com/f") == "https://example.com/f"


def test_what_has_no_buttons_stays_as_it_is() -> None:
    assert without_kinds(Text("Hello"), TEXTS) == Text("Hello")
    question = Buttons("Well?", CHOICES)
    assert without_kinds(question, TEXTS) == Text(as_text(question))


@for_each(
    ("text", "meant"),
    [
        *[(text, "yes") for text in ("1", "1.", "1)", "01", "１", "١", "१", "1️⃣", "①", "#1")],
        *[
            (text, "yes")
            for text in ("yes", "YES", "Yes.", "“yes”", "yes, PLEASE!", "„Yes, please“")
        ],
        *[(text, "later") for text in ("2.", "2. Another day", "another  DAY", "ANOTHER\u00a0day")],
        *[(text, "up") for text in ("👍", "👍🏽", "👍🏿", "👍\ufe0f", "👍!", "3")],
        *[(text, None) for text in ("4", "0", "1 2", "3. Another day", "", " ", "!", "yes?", "no")],
        *[(text, None) for text in ("1.5", "1st", "I said yes", "👎", "-1", "1" * 400)],
    ],
)
def test_how_people_answer(text: str, meant: str | None) -> None:
    button = chosen_button(CHOICES, text)
    assert (button.id if button else None) == meant


@for_each("title", ["Straße", "ÉCLAIR", "Да", "Ｔｅａ", "5 o’clock", "¡Sí!"])
def test_a_title_is_known_in_any_case(title: str) -> None:
    buttons = (Button("a", title), Button("b", "Something else"))
    for typed in (title.upper(), title.lower(), title.replace("’", "'"), title.strip("¡!")):
        assert chosen_button(buttons, typed) == buttons[0]


@given(choices, st.data())
def test_an_id_or_title_as_it_is_means_its_own(buttons: list[Button], data: st.DataObject) -> None:
    button = data.draw(st.sampled_from(buttons))
    assert chosen_button(buttons, button.id) == button
    if button.title not in [other.id for other in buttons]:
        assert chosen_button(buttons, button.title) == button


@given(choices, st.data())
def test_a_shown_number_means_the_choice_beside_it(
    buttons: list[Button], data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(buttons) - 1))
    written = data.draw(any_number).format(place + 1)
    shown = as_text(Buttons("Well?", tuple(buttons)))
    if is_numbered(buttons):
        assert f"\n{place + 1}. {buttons[place].title}\n" in shown
        assert chosen_button(buttons, written) in (buttons[place], *_exactly(buttons, written))
    else:
        assert f"\n{place + 1}. {buttons[place].title}\n" not in shown


def _exactly(buttons: list[Button], text: str) -> list[Button]:
    return [button for button in buttons if text in (button.id, button.title)]


@given(choices, st.text(max_size=40), st.data())
@example([Button("a", "Yes"), Button("b", "YES!")], "yes", None)
def test_what_could_mean_two_means_none(
    buttons: list[Button], text: str, data: st.DataObject | None
) -> None:
    if data is not None:
        text = data.draw(around).format(data.draw(st.sampled_from(buttons)).title)
    meant = chosen_button(buttons, text)
    if _exactly(buttons, text):
        assert meant in _exactly(buttons, text)
        return
    folded = [button for button in buttons if fold(text) in (fold(button.id), fold(button.title))]
    if len(folded) > 1:
        assert meant is None
    elif folded and fold(text) and not fold(text).isdigit():
        assert meant == folded[0]


@given(choices, st.text(max_size=MAX_ANSWER_LENGTH + 50))
def test_a_choice_is_one_of_those_that_were_offered(buttons: list[Button], text: str) -> None:
    meant = chosen_button(buttons, text)
    assert meant is None or meant in buttons
    if chosen_button(buttons, text, by_number=False) is not None:
        assert meant is not None


@given(st.text())
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(titles, around)
def test_what_is_put_around_a_title_is_left_out(title: str, wrapped: str) -> None:
    assume(fold(title))
    assert fold(wrapped.format(title)) == fold(title)


def test_an_exact_answer_wins_over_one_that_is_folded() -> None:
    buttons = (Button("a", "Yes"), Button("b", "YES!"), Button("c", "yes"))
    assert [chosen_button(buttons, button.title) for button in buttons] == list(buttons)
    assert chosen_button(buttons, "yEs") is None
    shades = (Button("a", "👍🏻"), Button("b", "👍🏿"))
    assert chosen_button(shades, "👍🏿") == shades[1]
    assert chosen_button(shades, "👍🏽") is None


@for_each(
    ("title", "answer"),
    [
        ("Hayır", "HAYIR"),
        ("İptal", "iptal"),
        ("Όχι", "ΟΧΙ"),
        ("Không", "khong!"),
        ("Amanhã", "“amanha”"),
        ("نعم", "نـعـم"),
        ("Später", "SPA\u0308TER."),
    ],
)
def test_an_answer_may_leave_out_accents_and_be_in_capitals(title: str, answer: str) -> None:
    buttons = (Button("a", "Evet"), Button("b", title))
    assert chosen_button(buttons, answer) == buttons[1]


def test_what_differs_by_its_accents_alone_is_told_apart_or_means_none() -> None:
    buttons = (Button("a", "Má"), Button("b", "Mà"))
    assert chosen_button(buttons, "MÀ") == buttons[1]
    assert chosen_button(buttons, "ma") is None


def test_numbers_that_mean_something_else_are_not_shown() -> None:
    tables = (Button("a", "2 people"), Button("b", "2"), Button("c", "4"))
    assert is_numbered(tables)
    assert is_numbered((Button("a", "0"), Button("b", "5")))
    moved = (Button("a", "2"), Button("b", "4"), Button("c", "6"))
    assert not is_numbered(moved)
    assert as_text(Buttons("How many?", moved)) == (
        "How many?\n\n• 2\n• 4\n• 6\n\nReply with one of these."
    )
    assert [chosen_button(moved, text) for text in ("2.", "4", "3")] == [moved[0], moved[1], None]


@for_each(
    "title",
    [
        *("\n", "a\nb", "a\r", "a\u2028b", "\u2029", "a\x0bb", "a\x0c", "a\x85b", "a\x1cb"),
        *("a\x1d", "a\x1e", " ", "\t", "\u00a0", "\u3000", "\u200b", "\u200e\u200f", "\ufeff"),
        *("\u2800", "\u3164", "\u00ad"),
    ],
)
def test_a_title_that_is_blank_or_has_a_line_break_is_refused(title: str) -> None:
    with pytest.raises(ValidationError) as refused:
        ButtonInput(id="a", title=title)
    [problem] = refused.value.errors()
    assert problem["loc"] == ("title",)


@for_each("button_id", ["a\nb", "a\u2028b", "a\u2029b", "a\x85b", "a\x0bb"])
def test_an_id_with_a_line_break_is_refused(button_id: str) -> None:
    with pytest.raises(ValidationError):
        ButtonInput(id=button_id, title="Yes")


@given(st.text(min_size=1, max_size=20))
def test_a_title_that_is_taken_is_one_line_with_something_to_see(title: str) -> None:
    if has_title(title):
        assert len(title.splitlines()) == 1
        assert title.strip()
    elif title.isprintable() and title.strip() and "\x00" not in title:
        shown = [char for char in title if unicodedata.category(char)[0] in "LNPS"]
        assert not shown or set(shown) <= set("\u115f\u1160\u2800\u3164\uffa0")


@for_each("title", [" Yes ", "x" * 20, "¿?", "👨‍👩‍👧", "…", "नहीं", "لا"])
def test_a_title_with_something_in_it_is_taken(title: str) -> None:
    assert ButtonInput(id="a", title=title).title == title
