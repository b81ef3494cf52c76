"""Names have something to see, in the order in which it is read."""

import pytest

from each_case import for_each
from heliograph.core.accounts.form import check_names
from heliograph.core.members.service import check_email
from heliograph.core.tenants.names import require_visible
from heliograph.errors import InvalidInputError
from heliograph.platform.characters import visible_name
from heliograph.platform.file_names import tidy_file_name, why_refused


@for_each("name", ["", " ", "\u200b", "\u200b\u200d", "\u2800", "\u3164", "\ufeff \xad"])
def test_what_nobody_sees_is_no_name(name: str) -> None:
    with pytest.raises(InvalidInputError, match="A name needs at least one visible character"):
        require_visible("A name", name, "name")


@for_each("turning", [*"\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"])
def test_what_turns_the_direction_goes(turning: str) -> None:
    assert require_visible("A name", f"a{turning}b", "name") == "ab"
    assert visible_name(f"{turning}a{turning}b") == "ab"


@for_each(
    "name",
    [
        "👩\u200d🚒",
        "❤\ufe0f",
        "می\u200cخواهم",
        "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    ],
)
def test_what_joins_and_shapes_letters_and_emoji_stays(name: str) -> None:
    assert require_visible("A name", name, "name") == name
    assert visible_name(name) == name
    assert tidy_file_name(name) == name


@for_each("name", ["\u200fשלום", "Sil\u00adbe", "Order\u200b", "a\U000e0061"])
def test_marks_that_only_help_are_never_refused(name: str) -> None:
    seen = "".join(letter for letter in name if letter.isalpha())
    assert require_visible("A name", name, "name") == seen
    assert why_refused(name) is None
    assert visible_name(name) == name


@for_each(
    "name",
    [
        None,
        "",
        " \t",
        "\u3164",
        "\u2800",
        "\u115f\u1160",
        "\uffa0",
        "\u200e",
        "\u0301",
        "\U000e0067",
    ],
)
def test_a_strangers_name_that_shows_nothing_is_none(name: str | None) -> None:
    assert visible_name(name) is None
    assert tidy_file_name(name or "") is None


@pytest.mark.parametrize("name", ["\u200b", "\u3164"])
def test_a_device_has_a_name_to_click(name: str) -> None:
    with pytest.raises(InvalidInputError) as refused:
        check_names(name, "desk")
    assert refused.value.problems[0].loc == ("name",)
    assert check_names("a\u202eb", "desk") == "ab"


@pytest.mark.parametrize("email", ["a\u200b@b.org", "a@b.org\u202e", "a\x1b[8m@b.org"])
def test_an_address_is_seen_as_a_whole(email: str) -> None:
    with pytest.raises(InvalidInputError, match=r"contains invisible characters") as refused:
        check_email(email)
    assert str(refused.value).isascii()
