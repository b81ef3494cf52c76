"""A pure ASGI step around the application: the gate to `/api/v1`."""

from collections.abc import Awaitable, Callable, Mapping
from typing import TypeAlias

from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from heliograph.api.encoding import respond_error
from heliograph.api.rates import RateLimiter, Verdict
from heliograph.errors import BodyTooLargeError, GatewayError, MalformedAuthorizationError
from heliograph.services.keys import KeyService
from heliograph.services.principals import Principal

PREFIX = "/api/v1"
MAX_BODY = 1024 * 1024
PRINCIPAL = "heliograph.principal"
VERDICT = "heliograph.verdict"

ShortWay: TypeAlias = Callable[[Scope, bytes], Awaitable[Response | None]]
"""Answers a request whose body is this, or leaves it to the application: then it is None."""


class GateMiddleware:
    """What stands before every address of the public API: 413, then 401, and the rate's headers.

    The body is read here, so that one that is too large is refused before anything else; the
    principal and the rate's verdict travel in the scope. Routes decide 403 and 429 from them.

    `short_ways` are tried first, by method and path, or by the path above with its `/`; the
    application gets the same request when one of them leaves it.
    """

    def __init__(
        self,
        app: ASGIApp,
        keys: KeyService,
        limiter: RateLimiter,
        short_ways: Mapping[tuple[str, str], ShortWay],
    ) -> None:
        self._app = app
        self._keys = keys
        self._limiter = limiter
        self._short_ways = short_ways

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not is_public_api(scope["path"]):
            await self._app(scope, receive, send)
            return
        try:
            body = await _read_body(scope, receive)
            principal = await self._keys.authenticate(_find_authorization(scope))
        except GatewayError as error:
            await respond_error(error)(scope, receive, send)
            return
        except ClientDisconnect:
            return
        verdict = await self._limiter.hit(principal)
        _admit(scope, principal, verdict)
        send = _with_headers(send, verdict)
        short_way = self._find_short_way(scope["method"], scope["path"])
        response = None if short_way is None else await short_way(scope, body or b"")
        if response is not None:
            await response(scope, receive, send)
            return
        if body is not None:
            receive = _replay(body, receive)
        await self._app(scope, receive, send)

    def _find_short_way(self, method: str, path: str) -> ShortWay | None:
        exact = self._short_ways.get((method, path))
        return exact or self._short_ways.get((method, path[: path.rfind("/") + 1]))


def is_public_api(path: str) -> bool:
    return path == PREFIX or path.startswith(PREFIX + "/")


def _admit(scope: Scope, principal: Principal, verdict: Verdict) -> None:
    scope[PRINCIPAL] = principal
    scope[VERDICT] = verdict


def _with_headers(send: Send, verdict: Verdict) -> Send:
    async def send_with_rate(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", ()), *verdict.headers()]
        await send(message)

    return send_with_rate


def _find_authorization(scope: Scope) -> bytes | None:
    found = [value for name, value in scope["headers"] if name == b"authorization"]
    if len(found) > 1:
        raise MalformedAuthorizationError
    return found[0] if found else None


async def _read_body(scope: Scope, receive: Receive) -> bytes | None:
    """The whole body, None when there is none to read.

    Raises `BodyTooLargeError`, and `ClientDisconnect` when the client left before its end.

    A body whose length is announced is refused before it is read, any other as soon as it is
    too long, whether or not the client has finished sending.
    """
    length = _announced_length(scope)
    if length == 0:
        return None
    if length is not None and length > MAX_BODY:
        raise BodyTooLargeError(MAX_BODY)
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


def _announced_length(scope: Scope) -> int | None:
    """0 when there is no body at all, None when its length is not announced."""
    chunked = False
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value.lstrip(b"0")[:20] or b"0")
        chunked = chunked or name == b"transfer-encoding"
    return None if chunked else 0


def _replay(body: bytes, receive: Receive) -> Receive:
    """Gives the body that has been read to whoever asks next."""
    waiting: list[Message] = [{"type": "http.request", "body": body}]

    async def receive_again() -> Message:
        return waiting.pop() if waiting else await receive()

    return receive_again
