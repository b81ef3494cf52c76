"""`/`: browsers are redirected to the dashboard, and programs get a list of addresses."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route
from starlette.types import Scope

from heliograph import __version__
from heliograph.faces.api.accepting import accepted_types
from heliograph.faces.api.encoding import respond
from heliograph.faces.coding_tools import PATH as MCP_PATH
from heliograph.faces.dashboard.pages.registry import BASE
from heliograph.faces.help.app import PATH as HELP_PATH
from heliograph.settings import Settings


def root_route(settings: Settings) -> Route:
    public_url = settings.public_url
    places = {
        "name": "Heliograph",
        "version": __version__,
        "api": f"{public_url}/api/v1",
        "description": f"{public_url}/openapi.json",
        "reference": f"{public_url}/docs",
        "help": f"{public_url}{HELP_PATH}/",
        "dashboard": f"{public_url}{BASE}",
        "tool_server": f"{public_url}{MCP_PATH}",
    }

    async def show_root(request: Request) -> Response:
        headers = {"Vary": "Accept"}
        if "text/html" in accepted_types(", ".join(request.headers.getlist("accept"))):
            return RedirectResponse(settings.public_path + BASE, headers=headers)
        return respond(places, headers=headers)

    return Route("/", show_root)


def is_for_root(scope: Scope) -> bool:
    return scope["type"] == "http" and scope["path"] == "/" and scope["method"] in ("GET", "HEAD")
