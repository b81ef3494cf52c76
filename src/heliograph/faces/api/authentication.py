"""Authentication of requests with an API key: the key first, then the body, then the rate.

The body of a request without a valid key is never read. Such a request is counted by its address.
The key of a request whose body took long is checked once more: it may have ended meanwhile.
"""

import time
from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import NamedTuple, TypeAlias
from urllib.parse import parse_qsl

from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from heliograph.core.keys.service import parse_authorization
from heliograph.core.rates.service import SEARCH_COST, RateLimiter, Verdict
from heliograph.core.services import Services
from heliograph.core.tenants.model import Principal
from heliograph.errors import (
    BodyTooLargeError,
    GatewayError,
    MalformedAuthorizationError,
    UnavailableError,
)
from heliograph.faces.address_limits import AddressLimit, client_host
from heliograph.faces.api.encoding import refuse_by_rate, respond_error
from heliograph.faces.api.request_body import MAX_BODY, check_announced, count_as, read_body, replay
from heliograph.platform.database.shares import Requester, serving

PRINCIPAL = "heliograph.principal"
VERDICT = "heliograph.verdict"
PREFIX = "/api/v1"
READING = ("GET", "HEAD")
"""Methods that change nothing."""
TOOK_LONG = 1.0
"""Seconds after which a body has taken so long to arrive that its key is checked again. An ended
key is refused everywhere within as many."""


class Admitted(NamedTuple):
    """A request whose key is known. `body` is empty where there is none, or where it is left to the
    handler."""

    principal: Principal
    verdict: Verdict
    body: bytes


FastPath: TypeAlias = Callable[[Scope, Admitted], Awaitable[Response | None]]
"""Returns the response to a request, or None for the application to answer."""

Authenticate: TypeAlias = Callable[[Scope], Awaitable[Principal]]
FindFastPath: TypeAlias = Callable[[Scope], "FastPath | None"]
Serve: TypeAlias = Callable[[Scope, Receive, Send, Admitted], Awaitable[None]]
Count: TypeAlias = Callable[[Scope, bytes], int]
Refuse: TypeAlias = Callable[[GatewayError, Scope], Response]


class KeyAuthentication:
    """Authenticate requests and pass them to `serve`, which decides 403 and 429.

    `authenticate` checks the announced length of the body and the key. It raises `GatewayError`,
    which `refuse` turns into a response. The principal and the rate's verdict are put into the
    scope, and the body can be received once more. A request that `is_streamed` keeps its body
    unread: its handler decides how long it may be. A fast path that `find_fast_path` finds is tried
    before `serve`. `count` returns how many requests one with this body counts as.
    """

    def __init__(
        self,
        authenticate: Authenticate,
        limiter: RateLimiter,
        serve: Serve,
        refuse: Refuse = respond_error,
        is_streamed: Callable[[Scope], bool] = lambda _: False,
        find_fast_path: FindFastPath = lambda _: None,
        count: Count = lambda scope, body: count_request(body, int(asks_to_search(scope))),
    ) -> None:
        self._authenticate = authenticate
        self._limiter = limiter
        self._serve = serve
        self._refuse = refuse
        self._is_streamed = is_streamed
        self._find_fast_path = find_fast_path
        self._count = count

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        principal = await self._let_in(scope, receive, send)
        if principal is None:
            return
        began = time.monotonic()
        try:
            body = None if self._is_streamed(scope) else await read_body(scope, receive)
        except BodyTooLargeError as error:
            await self._limiter.hit(principal, count_as(MAX_BODY))
            await self._refuse(error, scope)(scope, receive, send)
            return
        except ClientDisconnect:
            return
        if body is not None and time.monotonic() - began > TOOK_LONG:
            principal = await self._let_in(scope, receive, send)
            if principal is None:
                return
        verdict = await self._limiter.hit(principal, self._count(scope, body or b""))
        scope[PRINCIPAL] = principal
        scope[VERDICT] = verdict
        admitted = Admitted(principal, verdict, body or b"")
        if body is not None:
            receive = replay(body, receive)
        with serving(Requester(principal.organization_id, scope["method"] in READING)):
            await self._answer(scope, receive, send, admitted)

    async def _let_in(self, scope: Scope, receive: Receive, send: Send) -> Principal | None:
        """Return the caller; None where the request has been refused."""
        try:
            return await self._authenticate(scope)
        except UnavailableError as error:
            await self._refuse(error, scope)(scope, receive, send)
        except GatewayError as error:
            # a refused caller is counted: an address that goes on trying gets 429
            await AddressLimit(self._refuse(error, scope), self._limiter, refuse_by_rate)(
                scope, receive, send
            )
        return None

    async def _answer(self, scope: Scope, receive: Receive, send: Send, admitted: Admitted) -> None:
        verdict = admitted.verdict
        fast_path = self._find_fast_path(scope)
        response = await fast_path(scope, admitted) if fast_path else None
        if response is not None:
            response.raw_headers.extend(verdict.headers())
            await response(scope, receive, send)
            return
        await self._serve(scope, receive, _with_rate_headers(send, verdict), admitted)


