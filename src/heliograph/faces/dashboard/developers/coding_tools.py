"""What to copy into AI coding tools, so that they find the tool server."""

from starlette.responses import Response

from heliograph.faces.coding_tools import HEADER, PATH, VARIABLE, list_coding_tools
from heliograph.faces.dashboard.pages.registry import Pages, Visit

pages = Pages()


@pages.get("developers/tools", scope="admin:read")
async def show_coding_tools(visit: Visit) -> Response:
    base_url = visit.services.settings.public_url
    return visit.render(
        "developers/coding_tools.html",
        address=f"{base_url}{PATH}",
        header=HEADER,
        variable=VARIABLE,
        tools=list_coding_tools(base_url),
    )
