"""The form of a network, filled in."""

from typing import Literal

import pytest

from each_case import for_each
from heliograph.core.accounts.form import change_values, read_form
from heliograph.errors import InvalidInputError
from heliograph.networks.errors import NetworkError
from heliograph.networks.form import FormField, read_values
from heliograph.networks.registry import NetworkRegistry

FORM = (
    FormField("jid", "Address", required=True),
    FormField("password", "Password", kind="password", required=True, secret=True),
    FormField("port", "Port", kind="number", default="5222"),
    FormField("tls", "Encrypt", kind="boolean", default="true"),
    FormField("resource", "Resource"),
    FormField("number", "Number", kind="phone_number"),
)
NEEDED = {"jid": "a@b", "password": "x"}


def test_secret_values_are_kept_apart_and_defaults_filled_in() -> None:
    settings, secrets = read_form(FORM, {"jid": "a@b", "password": "hunter2", "tls": "FALSE"})
    assert settings == {"jid": "a@b", "port": "5222", "tls": "false"}
    assert secrets == {"password": "hunter2"}


@for_each(
    ("values", "field"),
    [
        ({"password": "x"}, "jid"),
        ({"jid": "", "password": "x"}, "jid"),
        ({"jid": "a@b"}, "password"),
        ({"jid": "a@b", "password": "x", "port": "many"}, "port"),
        ({"jid": "a@b", "password": "x", "tls": "perhaps"}, "tls"),
        ({"jid": "a@b", "password": "x", "resource": "a\x00"}, "resource"),
        ({"jid": "a@b", "password": "x", "colour": "red"}, "colour"),
    ],
)
def test_a_bad_value_is_named_and_never_shown(values: dict[str, str], field: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        read_form(FORM, values)
    [problem] = caught.value.problems
    assert problem.loc == ("settings", field)
    assert "many" not in problem.msg


@pytest.mark.parametrize(
    "written", ["+44 (0)20 7946 0958", "\u202a0044 20 7946 0958", "tel:+442079460958"]
)
def test_a_phone_number_is_kept_in_one_form_however_it_is_written(written: str) -> None:
    settings, _ = read_form(FORM, NEEDED | {"number": written})
    assert settings["number"] == "+442079460958"


@for_each("written", ["abc", "020 7946 0958", "+15550200009 x3", "zzz", " ", "1@x"])
def test_a_phone_number_that_is_unclear_is_refused(written: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        read_form(FORM, NEEDED | {"number": written})
    [problem] = caught.value.problems
    assert problem.loc == ("settings", "number")
    assert repr(written) in problem.msg


PORT = FormField("port", "Port", kind="integer", minimum=1, maximum=65535)
DELAY = FormField("delay", "Delay", kind="number", minimum=0, maximum=86400)
NO_BOUNDS = FormField("shift", "Shift", kind="number")


@for_each(
    ("field", "text", "kept"),
    [
        (PORT, "1", "1"),
        (PORT, " 65535 ", "65535"),
        (PORT, "0005222", "5222"),
        (DELAY, "0", "0"),
        (DELAY, "86400", "86400"),
        (DELAY, ".5", ".5"),
        (DELAY, "1e-05", "1e-05"),
        (NO_BOUNDS, "-1e300", "-1e300"),
    ],
)
def test_a_number_within_its_bounds_is_accepted(field: FormField, text: str, kept: str) -> None:
    assert field.read(text) == kept


@for_each(
    ("field", "text"),
    [
        *((PORT, text) for text in ("0", "-1", "65536", "1.5", "1.0", "1e3", "9" * 5000, "1_0")),
        *((PORT, text) for text in ("", " ", "+1", "٣", "0x10", "inf", "nan", "many")),
        *((DELAY, text) for text in ("-1", "-0.1", "86400.1", "1e9", "9" * 5000, "1,5", "1.")),
        *((DELAY, text) for text in ("NaN", "inf", "-Infinity", "1e999", "1_0", "٣", "1 2")),
        *((NO_BOUNDS, text) for text in ("nan", "inf", "-inf", "1e999", "-" + "9" * 400)),
    ],
)
def test_a_number_out_of_bounds_is_refused(field: FormField, text: str) -> None:
    with pytest.raises(NetworkError) as caught:
        field.read(text)
    assert caught.value.permanent
    assert text.strip() == "" or text not in caught.value.reason


@for_each(
    ("kind", "minimum", "maximum", "sentence"),
    [
        ("integer", 1, 65535, "'x' must be a whole number from 1 to 65535."),
        ("number", 0, 0.5, "'x' must be a number from 0 to 0.5."),
        ("number", 0, None, "'x' must be a number of at least 0."),
        ("integer", None, 8, "'x' must be a whole number of at most 8."),
        ("number", None, None, "'x' must be a number."),
    ],
)
def test_a_refusal_says_what_is_accepted(
    kind: Literal["integer", "number"],
    minimum: float | None,
    maximum: float | None,
    sentence: str,
) -> None:
    field = FormField("x", "X", kind=kind, minimum=minimum, maximum=maximum)
    with pytest.raises(NetworkError, match=f"^{sentence}$"):
        field.read("nan")


def test_a_rule_of_the_networks_own_is_asked_by_form_and_driver_alike() -> None:
    def check(text: str) -> str:
        if "@" not in text:
            raise NetworkError("That is no address.")
        return text.lower()

    form = (FormField("jid", "Address", check=check), FormField("host", "Host", default="here"))
    assert read_form(form, {"jid": "A@B"})[0] == {"jid": "a@b", "host": "here"}
    assert read_values(form, {"jid": "A@B"}) == {"jid": "a@b", "host": "here"}
    with pytest.raises(InvalidInputError) as caught:
        read_form(form, {"jid": "nobody"})
    assert caught.value.problems[0].msg == "That is no address."
    with pytest.raises(NetworkError, match="no address"):
        read_values(form, {"jid": "nobody"})


def test_a_change_leaves_alone_what_it_does_not_name_however_bad() -> None:
    settings, secrets = {"jid": "a@b", "port": "NaN", "gone": "1"}, {"password": "x", "device": "7"}
    assert change_values(FORM, {"resource": "desk", "password": "y"}, settings, secrets) == (
        settings | {"resource": "desk"},
        {"password": "y", "device": "7"},
    )
    assert change_values(FORM, {"port": ""}, settings, secrets) == (
        {"jid": "a@b", "gone": "1"},
        secrets,
    )
    for refused in ({"port": "NaN"}, {"jid": ""}, {"gone": "2"}):
        with pytest.raises(InvalidInputError):
            change_values(FORM, refused, settings, secrets)


def test_every_network_accepts_its_own_defaults_and_bounds_its_numbers() -> None:
    fields = [each for network in NetworkRegistry().list_networks() for each in network.form]
    for field in fields:
        assert field.default is None or field.read(field.default) == field.default
        assert not field.is_number or None not in (field.minimum, field.maximum), field.name


def test_a_network_without_a_form_takes_no_settings() -> None:
    assert read_form((), {}) == ({}, {})
    with pytest.raises(InvalidInputError, match="it has: none"):
        read_form((), {"a": "b"})