def count_request(body: bytes, searches: int, messages: int = 1) -> int:
    """Return how many requests a request with this body counts as."""
    return max(messages, count_as(len(body))) + searches * (SEARCH_COST - 1)


def asks_to_search(scope: Scope) -> bool:
    """Whether the query has a text to search for."""
    query = scope["query_string"].decode("latin-1")
    return any(name == "search" for name, _ in parse_qsl(query))


def _with_rate_headers(send: Send, verdict: Verdict) -> Send:
    async def send_with_rate(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", ()), *verdict.headers()]
        await send(message)

    return send_with_rate


class AuthenticationMiddleware:
    """Authenticate every request to the public API.

    The order is: 413 by the announced length, 401, then the body, 413 again, and the rate's
    headers. Routes decide 403 and 429 from what is in the scope. Addresses outside the API need no
    key and are counted by the client's address.

    `streamed` are the operations, by method and path, whose handlers read the body as it arrives.

    `fast_paths` are tried first, by method and path, or by the parent path with its `/`. A request
    that none of them answers goes to the application unchanged.
    """

    def __init__(
        self,
        app: ASGIApp,
        services: Services,
        fast_paths: Mapping[tuple[str, str], FastPath],
        streamed: Collection[tuple[str, str]],
    ) -> None:
        self._app = app
        self._beside = AddressLimit(app, services.rates, refuse_by_rate)
        self._streamed = streamed
        self._authentication = KeyAuthentication(
            self._authenticate,
            services.rates,
            self._serve,
            is_streamed=self._is_streamed,
            find_fast_path=self._find_fast_path,
        )
        self._keys = services.keys
        self._fast_paths = fast_paths

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        if scope["type"] == "http":
            _drop_cookies(scope)
            if scope["path"] == PREFIX or scope["path"].startswith(f"{PREFIX}/"):
                return self._authentication(scope, receive, send)
        return self._beside(scope, receive, send)

    def _is_streamed(self, scope: Scope) -> bool:
        return (scope["method"], scope["path"]) in self._streamed

    async def _authenticate(self, scope: Scope) -> Principal:
        if not self._is_streamed(scope):
            check_announced(scope)
        token = parse_authorization(_find_authorization(scope))
        return await self._keys.authenticate_key(token, client_host(scope))

    def _find_fast_path(self, scope: Scope) -> FastPath | None:
        method, path = scope["method"], scope["path"]
        parent = path[: path.rfind("/") + 1]
        return self._fast_paths.get((method, path)) or self._fast_paths.get((method, parent))

    async def _serve(self, scope: Scope, receive: Receive, send: Send, admitted: Admitted) -> None:
        await self._app(scope, receive, send)


async def authenticate_again(services: Services, scope: Scope) -> None:
    """Authenticate again the key of a request that took a while to read; a person has none.

    Raises `UnauthorizedError` when it has been revoked or has expired since, and `UnavailableError`
    while that can't be checked.
    """
    authorization = _find_authorization(scope)
    if authorization is not None:
        await services.keys.authenticate(authorization, client_host(scope))


def _drop_cookies(scope: Scope) -> None:
    # The API uses no cookies, but FastAPI parses them, and Python takes seconds for a long one full
    # of backslashes (CVE-2024-7592).
    if b"cookie" in dict(scope["headers"]):
        scope["headers"] = [header for header in scope["headers"] if header[0] != b"cookie"]


def _find_authorization(scope: Scope) -> bytes | None:
    found = [value for name, value in scope["headers"] if name == b"authorization"]
    if len(found) > 1:
        raise MalformedAuthorizationError
    return found[0] if found else None
