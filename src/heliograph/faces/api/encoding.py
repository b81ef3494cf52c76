"""Responses as bytes: encoded once, by msgspec, with times in UTC with `Z`."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
from fastapi import Response
from starlette.types import Receive, Scope, Send

from heliograph.core.idempotency.service import StoredResponse
from heliograph.core.rates.service import Verdict
from heliograph.errors import GatewayError

_KEY = b"idempotency-key"
_encoder = msgspec.json.Encoder()
_lenient = msgspec.json.Encoder(enc_hook=str)


class Sent(NamedTuple):
    """A JSON body as bytes and decoded."""

    raw: bytes
    value: object


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
    has_key = scope is not None and any(name == _KEY for name, _ in scope["headers"])
    body = error.body_under_key() if has_key else error.body()
    return respond(body, error.status, error.headers())


async def refuse_by_rate(verdict: Verdict, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer 429 with the headers that say which limit was reached."""
    response = respond_error(verdict.refusal())
    response.raw_headers.extend(verdict.headers())
    await response(scope, receive, send)


def respond_invalid(problems: Sequence[dict[str, Any]], sent: Sent | None = None) -> JSONBytes:
    """Return the 422 response; the problems may hold anything a client sent, even lone surrogates.

    A problem that shows the whole body shows its bytes as they came, so that a body is not encoded
    again for each member that it lacks.
    """
    try:
        return JSONBytes(
            _lenient.encode({"detail": [_echo(problem, sent) for problem in problems]}), 422
        )
    except (UnicodeEncodeError, OverflowError):  # lone surrogates; integers beyond 64 bits
        return JSONBytes(json.dumps({"detail": problems}, default=str).encode("ascii"), 422)


def _echo(problem: dict[str, Any], sent: Sent | None) -> dict[str, Any]:
    if sent is None or problem.get("input") is not sent.value:
        return problem
    return problem | {"input": msgspec.Raw(sent.raw)}


def respond_stored(response: StoredResponse) -> JSONBytes:
    """Return a response that was encoded when it was first given."""
    headers = {"Idempotent-Replayed": "true"} if response.replayed else {}
    return JSONBytes(response.body, response.status, headers)
