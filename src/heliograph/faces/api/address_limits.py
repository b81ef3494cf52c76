"""Limits by the client's address, for requests with neither a key nor a session."""

from collections.abc import Container

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from heliograph.core.rates.service import RateLimiter, Verdict
from heliograph.faces.api.encoding import respond_error


class AddressLimit:
    """Limit the requests of an address in a minute, and respond with 429 to the rest.

    Paths in `free` are not counted: refusing them would cost as much as serving them.
    """

    def __init__(self, app: ASGIApp, limiter: RateLimiter, free: Container[str] = ()) -> None:
        self._app = app
        self._limiter = limiter
        self._free = free

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in self._free:
            await self._app(scope, receive, send)
            return
        verdict = await self._limiter.hit_address(client_host(scope))
        if verdict.allowed:
            await self._app(scope, receive, send)
        else:
            await refuse(verdict, scope, receive, send)


async def respond_to_stranger(
    limiter: RateLimiter, response: Response, scope: Scope, receive: Receive, send: Send
) -> None:
    """Answer one who was not let in, and count it: 429 to an address that goes on trying."""
    verdict = await limiter.hit_address(client_host(scope))
    if verdict.allowed:
        await response(scope, receive, send)
    else:
        await refuse(verdict, scope, receive, send)


async def refuse(verdict: Verdict, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer 429 with the headers that say which limit it was."""
    response = respond_error(verdict.refusal())
    response.raw_headers.extend(verdict.headers())
    await response(scope, receive, send)


def client_host(scope: Scope) -> str | None:
    """Return the client's address, as a trusted proxy tells it; None for a client on a Unix
    socket."""
    client = scope.get("client")
    return None if client is None else str(client[0])
