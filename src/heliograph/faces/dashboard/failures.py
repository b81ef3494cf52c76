"""Messages that failed, each with its reason."""

from uuid import UUID

from starlette.responses import Response

from heliograph.core.messages.diagnostics import MAX_SCANNED
from heliograph.errors import InvalidInputError
from heliograph.faces.dashboard.pages import Pages, Visit

pages = Pages()

FAILED = "messages/failed"


@pages.get(FAILED, scope="messages:read")
async def show_failed_messages(visit: Visit) -> Response:
    """Newest first; `before` is the last one's id of the page before."""
    before = _before(visit)
    page = await visit.services.failures.list_messages(visit.principal, before)
    accounts = await visit.services.accounts.list(visit.principal)
    return visit.render(
        "failed_messages.html",
        visit=visit,
        page=page,
        devices={account.id: account.name for account in accounts},
        searched=MAX_SCANNED,
        is_first=before is None,
        here_=visit.path(FAILED),
    )


def _before(visit: Visit) -> UUID | None:
    given = visit.request.query_params.get("before")
    try:
        return UUID(given) if given else None
    except ValueError:
        raise InvalidInputError.at(("before",), "There is no such page.") from None
