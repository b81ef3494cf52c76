"""Phone numbers and JIDs as people write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from each_case import for_each
from heliograph.networks.addresses import get_phone_number, is_jid, normalize_address, recipient_of
from heliograph.networks.phone_numbers import PhoneNumberError


@for_each(
    ("written", "normal"),
    [
        ("+5511999990000", "+5511999990000"),
        ("5511999990000", "+5511999990000"),
        (" +55 (11) 99999-0000 ", "+5511999990000"),
        ("\u202a+55 11 99999 0000\u202c", "+5511999990000"),
        ("0055 11 99999 0000", "+5511999990000"),
    ],
)
def test_a_phone_number_is_plus_and_digits(written: str, normal: str) -> None:
    assert get_phone_number(written) == normal


@for_each("written", ["", "1234", "call me", "12345@example.org", "020 7946 0958"])
def test_what_is_no_phone_number_is_refused(written: str) -> None:
    with pytest.raises(PhoneNumberError):
        get_phone_number(written)


@given(st.text())
def test_any_text_is_an_address_in_normal_form_or_none(text: str) -> None:
    normal = normalize_address(text)
    assert normal is None or normalize_address(normal) == normal


@pytest.mark.parametrize("jid", ["1@g.us", "alice@example.org", "room@muc.example.org/nick"])
def test_a_jid_stays_as_it_is(jid: str) -> None:
    assert is_jid(jid)
    assert normalize_address(jid) == jid
    assert normalize_address(f"\u200e {jid}\u202c\n") == jid


@for_each("text", ["@", "a@", "@b", "a b@c", "a@b\n", "a\x00@b", "12345"])
def test_what_only_resembles_a_jid_is_none(text: str) -> None:
    assert not is_jid(text)


def test_an_address_that_is_neither_is_none() -> None:
    assert normalize_address("call me") is None


@pytest.mark.parametrize(
    ("address", "taken"),
    [("+5511999990000", "5511999990000"), ("+1555@example.org", "+1555@example.org")],
)
def test_a_network_takes_numbers_without_their_plus_and_jids_as_they_are(
    address: str, taken: str
) -> None:
    assert recipient_of(address) == taken
