"""The headers of a webhook's request: documented ones for receivers, and those of any POST."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

from heliograph.platform.crypto.webhook_signing import SigningKey, sign_with_keys
from heliograph.platform.telemetry.tracing import headers_of

DESCRIBED_HEADERS = {
    "webhook-id": "The event's id, or a batch's own, the same in every attempt: recognize "
    "duplicates by it.",
    "webhook-timestamp": "When this attempt was made, in seconds since 1970.",
    "webhook-signature": "`v1,` and the Base64 of HMAC-SHA256 over `id.timestamp.body`; several "
    "with a space between them while a secret is being rotated.",
}
"""The description of each in the API's description."""

_TRACE_HEADERS = ("traceparent", "tracestate")


def webhook_headers(
    keys: Sequence[SigningKey], event_id: UUID, payload: bytes, now: datetime
) -> dict[str, str]:
    """Make the headers of one attempt, with a signature for each secret."""
    headers = sign_with_keys(keys, str(event_id), int(now.timestamp()), payload)
    headers["content-type"] = "application/json"
    return headers


def with_trace(headers: Mapping[str, str], context: str) -> dict[str, str]:
    """Return the headers with those that propagate a trace, in place of custom headers with these
    names. Signatures do not cover headers."""
    own = {name: value for name, value in headers.items() if name.lower() not in _TRACE_HEADERS}
    return own | headers_of(context)
