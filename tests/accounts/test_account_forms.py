"""The form of a network, filled in."""

import pytest

from each_case import for_each
from heliograph.core.accounts.form import read_form
from heliograph.errors import InvalidInputError
from heliograph.networks.port import FormField

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


def test_a_network_without_a_form_takes_no_settings() -> None:
    assert read_form((), {}) == ({}, {})
    with pytest.raises(InvalidInputError, match="it has: none"):
        read_form((), {"a": "b"})
