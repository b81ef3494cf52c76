"""API keys: `hg_<22 base62: key id>_<43 base62: secret><6 base62: CRC-32 of what precedes>`.

Base62 here is a big-endian number in the digits 0-9, A-Z, a-z, filled with zeros on the left to a
fixed width: 22 digits hold 128 bits, 43 hold 256, 6 hold 32. The key id is a name and may be shown;
the secret is shown once and kept as SHA-256 of its 43 characters. The checksum is no protection; it
only lets a mistyped or cut key be refused without asking the database.
"""

import hashlib
import hmac
import re
import secrets
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

PREFIX = "hg_"
KEY_ID_LENGTH = 22
SECRET_LENGTH = 43

_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_PAIRS = [high + low for high in _DIGITS for low in _DIGITS]
_FORM = re.compile(r"(hg_([0-9A-Za-z]{22})_([0-9A-Za-z]{43}))([0-9A-Za-z]{6})", re.ASCII)
_BEGINNING = re.compile(r"hg_([0-9A-Za-z]{22})_", re.ASCII)
_SHOWN_OF_KEY_ID = 8
_NO_HASH = bytes(hashlib.sha256().digest_size)


class MalformedApiKeyError(ValueError):
    """Not the form of an API key, or its checksum is wrong. Never carries the text."""


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A whole API key, as its owner has it. Its secret stays out of `repr`."""

    key_id: str
    secret: str = field(repr=False)

    @property
    def text(self) -> str:
        """The key as it is sent: 75 ASCII characters."""
        body = f"{PREFIX}{self.key_id}_{self.secret}"
        return body + _checksum(body)

    @property
    def display(self) -> str:
        """The first characters, enough to tell one's keys apart and nothing of the secret."""
        return PREFIX + self.key_id[:_SHOWN_OF_KEY_ID]

    @property
    def secret_hash(self) -> bytes:
        """SHA-256 of the secret's ASCII text, 32 bytes: what is stored."""
        return hashlib.sha256(self.secret.encode("ascii")).digest()

    def matches_any(self, stored: Sequence[bytes | None]) -> bool:
        """Return whether one of these is this secret's hash. Each takes the same time, None (no
        such key) too, and all are compared."""
        digest, is_known = self.secret_hash, False
        for each in stored:
            is_same = hmac.compare_digest(digest, each or _NO_HASH)
            is_known |= is_same and each is not None
        return is_known


def mint_api_key(
    key_id: str | None = None, *, random: Callable[[int], bytes] = secrets.token_bytes
) -> ApiKey:
    """Return a new key; with `key_id`, a new secret for that key, as rotation needs it."""
    if key_id is None:
        key_id = encode_base62(random(16), KEY_ID_LENGTH)
    return ApiKey(key_id, encode_base62(random(32), SECRET_LENGTH))


def parse_api_key(text: str) -> ApiKey:
    """Return the parts of a key whose checksum is right. Raises `MalformedApiKeyError`."""
    match = _FORM.fullmatch(text)
    if match is None:
        raise MalformedApiKeyError("This does not have the form of an API key.")
    body, key_id, secret, checksum = match.groups()
    if checksum != _checksum(body):
        raise MalformedApiKeyError("The checksum of this API key is wrong.")
    return ApiKey(key_id, secret)


def find_key_id(text: str) -> str | None:
    """Return the key id of a text that begins like a key, whatever follows; else None."""
    match = _BEGINNING.match(text)
    return None if match is None else match[1]


def encode_base62(data: bytes, width: int) -> str:
    """Return `data` as a big-endian number in `width` digits. Raises `OverflowError`."""
    number = int.from_bytes(data, "big")
    digits = []
    for _ in range(width):
        number, value = divmod(number, 62)
        digits.append(_DIGITS[value])
    if number:
        raise OverflowError(f"{len(data)} bytes don't fit in {width} base62 digits")
    return "".join(reversed(digits))


def _checksum(body: str) -> str:
    # As `encode_base62` does it, but two digits at a time, since each request passes here.
    rest, last = divmod(zlib.crc32(body.encode("ascii")), len(_PAIRS))
    first, middle = divmod(rest, len(_PAIRS))
    return _PAIRS[first] + _PAIRS[middle] + _PAIRS[last]
