"""Conversation actions: assign, label, pin and close a conversation, and pause its agent."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias
from uuid import UUID

from starlette.responses import Response

from heliograph.core.inbox.model import Conversation
from heliograph.core.inbox.service import InboxService
from heliograph.core.tenants.model import Principal
from heliograph.faces.dashboard.forms import parse
from heliograph.faces.dashboard.pages import Pages, Visit

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
"""What one button does, by the end of its address."""


def _register(name: str, change: Change) -> None:
    @pages.post(f"inbox/{{conversation_id:uuid}}/{name}", scope="conversations:write")
    async def act(visit: Visit) -> Response:
        await change(visit.services.inbox, visit.principal, visit.id("conversation_id"))
        return _back(visit)


for _name, _change in CHANGES.items():
    _register(_name, _change)


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


def _back(visit: Visit) -> Response:
    return visit.go_to(f"inbox/{visit.id('conversation_id')}")


def _id_of(visit: Visit, name: str) -> UUID:
    return parse(UUID, visit.field(name), name, "Choose one from the list.")
