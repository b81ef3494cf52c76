"""A pure ASGI step around the application: the gate to `/api/v1`."""

from collections.abc import Awaitable, Callable, Mapping
from typing import TypeAlias

from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from heliograph.api.encoding import respond_error
from heliograph.api.open_pages import AddressGate, answer_stranger
from heliograph.api.request_body import MAX_BODY, check_announced, count_as, read_body, replay
from heliograph.errors import (
    BodyTooLargeError,
    GatewayError,
    MalformedAuthorizationError,
    UnavailableError,
)
from heliograph.services.keys import KeyService
from heliograph.services.principals import Principal
from heliograph.services.rates import RateLimiter, Verdict

PREFIX = "/api/v1"
PRINCIPAL = "heliograph.principal"
VERDICT = "heliograph.verdict"

ShortWay: TypeAlias = Callable[[Scope, bytes], Awaitable[Response | None]]
"""Answers a request whose body is this, or leaves it to the application: then it is None."""


class GateMiddleware:
    """What stands before every address of the public API: 413 by the announced length, 401, then
    the body, 413 again, and the rate's headers.

    So nobody's body is read who has no key. The principal and the rate's verdict travel in the
    scope; routes decide 403 and 429 from them. What lies beside the API needs no key and is counted
    by address, as are those who are not let in.

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
        self._beside = AddressGate(app, limiter)
        self._keys = keys
        self._limiter = limiter
        self._short_ways = short_ways

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            _drop_cookies(scope)
        if scope["type"] != "http" or not is_public_api(scope["path"]):
            await self._beside(scope, receive, send)
            return
        try:
            check_announced(scope)
            principal = await self._keys.authenticate(_find_authorization(scope))
        except UnavailableError as error:
            await respond_error(error)(scope, receive, send)
            return
        except GatewayError as error:
            await answer_stranger(self._limiter, respond_error(error), scope, receive, send)
            return
        try:
            body = await read_body(scope, receive)
        except BodyTooLargeError as error:
            await self._limiter.hit(principal, count_as(MAX_BODY))
            await respond_error(error)(scope, receive, send)
            return
        except ClientDisconnect:
            return
        await self._serve(scope, receive, send, principal, body)

    async def _serve(
        self, scope: Scope, receive: Receive, send: Send, principal: Principal, body: bytes | None
    ) -> None:
        verdict = await self._limiter.hit(principal, count_as(len(body or b"")))
        admit(scope, principal, verdict)
        send = with_rate_headers(send, verdict)
        short_way = self._find_short_way(scope["method"], scope["path"])
        response = None if short_way is None else await short_way(scope, body or b"")
        if response is not None:
            await response(scope, receive, send)
            return
        if body is not None:
            receive = replay(body, receive)
        await self._app(scope, receive, send)

    def _find_short_way(self, method: str, path: str) -> ShortWay | None:
        exact = self._short_ways.get((method, path))
        return exact or self._short_ways.get((method, path[: path.rfind("/") + 1]))


def is_public_api(path: str) -> bool:
    return path == PREFIX or path.startswith(PREFIX + "/")


def admit(scope: Scope, principal: Principal, verdict: Verdict) -> None:
    scope[PRINCIPAL] = principal
    scope[VERDICT] = verdict


def with_rate_headers(send: Send, verdict: Verdict) -> Send:
    async def send_with_rate(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", ()), *verdict.headers()]
        await send(message)

    return send_with_rate


def _drop_cookies(scope: Scope) -> None:
    """The API knows none, but FastAPI parses them, and Python takes seconds for a long one full of
    backslashes (CVE-2024-7592)."""
    if any(name == b"cookie" for name, _ in scope["headers"]):
        scope["headers"] = [each for each in scope["headers"] if each[0] != b"cookie"]


def _find_authorization(scope: Scope) -> bytes | None:
    found = [value for name, value in scope["headers"] if name == b"authorization"]
    if len(found) > 1:
        raise MalformedAuthorizationError
    return found[0] if found else None
