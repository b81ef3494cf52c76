"""The messages that failed, each with its reason."""

from uuid import UUID

from starlette.responses import Response

from heliograph.core.messages.failed_messages import MAX_SCANNED
from heliograph.faces.dashboard.forms import parse_query
from heliograph.faces.dashboard.pages import Pages, Visit

pages = Pages()

FAILED_MESSAGES = "messages/failed"


@pages.get(FAILED_MESSAGES, scope="messages:read")
async def show_failed_messages(visit: Visit) -> Response:
    """Show the newest first; `before` is the id of the previous page's last one."""
    before = parse_query(visit, UUID, "before", "There is no such page.")
    page = await visit.services.failed_messages.list(visit.principal, before)
    accounts = await visit.services.accounts.list(visit.principal)
    return visit.render(
        "failed_messages.html",
        page=page,
        devices={account.id: account.name for account in accounts},
        searched=MAX_SCANNED,
        is_first=before is None,
        page_path=visit.path(FAILED_MESSAGES),
    )
