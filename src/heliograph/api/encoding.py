"""Answers as bytes: encoded once, by msgspec, times in UTC with `Z`."""

import json
from collections.abc import Mapping
from typing import Any

import msgspec
from fastapi import Response

from heliograph.errors import GatewayError, InvalidInputError
from heliograph.services.idempotency import Answer

_encoder = msgspec.json.Encoder()


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


def respond_invalid(detail: InvalidInputError | list[Any]) -> JSONBytes:
    """The 422 answer; `detail` may hold anything a client sent, lone surrogates too."""
    body = detail.body() if isinstance(detail, InvalidInputError) else {"detail": detail}
    # ASCII only: a lone surrogate is echoed as its escape instead of failing to encode
    return JSONBytes(json.dumps(body, default=str).encode("ascii"), 422)


def respond_answer(answer: Answer) -> JSONBytes:
    """An answer that was encoded when it was first given."""
    headers = {"Idempotent-Replayed": "true"} if answer.replayed else {}
    return JSONBytes(answer.body, answer.status, headers)
