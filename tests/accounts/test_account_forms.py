"""The form of a network, filled in."""

import pytest

from heliograph.core.accounts.form import read_form
from heliograph.errors import InvalidInputError
from heliograph.networks.port import FormField

FORM = (
    FormField("jid", "Address", required=True),
    FormField("password", "Password", kind="password", required=True, secret=True),
    FormField("port", "Port", kind="number", default="5222"),
    FormField("tls", "Encrypt", kind="boolean", default="true"),
    FormField("resource", "Resource"),
)


def test_secret_values_are_kept_apart_and_defaults_filled_in() -> None:
    settings, secrets = read_form(FORM, {"jid": "a@b", "password": "hunter2", "tls": "FALSE"})
    assert settings == {"jid": "a@b", "port": "5222", "tls": "false"}
    assert secrets == {"password": "hunter2"}


@pytest.mark.parametrize(
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


def test_a_network_without_a_form_takes_no_settings() -> None:
    assert read_form((), {}) == ({}, {})
    with pytest.raises(InvalidInputError, match="it has: none"):
        read_form((), {"a": "b"})
