"""Names have something to see, in the order in which it is read."""

import pytest

from heliograph.core.accounts.form import check_names
from heliograph.core.members.service import check_email
from heliograph.core.tenants.names import require_visible
from heliograph.errors import InvalidInputError


@pytest.mark.parametrize(
    "name", ["Front desk", "é", "👩\u200d🚒", "❤\ufe0f", "\u200fשלום", "\u200bx", "9"]
)
def test_what_people_see_is_a_name(name: str) -> None:
    require_visible("A name", name, "name")


@pytest.mark.parametrize(
    "name", ["", " ", "\u200b", "\u200b\u200d", "\u2800", "\u3164", "\ufeff \xad"]
)
def test_what_nobody_sees_is_no_name(name: str) -> None:
    with pytest.raises(InvalidInputError, match="A name needs at least one visible character"):
        require_visible("A name", name, "name")


@pytest.mark.parametrize("turning", [*"\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"])
def test_what_turns_the_direction_is_in_no_name(turning: str) -> None:
    with pytest.raises(InvalidInputError, match=rf"change the .*, such as U\+{ord(turning):04X}\."):
        require_visible("A name", f"a{turning}b", "name")


@pytest.mark.parametrize("name", ["\u200b", "a\u202eb"])
def test_a_device_has_a_name_to_click(name: str) -> None:
    with pytest.raises(InvalidInputError) as refused:
        check_names(name, "desk")
    assert refused.value.problems[0].loc == ("name",)


@pytest.mark.parametrize("email", ["a\u200b@b.org", "a@b.org\u202e", "a\x1b[8m@b.org"])
def test_an_address_is_seen_as_a_whole(email: str) -> None:
    with pytest.raises(InvalidInputError, match=r"contains invisible characters") as refused:
        check_email(email)
    assert str(refused.value).isascii()
