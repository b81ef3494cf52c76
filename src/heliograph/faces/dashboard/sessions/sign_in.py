"""Signing in and out.

/dashboard/sign-in ─ /start → provider → /callback ─ session → where they wanted to go
/dashboard/sign-out → the provider's sign-out, where it has one → /dashboard/sign-in
"""

import re
from typing import NamedTuple
from urllib.parse import urlencode, urlsplit
from uuid import UUID

import structlog
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from heliograph.core.members.model import SignInClient
from heliograph.core.services import Services
from heliograph.faces.address_limits import client_host
from heliograph.faces.dashboard.pages.forms import read_form
from heliograph.faces.dashboard.pages.registry import BASE
from heliograph.faces.dashboard.rendering.renderer import Renderer
from heliograph.faces.dashboard.sessions.attempts import BrowserSecret, SignInAttempt, seal, unseal
from heliograph.faces.dashboard.sessions.cookies import (
    FIELD,
    Cookies,
    find_signed_in,
    is_our_form,
)
from heliograph.platform.oidc.errors import (
    OtherProviderError,
    ProviderUnavailableError,
    SignInError,
    UnusableAnswerError,
)
from heliograph.platform.oidc.provider import Provider, explain
from heliograph.settings import CALLBACK_PATH, is_loopback_url

log = structlog.get_logger()

SIGN_IN = f"{BASE}/sign-in"
_REFUSED = "the provider refused it"
_FAILURES: dict[type[SignInError], str] = {
    ProviderUnavailableError: "the provider did not answer",
    UnusableAnswerError: "the provider's answer can't be used",
    OtherProviderError: "another provider answered",
}
"""Only a few: the audit log counts failures by these words."""
_OF_ORGANIZATION = re.compile(
    rf"{BASE}/([0-9a-f]{{8}}(?:-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}})(?:/|[?]|$)"
)
_MAX_NEXT_LENGTH, _MAX_HINT_LENGTH = 600, 200  # characters; the first is part of an address


class _Requirements(NamedTuple):
    """What signing in requires."""

    cookies: Cookies
    provider: Provider


