"""Actions on one message of a conversation: react to it, edit it, delete it."""

from collections.abc import Awaitable, Callable
from uuid import UUID

from starlette.responses import Response

from heliograph.errors import ConflictError, InvalidInputError, MessageNotFoundError
from heliograph.faces.dashboard.inbox.composer_problems import explain_problems
from heliograph.faces.dashboard.inbox.content_forms import typed
from heliograph.faces.dashboard.inbox.conversations import find_given, query_of
from heliograph.faces.dashboard.inbox.thread import show
from heliograph.faces.dashboard.pages.registry import Pages, Visit
from heliograph.networks.content import read_content

pages = Pages()

_ONE = "inbox/{conversation_id:uuid}/message/{message_id:uuid}"


@pages.post(f"{_ONE}/react", scope="messages:write")
async def react(visit: Visit) -> Response:
    async def work(message_id: UUID) -> None:
        emoji = visit.text("emoji")
        await visit.services.message_edits.react(visit.principal, message_id, emoji)

    return await _change(visit, "react", None, work)


@pages.post(f"{_ONE}/edit", scope="messages:write")
async def edit(visit: Visit) -> Response:
    async def work(message_id: UUID) -> None:
        content = read_content({"type": "text", "body": typed(visit, "new_text")}).to_content()
        await visit.services.message_edits.edit(visit.principal, message_id, content)

    return await _change(visit, "edit", "saved", work)


@pages.post(f"{_ONE}/delete", scope="messages:write")
async def delete(visit: Visit) -> Response:
    async def work(message_id: UUID) -> None:
        await visit.services.message_edits.delete(visit.principal, message_id)

    return await _change(visit, "delete", "deleting", work)


async def _change(
    visit: Visit, kind: str, done: str | None, work: Callable[[UUID], Awaitable[None]]
) -> Response:
    """Change the message, and show the conversation; a refused change is shown with the reason, as
    it was typed. Raises `MessageNotFoundError` for a message of another conversation."""
    message_id, conversation_id = visit.id("message_id"), visit.id("conversation_id")
    message = await visit.services.messages.get(visit.principal, message_id)
    if message["conversation_id"] != conversation_id:
        raise MessageNotFoundError(message_id)
    try:
        await work(message_id)
    except InvalidInputError as error:
        problems = explain_problems(visit, kind, error)
        return await show(visit, kind, problems=problems)
    except ConflictError as error:
        return await show(visit, kind, problems=[error.detail], status=error.status)
    given, before = find_given(visit), visit.number("before")
    if before is not None:  # keeps the changed message in view
        given |= {"before": str(before)}
    query = query_of(given, visit.query("after"))
    return visit.go_to(f"inbox/{conversation_id}{query}", done=done)
