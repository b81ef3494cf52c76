"""Messages as a file: CSV for spreadsheets, or a JSON object a line.

The file is read page by page and sent as it is read, so it is never in memory as a whole. An export
rests as long as it reads, since it holds up whatever else the node does.
"""

import asyncio
import csv
import io
import re
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from typing import Any
from uuid import UUID

import msgspec
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from heliograph.core.messages.lists.filters import MessageFilter
from heliograph.core.pages import Page
from heliograph.errors import TooManyReadsError, TooManyRequestsError
from heliograph.faces.dashboard.pages.registry import Visit
from heliograph.platform.database.shares import serving

COLUMNS = (
    *("id", "created_at", "direction", "status", "message_type", "phone_number", "contact_name"),
    *("group_name", "content", "failure_reason", "chat_account_id", "conversation_id"),
    *("sent_at", "delivered_at", "read_at", "failed_at", "retry_count", "chat_message_id"),
    *("edited_at", "deleted_at", "sent_by"),
)
AT_ONCE = 2
"""Exports of one person that a node sends at a time."""
_PAGE = 50
"""Messages that are read, and then written, without a pause: each takes about a millisecond, during
which the node does nothing else."""
_ENDS = r";\t\n\v\f\r\x85\u2028\u2029"
"""Characters other than a comma that a spreadsheet may take for the end of a cell."""
_BETWEEN = rf'[{_ENDS}, "]'
_IN_FRONT = re.compile(rf"(?<!{_BETWEEN}){_BETWEEN}*(?=[=+\-@＝＋－＠])")
"""What may precede the first character of a formula. Four of those characters have a wide form."""
_NEW_CELL = re.compile(rf'[{_ENDS}]|,"*\Z')
"""A quotation mark after the end of a cell is dropped. After a comma, which ends cells here, a
blank begins no formula, and people write it."""

_BYTE_ORDER_MARK = "\ufeff"
"""Without it spreadsheets assume the computer's legacy encoding."""

_running: Counter[UUID] = Counter()


def _as_csv(records: Iterable[Mapping[str, Any]], is_first: bool) -> str:
    text = io.StringIO()
    # line ends are RFC 4180's; quotes keep a semicolon from ending a cell
    writer = csv.writer(text, lineterminator="\r\n", quoting=csv.QUOTE_ALL)
    if is_first:
        text.write(_BYTE_ORDER_MARK)
        writer.writerow(COLUMNS)
    writer.writerows([_cell(record[name]) for name in COLUMNS] for record in records)
    return text.getvalue()


def _cell(value: object) -> str:
    """Return a value as a spreadsheet shows it, and never computes it."""
    if value is None:
        return ""
    if isinstance(value, Mapping):  # the sender
        value = value["name"] or value["kind"]
    text = value if isinstance(value, str) else msgspec.to_builtins(value)
    text = str(text)
    is_number = text[:1] == "+" and text[1:].isdecimal()
    if is_number:
        return text
    defused = _IN_FRONT.sub(_defused, text)
    return f"'{defused}" if defused[:1] in ("\t", "\r") else defused


def _defused(found: re.Match[str]) -> str:
    front = found[0]
    begins_a_cell = found.start() == 0 or _NEW_CELL.search(front) is not None
    return f"{front}'" if begins_a_cell else front


def _as_json_lines(records: Iterable[Mapping[str, Any]], _is_first: bool) -> str:
    return "".join(f"{msgspec.json.encode(record).decode()}\n" for record in records)


FORMATS: Mapping[str, tuple[str, Callable[[Iterable[Mapping[str, Any]], bool], str]]] = {
    "csv": ("text/csv; charset=utf-8", _as_csv),
    "jsonl": ("application/jsonl", _as_json_lines),
}
"""The media type of each, and what writes a page of it."""


async def export_messages(visit: Visit, only: MessageFilter, form: str) -> Response:
    """Send the matching messages, once the audit log records who exported which.

    Raises `TooManyRequestsError` when too many of this person's exports are under way, and what
    `MessageListService.list` raises, before anything is sent.
    """
    media_type, write = FORMATS[form]
    if _running[visit.user.id] >= AT_ONCE:
        raise TooManyRequestsError(
            "Two of your exports are already running: wait for one to finish.", retry_after=30
        )
    turn = _ExportTurn(visit.user.id)
    try:
        lists = visit.services.message_lists
        first = await lists.list(visit.principal, only, limit=_PAGE)
        await lists.record_export(visit.principal, **_details(only, form))
    except BaseException:
        turn.end()
        raise

    async def pieces() -> AsyncIterator[str]:
        page, is_first = first, True
        while True:
            yield write(page.records, is_first)
            if page.next_cursor is None:
                return
            if visit.is_draining():  # so that the browser sees that the file is incomplete
                raise ConnectionAbortedError("The node is stopping: the export is incomplete.")
            if not await _may_go_on(visit):  # a slow export may have taken hours
                raise ConnectionAbortedError(
                    "The reader has lost access: the export is incomplete."
                )
            is_first = False
            page = await _read_on(visit, only, page.next_cursor)

    name = f"messages.{form}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return _Export(turn, pieces(), media_type=media_type, headers=headers)


async def _read_on(visit: Visit, only: MessageFilter, cursor: str) -> Page:
    """Read the next page, waiting for a turn: a file that ends early is of no use. Rest afterwards,
    for as long as reading took."""
    lists = visit.services.message_lists
    while True:
        began = time.monotonic()
        try:
            page = await lists.list(visit.principal, only, limit=_PAGE, cursor=cursor)
        except TooManyReadsError as error:
            await asyncio.sleep(error.retry_after or 1)
            if visit.is_draining() or not await _may_go_on(visit):
                raise
        else:
            await asyncio.sleep(time.monotonic() - began)
            return page


def _details(only: MessageFilter, form: str) -> dict[str, object]:
    """Return what the audit log says of an export: its format and its filters."""
    account = only.chat_account_id
    details = {
        "format": form,
        "account_ids": None if account is None else [account],
        "direction": only.direction,
        "status": only.status,
        "since": only.since,
        "until": only.until,
        "text": only.search,
        "person": only.person,
        "reason": only.reason,
    }
    return {name: value for name, value in details.items() if value is not None}


async def _may_go_on(visit: Visit) -> bool:
    sessions = visit.services.browser_sessions
    with serving(None):  # a busy database is no reason to cut the file off
        return await sessions.grants(visit.principal.tenant, visit.session, "messages:read")


class _ExportTurn:
    """One of the exports that a person may have under way, from before the first page is read."""

    def __init__(self, user_id: UUID) -> None:
        self._user_id = user_id
        _running[user_id] += 1

    def end(self) -> None:
        _running[self._user_id] -= 1
        if not _running[self._user_id]:
            del _running[self._user_id]


class _Export(StreamingResponse):
    """Ends its turn however it ends, also where the browser has gone before the first piece."""

    def __init__(self, turn: _ExportTurn, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._turn = turn

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._turn.end()