class SignIn:
    def __init__(self, services: Services, renderer: Renderer) -> None:
        self._services = services
        self._renderer = renderer
        settings = services.settings.sign_in
        cookies = Cookies.find(services.settings.public_url)
        self._provider = Provider(settings) if settings.issuer else None
        self._requirements = (
            _Requirements(cookies, self._provider) if cookies and self._provider else None
        )

    def routes(self) -> list[Route]:
        return [
            Route(SIGN_IN, self.show, methods=["GET"]),
            Route(f"{SIGN_IN}/start", self.start, methods=["GET"]),
            Route(CALLBACK_PATH, self.come_back, methods=["GET"]),
            Route(f"{BASE}/sign-out", self.sign_out, methods=["POST"]),
        ]

    async def show(self, request: Request) -> Response:
        wanted = _safe(request.query_params.get("next"))
        if await find_signed_in(request, self._services):
            return RedirectResponse(wanted, 303)
        return self._show(
            wanted, is_other=_is_other_account(request), has_ended=self._had_session(request)
        )

    async def start(self, request: Request) -> Response:
        """Redirect to the provider; `account=other` asks for another account than the remembered
        one."""
        if self._requirements is None:
            return self._show(BASE)
        wanted, is_other = _safe(request.query_params.get("next")), _is_other_account(request)
        public_url = self._services.settings.public_url
        if _is_other_name(str(request.url), public_url):
            return RedirectResponse(f"{public_url}{request.url.path}?{request.url.query}", 303)
        if not is_other and await find_signed_in(request, self._services):
            return RedirectResponse(wanted, 303)
        cookie = self._requirements.cookies.sign_in
        browser = BrowserSecret.read(cookie.read(request)) or BrowserSecret.make()
        attempt = browser.begin(wanted)
        try:
            url = await self._requirements.provider.begin(
                self._services.settings.redirect_uri,
                seal(self._services.secret_box, attempt),
                browser.secrets_of(attempt),
                asks_again=is_other,
                hint=request.query_params.get("login_hint", "")[:_MAX_HINT_LENGTH],
            )
        except SignInError as error:
            log.warning("a sign-in failed", reason=error.reason)
            return self._refuse(wanted, error)
        response = RedirectResponse(url, 303)
        cookie.write(response, str(browser))
        return response

    async def come_back(self, request: Request) -> Response:
        """Handle the return from the provider, with a code or an error."""
        if self._requirements is None:
            return self._show(BASE)
        query = request.query_params
        browser = BrowserSecret.read(self._requirements.cookies.sign_in.read(request))
        attempt = unseal(self._services.secret_box, query.get("state", ""))
        wanted = attempt.next if attempt else BASE
        if "error" in query:  # some providers leave out the state here
            log.info("the provider refused a sign-in", **explain(dict(query)))
            await self._note_failure(request, wanted, _REFUSED)
            return self._show(wanted, problem=_explain(query["error"]), status=403)
        if attempt is None or browser is None or not browser.owns(attempt):
            return self._show(wanted, problem=_LOST, status=400)
        if attempt.id in browser.done and await find_signed_in(request, self._services):
            return RedirectResponse(wanted, 303)
        try:
            return await self._establish_session(self._requirements, request, browser, attempt)
        except SignInError as error:
            log.warning("a sign-in failed", reason=error.reason)
            await self._note_failure(request, wanted, _FAILURES.get(type(error), _REFUSED))
            return self._refuse(wanted, error)

    async def _establish_session(
        self,
        requirements: _Requirements,
        request: Request,
        browser: BrowserSecret,
        attempt: SignInAttempt,
    ) -> Response:
        query = request.query_params
        await requirements.provider.check_sender(query.get("iss"))
        arrival = await requirements.provider.finish(
            query.get("code", ""), browser.secrets_of(attempt), self._services.settings.redirect_uri
        )
        client = _client_of(request)
        user, token = await self._services.browser_sessions.begin(
            arrival.identity, arrival.id_token, client
        )
        await self._services.members.welcome(user, client.address)
        response = RedirectResponse(attempt.next, 303)
        requirements.cookies.session.write(response, token)
        requirements.cookies.sign_in.write(response, str(browser.having_done(attempt)))
        return response

    async def _note_failure(self, request: Request, wanted: str, reason: str) -> None:
        """Record a failed sign-in in the audit log."""
        found = _OF_ORGANIZATION.match(wanted)
        await self._services.browser_sessions.note_failure(
            UUID(found[1]) if found else None, reason, client_host(request.scope)
        )

    async def sign_out(self, request: Request) -> Response:
        signed_in = await find_signed_in(request, self._services)
        if signed_in is None or self._requirements is None:
            return RedirectResponse(SIGN_IN, 303)
        given = (await read_form(request)).get(FIELD)
        if not is_our_form(request, given, signed_in.token, self._services.settings.public_url):
            return self._renderer.page("csrf_refused.html", status=403)
        id_token = await self._services.browser_sessions.end(signed_in.token)
        response = await self._leave(self._requirements.provider, id_token)
        self._requirements.cookies.session.clear(response)
        return response

    async def _leave(self, provider: Provider, id_token: str | None) -> Response:
        """Show a page that leads on to the provider's sign-out.

        A form may not lead to another site, even by a redirect (`form-action`).
        """
        url = None
        if id_token is not None:
            try:
                url = await provider.sign_out_url(
                    id_token, self._services.settings.public_url + SIGN_IN
                )
            except SignInError as error:
                log.warning("sign_out_at_provider_failed", reason=error.reason)
        if url is None:
            return RedirectResponse(f"{SIGN_IN}?account=other", 303)
        return self._renderer.page("signing_out.html", url=url, provider=provider.name)

    def _refuse(self, wanted: str, error: SignInError) -> Response:
        status = 503 if isinstance(error, ProviderUnavailableError) else 502
        return self._show(wanted, problem=str(error), status=status)

    def _had_session(self, request: Request) -> bool:
        """Return whether the browser brings a session: signing out takes it away."""
        found = self._requirements and self._requirements.cookies.session.read(request)
        return bool(found)

    def _show(
        self,
        wanted: str,
        *,
        problem: str | None = None,
        status: int = 200,
        is_other: bool = False,
        has_ended: bool = False,
    ) -> Response:
        settings = self._services.settings
        return self._renderer.page(
            "sign_in.html",
            status=status,
            start=start_url(wanted, is_other=is_other),
            start_as_other=start_url(wanted, is_other=True),
            provider=self._provider.name if self._provider else None,
            is_local=settings.has_local_sign_in,
            has_cookies=Cookies.find(settings.public_url) is not None,
            public_url=settings.public_url,
            problem=problem,
            has_ended=has_ended,
        )


def _client_of(request: Request) -> SignInClient:
    agent = request.headers.get("user-agent", "")
    return SignInClient(client_host(request.scope), agent if agent.isprintable() else None)


def start_url(wanted: str, *, is_other: bool = False) -> str:
    """Return the address that begins a sign-in which leads to a page of ours."""
    return f"{SIGN_IN}/start?" + urlencode(
        {"next": wanted} | ({"account": "other"} if is_other else {})
    )


_LOST = "This sign-in took too long, or was started in another browser. Try again."
_REFUSALS = {
    "access_denied": "You are not signed in: you canceled, or your account may not use Heliograph.",
    "temporarily_unavailable": "The provider can't sign anybody in at the moment. Try again in a "
    "minute.",
    "server_error": "Something went wrong at the provider. Try again in a minute.",
}


def _explain(code: str) -> str:
    """Explain an error of the provider (RFC 6749, 4.1.2.1) to a person."""
    return _REFUSALS.get(code, "The provider did not let you in. The log of the gateway says why.")


def _is_other_account(request: Request) -> bool:
    return request.query_params.get("account") == "other"


def _is_other_name(url: str, public_url: str) -> bool:
    """Return whether both addresses lead to this machine by different names, which would not share
    cookies.

    On another machine a proxy may put any name into requests.
    """
    return (
        is_loopback_url(url)
        and is_loopback_url(public_url)
        and urlsplit(url).hostname != urlsplit(public_url).hostname
    )


def _safe(wanted: str | None) -> str:
    """Return the page of ours to go to; never another site, whatever the address says."""
    if wanted is None or not (wanted == BASE or wanted.startswith(f"{BASE}/")) or "\\" in wanted:
        return BASE
    return wanted if len(wanted) <= _MAX_NEXT_LENGTH else BASE
