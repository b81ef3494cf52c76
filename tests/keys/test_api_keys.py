"""The format of API keys: what is minted, what is refused before any look-up."""

import hashlib
import re
import zlib

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from each_case import for_each
from heliograph.platform.crypto.api_keys import (
    ApiKey,
    MalformedApiKeyError,
    encode_base62,
    mint_api_key,
    parse_api_key,
)

BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
KEY = mint_api_key(random=bytes)


def decoded(text: str, length: int) -> bytes:
    number = 0
    for digit in text:
        number = number * 62 + BASE62.index(digit)
    return number.to_bytes(length, "big")


def minted(key_id: bytes, secret: bytes) -> ApiKey:
    parts = iter((key_id, secret))
    return mint_api_key(random=lambda _: next(parts))


@given(st.binary(min_size=16, max_size=16), st.binary(min_size=32, max_size=32))
@example(b"\xff" * 16, b"\xff" * 32)
@example(bytes(16), bytes(32))
def test_a_minted_key_is_read_back_as_it_was(key_id: bytes, secret: bytes) -> None:
    key = minted(key_id, secret)

    assert re.fullmatch(r"hg_[0-9A-Za-z]{22}_[0-9A-Za-z]{49}", key.text)
    assert parse_api_key(key.text) == key
    assert decoded(key.key_id, 16) == key_id
    assert decoded(key.secret, 32) == secret


def test_the_checksum_is_crc32_of_what_precedes_in_six_digits() -> None:
    text = mint_api_key().text
    number = 0
    for digit in text[-6:]:
        number = number * 62 + BASE62.index(digit)
    assert number == zlib.crc32(text[:-6].encode())


@given(st.integers(0, 74), st.sampled_from(BASE62 + "_-. é\n\x00"))
def test_one_wrong_character_is_always_noticed(position: int, character: str) -> None:
    text = mint_api_key().text
    changed = text[:position] + character + text[position + 1 :]
    if changed == text:
        return
    with pytest.raises(MalformedApiKeyError):
        parse_api_key(changed)


@given(st.text())
def test_no_text_breaks_the_parser(text: str) -> None:
    with pytest.raises(MalformedApiKeyError):
        parse_api_key(text)


@for_each(
    "text",
    [
        KEY.text[:-1],
        KEY.text + "0",
        KEY.text + "\n",
        " " + KEY.text,
        KEY.text.upper(),
        KEY.text.replace("0", "٠", 1),  # an Arabic digit: \d of a careless pattern takes it
        "hg_" + "0" * 22 + "_" + "0" * 43 + "000000",
    ],
)
def test_refused(text: str) -> None:
    with pytest.raises(MalformedApiKeyError) as refused:
        parse_api_key(text)
    assert text.strip() not in str(refused.value)


def test_two_keys_are_never_the_same() -> None:
    assert len({mint_api_key().text for _ in range(100)}) == 100


def test_rotation_keeps_the_key_id_and_makes_a_new_secret() -> None:
    before = mint_api_key()
    after = mint_api_key(before.key_id)
    assert after.key_id == before.key_id
    assert after.secret != before.secret
    assert not after.matches_any([before.secret_hash])


def test_the_stored_hash_is_sha256_of_the_secret_and_matches_only_it() -> None:
    key = mint_api_key()
    assert key.secret_hash == hashlib.sha256(key.secret.encode()).digest()
    assert key.matches_any([None, key.secret_hash])
    assert not key.matches_any([mint_api_key().secret_hash])
    assert not key.matches_any([None])
    assert not key.matches_any([b"", None])


def test_what_is_shown_holds_nothing_of_the_secret() -> None:
    key = mint_api_key()
    assert key.text.startswith(key.display)
    assert len(key.display) == len("hg_") + 8
    assert key.secret not in repr(key)


@given(st.binary(max_size=40))
def test_base62_of_a_fixed_width_is_exact(data: bytes) -> None:
    width = len(data) * 2 or 1
    text = encode_base62(data, width)
    assert len(text) == width
    assert decoded(text, len(data)) == data


def test_base62_never_cuts() -> None:
    with pytest.raises(OverflowError):
        encode_base62(b"\xff" * 32, 42)
