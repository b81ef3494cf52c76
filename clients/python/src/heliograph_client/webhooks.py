"""Verify what was posted to a webhook, and read its events."""

from base64 import b64decode
from collections.abc import Iterable
from typing import Protocol

from standardwebhooks import Webhook, WebhookVerificationError

from .events import Event, parse_event

__all__ = ["WebhookVerificationError", "verify_webhook"]

_PREFIX = "whsec_"


class Headers(Protocol):
    """A dict, or what a web framework calls the headers of a request."""

    def items(self) -> Iterable[tuple[str, str]]: ...


Pairs = Iterable[tuple[str | bytes, str | bytes]]
"""Headers as pairs of a name and a value."""


def verify_webhook(secret: str, body: bytes | str, headers: Headers | Pairs) -> list[Event]:
    """Return the events of a request: one, or those of a batch.

    `secret` is the webhook's, `whsec_…`; `body` is the raw body, as it came, before any parsing;
    names of `headers` may be in any case. Raises `WebhookVerificationError` if no signature fits,
    or if its time is more than five minutes away, `ValueError` for a malformed secret, and
    `TypeError` for a body that was parsed.
    """
    webhook = _read_secret(secret)
    if not isinstance(body, str | bytes | bytearray | memoryview):
        raise TypeError(
            "verify_webhook needs the raw body, bytes or a string, and was given a parsed one: "
            "pass request.body(), or what your framework calls it, not request.json()."
        )
    body = body if isinstance(body, str) else bytes(body)
    given = _read_headers(headers)
    try:
        request = webhook.verify(body, given)
    except ValueError as error:  # a header or a body that can't be decoded
        raise WebhookVerificationError("Malformed webhook request") from error
    if request["type"] == "batch":
        return [parse_event(event["id"], event) for event in request["data"]["events"]]
    return [parse_event(given["webhook-id"], request)]


def _read_secret(secret: str) -> Webhook:
    text = secret.strip() if isinstance(secret, str) else ""
    encoded = text.removeprefix(_PREFIX)
    try:
        if encoded and encoded != text and b64decode(encoded, validate=True):
            return Webhook(text)
    except ValueError:
        pass
    raise ValueError(
        "secret is not a webhook's secret: it would begin with 'whsec_', and is shown when the "
        "webhook is made."
    )


def _read_headers(headers: Headers | Pairs) -> dict[str, str]:
    pairs: Pairs = headers.items() if hasattr(headers, "items") else headers
    return {_text(name).lower(): _text(value) for name, value in pairs}


def _text(given: str | bytes) -> str:
    return given if isinstance(given, str) else given.decode("latin-1")
