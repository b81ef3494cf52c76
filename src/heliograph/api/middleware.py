"""Two pure ASGI steps around the application: the request's id, and the gate to `/api/v1`."""

import re
from collections.abc import Callable
from uuid import uuid4

import structlog
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from heliograph.api.encoding import respond, respond_error
from heliograph.api.rates import RateLimiter, Verdict
from heliograph.errors import BodyTooLargeError, GatewayError, MalformedAuthorizationError
from heliograph.services.keys import KeyService
from heliograph.services.principals import Principal

PREFIX = "/api/v1"
MAX_BODY = 1024 * 1024
PRINCIPAL = "heliograph.principal"
VERDICT = "heliograph.verdict"
REQUEST_ID = "heliograph.request_id"

_REQUEST_ID = re.compile(rb"[!-~]{1,128}")

log = structlog.get_logger()


class RequestIdMiddleware:
    """Gives each request an id: the caller's X-Request-Id where it is fit, else a new one.

    The id stands in the answer and in every log line. What no handler caught ends here, as a 500
    that tells nothing of the inside.
    """

    def __init__(self, app: ASGIApp, make_id: Callable[[], str] = lambda: uuid4().hex) -> None:
        self._app = app
        self._make_id = make_id

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = _find_request_id(scope) or self._make_id()
        scope[REQUEST_ID] = request_id
        started = False

        async def send_with_id(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                message["headers"] = [
                    *message.get("headers", ()),
                    (b"x-request-id", request_id.encode("ascii")),
                ]
            await send(message)

        with structlog.contextvars.bound_contextvars(request_id=request_id):
            try:
                await self._app(scope, receive, send_with_id)
            except Exception:
                log.exception("request failed", method=scope["method"], path=scope["path"])
                if started:
                    raise
                await _internal_error(request_id)(scope, receive, send_with_id)


def _find_request_id(scope: Scope) -> str | None:
    for name, value in scope["headers"]:
        if name == b"x-request-id":
            return value.decode("ascii") if _REQUEST_ID.fullmatch(value) else None
    return None


def _internal_error(request_id: str) -> ASGIApp:
    return respond(
        {
            "detail": "The gateway failed to answer this request; its log says why.",
            "code": "internal_error",
            "request_id": request_id,
        },
        500,
    )


class GateMiddleware:
    """What stands before every address of the public API: 413, then 401, and the rate's headers.

    The body is read here, so that one that is too large is refused before anything else; the
    principal and the rate's verdict travel in the scope. Routes decide 403 and 429 from them.
    """

    def __init__(self, app: ASGIApp, keys: KeyService, limiter: RateLimiter) -> None:
        self._app = app
        self._keys = keys
        self._limiter = limiter

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not is_public_api(scope["path"]):
            await self._app(scope, receive, send)
            return
        try:
            receive = await _read_body(scope, receive)
            principal = await self._keys.authenticate(_find_authorization(scope))
        except GatewayError as error:
            await respond_error(error)(scope, receive, send)
            return
        verdict = await self._limiter.hit(principal)
        _admit(scope, principal, verdict)
        await self._app(scope, receive, _with_headers(send, verdict))


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


async def _read_body(scope: Scope, receive: Receive) -> Receive:
    """Read the whole body and give it to whoever asks next. Raises `BodyTooLargeError`.

    A body whose length is announced is refused before it is read, any other as soon as it is
    too long, whether or not the client has finished sending.
    """
    length = _announced_length(scope)
    if length == 0:
        return receive
    if length is not None and length > MAX_BODY:
        raise BodyTooLargeError(MAX_BODY)
    parts, size, last = [], 0, False
    while not last:
        message = await receive()
        if message["type"] != "http.request":
            return _replay([message], receive)
        part = message.get("body", b"")
        size += len(part)
        if size > MAX_BODY:
            raise BodyTooLargeError(MAX_BODY)
        parts.append(part)
        last = not message.get("more_body", False)
    return _replay([{"type": "http.request", "body": b"".join(parts)}], receive)


def _announced_length(scope: Scope) -> int | None:
    """0 when there is no body at all, None when its length is not announced."""
    chunked = False
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value[:20])
        chunked = chunked or name == b"transfer-encoding"
    return None if chunked else 0


def _replay(messages: list[Message], receive: Receive) -> Receive:
    async def receive_again() -> Message:
        return messages.pop(0) if messages else await receive()

    return receive_again
