"""The inbox: conversations, the newest activity first, and filters.

Its list stands beside every conversation; see `thread` for the rest of that page.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar
from urllib.parse import urlencode
from uuid import UUID

from starlette.responses import Response

from heliograph.core.inbox.model import (
    ConversationCursor,
    ConversationStatus,
    InboxFilter,
    InboxPage,
)
from heliograph.core.pages import decode_cursor, encode_cursor
from heliograph.errors import InvalidInputError
from heliograph.faces.dashboard.inbox.message_hits import find_hits
from heliograph.faces.dashboard.pages.forms import list_filters, parse
from heliograph.faces.dashboard.pages.registry import Pages, Visit

T = TypeVar("T")

pages = Pages()

FILTERS = ("q", "device", "status", "label", "assignee")
"""The fields of the form, which are also the query parameters."""
NOBODY = "nobody"
ANY = "any"
PAGE = 30
_FILTER_FORM = "filters"
"""The list's id in the page: what it requests becomes the page's address."""
_NOTHING = InboxPage((), (), None)


@pages.get("inbox", scope="conversations:read")
async def show_inbox(visit: Visit) -> Response:
    shown = await read_list(visit)
    return visit.render("inbox.html", status=422 if shown["list_problem"] else 200, **shown)


@pages.get("inbox/list", scope="conversations:read", is_part=True)
async def show_list(visit: Visit) -> Response:
    """Show the list alone, which an open page fetches after a message or another filter."""
    shown = await read_list(visit, find_open(visit))
    status = 422 if shown["list_problem"] else 200
    is_filtered = visit.request.headers.get("hx-trigger") == _FILTER_FORM
    part = "inbox_filtered.html" if is_filtered else "inbox_list.html"
    response = visit.render(part, status=status, **shown)
    if visit.query("open") is None and is_filtered:
        response.headers["HX-Replace-Url"] = shown["address"]
    return response


async def read_list(visit: Visit, open_id: UUID | None = None) -> dict[str, Any]:
    """Return the values of the list and of its filters; `open_id` is the conversation beside it."""
    given = find_given(visit)
    after = visit.query("after")
    page, place, problem, status, hits = _NOTHING, None, None, None, None
    try:
        status = _status_of(given)
        place = _read_place(after) if after else None
        page = await visit.services.inbox.list(visit.principal, _filter_of(given), place, PAGE)
        if "q" in given and not after and visit.may("messages:read"):
            hits = await find_hits(visit, given)
    except InvalidInputError as error:
        problem = error.problems[0].msg
    return {
        "list_problem": problem,
        "given": given,
        "page": page,
        "hits": hits,
        "shown_status": status,
        "open_id": open_id,
        "query": query_of(given, after),
        "older": query_of(given, encode_cursor(page.next)) if page.next else None,
        "first": query_of(given, None),
        "is_first": not after,
        "is_catching_up": place is not None and place.is_catching_up,
        "address": visit.path("inbox") + query_of(given, after),
        "unread": await visit.services.inbox.count_unread(visit.principal),
        "statuses": [status.value for status in ConversationStatus],
        "accounts": await visit.services.accounts.list(visit.principal),
        "members": await visit.services.members.list_members(visit.principal),
        "labels": await visit.services.labels.list(visit.principal),
    }


def find_open(visit: Visit) -> UUID | None:
    """Return the conversation that the page shows beside the list, if any."""
    try:
        return UUID(visit.query("open") or "")
    except ValueError:
        return None


def find_given(visit: Visit) -> dict[str, str]:
    return list_filters(visit, FILTERS)


def query_of(given: Mapping[str, str], after: str | None) -> str:
    values = {**given, "after": after} if after else given
    return f"?{urlencode(values)}" if values else ""


def _read_place(after: str) -> ConversationCursor:
    try:
        return decode_cursor(after, ConversationCursor, "after")
    except InvalidInputError:
        raise InvalidInputError.at(("after",), "This is not a place in the list.") from None


def _filter_of(given: Mapping[str, str]) -> InboxFilter:
    unassigned = given.get("assignee") == NOBODY
    return InboxFilter(
        account_id=_find_in(given, UUID, "device"),
        status=_status_of(given),
        label_id=_find_in(given, UUID, "label"),
        assignee_user_id=None if unassigned else _find_in(given, UUID, "assignee"),
        unassigned=unassigned,
        text=given.get("q"),
    )


def _status_of(given: Mapping[str, str]) -> ConversationStatus | None:
    """Return the status to list: the open ones, unless another was chosen or something is searched
    for."""
    if given.get("status") == ANY or ("status" not in given and "q" in given):
        return None
    return _find_in(given, ConversationStatus, "status") or ConversationStatus.OPEN


def _find_in(given: Mapping[str, str], kind: Callable[[str], T], name: str) -> T | None:
    return parse(kind, given[name], name, f"There is no such {name}.") if name in given else None
