"""The messages that a search of the inbox finds, below the conversations."""

from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import urlencode
from uuid import UUID

from heliograph.core.messages.lists.filters import MessageFilter
from heliograph.core.messages.search.words import words_of
from heliograph.core.messages.serializers import preview
from heliograph.faces.dashboard.pages.forms import parse
from heliograph.faces.dashboard.pages.navigation import MESSAGES
from heliograph.faces.dashboard.pages.registry import Visit
from heliograph.platform.folding import find_folded

MAX_HITS = 5
_LEAD = 20
"""Characters before the word that was found."""


class Hit(NamedTuple):
    """`message` is as the API shows it; `excerpt` is the part of it that contains the word."""

    message: Mapping[str, Any]
    excerpt: str


class Hits(NamedTuple):
    """`all_of_them` is the page that lists the others, too; `is_complete` says there are none."""

    found: list[Hit]
    all_of_them: str
    is_complete: bool


async def find_hits(visit: Visit, given: Mapping[str, str]) -> Hits:
    """Find the newest messages with the words of the search, through the chosen device if one is.

    What was deleted is not among them. Raises what `MessageListService.list` raises.
    """
    asked = {name: given[name] for name in ("q", "device") if name in given}
    device = given.get("device")
    account_id = device and parse(UUID, device, "device", "There is no such device.")
    only = MessageFilter(search=given["q"], chat_account_id=account_id or None)
    page = await visit.services.message_lists.list(visit.principal, only, limit=MAX_HITS)
    found = [
        Hit(record, excerpt_of(record["content"], given["q"]))
        for record in page.records
        if record["deleted_at"] is None
    ]
    address = f"{visit.path(MESSAGES.path)}?{urlencode(asked)}"
    return Hits(found, address, is_complete=page.next_cursor is None)


def excerpt_of(text: str, search: str) -> str:
    """Return a line of the text that begins shortly before the first word of the search."""
    line = " ".join(text.split())
    at = min((find_folded(line, word) for word in words_of(search)[:1]), default=0)
    if at <= _LEAD:
        return preview(line)
    begin = line.find(" ", at - _LEAD, at) + 1 or at
    return f"…{preview(line[begin:])}"
