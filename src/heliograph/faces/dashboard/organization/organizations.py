"""The organizations of somebody who belongs to many, found by part of the name."""

from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from heliograph.core.members.model import Membership
from heliograph.core.services import Services
from heliograph.faces.dashboard.pages.registry import BASE
from heliograph.faces.dashboard.rendering.renderer import Renderer
from heliograph.faces.dashboard.sessions.cookies import find_signed_in
from heliograph.faces.dashboard.sessions.sign_in import SIGN_IN
from heliograph.platform.folding import fold

PATH = f"{BASE}/organizations"
_MAX_SHOWN = 50


def find_organizations(memberships: Sequence[Membership], search: str) -> list[Membership]:
    """Return those with this text in their name, those that begin with it first."""
    wanted = fold(search.strip())
    found = [(fold(each.organization.name), each) for each in memberships]
    fit = [(not name.startswith(wanted), name, each) for name, each in found if wanted in name]
    return [each for _, _, each in sorted(fit, key=lambda one: one[:2])]


class Organizations:
    def __init__(self, services: Services, renderer: Renderer) -> None:
        self._services = services
        self._renderer = renderer

    def routes(self) -> list[Route]:
        return [Route(PATH, self.show, methods=["GET"])]

    async def show(self, request: Request) -> Response:
        signed_in = await find_signed_in(request, self._services)
        if signed_in is None:
            return RedirectResponse(f"{SIGN_IN}?next={PATH}", 303)
        (await self._services.rates.hit_person(signed_in.user.id)).require()
        search = request.query_params.get("q", "")
        memberships = await self._services.members.list_memberships(signed_in.user)
        found = find_organizations(memberships, search)
        return self._renderer.page(
            "organizations.html",
            search=search,
            found=found[:_MAX_SHOWN],
            others=max(0, len(found) - _MAX_SHOWN),
        )
