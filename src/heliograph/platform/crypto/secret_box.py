"""Encryption of what is stored and used again: webhook secrets, network credentials.

A ciphertext is `0x01 | key id (4 bytes) | nonce (12) | AES-256-GCM ciphertext and tag`. The head
and the context (whose value it is: table, organization, row) are authenticated with it, so a
ciphertext copied to another row does not open there. Nonces are random: one key is good for 2^32
encryptions (NIST SP 800-38D, 8.3).
"""

import base64
import binascii
import hashlib
import hmac
import re
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from heliograph.errors import ConfigurationError

VARIABLE = "HELIOGRAPH_SECRET_KEYS"
KEY_BYTES = 32

_FORMAT = b"\x01"
_KEY_ID_BYTES = 4
_NONCE_BYTES = 12
_TAG_BYTES = 16
_HEAD_BYTES = len(_FORMAT) + _KEY_ID_BYTES
_MIN_BYTES = _HEAD_BYTES + _NONCE_BYTES + _TAG_BYTES
_KEY_FORM = re.compile(r"[A-Za-z0-9_-]{43}=?", re.ASCII)
_CANARY = b"heliograph canary"


class InvalidSecretKeyError(ConfigurationError):
    """The keys that were set can't be used. Names the variable and never shows a value."""


class DecryptError(Exception):
    """A stored value can't be opened. `str(error)` says what to do."""


class UnknownSecretKeyError(DecryptError):
    """`key_id` is the key that made the ciphertext, and none of ours."""

    def __init__(self, key_id: str) -> None:
        self.key_id = key_id
        super().__init__(
            f"A stored value was encrypted with the key {key_id}, which is not among "
            f"{VARIABLE}. Add that key again, after the newest one."
        )


class DamagedCiphertextError(DecryptError):
    """The key is ours, and yet the value does not open: changed, cut, or of another row."""


@dataclass(frozen=True, slots=True)
class SecretKey:
    """One key of 32 random bytes. `key_id` names it in ciphertexts and in error messages."""

    material: bytes = field(repr=False)

    def __post_init__(self) -> None:
        if len(self.material) != KEY_BYTES:
            raise InvalidSecretKeyError(f"A key of {VARIABLE} must have {KEY_BYTES} bytes.")

    @property
    def key_id(self) -> str:
        """8 hexadecimal digits that tell nothing of the key."""
        return self.derive("key id")[:_KEY_ID_BYTES].hex()

    def derive(self, purpose: str) -> bytes:
        """Return a key of 32 bytes for another purpose: HMAC-SHA256 over its name."""
        return hmac.digest(self.material, f"heliograph {purpose}".encode(), hashlib.sha256)


def generate_secret_key(random: Callable[[int], bytes] = secrets.token_bytes) -> str:
    """Return a new key as it is written in HELIOGRAPH_SECRET_KEYS: 44 characters of base64."""
    return base64.urlsafe_b64encode(random(KEY_BYTES)).decode("ascii")


def parse_secret_keys(texts: Sequence[str], *, variable: str = VARIABLE) -> tuple[SecretKey, ...]:
    """Return the keys in the order given, newest first. Raises `InvalidSecretKeyError`."""
    keys = tuple(
        _parse_secret_key(text.strip(), f"Key {position} of {len(texts)} in {variable}")
        for position, text in enumerate(texts, 1)
    )
    if not keys:
        raise InvalidSecretKeyError(f"{variable} holds no key.")
    return keys


def _parse_secret_key(text: str, name: str) -> SecretKey:
    if not _KEY_FORM.fullmatch(text):
        raise InvalidSecretKeyError(
            f"{name} is not {KEY_BYTES} bytes in URL-safe base64 (44 characters; it has "
            f"{len(text)})."
        )
    try:
        return SecretKey(base64.urlsafe_b64decode(text.rstrip("=") + "="))
    except binascii.Error as error:
        raise InvalidSecretKeyError(f"{name} is not URL-safe base64.") from error


class SecretBox:
    """Encrypts with the first of its keys and decrypts with whichever made the ciphertext."""

    def __init__(self, keys: Sequence[SecretKey]) -> None:
        if not keys:
            raise InvalidSecretKeyError(f"{VARIABLE} holds no key.")
        self._newest = bytes.fromhex(keys[0].key_id)
        self._ciphers = {bytes.fromhex(key.key_id): AESGCM(key.material) for key in keys}
        if len(self._ciphers) != len({key.material for key in keys}):
            raise InvalidSecretKeyError(f"Two keys of {VARIABLE} have the same id; replace one.")

    def encrypt(
        self,
        plaintext: bytes,
        *context: str | UUID,
        random: Callable[[int], bytes] = secrets.token_bytes,
    ) -> bytes:
        """Return the ciphertext, 33 bytes longer; opening it takes the same `context`."""
        head = _FORMAT + self._newest
        nonce = random(_NONCE_BYTES)
        sealed = self._ciphers[self._newest].encrypt(nonce, plaintext, _bind(head, context))
        return head + nonce + sealed

    def decrypt(self, ciphertext: bytes, *context: str | UUID) -> bytes:
        """Return what was encrypted. Raises `UnknownSecretKeyError` or `DamagedCiphertextError`."""
        if len(ciphertext) < _MIN_BYTES or not ciphertext.startswith(_FORMAT):
            raise DamagedCiphertextError("A stored value is cut short or is no ciphertext of ours.")
        head, nonce = ciphertext[:_HEAD_BYTES], ciphertext[_HEAD_BYTES:][:_NONCE_BYTES]
        key_id = head[len(_FORMAT) :]
        cipher = self._ciphers.get(key_id)
        if cipher is None:
            raise UnknownSecretKeyError(key_id.hex())
        try:
            return cipher.decrypt(
                nonce, ciphertext[_HEAD_BYTES + _NONCE_BYTES :], _bind(head, context)
            )
        except InvalidTag:
            raise DamagedCiphertextError(
                f"A stored value does not open with its key {key_id.hex()}: it was changed, or it "
                "belongs to another row. Restore it from a backup or set it again."
            ) from None

    def make_canary(self) -> bytes:
        """Return a ciphertext to keep beside the data, by which a later start tests its keys."""
        return self.encrypt(_CANARY, "canary")

    def check_canary(self, canary: bytes) -> None:
        """Check that these keys open the canary. Raises `DecryptError`."""
        if self.decrypt(canary, "canary") != _CANARY:
            raise DamagedCiphertextError("The stored canary is not one of this program's.")


def _bind(head: bytes, context: Sequence[str | UUID]) -> bytes:
    """Join parts, each after its length, so that ("ab", "c") differs from ("a", "bc")."""
    parts = [str(part).encode() for part in context]
    return head + b"".join(len(part).to_bytes(4, "big") + part for part in parts)
