"""The headers of a webhook's request: documented ones for receivers, and those of any POST."""

from collections.abc import Collection, Mapping, Sequence
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
RESERVED_PREFIXES = ("Content-", "Proxy-", "webhook-")
RESERVED_HEADERS = (
    *("Host", "User-Agent", "Connection", "Keep-Alive", "TE", "Trailer", "Transfer-Encoding"),
    *("Upgrade", "HTTP2-Settings", "Expect", "Accept-Encoding", "Via", "Forwarded"),
    *(name for name in DESCRIBED_HEADERS if not name.startswith(RESERVED_PREFIXES)),
)
"""Headers that the gateway or the connection sets, hop by hop or end to end."""

_RESERVED = frozenset(map(str.lower, RESERVED_HEADERS))
_PREFIXES = tuple(map(str.lower, RESERVED_PREFIXES))
_TRACE_HEADERS = ("traceparent", "tracestate")


def webhook_headers(
    keys: Sequence[SigningKey], event_id: UUID, payload: bytes, now: datetime
) -> dict[str, str]:
    """Make the headers of one attempt, with a signature for each secret."""
    headers = sign_with_keys(keys, str(event_id), int(now.timestamp()), payload)
    headers["content-type"] = "application/json"
    return headers


def is_reserved(name: str) -> bool:
    """Whether a custom header can't have this name, in whatever case."""
    return name.lower() in _RESERVED or name.lower().startswith(_PREFIXES)


def with_custom(headers: Mapping[str, str], custom: Mapping[str, str]) -> dict[str, str]:
    """Return our headers with custom ones, but for those that were stored before their names were
    reserved."""
    allowed = {name: value for name, value in custom.items() if not is_reserved(name)}
    return {**allowed, **headers}


def with_trace(headers: Mapping[str, str], context: str) -> dict[str, str]:
    """Return the headers with those that propagate a trace, in place of custom headers with these
    names. Signatures do not cover headers."""
    return _without(headers, _TRACE_HEADERS) | headers_of(context)


def _without(headers: Mapping[str, str], names: Collection[str]) -> dict[str, str]:
    lowered = {name.lower() for name in names}
    return {name: value for name, value in headers.items() if name.lower() not in lowered}
