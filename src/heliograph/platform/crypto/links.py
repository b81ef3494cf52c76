"""Signed links: whoever has one may fetch what it names until it expires, without an API key.

The signature is HMAC-SHA256 over the path and the expiry, with a key derived from the newest of
HELIOGRAPH_SECRET_KEYS; a link stays good while the key that signed it is still among them.
"""

import base64
import hashlib
import hmac
from collections.abc import Sequence

from heliograph.platform.crypto.secret_box import SecretKey


class InvalidLinkError(ValueError):
    """The link was changed, was made with a key we no longer have, or has expired."""


def sign_link(keys: Sequence[SecretKey], path: str, expires_at: int) -> str:
    """Return `path` with `?expires=…&signature=…`, good until `expires_at` (Unix seconds).

    `path` begins with one slash and is written as in the URL; it has no query of its own.
    """
    if not path.startswith("/") or path.startswith("//") or "?" in path or "#" in path:
        raise ValueError("a signed path begins with one slash and has no query")
    return f"{path}?expires={expires_at}&signature={_signature(keys[0], path, str(expires_at))}"


def verify_link(
    keys: Sequence[SecretKey], path: str, expires: str, signature: str, *, now: float
) -> None:
    """Check that the link is ours and has not expired. Raises `InvalidLinkError`.

    `expires` and `signature` are the link's query parameters as they came.
    """
    given = signature.encode("utf-8", "surrogatepass")
    signatures = [_signature(key, path, expires).encode() for key in keys]
    if not any(hmac.compare_digest(expected, given) for expected in signatures):
        raise InvalidLinkError("This link is not one of ours, or has been changed.")
    if now >= int(expires):
        raise InvalidLinkError("This link has expired.")


def _signature(key: SecretKey, path: str, expires: str) -> str:
    signed = f"{expires}\n{path}".encode("utf-8", "surrogatepass")
    digest = hmac.digest(key.derive("links"), signed, hashlib.sha256)
    return base64.urlsafe_b64encode(digest).decode("ascii").rstrip("=")
