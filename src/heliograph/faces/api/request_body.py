"""The body of a request: read as a whole within a limit, and parsed as strict JSON.

What Python's parser lets through is refused with 422 in FastAPI's own shape: bytes that are not
UTF-8, NaN and Infinity, numbers too large for a double or of thousands of digits, nesting deeper
than 64, more than 4,096 values, lone surrogates and NUL characters.
"""

import asyncio
import json
import math
from collections.abc import Iterator, Sequence
from email.message import Message as Headers
from itertools import starmap
from typing import Any, NamedTuple, NoReturn

from starlette.requests import ClientDisconnect
from starlette.types import Message, Receive, Scope

from heliograph.errors import (
    BodyTooLargeError,
    ContentEncodingError,
    InvalidInputError,
    UnsupportedMediaTypeError,
)
from heliograph.input_problems import InputProblem

MAX_BODY = 64 * 1024
"""Bytes: no operation needs more. The largest is a group of 1,024 people, with 60 characters
for each address."""
COUNTED_AS_ONE = 16 * 1024
"""Bytes. A larger body counts as one request for each piece of this size."""

MAX_DEPTH = 64
MAX_VALUES = 4096
"""Names count as well. The largest request has a quarter as many; each takes time to check."""

LARGE = 16 * 1024
"""Bytes of a body after whose parsing others have their turn."""

PIECE = 1000
"""Values that are checked before others have their turn."""

Location = tuple[str | int, ...]


def check_announced(scope: Scope) -> None:
    """Raise `BodyTooLargeError` for a body whose announced length is beyond the limit."""
    length = announced_length(scope)
    if length is not None and length > MAX_BODY:
        raise BodyTooLargeError(MAX_BODY)


async def read_body(scope: Scope, receive: Receive) -> bytes | None:
    """Read the whole body; return None when there is none.

    `check_announced` comes before it. A body without an announced length is refused as soon as it
    is too long, whether or not the client has finished sending. Raises `BodyTooLargeError`, and
    `ClientDisconnect` when the client leaves before its end.
    """
    if announced_length(scope) == 0:
        return None
    parts, size, last = [], 0, False
    while not last:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        part = message.get("body", b"")
        size += len(part)
        if size > MAX_BODY:
            raise BodyTooLargeError(MAX_BODY)
        parts.append(part)
        last = not message.get("more_body", False)
    return b"".join(parts)


def check_encoding(scope: Scope) -> None:
    """Raise `ContentEncodingError` for a body that would have to be decoded first."""
    for name, value in scope["headers"]:
        if name == b"content-encoding" and value.strip().lower() not in (b"", b"identity"):
            raise ContentEncodingError(value.decode("latin-1"))


def count_as(size: int) -> int:
    """Return how many requests a request with a body of `size` bytes counts as."""
    return max(1, math.ceil(size / COUNTED_AS_ONE))


def announced_length(scope: Scope) -> int | None:
    """Return the announced length of the body: 0 when there is none at all, None when its length is
    not announced."""
    chunked = False
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value.lstrip(b"0")[:20] or b"0")
        chunked = chunked or name == b"transfer-encoding"
    return None if chunked else 0


