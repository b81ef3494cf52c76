"""Pages that need no session are counted by the client's address."""

import re
from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from heliograph.core.rates.service import SIGN_IN_COST, RateLimiter
from heliograph.faces.dashboard.pages import BASE
from heliograph.settings import CALLBACK_PATH

_COSTS = {f"{BASE}/sign-in/start": SIGN_IN_COST, CALLBACK_PATH: SIGN_IN_COST}
_OF_MEMBERS = re.compile(rf"{BASE}(?:/[0-9a-fA-F-]{{32,36}}(?:/.*)?)?", re.DOTALL)

Refuse = Callable[[Request, Exception], Awaitable[Response]]


class OpenPages:
    """Lets an address have so many of these pages a minute, and hands the rest to `refuse`.

    Pages of an organization are not counted here: who asks for one without a session is counted
    where that is found out, by `count_stranger`.
    """

    def __init__(self, app: ASGIApp, limiter: RateLimiter, refuse: Refuse) -> None:
        self._app = app
        self._limiter = limiter
        self._refuse = refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or _OF_MEMBERS.fullmatch(scope["path"]):
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        verdict = await self._limiter.hit_address(_host(request), _COSTS.get(scope["path"], 1))
        if verdict.allowed:
            await self._app(scope, receive, send)
        else:
            await (await self._refuse(request, verdict.refusal()))(scope, receive, send)


async def count_stranger(limiter: RateLimiter, request: Request) -> None:
    """Count a request for a page of an organization without a session.

    Raises `RateLimitedError` when its address has sent too many.
    """
    (await limiter.hit_address(_host(request))).require()


def _host(request: Request) -> str | None:
    return None if request.client is None else request.client.host
