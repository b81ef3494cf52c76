"""Signed links: good for one path until one moment."""

from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from each_case import for_each
from heliograph.platform.crypto import InvalidLinkError, SecretKey, sign_link, verify_link

KEYS = [SecretKey(b"n" * 32), SecretKey(b"o" * 32)]
PATH = "/media/0197c6a8-0000-7000-8000-000000000001"
EXPIRES = 1_750_003_600


def parts(link: str) -> tuple[str, str, str]:
    url = urlsplit(link)
    query = parse_qs(url.query, strict_parsing=True)
    return url.path, query["expires"][0], query["signature"][0]


@given(
    st.from_regex(r"/([A-Za-z0-9._~-][A-Za-z0-9/._~-]{0,40})?", fullmatch=True),
    st.integers(1, 2**40),
)
def test_a_link_works_until_the_second_it_expires(path: str, expires: int) -> None:
    link = parts(sign_link(KEYS, path, expires))
    assert link[0] == path
    verify_link(KEYS, *link, now=expires - 1)
    with pytest.raises(InvalidLinkError, match="expired"):
        verify_link(KEYS, *link, now=expires)


def test_a_link_of_an_older_key_works_while_that_key_is_kept() -> None:
    link = parts(sign_link(KEYS[1:], PATH, EXPIRES))
    verify_link(KEYS, *link, now=0)
    with pytest.raises(InvalidLinkError):
        verify_link(KEYS[:1], *link, now=0)


@for_each(
    ("path", "expires", "signature"),
    [
        (PATH + "x", None, None),
        (None, str(EXPIRES + 1), None),
        (None, f" {EXPIRES}", None),
        (None, "never", None),
        (None, "", None),
        (None, None, ""),
        (None, None, "A" * 43),
        (None, None, "é\udcff"),
        ("\udcff", None, None),
    ],
)
def test_a_changed_link_is_refused(
    path: str | None, expires: str | None, signature: str | None
) -> None:
    good = parts(sign_link(KEYS, PATH, EXPIRES))
    changed = [
        new if new is not None else old
        for new, old in zip((path, expires, signature), good, strict=True)
    ]
    with pytest.raises(InvalidLinkError, match="ours"):
        verify_link(KEYS, changed[0], changed[1], changed[2], now=0)


@for_each("path", ["media/1", "/media?x=1", "/media#x", "//other.example/x", ""])
def test_only_a_plain_path_can_be_signed(path: str) -> None:
    with pytest.raises(ValueError, match="path"):
        sign_link(KEYS, path, EXPIRES)
