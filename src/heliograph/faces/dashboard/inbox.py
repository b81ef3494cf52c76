"""The inbox: conversations, the newest activity first, and filters."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar
from urllib.parse import urlencode
from uuid import UUID

from starlette.responses import Response

from heliograph.core.inbox.model import ConversationStatus, InboxCursor, InboxFilter, InboxPage
from heliograph.errors import InvalidInputError
from heliograph.faces.dashboard.forms import parse
from heliograph.faces.dashboard.pages import Pages, Visit

T = TypeVar("T")

pages = Pages()

FILTERS = ("q", "device", "status", "label", "assignee")
"""The fields of the form, and the names in the address."""
NOBODY = "nobody"
PAGE = 30
_NOTHING = InboxPage((), (), None)


@pages.get("inbox", scope="conversations:read")
async def show_inbox(visit: Visit) -> Response:
    given = _given(visit)
    page, problem = _NOTHING, None
    try:
        page = await _find(visit, given)
    except InvalidInputError as error:
        problem = error.problems[0].msg
    return visit.render(
        "inbox.html",
        status=422 if problem else 200,
        labels=await visit.services.labels.list(visit.principal),
        statuses=list(ConversationStatus),
        problem=problem,
        **await _shown(visit, given, page),
    )


@pages.get("inbox/list", scope="conversations:read")
async def show_list(visit: Visit) -> Response:
    """Show the list alone, which an open page fetches after a message or another filter."""
    given = _given(visit)
    shown = await _shown(visit, given, await _find(visit, given))
    response = visit.render("inbox_list.html", **shown)
    response.headers["HX-Replace-Url"] = shown["address"]
    return response


async def _find(visit: Visit, given: Mapping[str, str]) -> InboxPage:
    after = visit.query("after")
    return await visit.services.inbox.list(
        visit.principal, _filter_of(given), InboxCursor.parse(after) if after else None, PAGE
    )


async def _shown(visit: Visit, given: Mapping[str, str], page: InboxPage) -> dict[str, Any]:
    """Return the values for both the page and the list in it."""
    after = visit.query("after")
    return {
        "given": given,
        "page": page,
        "query": _query(given, after),
        "older": _query(given, page.next.text) if page.next else None,
        "first": _query(given, None),
        "is_first": not after,
        "address": visit.path("inbox") + _query(given, after),
        "accounts": await visit.services.accounts.list(visit.principal),
        "members": await visit.services.members.list_members(visit.principal),
    }


def _given(visit: Visit) -> dict[str, str]:
    """Return the filters in the address."""
    values = {name: (visit.query(name) or "").strip() for name in FILTERS}
    return {name: value for name, value in values.items() if value}


def _query(given: Mapping[str, str], after: str | None) -> str:
    values = {**given, "after": after} if after else given
    return f"?{urlencode(values)}" if values else ""


def _filter_of(given: Mapping[str, str]) -> InboxFilter:
    unassigned = given.get("assignee") == NOBODY
    return InboxFilter(
        account_id=_find_in(given, UUID, "device"),
        status=_find_in(given, ConversationStatus, "status"),
        label_id=_find_in(given, UUID, "label"),
        assignee_user_id=None if unassigned else _find_in(given, UUID, "assignee"),
        unassigned=unassigned,
        text=given.get("q"),
    )


def _find_in(given: Mapping[str, str], kind: Callable[[str], T], name: str) -> T | None:
    return parse(kind, given[name], name, f"There is no such {name}.") if name in given else None
