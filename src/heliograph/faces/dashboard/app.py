"""The dashboard as an ASGI application: it identifies the visitor, then shows the page.

cookie → user → organization of the path → role → (POST: is it our form) → page
"""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType
from urllib.parse import urlencode, urlsplit
from uuid import UUID

from starlette.applications import Starlette
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from heliograph import __version__, errors
from heliograph.core.members.model import Membership, member_principal
from heliograph.core.members.sessions import hash_token
from heliograph.core.rates.service import SEARCH_COST, Verdict
from heliograph.core.services import Services
from heliograph.faces.address_limits import AddressLimit
from heliograph.faces.api_calls import ApiCalls
from heliograph.faces.dashboard import components, live, overview
from heliograph.faces.dashboard.developers import coding_tools, deliveries, keys, trying, webhooks
from heliograph.faces.dashboard.devices import device_pages, phone
from heliograph.faces.dashboard.inbox import (
    conversation_actions,
    conversations,
    message_actions,
    new_conversation,
    thread,
)
from heliograph.faces.dashboard.messages import message_pages, statistics
from heliograph.faces.dashboard.organization import audit, canned, labels, members
from heliograph.faces.dashboard.organization.organizations import Organizations
from heliograph.faces.dashboard.pages.done import DONE
from heliograph.faces.dashboard.pages.forms import explain, read_form
from heliograph.faces.dashboard.pages.middleware import (
    PublicPath,
    SecurityHeaders,
    cost_without_session,
    count_stranger,
)
from heliograph.faces.dashboard.pages.navigation import NAVIGATION, find_place, first_place
from heliograph.faces.dashboard.pages.registry import BASE, DashboardPage, Visit
from heliograph.faces.dashboard.rendering.renderer import Renderer
from heliograph.faces.dashboard.sessions.cookies import (
    FIELD,
    HEADER,
    SignedIn,
    csrf_token,
    find_signed_in,
    is_our_form,
)
from heliograph.faces.dashboard.sessions.sign_in import SIGN_IN, SignIn, start_url
from heliograph.faces.dashboard.sessions.signed_in_browsers import SignedInBrowsers
from heliograph.faces.unavailability import log_unavailable
from heliograph.platform.database.shares import Requester, serve

PAGES: tuple[DashboardPage, ...] = (
    *overview.pages.pages,
    *audit.pages.pages,
    *message_pages.pages.pages,
    *statistics.pages.pages,
    *conversations.pages.pages,
    *thread.pages.pages,
    *conversation_actions.pages.pages,
    *message_actions.pages.pages,
    *labels.pages.pages,
    *canned.pages.pages,
    *new_conversation.pages.pages,
    *device_pages.pages.pages,
    *phone.pages.pages,
    *live.pages.pages,
    *members.pages.pages,
    *keys.pages.pages,
    *coding_tools.pages.pages,
    *components.pages.pages,
    *trying.pages.pages,
    *webhooks.pages.pages,
    *deliveries.pages.pages,
)
"""Every page within an organization."""

_STATIC = Path(__file__).parent / "static"


class _VersionedFiles(StaticFiles):
    """Static files, cached for good: their address has the release in it."""

    def file_response(self, *args: object, **kwargs: object) -> Response:
        response = super().file_response(*args, **kwargs)  # type: ignore[arg-type]  # as it came
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        return response


def create_dashboard(
    services: Services, calls: ApiCalls, is_draining: Callable[[], bool] = lambda: False
) -> ASGIApp:
    public_path = services.settings.public_path
    renderer = Renderer(public_path)
    dispatcher = _Dispatcher(services, renderer, calls, is_draining)
    app = Starlette(
        routes=[
            Route(BASE, dispatcher.choose, methods=["GET"]),
            Route(f"{BASE}/", _redirect_without_slash, methods=["GET"]),
            *SignIn(services, renderer).routes(),
            *members.Invitations(services, renderer).routes(),
            *SignedInBrowsers(services, renderer).routes(),
            *Organizations(services, renderer).routes(),
            Mount(f"{BASE}/static/{__version__}", _VersionedFiles(directory=_STATIC)),
            *[dispatcher.route(page) for page in PAGES],
            *[_lead_back(page) for page in PAGES if page.method == "POST"],
        ],
        exception_handlers={
            errors.GatewayError: dispatcher.handle_error,
            errors.InvalidInputError: dispatcher.handle_input_error,
            HTTPException: dispatcher.handle_http_error,
            Exception: dispatcher.handle_fault,
        },
    )
    app.router.redirect_slashes = False  # redirects would go wherever the request's Host says
    limited = AddressLimit(
        PublicPath(app, public_path), services.rates, dispatcher.refuse, cost_without_session
    )
    return SecurityHeaders(limited)


