"""Where somebody is signed in: a page outside any organization that can end each session."""

from typing import NamedTuple

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from heliograph.core.members.model import BrowserSession
from heliograph.core.members.sessions import hash_token
from heliograph.core.services import Services
from heliograph.faces.dashboard.pages.done import DONE
from heliograph.faces.dashboard.pages.forms import read_form
from heliograph.faces.dashboard.pages.registry import BASE
from heliograph.faces.dashboard.rendering.renderer import Renderer
from heliograph.faces.dashboard.sessions.browsers import name_browser
from heliograph.faces.dashboard.sessions.cookies import (
    FIELD,
    SignedIn,
    csrf_token,
    find_signed_in,
    is_our_form,
)
from heliograph.faces.dashboard.sessions.sign_in import SIGN_IN

PATH = f"{BASE}/sessions"


class _Shown(NamedTuple):
    session: BrowserSession
    browser: str
    is_this: bool


class SignedInBrowsers:
    def __init__(self, services: Services, renderer: Renderer) -> None:
        self._services = services
        self._renderer = renderer

    def routes(self) -> list[Route]:
        return [
            Route(PATH, self.show, methods=["GET"]),
            Route(f"{PATH}/others/end", self.end_others, methods=["POST"]),
            Route(f"{PATH}/{{session_id:uuid}}/end", self.end_one, methods=["POST"]),
        ]

    async def show(self, request: Request) -> Response:
        signed_in = await self._find_signed_in(request)
        if signed_in is None:
            return RedirectResponse(f"{SIGN_IN}?next={PATH}", 303)
        here = hash_token(signed_in.token)
        sessions = await self._services.browser_sessions.list(signed_in.user)
        return self._renderer.page(
            "signed_in_browsers.html",
            user=signed_in.user,
            sessions=[
                _Shown(each, name_browser(each.agent), each.token_hash == here) for each in sessions
            ],
            csrf_token=csrf_token(signed_in.token),
            done=DONE.get(request.query_params.get("done", "")),
        )

    async def end_one(self, request: Request) -> Response:
        signed_in, refusal = await self._admit(request)
        if signed_in is None:
            return refusal
        session_id = request.path_params["session_id"]
        await self._services.browser_sessions.end_one(signed_in.user, session_id)
        return RedirectResponse(f"{PATH}?done=ended", 303)

    async def end_others(self, request: Request) -> Response:
        signed_in, refusal = await self._admit(request)
        if signed_in is None:
            return refusal
        await self._services.browser_sessions.end_others(signed_in.user, signed_in.token)
        return RedirectResponse(f"{PATH}?done=others-ended", 303)

    async def _admit(self, request: Request) -> tuple[SignedIn | None, Response]:
        """Return who sent a form of ours; otherwise None and the response."""
        signed_in = await self._find_signed_in(request)
        if signed_in is None:
            return None, RedirectResponse(f"{SIGN_IN}?next={PATH}", 303)
        form: FormData = await read_form(request)
        public_url = self._services.settings.public_url
        if not is_our_form(request, form.get(FIELD), signed_in.token, public_url):
            return None, self._renderer.page("csrf_refused.html", status=403)
        return signed_in, Response()

    async def _find_signed_in(self, request: Request) -> SignedIn | None:
        """Return the person who is signed in, and count the request."""
        signed_in = await find_signed_in(request, self._services)
        if signed_in is not None:
            (await self._services.rates.hit_person(signed_in.user.id)).require()
        return signed_in
