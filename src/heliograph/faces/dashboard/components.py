"""The parts that pages are made of, each in every state, for those who build pages."""

from datetime import timedelta

from starlette.responses import Response

from heliograph.faces.dashboard.pages.registry import Pages, Visit
from heliograph.faces.dashboard.rendering.badges import BADGES

pages = Pages()

_AGES = (
    timedelta(seconds=5),
    timedelta(minutes=7),
    timedelta(hours=3),
    timedelta(days=3),
    timedelta(days=400),
)


@pages.get("components", scope="messages:read")
async def show_components(visit: Visit) -> Response:
    now = visit.services.database.clock.now()
    return visit.render("components_page.html", badges=BADGES, times=[now - age for age in _AGES])