_SEARCHES = ("q", "person")
"""Query parameters that hold what people search for."""


async def _redirect_without_slash(_request: Request) -> Response:
    return RedirectResponse(BASE, 307)


def _is_search(request: Request) -> bool:
    return any(request.query_params.get(name) for name in _SEARCHES)


class _Dispatcher:
    """Show pages to members, and send everybody else where they have to go first."""

    def __init__(
        self,
        services: Services,
        renderer: Renderer,
        calls: ApiCalls,
        is_draining: Callable[[], bool],
    ) -> None:
        self._services = services
        self._calls = calls
        self._renderer = renderer
        self._is_draining = is_draining

    def route(self, page: DashboardPage) -> Route:
        path = f"{BASE}/{{organization_id:uuid}}/{page.path}".removesuffix("/")
        return Route(path, partial(self._serve, page), methods=[page.method])

    async def choose(self, request: Request) -> Response:
        """Go to the first of somebody's organizations, or show what to do without one."""
        signed_in = await find_signed_in(request, self._services)
        if signed_in is None:
            await count_stranger(self._services.rates, request)
            return RedirectResponse(SIGN_IN, 303)
        await self._count(signed_in)
        found = await self._services.members.list_memberships(signed_in.user)
        if found:
            place = first_place(found[0].role)
            rest = f"/{place.path}" if place.path else ""
            return RedirectResponse(f"{BASE}/{found[0].organization.id}{rest}", 303)
        return self._renderer.page(
            "no_organization.html",
            user=signed_in.user,
            provider=urlsplit(self._services.settings.sign_in.issuer or "").netloc,
            as_other=start_url(BASE, is_other=True),
            csrf_token=csrf_token(signed_in.token),
        )

    async def _serve(self, page: DashboardPage, request: Request) -> Response:
        signed_in = await find_signed_in(request, self._services)
        if signed_in is None:
            await count_stranger(self._services.rates, request)
            return _ask_to_sign_in(request, page)
        await self._count(signed_in, SEARCH_COST if _is_search(request) else 1)
        memberships = await self._services.members.list_memberships(signed_in.user)
        membership = _find(memberships, request.path_params["organization_id"])
        principal = member_principal(signed_in.user, membership)
        principal.require(page.scope)
        # this also covers reads while the page is sent
        serve(Requester(principal.organization_id, page.method == "GET"))
        form = FormData() if page.method == "GET" else await read_form(request, page.takes_file)
        given = request.headers.get(HEADER) or form.get(FIELD)
        if page.method == "POST" and not is_our_form(
            request, given, signed_in.token, self._services.settings.public_url
        ):
            return self._renderer.page("csrf_refused.html", status=403)
        place = find_place(membership.role, page.path)
        visit = Visit(
            request=request,
            services=self._services,
            user=signed_in.user,
            membership=membership,
            memberships=memberships,
            principal=principal,
            session=hash_token(signed_in.token),
            base=self._services.settings.public_path + BASE,
            address=self._services.settings.public_path + _address_of(request, page),
            form=form,
            calls=self._calls,
            is_draining=self._is_draining,
            _render=partial(
                self._renderer.page,
                csrf_token=csrf_token(signed_in.token),
                navigation=NAVIGATION[membership.role],
                here=place.path if place else None,
                help=place.help if place else "",
                done=DONE.get(request.query_params.get("done", "")),
            ),
        )
        try:
            _check_query(request)
            return await page.handler(visit)
        except errors.InvalidInputError as error:
            return visit.render(
                "invalid_input.html",
                status=422,
                problem=explain(error),
                came_from=_came_from(request),
            )

    async def _count(self, signed_in: SignedIn, cost: int = 1) -> None:
        """Raise `RateLimitedError` when this person has asked for too many pages."""
        (await self._services.rates.hit_person(signed_in.user.id, cost)).require()

    async def refuse(self, verdict: Verdict, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a visitor who asks for too many pages that need no session."""
        page = await self.handle_error(Request(scope), verdict.refusal())
        await page(scope, receive, send)

    async def handle_error(self, request: Request, error: Exception) -> Response:
        """Show a person why a page can't be shown."""
        assert isinstance(error, errors.GatewayError)  # noqa: S101 - registered for these
        log_unavailable(error)
        if isinstance(error, errors.TooManyRequestsError):
            return self._ask_to_wait(request, error)
        detail = error.detail
        if isinstance(error, errors.MissingScopeError):
            detail = "Your role in this organization does not allow this."
            if request.method == "POST":
                detail += (
                    " It may have been changed since you opened the page. Nothing was done; an "
                    "answer that you wrote is still there as a draft."
                )
        return self._show_error(request, error.status, detail, error.headers())

    def _ask_to_wait(self, request: Request, error: errors.TooManyRequestsError) -> Response:
        if error.retry_after is None:
            return self._show_error(request, error.status, error.detail)
        if live.is_listening(request):
            return live.ask_to_wait(error.retry_after)
        page = self._renderer.page(
            "too_many_requests.html",
            status=error.status,
            detail=error.detail,
            seconds=error.retry_after,
            is_asking=request.method == "GET",
        )
        page.headers.update(error.headers())
        return page

    async def handle_input_error(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, errors.InvalidInputError)  # noqa: S101 - registered for these
        return self._show_error(request, 422, explain(error))

    async def handle_http_error(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)  # noqa: S101 - registered for these
        detail = errors.NotFoundError.sentence if error.status_code == 404 else error.detail
        return self._show_error(request, error.status_code, detail)

    async def handle_fault(self, request: Request, _error: Exception) -> Response:
        """Respond to a fault of ours, which has been logged."""
        detail = "The gateway could not show this page; its log says why."
        return self._show_error(request, 500, detail)

    def _show_error(
        self,
        request: Request,
        status: int,
        detail: str,
        headers: Mapping[str, str] = MappingProxyType({}),
    ) -> Response:
        page = self._renderer.page(
            "error.html",
            status=status,
            title=_TITLES.get(status),
            detail=detail,
            came_from=_came_from(request),
        )
        page.headers.update(headers)
        return page


_TITLES = {
    403: "Not allowed",
    404: "Not found",
    413: "Too large",
    422: "Please check",
    500: "Something went wrong",
    503: "Not available at the moment",
}


def _lead_back(page: DashboardPage) -> Route:
    """Lead from the address of a form to the page that it is on: a refused form leaves it in the
    browser, where it is opened again."""

    async def lead(request: Request) -> Response:
        return RedirectResponse(_address_of(request, page), 303)

    return Route(f"{BASE}/{{organization_id:uuid}}/{page.path}", lead, methods=["GET"])


_WHOLE = {page.path for page in PAGES if page.method == "GET" and not page.is_part}


def _came_from(request: Request) -> str | None:
    """Return the page of the dashboard on which a form was filled in or a link was clicked."""
    address = urlsplit(request.headers.get("referer", ""))
    is_page = address.scheme in ("http", "https") and f"{BASE}/" in address.path
    if not is_page or address.netloc != request.headers.get("host"):
        return None
    if address.path.endswith(request.url.path):
        return None
    return address._replace(fragment="").geturl()


def _address_of(request: Request, page: DashboardPage) -> str:
    """Return the path of a page; for a form or a part, that of the nearest page above it."""
    path, shown = request.url.path, page.path
    while shown not in _WHOLE:
        path, shown = path.rpartition("/")[0], shown.rpartition("/")[0]
    return path


def _find(memberships: list[Membership], organization_id: UUID) -> Membership:
    """Raise `NotFoundError` for an organization that somebody does not belong to, or that does not
    exist, without telling which."""
    for membership in memberships:
        if membership.organization.id == organization_id:
            return membership
    raise errors.NotFoundError("There is no such organization, or you do not belong to it.")


def _check_query(request: Request) -> None:
    """Raise `InvalidInputError` for NUL characters, which the database can't store."""
    # a form is checked by its page, which shows it again as it was filled in
    for name, value in request.query_params.multi_items():
        if "\0" in value:
            raise errors.InvalidInputError.at((name,), "It contains a NUL character.")


def _ask_to_sign_in(request: Request, page: DashboardPage) -> Response:
    if live.is_listening(request):
        return live.ask_to_reload()
    if "hx-request" in request.headers:  # `signed-out.js` leads the whole page there
        return Response(status_code=401)
    wanted = _address_of(request, page)  # for a form, the page that keeps the draft
    if request.url.query:
        wanted += f"?{request.url.query}"
    return RedirectResponse(f"{SIGN_IN}?{urlencode({'next': wanted})}", 303)
