"""Texts in a charset that a stranger names."""

from encodings.aliases import aliases

from hypothesis import given
from hypothesis import strategies as st

from each_case import for_each
from heliograph.platform.charsets import find_codec

NAMED = [
    ("UTF-8", "utf_8"),
    ("utf8", "utf_8"),
    ("us-ascii", "ascii"),
    ("ISO-8859-1", "latin_1"),
    ("latin1", "latin_1"),
    ("windows-1252", "cp1252"),
    ("Shift_JIS", "shift_jis"),
    ("x-sjis", "shift_jis"),
    ("KS_C_5601-1987", "euc_kr"),
    ("GB2312", "gb2312"),
    ("macintosh", "mac_roman"),
    ("KOI8-R", "koi8_r"),
]
OTHERS = [
    "",
    "UTF-7",  # makes halves of characters
    "raw_unicode_escape",
    "unicode_escape",
    "punycode",  # takes seconds for a page of 256 KiB
    "idna",  # raises, whatever it is told to do about errors
    "undefined",
    "mbcs",
    "hex",
    "zlib",
    "rot13",
    "x-unknown",
    "a\0b",
    "ütf-8",
    "utf-8" * 1000,
]
BYTES = [b"\xff<title>", b"+2AA-", b"\\ud800", b"\xed\xa0\x80", b"\x1b$B\xd8", bytes(range(256))]


@for_each(("charset", "codec"), NAMED)
def test_a_charset_is_known_by_all_its_names(charset: str, codec: str) -> None:
    assert find_codec(charset) == codec


@for_each("charset", OTHERS)
def test_what_is_no_charset_of_texts_is_none(charset: str) -> None:
    assert find_codec(charset) is None


@for_each("data", BYTES)
def test_no_charset_makes_what_can_not_be_written(data: bytes) -> None:
    for codec in filter(None, map(find_codec, sorted({*aliases, *aliases.values()}))):
        assert data.decode(codec, "replace").encode().decode()


@given(st.text(), st.binary())
def test_any_name_is_a_charset_or_none(charset: str, data: bytes) -> None:
    data.decode(find_codec(charset) or "utf-8", "replace").encode()
