"""What applies to every request and response: headers, the size of forms, the public path, and
rates by address.

Our pages load no script but our own files and have no frame around them.
"""

import re

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from heliograph.core.rates.service import SIGN_IN_COST, RateLimiter
from heliograph.faces.address_limits import client_host
from heliograph.faces.dashboard.pages.registry import BASE
from heliograph.settings import CALLBACK_PATH

_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "media-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "X-Frame-Options": "DENY",
}

MAX_FORM_SIZE = 64 * 1024
"""Bytes: a text of 4,096 characters, each of them as twelve."""
MAX_FILE_SIZE = 16 * 1024 * 1024
"""Bytes of a file that is sent. Who may send one is known before it is read."""
MAX_UPLOAD_SIZE = MAX_FILE_SIZE + MAX_FORM_SIZE
"""Bytes of a form with such a file in it."""
_TOO_LARGE = "This is more than a form may contain. Nothing was done."
_FILE_TOO_LARGE = f"The limit for a file is {MAX_FILE_SIZE // 2**20} MiB. Nothing was sent."
_COSTS = {f"{BASE}/sign-in/start": SIGN_IN_COST, CALLBACK_PATH: SIGN_IN_COST}
_TAKES_FILE = re.compile(
    rf"{BASE}/[0-9a-fA-F-]{{32,36}}"
    r"/(?:phone/[0-9a-fA-F-]{32,36}/say|inbox/(?:new|[0-9a-fA-F-]{32,36})/file)"
)
_OF_MEMBERS = re.compile(rf"{BASE}(?:/[0-9a-fA-F-]{{32,36}}(?:/.*)?)?", re.DOTALL)


class SecurityHeaders:
    """Set the security headers, and let nobody cache a page that does not say otherwise.

    A response with a policy of its own keeps it: anything but a page may do less.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        await self._app(scope, _limited(scope, receive), send_with_headers)


def _limited(scope: Scope, receive: Receive) -> Receive:
    """Return a `receive` that refuses a form over the limit once somebody reads it."""
    taken = 0
    largest, refusal = MAX_FORM_SIZE, _TOO_LARGE
    if _TAKES_FILE.fullmatch(scope.get("path", "")):
        largest, refusal = MAX_UPLOAD_SIZE, _FILE_TOO_LARGE
    announced = Headers(scope=scope).get("content-length", "0") if scope["type"] == "http" else "0"

    async def receive_no_more() -> Message:
        nonlocal taken
        if announced.isdecimal() and int(announced.lstrip("0")[:20] or 0) > largest:
            raise HTTPException(413, refusal)
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > largest:
            raise HTTPException(413, refusal)
        return message

    return receive_no_more


class PublicPath:
    """Serve the dashboard under a path of a proxy, such as `https://example.com/gateway`.

    The proxy strips the path, so that inside every address begins with `/dashboard`, in the `next`
    of a sign-in too. Addresses that go out to the browser get the path: redirects here, pages by
    `Visit.path` and by what `Renderer` gives to templates.
    """

    def __init__(self, app: ASGIApp, public_path: str) -> None:
        self._app = app
        self._public_path = public_path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_path(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if headers.get("Location", "").startswith("/"):
                    headers["Location"] = self._public_path + headers["Location"]
            await send(message)

        await self._app(scope, receive, send_with_path)


def cost_without_session(path: str) -> int:
    """Return how many requests of its address a request to this path counts as.

    Pages of an organization cost nothing here: `count_stranger` counts a request without a session
    once that is known.
    """
    return 0 if _OF_MEMBERS.fullmatch(path) else _COSTS.get(path, 1)


async def count_stranger(limiter: RateLimiter, request: Request) -> None:
    """Count a request for a page of an organization without a session.

    Raises `RateLimitedError` when its address has sent too many.
    """
    (await limiter.hit_address(client_host(request.scope))).require()
