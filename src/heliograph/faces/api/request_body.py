"""The body of a request, read as a whole before anything is done with it."""

import math

from starlette.requests import ClientDisconnect
from starlette.types import Message, Receive, Scope

from heliograph.errors import BodyTooLargeError, ContentEncodingError

MAX_BODY = 64 * 1024
"""Bytes: no operation needs more. The largest is a group of 1,024 people, with 60 characters
for each address."""
COUNTED_AS_ONE = 16 * 1024
"""Bytes. A larger body counts as so many requests as it has pieces of this size."""


def check_announced(scope: Scope) -> None:
    """Raise `BodyTooLargeError` for a body whose announced length is beyond the limit."""
    length = _announced_length(scope)
    if length is not None and length > MAX_BODY:
        raise BodyTooLargeError(MAX_BODY)


async def read_body(scope: Scope, receive: Receive) -> bytes | None:
    """The whole body, None when there is none to read.

    Raises `BodyTooLargeError`, and `ClientDisconnect` when the client left before its end.

    A body whose length is announced is refused before it is read, any other as soon as it is
    too long, whether or not the client has finished sending.
    """
    check_announced(scope)
    if _announced_length(scope) == 0:
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
    """How many requests one with a body of so many bytes counts as."""
    return max(1, math.ceil(size / COUNTED_AS_ONE))


def _announced_length(scope: Scope) -> int | None:
    """0 when there is no body at all, None when its length is not announced."""
    chunked = False
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value.lstrip(b"0")[:20] or b"0")
        chunked = chunked or name == b"transfer-encoding"
    return None if chunked else 0


def replay(body: bytes, receive: Receive) -> Receive:
    """Gives the body that has been read to whoever asks next."""
    waiting: list[Message] = [{"type": "http.request", "body": body}]

    async def receive_again() -> Message:
        return waiting.pop() if waiting else await receive()

    return receive_again
