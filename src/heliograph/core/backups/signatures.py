"""Signatures of an archive's digests: proof that its maker had a secret key of the installation.

Each key signs, so that a key that has been replaced since still recognizes archives of its time. An
archive may contain keys, so only keys of the installation that restores it count.
"""

import hashlib
import hmac
from collections.abc import Sequence

from heliograph.platform.crypto import SecretKey

_PURPOSE = "backup"


def sign(keys: Sequence[SecretKey], digest: bytes) -> bytes:
    """Return a line for each key: its id, and an HMAC-SHA256 of the archive's `digest`."""
    lines = [f"{key.key_id}  {_sign(key, digest)}\n" for key in keys]
    return "".join(lines).encode("ascii")


def list_signers(signatures: bytes) -> list[str]:
    """List the ids of the keys that are said to have signed."""
    return [*_parse(signatures)]


def is_signed(keys: Sequence[SecretKey], digest: bytes, signatures: bytes) -> bool:
    """Return whether one of these keys has signed the archive's digest."""
    found = _parse(signatures)
    # as bytes, since a damaged one may not be ASCII
    return any(
        hmac.compare_digest(found.get(key.key_id, "").encode(), _sign(key, digest).encode())
        for key in keys
    )


def _sign(key: SecretKey, digest: bytes) -> str:
    return hmac.new(key.derive(_PURPOSE), digest, hashlib.sha256).hexdigest()


def _parse(signatures: bytes) -> dict[str, str]:
    lines = signatures.decode("ascii", errors="replace").splitlines()
    parts = [line.split() for line in lines]
    return {part[0]: part[1] for part in parts if len(part) == 2}
