"""The provider's endpoints: what our own client needs of OpenID Connect Core 1.0, and no more."""

import asyncio
import re
import sys
from collections.abc import Awaitable, Callable, Mapping
from html import escape
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, NamedTuple, TypeAlias
from urllib.parse import parse_qs, urlencode, urlsplit

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from heliograph.faces.local_sign_in.codes import DELAY, Codes, sign_in_link

if TYPE_CHECKING:
    from heliograph.faces.local_sign_in.tokens import Tokens

_SUGGESTED = "you@example.com"
_EMAIL = re.compile(r"[^@\s\x00-\x1f\x7f]{1,64}@[^@\s\x00-\x1f\x7f]{1,135}")
_CODE = re.compile("`([^`]+)`")
_MAX_FORM_SIZE = 8 * 1024  # bytes
_LOOKS = Path(__file__).parents[1] / "dashboard" / "static"
"""The dashboard's style sheets, as people go from its pages to ours and back."""


class ProviderAddresses(NamedTuple):
    """The addresses of the provider and its one client, and the file of codes."""

    issuer: str
    public_url: str
    client_id: str
    redirect_uri: str
    codes: Path


Wait: TypeAlias = Callable[[float], Awaitable[None]]


class LocalSignIn:
    def __init__(self, place: ProviderAddresses, wait: Wait) -> None:
        self._wait = wait
        self._place = place
        self._codes = Codes(place.codes, self._announce)
        self._pages = SignInPages(place.public_url)
        self._tokens: Tokens | None = None

    def routes(self) -> list[BaseRoute]:
        return [
            Route("/.well-known/openid-configuration", self.describe, methods=["GET"]),
            Route("/jwks", self.show_keys, methods=["GET"]),
            Route("/authorize", self.ask, methods=["GET"]),
            Route("/authorize", self.let_in, methods=["POST"]),
            Route("/token", self.give_token, methods=["POST"]),
            Mount("/static", StaticFiles(directory=_LOOKS)),
        ]

    async def describe(self, _request: Request) -> Response:
        issuer = self._place.issuer
        return JSONResponse(
            {
                "issuer": issuer,
                "authorization_endpoint": f"{issuer}/authorize",
                "token_endpoint": f"{issuer}/token",
                "jwks_uri": f"{issuer}/jwks",
                "response_types_supported": ["code"],
                "subject_types_supported": ["public"],
                "id_token_signing_alg_values_supported": ["ES256"],
                "token_endpoint_auth_methods_supported": ["none"],
                "code_challenge_methods_supported": ["S256"],
                "authorization_response_iss_parameter_supported": True,
            }
        )

    async def show_keys(self, _request: Request) -> Response:
        return JSONResponse(self._signing().key_set())

    async def ask(self, request: Request) -> Response:
        """Show the form, with the code from the printed link filled in."""
        query = request.query_params
        if problem := self._problem_of(query):
            return self._pages.error(problem)
        return self._form(query, code=query.get("login_hint", "")[:20])

    async def let_in(self, request: Request) -> Response:
        """Redirect to the gateway when the code is right."""
        query = request.query_params
        if problem := self._problem_of(query):
            return self._pages.error(problem)
        form = await _read_form(request)
        code, email = form.get("code", ""), form.get("email", "").strip().lower()
        if not _EMAIL.fullmatch(email) or not email.isprintable():
            return self._form(query, code, email, "This is not an e-mail address.", 400)
        if not self._codes.use(code, f"{query} {email}"):
            await self._wait(DELAY)
            return self._form(query, "", email, _WRONG, 403)
        granted = self._signing().grant(email, query.get("nonce"), query["code_challenge"])
        return RedirectResponse(self._answer(query, code=granted), 303)

    async def give_token(self, request: Request) -> Response:
        form = await _read_form(request)
        headers = {"Cache-Control": "no-store"}
        answer = None
        if form.get("redirect_uri") == self._place.redirect_uri:
            answer = self._signing().exchange(form.get("code", ""), form.get("code_verifier", ""))
        if answer is None:
            return JSONResponse({"error": "invalid_grant"}, 400, headers)
        return JSONResponse(answer, headers=headers)

    def _problem_of(self, query: Mapping[str, str]) -> str:
        """Return why nobody is asked to sign in: the request is not from our gateway."""
        given = query.get("client_id"), query.get("redirect_uri")
        if given != (self._place.client_id, self._place.redirect_uri):
            return "Sign-ins begin in the dashboard."
        is_code = query.get("response_type") == "code"
        is_s256 = query.get("code_challenge_method") == "S256" and query.get("code_challenge")
        if not is_code or not is_s256 or "openid" not in query.get("scope", "").split():
            return "This is not how the dashboard asks."
        return ""

    def _form(
        self,
        query: Mapping[str, str],
        code: str,
        email: str = _SUGGESTED,
        problem: str = "",
        status: int = 200,
    ) -> Response:
        cancel = self._answer(query, error="access_denied")
        return self._pages.form(
            code=code, email=email, cancel=cancel, problem=problem, status=status
        )

    def _answer(self, query: Mapping[str, str], **answer: str) -> str:
        found = {"iss": self._place.issuer, "state": query.get("state", ""), **answer}
        return f"{self._place.redirect_uri}?{urlencode(found)}"

    def _announce(self, code: str) -> None:
        """Print the code in the terminal of whoever runs the demo."""
        link = sign_in_link(self._place.public_url, code)
        sys.stdout.write(f"Somebody has signed in. The next sign-in, with a new code:\n  {link}\n")
        sys.stdout.flush()

    def _signing(self) -> "Tokens":
        """Return the signing key, made when needed: cryptography takes a third of this process's
        memory."""
        if self._tokens is None:
            from heliograph.faces.local_sign_in.tokens import Tokens

            self._tokens = Tokens(self._place.issuer, self._place.client_id)
        return self._tokens


