"""Signing in and out.

    /dashboard/sign-in ─ /start → provider → /callback ─ session → where they wanted to go

What has to outlive the way to the provider is in a cookie of ten minutes that only we can read.
"""

import secrets
import time
from typing import Any
from urllib.parse import urlencode, urlsplit

import msgspec
import structlog
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from heliograph.crypto import DecryptError
from heliograph.dashboard.cookies import Cookies
from heliograph.dashboard.csrf import FIELD, is_ours, is_same_site
from heliograph.dashboard.pages import BASE
from heliograph.dashboard.provider import Attempt, Provider, SignInError
from heliograph.dashboard.rendering import Renderer
from heliograph.dashboard.services import Services
from heliograph.dashboard.sessions import SIGN_IN_SECONDS, find_cookies, find_signed_in
from heliograph.settings import is_loopback_url

log = structlog.get_logger()

SIGN_IN = f"{BASE}/sign-in"
CALLBACK = f"{BASE}/callback"
_CONTEXT = "dashboard sign-in"


class _Saved(msgspec.Struct, frozen=True):
    """`until` is Unix time: a browser may keep its cookies for longer than it is told."""

    attempt: Attempt
    next: str
    until: float


class SignIn:
    def __init__(self, services: Services, renderer: Renderer) -> None:
        self._services = services
        self._renderer = renderer
        settings = services.settings
        self._cookies = find_cookies(services)
        self._provider = Provider(settings.sign_in) if settings.sign_in.issuer else None

    def routes(self) -> list[Route]:
        return [
            Route(SIGN_IN, self.show, methods=["GET"]),
            Route(f"{SIGN_IN}/start", self.start, methods=["GET"]),
            Route(CALLBACK, self.come_back, methods=["GET"]),
            Route(f"{BASE}/sign-out", self.sign_out, methods=["POST"]),
        ]

    async def show(self, request: Request) -> Response:
        wanted = _safe(request.query_params.get("next"))
        if await find_signed_in(request, self._services):
            return RedirectResponse(wanted, 303)
        return self._show(wanted)

    async def start(self, request: Request) -> Response:
        if self._cookies is None or self._provider is None:
            return self._show(BASE)
        wanted = _safe(request.query_params.get("next"))
        public_url = self._services.settings.public_url
        here = f"{SIGN_IN}/start?{urlencode({'next': wanted})}"
        if _is_other_name(str(request.url), public_url):
            return RedirectResponse(public_url + here, 303)
        try:
            attempt = await self._provider.begin(public_url + CALLBACK)
        except SignInError as error:
            return self._show(wanted, problem=str(error), status=502)
        response = RedirectResponse(attempt.url, 303)
        saved = _Saved(attempt, wanted, time.time() + SIGN_IN_SECONDS)
        self._cookies.sign_in.write(response, self._seal(saved))
        return response

    async def come_back(self, request: Request) -> Response:
        """From the provider, with a code or with its refusal."""
        if self._cookies is None or self._provider is None:
            return self._show(BASE)
        if refusal := request.query_params.get("error"):  # some leave out the state here
            log.info("sign-in was refused", error=refusal)
            return self._show(BASE, problem="The provider did not let you in.", status=403)
        saved = self._open(self._cookies.sign_in.read(request))
        state = request.query_params.get("state", "")
        if saved is None or not secrets.compare_digest(
            saved.attempt.state.encode(), state.encode()
        ):
            return self._show(BASE, problem=_LOST, status=400)
        try:
            identity = await self._provider.finish(
                request.query_params.get("code", ""),
                saved.attempt,
                self._services.settings.public_url + CALLBACK,
            )
        except SignInError as error:
            return self._show(saved.next, problem=str(error), status=502)
        user, token = await self._services.browser_sessions.begin(identity)
        await self._services.members.welcome(user)
        return self._let_in(request, self._cookies, token, saved.next)

    def _let_in(self, request: Request, cookies: Cookies, token: str, wanted: str) -> Response:
        response = RedirectResponse(wanted, 303)
        cookies.session.write(response, token)
        cookies.sign_in.clear(response)
        return response

    async def sign_out(self, request: Request) -> Response:
        signed_in = await find_signed_in(request, self._services)
        response = RedirectResponse(SIGN_IN, 303)
        if signed_in is None or self._cookies is None:
            return response
        form = await request.form()
        given = form.get(FIELD)
        is_trusted = is_same_site(request, self._services.settings.public_url)
        if not is_trusted or not isinstance(given, str) or not is_ours(given, signed_in.token):
            return self._renderer.page("forbidden.html", status=403)
        await self._services.browser_sessions.end(signed_in.token)
        self._cookies.session.clear(response)
        return response

    def _show(self, wanted: str, *, problem: str | None = None, status: int = 200) -> Response:
        settings = self._services.settings
        return self._renderer.page(
            "sign_in.html",
            status=status,
            start=f"{SIGN_IN}/start?{urlencode({'next': wanted})}",
            provider=self._provider.name if self._provider else None,
            is_local=settings.has_local_sign_in,
            has_cookies=self._cookies is not None,
            public_url=settings.public_url,
            problem=problem,
        )

    def _seal(self, saved: _Saved) -> str:
        sealed = self._services.secret_box.encrypt(msgspec.json.encode(saved), _CONTEXT)
        return sealed.hex()

    def _open(self, value: str | None) -> _Saved | None:
        try:
            opened: Any = self._services.secret_box.decrypt(bytes.fromhex(value or ""), _CONTEXT)
            saved = msgspec.json.decode(opened, type=_Saved)
        except (ValueError, DecryptError, msgspec.DecodeError):
            return None
        return saved if saved.until > time.time() else None


_LOST = "This sign-in took too long, or was begun in another browser. Try again."


def _is_other_name(url: str, public_url: str) -> bool:
    """Whether both lead to this machine under different names: cookies go by the name. Elsewhere a
    proxy may put any name into what reaches us."""
    return (
        is_loopback_url(url)
        and is_loopback_url(public_url)
        and urlsplit(url).hostname != urlsplit(public_url).hostname
    )


def _safe(wanted: str | None) -> str:
    """A page of ours to go to, whatever the address says: never another site."""
    if wanted is None or not (wanted == BASE or wanted.startswith(f"{BASE}/")) or "\\" in wanted:
        return BASE
    return wanted
