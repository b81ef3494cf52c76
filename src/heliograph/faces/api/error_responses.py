"""Which errors an operation can answer with, for its description, from the error classes."""

from collections import defaultdict
from collections.abc import Iterable
from http import HTTPStatus
from typing import Any

from heliograph import errors
from heliograph.errors import GatewayError
from heliograph.faces.api.request_body import MAX_BODY

Errors = tuple[type[GatewayError], ...]

ALWAYS: Errors = (
    errors.MissingApiKeyError,
    errors.MalformedAuthorizationError,
    errors.InvalidApiKeyError,
    errors.ExpiredApiKeyError,
    errors.RevokedApiKeyError,
    errors.MissingScopeError,
    errors.BodyTooLargeError,
    errors.RateLimitedError,
    errors.UnavailableError,
)
"""What the gate and the database can answer, whatever the operation."""

WITH_BODY: Errors = (errors.UnsupportedMediaTypeError, errors.IdempotencyConflictError)

WAITING: Errors = (
    errors.ChatAccountNotConnectedError,
    errors.NotSupportedByNetworkError,
    errors.RefusedForGoodError,
    errors.NetworkRefusedError,
    errors.NetworkTimeoutError,
)
"""What an operation can answer that waits for the chat network."""

_EXAMPLES: dict[str, object] = {
    "required_scope": "messages:write",
    "resource_id": "01939b1e-7c3a-7b6e-9d5f-2f7a3c1e8b40",
    "session_name": "main",
    "name": "Front desk",
    "group_jid": "120363025246125486@g.sandbox",
    "network": "sandbox",
    "action": "create groups",
    "limit": MAX_BODY,
    "retry_after": 30,
    "reason": "this number has blocked the account.",
    "allowed": "GET",
}
_EXAMPLES_OF: dict[str, dict[str, object]] = {
    "rate_limited": {"limit": "key", "who": "This API key has"},
    "plan_limit_reached": {
        "plan": "free",
        "limit": "messages_per_day",
        "value": 100,
        "resets_at": "2026-01-02T00:00:00Z",
    },
}
_MEMBERS: dict[str, tuple[str, ...]] = {
    "missing_scope": ("required_scope",),
    "already_in_group": ("group_jid",),
    "rate_limited": ("retry_after", "limit"),
    "plan_limit_reached": ("retry_after", "limit", "value", "resets_at"),
    "unavailable": ("retry_after",),
}
_REQUEST_ID = {
    "X-Request-Id": {
        "description": "The request's id: the caller's own where it sent a fit one.",
        "required": True,
        "schema": {"type": "string", "minLength": 1, "maxLength": 128},
    }
}
_RATE = {
    "RateLimit": {
        "description": "Requests left and seconds until the window ends.",
        "schema": {"type": "string"},
        "example": '"default";r=50;t=30',
    },
    "RateLimit-Policy": {
        "description": "Requests a window and its length in seconds.",
        "schema": {"type": "string"},
        "example": '"default";q=600;w=60',
    },
}
_RETRY_AFTER = {
    "Retry-After": {
        "description": "Whole seconds to wait before a repeat.",
        "schema": {"type": "integer", "minimum": 1, "maximum": errors.LONGEST_RETRY_AFTER},
    }
}
_CHALLENGE = {"WWW-Authenticate": {"schema": {"type": "string", "const": "Bearer"}}}
_BEFORE_THE_KEY_IS_KNOWN = (401, 413)


def answers(*own: type[GatewayError]) -> dict[int | str, dict[str, Any]]:
    """FastAPI's `responses`: these errors and those that every operation has, by status."""
    by_status: dict[int, list[type[GatewayError]]] = defaultdict(list)
    for error in sorted({*ALWAYS, *own}, key=lambda each: (each.status, each.code)):
        by_status[error.status].append(error)
    return {status: _describe(status, found) for status, found in by_status.items()}


def answer_headers(status: int) -> dict[str, Any]:
    """The headers of answers with this status."""
    headers: dict[str, Any] = dict(_REQUEST_ID)
    if status not in _BEFORE_THE_KEY_IS_KNOWN:
        headers |= _RATE
    if status in (429, 503):
        headers |= _RETRY_AFTER
    if status == 401:
        headers |= _CHALLENGE
    return headers


def _describe(status: int, found: Iterable[type[GatewayError]]) -> dict[str, Any]:
    codes = [error.code for error in found]
    return {
        "description": f"{HTTPStatus(status).phrase}: " + ", ".join(f"`{code}`" for code in codes),
        "headers": answer_headers(status),
        "content": {
            "application/json": {
                "schema": {"$ref": "#/components/schemas/ErrorBody"},
                "examples": {error.code: {"value": example_body(error)} for error in found},
            }
        },
    }


def example_body(error: type[GatewayError]) -> dict[str, Any]:
    """What the answer's body looks like, its sentence filled in."""
    examples = _EXAMPLES | _EXAMPLES_OF.get(error.code, {})
    body: dict[str, Any] = {"detail": error.sentence.format(**examples), "code": error.code}
    body |= {member: examples[member] for member in _MEMBERS.get(error.code, ())}
    if error is errors.UnavailableError:
        body["maybe_stored"] = False
    return body
