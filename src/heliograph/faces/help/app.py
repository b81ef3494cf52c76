"""`/help`: the documentation, which `make docs` builds into the folder `site` beside this file.

A checkout in which it was not built shows the pages themselves (`markdown`).
"""

import re
from pathlib import Path
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import (
    FileResponse,
    HTMLResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
)
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from heliograph.faces.help.markdown import Checkout

PATH = "/help"

_SITE = Path(__file__).parent / "site"
_NOT_FOUND = "404.html"
_NOT_BUILT = Path(__file__).with_name("not_built.html")
_CHECKOUT = Path(__file__).parents[4]
_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self' 'unsafe-inline'",  # pictures and number columns have inline styles
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "worker-src 'self'",  # the site's search
        "form-action 'none'",
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


def create_help(public_path: str, site: Path = _SITE, checkout: Path = _CHECKOUT) -> ASGIApp:
    """Create the application that serves the site; where it was not built, the pages of a checkout,
    or else a page that says so.

    `public_path` precedes the addresses that go out, as everywhere behind a proxy's path.
    """
    if not (site / _NOT_FOUND).exists():
        if (checkout / "docs" / "index.md").exists():
            return _SecurityHeaders(_show_checkout(Checkout(checkout, f"{public_path}{PATH}/")))
        told = _NOT_BUILT.read_text("utf-8").replace("DASHBOARD", f"{public_path}/dashboard")
        return _SecurityHeaders(HTMLResponse(told, 404))
    start = public_path + PATH
    # the one page with absolute addresses, as it is shown at any address
    page = re.sub(rf'(?<=["=]){PATH}/', f"{start}/", (site / _NOT_FOUND).read_text("utf-8"))

    async def redirect(_request: Request) -> Response:
        return RedirectResponse(f"{start}/")

    async def show_not_found(_request: Request, _error: Exception) -> Response:
        return HTMLResponse(page, 404)

    app = Starlette(
        routes=[Route(PATH, redirect), Mount(PATH, _Files(site, public_path))],
        exception_handlers={404: show_not_found},
    )
    return _SecurityHeaders(app)


def _show_checkout(checkout: Checkout) -> ASGIApp:
    async def show(request: Request) -> Response:
        path = request.path_params["path"]
        if picture := checkout.find_picture(path):
            return FileResponse(picture)
        is_folder = not path or path.endswith("/")
        page = checkout.find_page(path if is_folder else f"{path}/")
        if page is None:
            return PlainTextResponse("There is no such page.", 404)
        return HTMLResponse(page) if is_folder else RedirectResponse(f"{checkout.start}{path}/")

    async def redirect(_request: Request) -> Response:
        return RedirectResponse(checkout.start)

    return Starlette(routes=[Route(PATH, redirect), Route(f"{PATH}/{{path:path}}", show)])


class _Files(StaticFiles):
    def __init__(self, site: Path, public_path: str) -> None:
        super().__init__(directory=site, html=True)
        self._public_path = public_path

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Return the file, or a redirect to it. Raises `HTTPException`."""
        response = await super().get_response(path, scope)
        if isinstance(response, RedirectResponse):  # to a folder, with the request's Host
            return RedirectResponse(f"{self._public_path}{quote(scope['path'])}/")
        if response.status_code == 404:
            raise HTTPException(404)
        # a page links to others of its release, which an update may change
        is_page = path.endswith(".html") or scope["path"].endswith("/")
        response.headers["Cache-Control"] = "no-cache" if is_page else "max-age=3600"
        return response


class _SecurityHeaders:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        await self._app(scope, receive, send_with_headers)
