"""Messages: all of them, found by attributes and words; each with its history, and sent again."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

import msgspec
from starlette.responses import Response

from heliograph.core.messages.edits.resending import may_be_resent
from heliograph.core.messages.history import explain as explain_history
from heliograph.core.messages.lists.filters import MAX_SEARCH_LENGTH, MessageFilter
from heliograph.core.messages.lists.service import MAX_SCANNED
from heliograph.core.messages.model import Direction, MessageStatus
from heliograph.errors import ConflictError, InvalidInputError, TooManyRequestsError
from heliograph.faces.dashboard.messages.export import FORMATS, export_messages
from heliograph.faces.dashboard.pages.forms import list_filters, parse, read_days, read_key
from heliograph.faces.dashboard.pages.navigation import MESSAGES
from heliograph.faces.dashboard.pages.registry import Pages, Visit
from heliograph.faces.dashboard.rendering.moments import list_steps

pages = Pages()

FILTERS = ("q", "person", "status", "direction", "device", "since", "until", "reason")
"""The fields of the form, which are also the query parameters."""
PAGE = 50
_MAX_REASON = 200
_MAX_PERSON = 100


@pages.get(MESSAGES.path, scope="messages:read")
async def show_messages(visit: Visit) -> Response:
    given = list_filters(visit, FILTERS)
    cursor = visit.query("after")
    records: list[Any] = []
    following, problem = None, None
    try:
        page = await visit.services.message_lists.list(
            visit.principal, _filter(given), limit=PAGE, cursor=cursor
        )
        records, following = page.records, page.next_cursor
    except InvalidInputError as error:
        problem = error.problems[0].msg
    accounts = await visit.services.accounts.list(visit.principal)
    here = visit.path(MESSAGES.path)
    return visit.render(
        "messages.html",
        status=422 if problem else 200,
        problem=problem,
        given=given,
        messages=records,
        accounts=accounts,
        devices={account.id: account.name for account in accounts},
        statuses=[(status.value, status.value) for status in MessageStatus],
        searched=MAX_SCANNED,
        longest_search=MAX_SEARCH_LENGTH,
        longest_reason=_MAX_REASON,
        longest_person=_MAX_PERSON,
        address=f"{here}?{urlencode(given)}",
        export=f"{here}/export?{urlencode(given)}",
        newest=f"{here}?{urlencode(given)}" if cursor else None,
        older=f"{here}?{urlencode({**given, 'after': following})}" if following else None,
    )


@pages.get(f"{MESSAGES.path}/export", scope="messages:read")
async def export(visit: Visit) -> Response:
    """Send all matching messages as a file."""
    form = visit.query("format") or "csv"
    if form not in FORMATS:
        raise InvalidInputError.at(("format",), "The format is csv or jsonl.")
    return await export_messages(visit, _filter(list_filters(visit, FILTERS)), form)


@pages.get(f"{MESSAGES.path}/{{message_id:uuid}}", scope="messages:read")
async def show_message(visit: Visit) -> Response:
    return await _show(visit)


@pages.post(f"{MESSAGES.path}/{{message_id:uuid}}/again", scope="messages:write")
async def send_again(visit: Visit) -> Response:
    """Send a message that failed again, and show the new one."""
    message_id = visit.id("message_id")
    try:
        response = await visit.services.resends.resend(
            visit.principal, message_id, read_key(visit, message_id)
        )
    except InvalidInputError as error:
        return await _show(visit, f"{error.problems[0].msg} Nothing was sent.")
    except (ConflictError, TooManyRequestsError) as error:
        return await _show(visit, f"{error.detail} Nothing was sent.", status=error.status)
    new_id = msgspec.json.decode(response.body)["message_id"]
    return visit.go_to(f"{MESSAGES.path}/{new_id}", done="again")


@pages.post(f"{MESSAGES.path}/{{message_id:uuid}}/cancel", scope="messages:write")
async def cancel(visit: Visit) -> Response:
    """Cancel a message that waits to be sent."""
    message_id = visit.id("message_id")
    try:
        await visit.services.cancellations.cancel(visit.principal, message_id)
    except ConflictError as error:
        return await _show(visit, error.detail, status=error.status)
    return visit.go_to(f"{MESSAGES.path}/{message_id}", done="canceled")


async def _show(visit: Visit, problem: str | None = None, *, status: int = 422) -> Response:
    history = await visit.services.message_history.get(visit.principal, visit.id("message_id"))
    message = history.message
    return visit.render(
        "message.html",
        status=status if problem else 200,
        problem=problem,
        message=message,
        history=history,
        explanation=explain_history(history, lists_deliveries=False),
        steps=list_steps(message, history.attempts.kept),
        may_cancel=visit.may("messages:write") and history.may_be_canceled,
        may_resend=visit.may("messages:write")
        and may_be_resent(message["direction"], message["status"]),
        form_id=visit.new_form_id(),
    )


def _filter(given: Mapping[str, str]) -> MessageFilter:
    """Return the filter for the given fields; days are UTC days. Raises `InvalidInputError`."""
    since, until = read_days(given.get("since"), given.get("until"))
    return MessageFilter(
        chat_account_id=_read(given, UUID, "device"),
        direction=_read(given, Direction, "direction"),
        status=_read(given, MessageStatus, "status"),
        since=since,
        until=until,
        search=_text(given, "q", MAX_SEARCH_LENGTH),
        reason=_text(given, "reason", _MAX_REASON),
        person=_text(given, "person", _MAX_PERSON),
    )


def _read(given: Mapping[str, str], kind: Any, name: str) -> Any:
    if name not in given:
        return None
    return parse(kind, given[name], name, f"There is no such {name}.")


def _text(given: Mapping[str, str], name: str, max_length: int) -> str | None:
    text = given.get(name)
    if text is not None and len(text) > max_length:
        raise InvalidInputError.at((name,), f"A search has at most {max_length} characters.")
    return text