def replay(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that yields the body again after it was read."""
    waiting: list[Message] = [{"type": "http.request", "body": body}]

    async def receive_again() -> Message:
        return waiting.pop() if waiting else await receive()

    return receive_again


def check_content_type(content_types: Sequence[str]) -> None:
    """Raise `UnsupportedMediaTypeError` for a body that does not say, once, that it is JSON."""
    if len(content_types) != 1:
        raise UnsupportedMediaTypeError
    message = Headers()
    message["content-type"] = content_types[0] or "application/octet-stream"
    subtype = message.get_content_subtype()
    is_json = subtype == "json" or subtype.endswith("+json")
    if message.get_content_maintype() != "application" or not is_json:
        raise UnsupportedMediaTypeError


async def check_no_members(body: bytes) -> None:
    """Raise `InvalidInputError` for a body where none is expected, as its content would be ignored.

    An empty object is as good as no body.
    """
    value = await read_json(body) if body.strip() else {}
    if not isinstance(value, dict):
        raise InvalidInputError.at(("body",), "This operation takes no body.", input=value)
    if value:
        raise InvalidInputError(*starmap(_unknown_member, value.items()))


def _unknown_member(name: str, value: object) -> InputProblem:
    message = "Extra inputs are not permitted"
    return InputProblem(("body", name), message, "extra_forbidden", value)


async def read_json(body: bytes) -> Any:
    """Parse a body in which every value can be stored and echoed; raise `InvalidInputError`."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        _refuse_json(error.start, "The body is not UTF-8")
    try:
        value = json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        _refuse_json(error.pos, error.msg)
    except _LooseConstantError as error:
        _refuse_json(0, f"{error} is not JSON")
    except RecursionError:
        _refuse_json(0, f"Nesting deeper than {MAX_DEPTH}")
    except ValueError:  # Python's own limit on the digits of an integer
        _refuse_json(0, "A number has too many digits")
    if len(body) > LARGE:
        await asyncio.sleep(0)  # other requests have their turn
    await check_value(value, ("body",))
    return value


class _LooseConstantError(ValueError):
    """NaN, Infinity or -Infinity, which Python's parser accepts and JSON does not have."""


def _refuse_constant(name: str) -> NoReturn:
    raise _LooseConstantError(name)


def _refuse_json(position: int, reason: str) -> NoReturn:
    raise InvalidInputError.at(
        ("body", position),
        "JSON decode error",
        type="json_invalid",
        input={},
        ctx={"error": reason},
    )


async def check_value(value: Any, location: Location) -> None:
    """Check that everything in a decoded value can be stored and echoed.

    `location` leads to the value. Other requests have their turn after each `PIECE` values. Raises
    `InvalidInputError`.
    """
    for number, (found, place) in enumerate(_walk(value, _ValuePath(None, location, 1)), 1):
        if number > MAX_VALUES:
            _refuse_json(0, f"More than {MAX_VALUES} names and values")
        _check(found, place)
        if number % PIECE == 0:
            await asyncio.sleep(0)


class _ValuePath(NamedTuple):
    """The path to a value: `steps` within `parent`."""

    parent: "_ValuePath | None"
    steps: Location
    depth: int

    def location(self) -> Location:
        return self.steps if self.parent is None else self.parent.location() + self.steps


def _walk(value: Any, place: _ValuePath) -> Iterator[tuple[Any, _ValuePath]]:
    """Yield the value and everything in it, containers before their contents, names as texts."""
    open_iterators: list[Iterator[tuple[Any, _ValuePath]]] = [iter([(value, place)])]
    while open_iterators:
        for found, here in open_iterators[-1]:
            yield found, here
            if isinstance(found, (dict, list)):
                open_iterators.append(_items(found, here))
                break
        else:
            open_iterators.pop()


def _items(value: Any, place: _ValuePath) -> Iterator[tuple[Any, _ValuePath]]:
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield item, _ValuePath(place, (index,), place.depth + 1)
        return
    for name, item in value.items():
        yield name, place
        yield item, _ValuePath(place, (name,), place.depth + 1)


def _check(value: Any, place: _ValuePath) -> None:
    if isinstance(value, str):
        _check_text(value, place)
    elif isinstance(value, (dict, list)):
        if place.depth > MAX_DEPTH:
            _refuse_json(0, f"Nesting deeper than {MAX_DEPTH}")
    elif isinstance(value, float) and not math.isfinite(value):
        _refuse(place, "Number is out of range")


def _check_text(text: str, place: _ValuePath) -> None:
    if "\x00" in text:
        _refuse(place, "Text must not contain NUL characters")
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            _refuse(place, "Text must not contain lone surrogates")


def _refuse(place: _ValuePath, reason: str) -> NoReturn:
    raise InvalidInputError.at(place.location(), f"Value error, {reason}", ctx={"error": reason})
