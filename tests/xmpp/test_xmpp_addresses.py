"""Phone numbers, JIDs and ids."""

from datetime import UTC, datetime
from uuid import uuid4

import pytest

from each_case import for_each
from heliograph.networks.errors import InvalidAddressError
from heliograph.networks.xmpp import addresses

SETTINGS = {"jid": "desk@example.org"}


@for_each(
    ("value", "jid"),
    [
        ("+49 30 1234567", "49301234567@example.org"),
        ("Romeo@Example.NET", "romeo@example.net"),
        ("romeo@example.net/orchard", "romeo@example.net"),
        ("žofie@příklad.cz", "žofie@příklad.cz"),
        ("room@127.0.0.1", "room@127.0.0.1"),
    ],
)
def test_an_address_is_written_in_one_way(value: str, jid: str) -> None:
    assert addresses.address(value, SETTINGS) == jid


@for_each(
    "value",
    [
        "",
        "romeo",
        "123",
        "@example.org",
        "romeo@",
        "ro meo@example.org",
        "a'b@example.org",
        "a@b@c",
        "romeo@exa mple.org",
        "romeo@-",
        f"{'x' * 1024}@example.org",
        "a<b@example.org",
    ],
)
def test_what_is_no_address_is_refused(value: str) -> None:
    with pytest.raises(InvalidAddressError):
        addresses.address(value, SETTINGS)


@for_each(
    ("template", "jid"),
    [
        ("sms.example.com", "49301234567@sms.example.com"),
        ("@sms.example.com", "49301234567@sms.example.com"),
        ("tel-{digits}@{domain}", "tel-49301234567@example.org"),
        ("+{digits}@cheogram.com", "+49301234567@cheogram.com"),
    ],
)
def test_the_account_says_how_numbers_are_written(template: str, jid: str) -> None:
    settings = SETTINGS | {"phone_numbers": template}

    assert addresses.address("+49301234567", settings) == jid
    assert addresses.phone_number(jid, settings) == "+49301234567"
    assert addresses.phone_number("romeo@example.org", settings) is None
    assert addresses.phone_number("49301234567@elsewhere.org", settings) is None


def test_a_room_of_ours_tells_when_it_was_made() -> None:
    at = datetime(2026, 5, 1, 12, 30, 15, 123_000, tzinfo=UTC)
    assert addresses.room_made_at(f"{addresses.new_room_name(at)}@muc.example.org") == at
    assert addresses.room_made_at("hg@muc.example.org") is None
    beyond_every_calendar = "hg" + "f" * 12 + "a" * 10
    assert addresses.room_made_at(f"{beyond_every_calendar}@muc.example.org") is None


def test_a_message_has_one_id_for_ever() -> None:
    ours = uuid4()
    assert addresses.message_id(ours) == addresses.message_id(ours)
    assert addresses.message_id(ours) != addresses.message_id(uuid4())