_WRONG = (
    "This code is wrong, or was used already: each works once. A new one is in the terminal, and "
    "`heliograph demo code` shows it."
)


def create_local_sign_in(place: ProviderAddresses, wait: Wait = asyncio.sleep) -> Starlette:
    """Create the application; `wait` waits for a number of seconds."""
    routes = LocalSignIn(place, wait).routes()
    return Starlette(routes=routes, exception_handlers={ClientDisconnect: _let_go})


async def _let_go(_request: Request, _error: Exception) -> Response:
    """Answer a client that left in the middle of a form; nobody reads the answer."""
    return Response(status_code=400)


async def _read_form(request: Request) -> dict[str, str]:
    """Read the fields, each once. A form longer than any of ours is cut, and so invalid."""
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > _MAX_FORM_SIZE:
            break
    text = bytes(body[:_MAX_FORM_SIZE]).decode("utf-8", "replace")
    return {name: values[0] for name, values in parse_qs(text).items()}


_FOLDER = Path(__file__).parent / "templates"
_PROBLEM = Template('<div class="problem" id="problem" role="alert"><p>$text</p></div>')


class SignInPages:
    """The pages. Forms may lead to `gateway` by a redirect, which browsers check."""

    def __init__(self, gateway: str) -> None:
        parts = urlsplit(gateway)
        self._dashboard = f"{gateway}/dashboard"
        self._frame = Template((_FOLDER / "frame.html").read_text())
        self._form = Template((_FOLDER / "form.html").read_text())
        self._headers = {
            "Content-Security-Policy": "default-src 'none'; style-src 'self'; "
            "font-src 'self'; img-src 'self'; "
            f"form-action 'self' {parts.scheme}://{parts.netloc}; base-uri 'none'; "
            "frame-ancestors 'none'",
            "Cache-Control": "no-store",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
        }

    def form(
        self, *, code: str, email: str, cancel: str, problem: str, status: int
    ) -> HTMLResponse:
        """Return the form, with everything as people typed it."""
        told = (
            _PROBLEM.substitute(text=_CODE.sub(r"<code>\1</code>", escape(problem)))
            if problem
            else ""
        )
        content = self._form.substitute(
            problem=told,
            code=escape(code),
            email=escape(email),
            cancel=escape(cancel),
            code_focus="" if code else "autofocus",
            button_focus="autofocus" if code else "",
        )
        return self._page("Sign in to the demo", content, status)

    def error(self, text: str) -> HTMLResponse:
        link = f'<a href="{escape(self._dashboard)}">Open the dashboard</a>'
        return self._page("Nothing to sign in to", f"<p>{escape(text)} {link}.</p>", 400)

    def _page(self, title: str, content: str, status: int) -> HTMLResponse:
        page = self._frame.substitute(title=title, content=content)
        return HTMLResponse(page, status, self._headers)
