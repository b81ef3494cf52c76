"""The gateway under a path of a proxy's, such as `https://example.com/gateway`.

The proxy takes the path off, so that inside every address begins with `/dashboard`, in `next` of a
sign-in too. Where an address goes out to the browser, the path is put before it: here into
redirects, into pages by `Visit.path` and by what `Renderer` gives to templates.
"""

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class PublicPath:
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
