"""A pure ASGI step around the application: the gate to `/api/v1`."""

from collections.abc import Awaitable, Callable, Mapping
from typing import TypeAlias

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from heliograph.core.keys.service import KeyService
from heliograph.core.rates.service import RateLimiter
from heliograph.core.tenants.model import Principal
from heliograph.errors import MalformedAuthorizationError
from heliograph.faces.api.address_limits import AddressLimit
from heliograph.faces.api.authentication import Admitted, KeyAuthentication
from heliograph.faces.api.request_body import check_announced

PREFIX = "/api/v1"

ShortWay: TypeAlias = Callable[[Scope, bytes], Awaitable[Response | None]]
"""Answers a request whose body is this, or leaves it to the application: then it is None."""


class AuthenticationMiddleware:
    """What stands before every address of the public API: 413 by the announced length, 401, then
    the body, 413 again, and the rate's headers.

    Routes decide 403 and 429 from what travels in the scope. What lies beside the API needs no key
    and is counted by address.

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
        self._beside = AddressLimit(app, limiter)
        self._gate = KeyAuthentication(self._authenticate, limiter, self._serve)
        self._keys = keys
        self._short_ways = short_ways

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            _drop_cookies(scope)
        if scope["type"] == "http" and is_public_api(scope["path"]):
            await self._gate(scope, receive, send)
        else:
            await self._beside(scope, receive, send)

    async def _authenticate(self, scope: Scope) -> Principal:
        check_announced(scope)
        return await self._keys.authenticate(_find_authorization(scope))

    async def _serve(self, scope: Scope, receive: Receive, send: Send, admitted: Admitted) -> None:
        short_way = self._find_short_way(scope["method"], scope["path"])
        response = None if short_way is None else await short_way(scope, admitted.body)
        await (response or self._app)(scope, receive, send)

    def _find_short_way(self, method: str, path: str) -> ShortWay | None:
        exact = self._short_ways.get((method, path))
        return exact or self._short_ways.get((method, path[: path.rfind("/") + 1]))


def is_public_api(path: str) -> bool:
    return path == PREFIX or path.startswith(PREFIX + "/")


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
