"""What holds for every request and answer: no script but our files, no frame around our pages, no
form that is larger than any of ours.
"""

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
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


LARGEST_FORM = 64 * 1024
"""Bytes: a text of 4,096 characters, each of them as twelve."""
_TOO_LARGE = "This is more than a form here can hold."


class SecurityHeaders:
    """Pages are not kept by anybody, unless they say otherwise."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(_HEADERS)
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        await self._app(scope, _limited(scope, receive), send_with_headers)


def _limited(scope: Scope, receive: Receive) -> Receive:
    """Who is let in has the body read, so nothing is refused here before."""
    taken = 0
    announced = Headers(scope=scope).get("content-length", "0") if scope["type"] == "http" else "0"

    async def receive_no_more() -> Message:
        nonlocal taken
        if announced.isdecimal() and int(announced.lstrip("0")[:20] or 0) > LARGEST_FORM:
            raise HTTPException(413, _TOO_LARGE)
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > LARGEST_FORM:
            raise HTTPException(413, _TOO_LARGE)
        return message

    return receive_no_more
