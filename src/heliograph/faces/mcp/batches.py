"""Batches: several messages of the protocol in one request.

Only revision 2025-03-26 has them. Its clients name no revision in their requests: the header for
that came with the next.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import msgspec
from starlette.types import Message, Receive, Scope, Send

from heliograph.faces.api.encoding import JSONBytes, respond
from heliograph.faces.api.request_body import replay
from heliograph.faces.mcp.refusals import refuse

REVISION = "2025-03-26"
MAX_MESSAGES = 20
"""Messages in a batch."""

Serve = Callable[[Scope, Receive, Send, bytes], Awaitable[None]]


class _CallHead(msgspec.Struct):
    id: int | str | None = None
    method: str | None = None


_batch_decoder = msgspec.json.Decoder(list[msgspec.Raw])
_head_decoder = msgspec.json.Decoder(_CallHead)


def revisions_of(scope: Scope) -> list[str]:
    """Return the revisions of the protocol that a request names."""
    name = b"mcp-protocol-version"
    return [value.decode("latin-1") for key, value in scope["headers"] if key == name]


def split(scope: Scope, body: bytes) -> list[bytes] | None:
    """Return the messages of a batch; None for any other body, or where there are no batches."""
    if revisions_of(scope) not in ([], [REVISION]) or not body.lstrip(b" \t\r\n").startswith(b"["):
        return None
    try:
        return [bytes(message) for message in _batch_decoder.decode(body)]
    except (msgspec.DecodeError, RecursionError):
        return None


def why_not(messages: Sequence[bytes]) -> str | None:
    """Return why a batch is not taken as a whole."""
    if not messages:
        return "An empty batch asks for nothing."
    return (
        None if len(messages) <= MAX_MESSAGES else f"A batch has at most {MAX_MESSAGES} messages."
    )


async def serve_each(
    messages: Sequence[bytes], scope: Scope, receive: Receive, send: Send, serve: Serve
) -> None:
    """Have each message served as a request of its own, and send the answers together."""
    answers: list[msgspec.Raw] = []
    for message in messages:
        answer = await _answer(message, scope, receive, serve)
        if answer:
            answers.append(msgspec.Raw(answer))
    response = respond(answers) if answers else JSONBytes(b"", 202)
    await response(scope, receive, send)


async def _answer(message: bytes, scope: Scope, receive: Receive, serve: Serve) -> bytes:
    """Return the answer to one message; empty for one that gets none."""
    head = _head(message)
    if head.method == "initialize":
        return bytes(refuse("initialize can't be part of a batch.", head.id).body)
    sent: list[Message] = []

    async def collect(part: Message) -> None:
        sent.append(part)

    await serve(dict(scope), replay(message, receive), collect, message)
    body = b"".join(part.get("body", b"") for part in sent if part["type"] == "http.response.body")
    return _with_id(body, head.id)


def _head(message: bytes) -> _CallHead:
    try:
        return _head_decoder.decode(message)
    except (msgspec.DecodeError, RecursionError):
        return _CallHead()


def _with_id(body: bytes, message_id: int | str | None) -> bytes:
    """Add the id of the refused message: a refusal before the protocol begins does not know it."""
    if message_id is None or not body:
        return body
    answer: dict[str, Any] = msgspec.json.decode(body)
    if answer.get("id") is not None:
        return body
    return msgspec.json.encode(answer | {"id": message_id})
