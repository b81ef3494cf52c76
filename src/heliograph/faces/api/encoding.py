"""Answers as bytes: encoded once, by msgspec, times in UTC with `Z`."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
from fastapi import Response

from heliograph.core.idempotency.service import Answer
from heliograph.errors import GatewayError

_encoder = msgspec.json.Encoder()
_lenient = msgspec.json.Encoder(enc_hook=str)


class Sent(NamedTuple):
    """A body that is JSON, and what it says."""

    raw: bytes
    value: object


class JSONBytes(Response):
    """A response whose body is JSON already."""

    media_type = "application/json"


def respond(
    value: object, status: int = 200, headers: Mapping[str, str] | None = None
) -> JSONBytes:
    """`value` (dicts, lists, UUIDs, aware datetimes, model records) as a JSON answer."""
    return JSONBytes(_encoder.encode(value), status, dict(headers or {}))


def respond_error(error: GatewayError) -> JSONBytes:
    return respond(error.body(), error.status, error.headers())


def respond_invalid(problems: Sequence[dict[str, Any]], sent: Sent | None = None) -> JSONBytes:
    """The 422 answer; the problems may hold anything a client sent, lone surrogates too.

    Where one shows all that was sent, it shows it as it came: a body is not encoded once more for
    each member that it lacks.
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


def respond_answer(answer: Answer) -> JSONBytes:
    """An answer that was encoded when it was first given."""
    headers = {"Idempotent-Replayed": "true"} if answer.replayed else {}
    return JSONBytes(answer.body, answer.status, headers)
