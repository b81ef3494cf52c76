"""Encryption at rest: rotation, what can't be swapped, and errors that say what to do."""

import os
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from each_case import for_each
from heliograph.errors import ConfigurationError
from heliograph.platform.crypto import (
    DamagedCiphertextError,
    InvalidSecretKeyError,
    SecretBox,
    SecretKey,
    UnknownSecretKeyError,
    generate_secret_key,
    parse_secret_keys,
)

OLD, NEW = SecretKey(b"o" * 32), SecretKey(b"n" * 32)
ROW = UUID("0197c6a8-0000-7000-8000-000000000001")
OTHER_ROW = UUID("0197c6a8-0000-7000-8000-000000000002")


@given(st.binary(), st.lists(st.text(st.characters(exclude_categories=["Cs"]))))
def test_what_goes_in_comes_out(plaintext: bytes, context: list[str]) -> None:
    box = SecretBox([NEW])
    ciphertext = box.encrypt(plaintext, *context)
    assert box.decrypt(ciphertext, *context) == plaintext
    assert len(ciphertext) == len(plaintext) + 33


@given(st.integers(0, 63), st.integers(1, 255))
def test_any_changed_byte_is_noticed(position: int, flip: int) -> None:
    box = SecretBox([NEW])
    ciphertext = bytearray(box.encrypt(b"a secret of thirty-one bytes...", "webhooks", ROW))
    ciphertext[position] ^= flip
    with pytest.raises((DamagedCiphertextError, UnknownSecretKeyError)):
        box.decrypt(bytes(ciphertext), "webhooks", ROW)


@for_each("context", [("webhooks", OTHER_ROW), ("accounts", ROW), (), ("web", "hooks", ROW)])
def test_a_ciphertext_does_not_open_in_another_place(context: tuple[str | UUID, ...]) -> None:
    box = SecretBox([NEW])
    ciphertext = box.encrypt(b"secret", "webhooks", ROW)
    with pytest.raises(DamagedCiphertextError, match="another row"):
        box.decrypt(ciphertext, *context)


def test_where_one_part_of_a_context_ends_matters() -> None:
    box = SecretBox([NEW])
    with pytest.raises(DamagedCiphertextError):
        box.decrypt(box.encrypt(b"secret", "ab", "c"), "a", "bc")


@for_each("size", [0, 1, 5, 32])
def test_a_cut_ciphertext_is_an_error_of_ours(size: int) -> None:
    box = SecretBox([NEW])
    with pytest.raises(DamagedCiphertextError):
        box.decrypt(box.encrypt(b"")[:size])


def test_after_rotation_old_values_open_and_new_ones_take_the_new_key() -> None:
    before, after = SecretBox([OLD]), SecretBox([NEW, OLD])
    old_value = before.encrypt(b"secret")
    new_value = after.encrypt(b"secret")

    assert after.decrypt(old_value) == b"secret"
    assert SecretBox([NEW]).decrypt(new_value) == b"secret"


def test_a_missing_key_is_named_with_what_to_do() -> None:
    value = SecretBox([OLD]).encrypt(b"secret")
    with pytest.raises(UnknownSecretKeyError) as missing:
        SecretBox([NEW]).decrypt(value)
    assert missing.value.key_id == OLD.key_id
    assert OLD.key_id in str(missing.value)
    assert "HELIOGRAPH_SECRET_KEYS" in str(missing.value)


def test_the_same_value_never_looks_the_same_twice() -> None:
    box = SecretBox([NEW])
    assert len({box.encrypt(b"secret") for _ in range(50)}) == 50


def test_the_canary_opens_with_its_keys_alone() -> None:
    canary = SecretBox([OLD]).make_canary()
    SecretBox([NEW, OLD]).check_canary(canary)
    with pytest.raises(UnknownSecretKeyError):
        SecretBox([NEW]).check_canary(canary)
    with pytest.raises(DamagedCiphertextError):
        SecretBox([OLD]).check_canary(SecretBox([OLD]).encrypt(b"other", "canary"))


def test_a_generated_key_can_be_used() -> None:
    first, second = generate_secret_key(), generate_secret_key()
    keys = parse_secret_keys([first, second.rstrip("=")])
    assert len(first) == 44
    assert len({key.material for key in keys}) == 2
    assert SecretBox(keys[:1]).decrypt(SecretBox(keys).encrypt(b"secret")) == b"secret"


@for_each(
    "text",
    [
        "",
        "short",
        "A" * 42,
        "A" * 45,
        "A" * 42 + "+=",
        "A" * 43 + "==",
        "é" * 43,
        "A" * 20 + "\n" * 23,
    ],
)
def test_a_malformed_key_names_its_variable_and_place_and_not_its_value(text: str) -> None:
    with pytest.raises(InvalidSecretKeyError) as refused:
        parse_secret_keys([generate_secret_key(), text])
    message = str(refused.value)
    assert message.startswith("Key 2 of 2 in HELIOGRAPH_SECRET_KEYS")
    assert not text or text not in message
    assert isinstance(refused.value, ConfigurationError), "which a command says in a sentence"


def test_no_key_at_all_is_refused() -> None:
    with pytest.raises(InvalidSecretKeyError, match="HELIOGRAPH_SECRET_KEYS"):
        parse_secret_keys([])
    with pytest.raises(InvalidSecretKeyError):
        SecretBox([])
    with pytest.raises(InvalidSecretKeyError):
        SecretKey(b"too short")


def test_the_same_key_twice_is_one_key() -> None:
    assert SecretBox([NEW, NEW]).decrypt(SecretBox([NEW]).encrypt(b"x")) == b"x"


def test_keys_stay_out_of_repr_and_serve_several_purposes() -> None:
    material = os.urandom(32)
    key = SecretKey(material)
    assert repr(material) not in repr(key)
    assert len({key.derive("links"), key.derive("sessions"), material}) == 3
    assert key.derive("links") == SecretKey(material).derive("links")
