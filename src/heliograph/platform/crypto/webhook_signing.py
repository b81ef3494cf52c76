"""Signatures of the Standard Webhooks specification 1.0.0, symmetric scheme `v1`.

`webhook-signature` is `v1,<base64 HMAC-SHA256>` over `<webhook-id>.<webhook-timestamp>.<body>`;
while a secret is being rotated it holds one signature for each secret, separated by spaces.
"""

import base64
import binascii
import hmac
import secrets
from collections.abc import Callable, Mapping, Sequence

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.hmac import HMAC

PREFIX = "whsec_"
SECRET_BYTES = 32
TOLERANCE = 300
"""Seconds that a timestamp may differ from the receiver's clock."""

_MIN_LENGTH, _MAX_LENGTH = 24, 64


class InvalidWebhookSecretError(ValueError):
    """Not `whsec_` and 24 to 64 bytes in base64. Never shows the value."""


class InvalidSignatureError(ValueError):
    """The delivery can't be trusted; `str(error)` says why."""


def generate_webhook_secret(random: Callable[[int], bytes] = secrets.token_bytes) -> str:
    """Return a new secret: `whsec_` and 32 random bytes in base64."""
    return PREFIX + base64.b64encode(random(SECRET_BYTES)).decode("ascii")


class SigningKey:
    """A webhook secret, read once to sign many times. Raises `InvalidWebhookSecretError`."""

    __slots__ = ("_keyed", "secret")

    def __init__(self, secret: str) -> None:
        self.secret = secret
        self._keyed = HMAC(_secret_bytes(secret), SHA256())

    def sign(self, webhook_id: str, timestamp: str, body: bytes) -> str:
        """Return one signature, as `webhook-signature` has it."""
        keyed = self._keyed.copy()
        keyed.update(f"{webhook_id}.{timestamp}.".encode(errors="replace"))
        keyed.update(body)
        return "v1," + base64.b64encode(keyed.finalize()).decode("ascii")


def sign_webhook(
    webhook_secrets: Sequence[str], webhook_id: str, timestamp: int, body: bytes
) -> dict[str, str]:
    """Return the three headers of one attempt; `timestamp` is in Unix seconds.

    There is one signature for each secret, in the order given. Raises `InvalidWebhookSecretError`.
    """
    keys = [SigningKey(secret) for secret in webhook_secrets]
    return sign_with_keys(keys, webhook_id, timestamp, body)


def sign_with_keys(
    keys: Sequence[SigningKey], webhook_id: str, timestamp: int, body: bytes
) -> dict[str, str]:
    """Do what `sign_webhook` does, with secrets that have been read before."""
    if not keys:
        raise InvalidWebhookSecretError("There is no webhook secret to sign with.")
    seconds = str(timestamp)
    return {
        "webhook-id": webhook_id,
        "webhook-timestamp": seconds,
        "webhook-signature": " ".join([key.sign(webhook_id, seconds, body) for key in keys]),
    }


def verify_webhook(
    webhook_secrets: Sequence[str],
    headers: Mapping[str, str],
    body: bytes,
    *,
    now: float,
    tolerance: float = TOLERANCE,
) -> None:
    """Check that one signature fits one secret and the time. Raises `InvalidSignatureError`.

    `headers` may be in any case; `body` is the raw body; `now` is in Unix seconds.
    """
    given = {name.lower(): value for name, value in headers.items()}
    webhook_id, timestamp, signatures = (
        _header(given, name) for name in ("webhook-id", "webhook-timestamp", "webhook-signature")
    )
    _check_time(timestamp, now, tolerance)
    candidates = [text.encode(errors="replace") for text in signatures.split(" ")]
    for secret in webhook_secrets:
        expected = SigningKey(secret).sign(webhook_id, timestamp, body).encode()
        if any(hmac.compare_digest(expected, candidate) for candidate in candidates):
            return
    raise InvalidSignatureError("No signature of this delivery fits the secret.")


def _header(headers: Mapping[str, str], name: str) -> str:
    value = headers.get(name)
    if not value:
        raise InvalidSignatureError(f"The header {name} is missing.")
    return value


def _check_time(timestamp: str, now: float, tolerance: float) -> None:
    if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 15):
        raise InvalidSignatureError("The header webhook-timestamp is not in Unix seconds.")
    age = now - int(timestamp)
    if abs(age) > tolerance:
        side = "old" if age > 0 else "far in the future"
        raise InvalidSignatureError(f"The delivery's timestamp is too {side} ({abs(age):.0f} s).")


def _secret_bytes(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not secret.startswith(PREFIX) or not _MIN_LENGTH <= len(key) <= _MAX_LENGTH:
        raise InvalidWebhookSecretError(
            f"A webhook secret is '{PREFIX}' and {_MIN_LENGTH} to {_MAX_LENGTH} bytes in base64."
        )
    return key
