"""The values of the form that connects an account, as the form and the session read them."""

import random

import pytest
import slixmpp
from slixmpp.jid import InvalidJID
from slixmpp.util.sasl.client import saslprep

from each_case import for_each
from heliograph.networks.errors import InvalidAddressError, NetworkError
from heliograph.networks.xmpp import addresses
from heliograph.networks.xmpp.options import FORM, read_options, trust
from heliograph.networks.xmpp.preparation import prepare_password
from heliograph.platform.characters import trimmed

FIELDS = {field.name: field for field in FORM}
JID = {"jid": "desk@example.org"}


@for_each(
    ("name", "text", "kept"),
    [
        ("jid", " Desk@Example.ORG/phone ", "desk@example.org"),
        ("jid", "stra\u00dfe@b\u00fccher.example", "strasse@b\u00fccher.example"),
        ("jid", "desk@127.0.0.1", "desk@127.0.0.1"),
        ("host", " XMPP.example.org. ", "xmpp.example.org"),
        ("host", "localhost", "localhost"),
        ("host", "10.0.0.7", "10.0.0.7"),
        ("host", "[2001:DB8::1]", "2001:db8::1"),
        ("phone_numbers", "sms.example.org", "sms.example.org"),
        ("phone_numbers", "+{digits}@{domain}", "+{digits}@{domain}"),
        ("group_service", "Rooms.example.org", "rooms.example.org"),
        ("port", "5223", "5223"),
        ("password", "p\u00e4ss w\u00f6rd \U0001f511", "p\u00e4ss w\u00f6rd \U0001f511"),
    ],
)
def test_a_value_is_kept_in_one_form(name: str, text: str, kept: str) -> None:
    assert FIELDS[name].read(text) == kept


@for_each(
    ("name", "text"),
    [
        *(
            ("jid", text)
            for text in ("desk", "@x", "a@b@c", "a b@c", "a@b..c", "\u05d0a@c", "a@b:1")
        ),
        *(("host", text) for text in ("x:5222", "x/y", "[::1]:5222", "a..b", "-a", "\u00e9" * 60)),
        *(("phone_numbers", text) for text in ("{digits}", "a@b@c", "{number}@x", "x y", "@")),
        *(("group_service", text) for text in ("a@b", "xmpp:a", "a_.", "x" * 64, "ab--c.example")),
        *(("port", text) for text in ("0", "65536", "5222.0", "NaN")),
        *(("password", text) for text in ("\x07", "a\nb", "\u05d0a", "\u200b", "p" * 1024)),
    ],
)
def test_a_value_that_never_works_is_refused_by_form_and_session_alike(
    name: str, text: str
) -> None:
    with pytest.raises(NetworkError) as by_form:
        FIELDS[name].read(text)
    secrets = {"password": text if name == "password" else "x"}
    with pytest.raises(NetworkError) as by_session:
        read_options(JID | ({} if name == "password" else {name: text}), secrets)
    assert by_form.value.reason == by_session.value.reason
    assert name != "password" or text not in by_form.value.reason


def test_certificates_without_content_do_not_stand_for_the_systems_authorities() -> None:
    with pytest.raises(NetworkError, match="not a certificate in PEM"):
        trust("-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----")


def some_texts(count: int) -> list[str]:
    seeded = random.Random(13)  # noqa: S311 - the same each time
    letters = [
        "abcxyz019-._ ",
        *("".join(map(chr, range(at, at + 0x100))) for at in range(0, 0x2400, 0x100)),
    ]
    return [
        "".join(seeded.choice(seeded.choice(letters)) for _ in range(seeded.randint(1, 4)))
        for _ in range(count)
    ]


def test_an_accounts_name_is_judged_as_the_library_does() -> None:
    for text in some_texts(20_000):
        jid = addresses.bare_or_none(f"{text}@example.org")
        if jid is None or trimmed(jid) != jid:
            continue
        try:
            expected = slixmpp.JID(jid).bare
        except InvalidJID:
            with pytest.raises(InvalidAddressError, match="not a JID that XMPP allows"):
                addresses.account_jid(jid)
        else:
            assert addresses.account_jid(jid) == expected, ascii(jid)


def test_a_password_is_judged_as_the_library_does() -> None:
    for text in some_texts(20_000):
        try:
            is_accepted = bool(saslprep(text))
        except UnicodeError:
            is_accepted = False
        assert (prepare_password(text) is not None) is is_accepted, ascii(text)
