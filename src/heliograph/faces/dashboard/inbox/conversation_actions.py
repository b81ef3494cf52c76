"""Actions on a conversation: assign, label, pin, snooze, close, mark unread, pause automation."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from typing import TypeAlias
from uuid import UUID

from starlette.responses import Response

from heliograph.core.inbox.model import Conversation, ConversationChange, ConversationStatus
from heliograph.core.inbox.service import InboxService
from heliograph.core.tenants.model import Principal
from heliograph.errors import InvalidInputError
from heliograph.faces.dashboard.inbox.conversations import find_given, query_of
from heliograph.faces.dashboard.pages.forms import parse
from heliograph.faces.dashboard.pages.registry import Pages, Visit

pages = Pages()

Change: TypeAlias = Callable[[InboxService, Principal, UUID], Awaitable[Conversation]]
CHANGES: dict[str, Change] = {
    "pin": InboxService.pin,
    "unpin": InboxService.unpin,
    "close": InboxService.close,
    "reopen": InboxService.reopen,
    "pause": lambda inbox, who, it: inbox.set_agent_paused(who, it, paused=True),
    "resume": lambda inbox, who, it: inbox.set_agent_paused(who, it, paused=False),
}
"""What each single button changes, by the end of its address."""
SNOOZES: Mapping[str, str] = {
    "1": "in an hour",
    "4": "in 4 hours",
    "24": "tomorrow at this time",
    "72": "in 3 days",
    "168": "in a week",
    "": "not by itself",
}
"""Hours until a snoozed conversation comes back."""


def _register(name: str, change: Change) -> None:
    @pages.post(f"inbox/{{conversation_id:uuid}}/{name}", scope="conversations:write")
    async def act(visit: Visit) -> Response:
        await change(visit.services.inbox, visit.principal, visit.id("conversation_id"))
        return _back(visit)


for _name, _change in CHANGES.items():
    _register(_name, _change)


@pages.post("inbox/{conversation_id:uuid}/snooze", scope="conversations:write")
async def snooze(visit: Visit) -> Response:
    hours = visit.text("hours")
    if hours not in SNOOZES:
        raise InvalidInputError.at(("hours",), "Choose for how long.")
    until = visit.services.database.clock.now() + timedelta(hours=int(hours)) if hours else None
    wanted = ConversationChange(status=ConversationStatus.SNOOZED, snoozed_until=until)
    await visit.services.inbox.change(visit.principal, visit.id("conversation_id"), wanted)
    return _back(visit, done="snoozed")


@pages.post("inbox/{conversation_id:uuid}/unread", scope="conversations:write")
async def mark_unread(visit: Visit) -> Response:
    """Mark it unread, and show the list: showing the conversation would mark it read again."""
    await visit.services.inbox.mark_unread(visit.principal, visit.id("conversation_id"))
    return visit.go_to(f"inbox{_query(visit)}", done="unread")


@pages.post("inbox/{conversation_id:uuid}/assign", scope="conversations:write")
async def assign(visit: Visit) -> Response:
    user_id = _id_of(visit, "user_id") if visit.form.get("user_id") else None
    await visit.services.inbox.assign(visit.principal, visit.id("conversation_id"), user_id)
    return _back(visit)


@pages.post("inbox/{conversation_id:uuid}/labels/add", scope="conversations:write")
async def add_label(visit: Visit) -> Response:
    label_id = _id_of(visit, "label_id")
    await visit.services.inbox.add_label(visit.principal, visit.id("conversation_id"), label_id)
    return _back(visit)


@pages.post("inbox/{conversation_id:uuid}/labels/remove", scope="conversations:write")
async def remove_label(visit: Visit) -> Response:
    label_id = _id_of(visit, "label_id")
    await visit.services.inbox.remove_label(visit.principal, visit.id("conversation_id"), label_id)
    return _back(visit)


def _back(visit: Visit, done: str | None = None) -> Response:
    return visit.go_to(f"inbox/{visit.id('conversation_id')}{_query(visit)}", done=done)


def _query(visit: Visit) -> str:
    """Return the filters of the list that stands beside the conversation."""
    return query_of(find_given(visit), visit.query("after"))


def _id_of(visit: Visit, name: str) -> UUID:
    return parse(UUID, visit.field(name), name, "Choose one from the list.")
