"""Responses as bytes: encoded once, by msgspec, with times in UTC with `Z`."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from fastapi import Response
from starlette.types import Receive, Scope, Send

from heliograph.core.idempotency.service import StoredResponse
from heliograph.core.rates.service import Verdict
from heliograph.errors import GatewayError
from heliograph.faces.unavailability import log_unavailable
from heliograph.input_problems import limit_bodies

SAFE_HEADERS = ((b"x-content-type-options", b"nosniff"), (b"cache-control", b"no-store"))
"""Default headers: no browser takes the response for another type, and nobody stores it."""

_KEY = b"idempotency-key"
_encoder = msgspec.json.Encoder()
_lenient = msgspec.json.Encoder(enc_hook=str)


class JSONBytes(Response):
    """A response whose body is already JSON."""

    media_type = "application/json"


def respond(
    value: object, status: int = 200, headers: Mapping[str, str] | None = None
) -> JSONBytes:
    """Return `value` (dicts, lists, UUIDs, aware datetimes, structs) as a JSON response."""
    return JSONBytes(_encoder.encode(value), status, dict(headers or {}))


def respond_error(error: GatewayError, scope: Scope | None = None) -> JSONBytes:
    """`scope` is the request's, where there may be an Idempotency-Key in it."""
    log_unavailable(error)
    has_key = scope is not None and any(name == _KEY for name, _ in scope["headers"])
    body = error.body_under_key() if has_key else error.body()
    return respond(body, error.status, error.headers())


async def refuse_by_rate(verdict: Verdict, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer 429 with the headers that say which limit was reached."""
    response = respond_error(verdict.refusal())
    response.raw_headers.extend(verdict.headers())
    await response(scope, receive, send)


def respond_invalid(problems: Sequence[dict[str, Any]]) -> JSONBytes:
    """Return the 422 response. The problems may hold anything a client sent, even lone surrogates;
    if they are many or long, only some are included."""
    body = {"detail": limit_bodies(problems)}
    try:
        return JSONBytes(_lenient.encode(body), 422)
    except (UnicodeEncodeError, OverflowError):  # lone surrogates; integers beyond 64 bits
        return JSONBytes(json.dumps(body, default=str).encode("ascii"), 422)


def respond_stored(response: StoredResponse) -> JSONBytes:
    """Return a response that was encoded when it was first given."""
    headers = {"Idempotent-Replayed": "true"} if response.replayed else {}
    return JSONBytes(response.body, response.status, headers)
