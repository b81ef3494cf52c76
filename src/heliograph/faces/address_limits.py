"""Limits by the client's address, for requests with neither a key nor a session."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from starlette.types import ASGIApp, Receive, Scope, Send

from heliograph.core.rates.service import RateLimiter, Verdict

Refuse: TypeAlias = Callable[[Verdict, Scope, Receive, Send], Awaitable[None]]


class AddressLimit:
    """Limit the requests of an address in a minute, and let `refuse` answer the rest.

    `cost` returns how many requests one to a path counts as; 0 is not limited.
    """

    def __init__(
        self,
        app: ASGIApp,
        limiter: RateLimiter,
        refuse: Refuse,
        cost: Callable[[str], int] = lambda _: 1,
    ) -> None:
        self._app = app
        self._limiter = limiter
        self._refuse = refuse
        self._cost = cost

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        cost = self._cost(scope["path"]) if scope["type"] == "http" else 0
        if not cost:
            await self._app(scope, receive, send)
            return
        verdict = await self._limiter.hit_address(client_host(scope), cost)
        if verdict.allowed:
            await self._app(scope, receive, send)
        else:
            await self._refuse(verdict, scope, receive, send)


def client_host(scope: Scope) -> str | None:
    """Return the client's address, which a trusted proxy may name; None for a client on a Unix
    socket."""
    client = scope.get("client")
    return None if client is None else str(client[0])
