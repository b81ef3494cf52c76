"""One conversation: what was said, and a person's answer."""

from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID

from starlette.responses import Response

from heliograph.core.messages.content_input import read_content
from heliograph.errors import (
    BodyTooLargeError,
    ConflictError,
    IdempotencyConflictError,
    InvalidInputError,
    MediaTypeError,
    TooManyRequestsError,
)
from heliograph.faces.dashboard.composer import (
    FIELDS,
    LIMITS,
    TITLES,
    file_values,
    read_form_of,
    typed,
    upload_file,
)
from heliograph.faces.dashboard.forms import read_key
from heliograph.faces.dashboard.pages import Pages, Visit
from heliograph.networks.content import encode_content

pages = Pages()

PAGE = 50


@pages.get("inbox/{conversation_id:uuid}", scope="messages:read")
async def show_thread(visit: Visit) -> Response:
    return await _show(visit)


@pages.get("inbox/{conversation_id:uuid}/messages", scope="messages:read")
async def show_messages(visit: Visit) -> Response:
    """Show the messages alone, which an open page fetches after a new one."""
    return visit.render("inbox_messages.html", **await _read(visit))


@pages.get("inbox/{conversation_id:uuid}/panel", scope="conversations:read")
async def show_panel(visit: Visit) -> Response:
    """Show the panel beside the messages, which an open page fetches when it has changed."""
    conversation = await visit.services.inbox.get(visit.principal, visit.id("conversation_id"))
    return visit.render(
        "thread_panel.html", conversation=conversation, is_part=True, **await _around(visit)
    )


@pages.post("inbox/{conversation_id:uuid}/answer", scope="messages:write")
async def answer(visit: Visit) -> Response:
    """Send what one of the forms says, the text's where none is named."""
    kind = typed(visit, "kind") or "text"

    async def send(conversation_id: UUID) -> None:
        content = read_content(read_form_of(visit, kind))
        words = encode_content(content.to_content())
        key = read_key(visit, conversation_id, words)
        await visit.services.inbox.reply(visit.principal, conversation_id, content, key)

    return await _answer(visit, kind, send)


@pages.post("inbox/{conversation_id:uuid}/file", scope="messages:write", takes_file=True)
async def send_file(visit: Visit) -> Response:
    """Send a file, as what it is: a picture, a film, a sound, else a document."""

    async def send(conversation_id: UUID) -> None:
        # one that the person may not write to is refused before a file is stored for it
        await visit.services.inbox.get(visit.principal, conversation_id)
        caption = typed(visit, "caption")
        media = await upload_file(visit, caption)
        key = read_key(visit, conversation_id, f"{media.sha256.hex()} {caption}")
        content = read_content(file_values(media, caption))
        await visit.services.inbox.reply(visit.principal, conversation_id, content, key)

    return await _answer(visit, "file", send)


async def _answer(visit: Visit, kind: str, send: Callable[[UUID], Awaitable[None]]) -> Response:
    """Send an answer; show one that can't be sent again as it was typed, with the reason."""
    conversation_id = visit.id("conversation_id")
    try:
        await send(conversation_id)
    except InvalidInputError as error:
        problems = [_sentence(kind, problem.loc, problem.msg) for problem in error.problems]
        return await _show(visit, kind, problems=problems)
    except IdempotencyConflictError:
        pass  # the same form is being sent at this moment: the thread will show it
    except (ConflictError, TooManyRequestsError, MediaTypeError, BodyTooLargeError) as error:
        return await _show(visit, kind, problems=[error.detail], status=error.status)
    return visit.go_to(f"inbox/{conversation_id}#answer")


async def _show(
    visit: Visit, kind: str = "text", *, problems: list[str] | None = None, status: int = 422
) -> Response:
    shown = await _read(visit)
    return visit.render(
        "thread.html",
        status=status if problems else 200,
        is_part=False,
        problems=problems or [],
        typed={name: typed(visit, name) for names in FIELDS.values() for name in names},
        kind=kind,
        titles=TITLES,
        limits=LIMITS,
        form_id=visit.new_form_id(),
        **shown,
        **await _around(visit),
    )


async def _around(visit: Visit) -> dict[str, Any]:
    """Return who a conversation may be assigned to, its device, and the labels it may have."""
    return {
        "accounts": await visit.services.accounts.list(visit.principal),
        "members": await visit.services.members.list_members(visit.principal),
        "labels": await visit.services.labels.list(visit.principal),
    }


async def _read(visit: Visit) -> dict[str, Any]:
    """Return the values of a page of the thread.

    The newest page marks the conversation as read when the visitor may change conversations.
    """
    conversation_id, before = visit.id("conversation_id"), visit.number("before")
    # A GET may do this: it works without JavaScript, can be repeated, and the worst that another
    # site could do with it is to clear a counter. It comes before the messages are fetched, so that
    # none that arrives in between is marked.
    if before is None and "conversations:write" in visit.principal.scopes:
        await visit.services.inbox.mark_read(visit.principal, conversation_id)
    page = await visit.services.inbox.thread(visit.principal, conversation_id, before, PAGE)
    return {
        "conversation": page.conversation,
        "messages": page.messages[::-1],
        # of the messages that an answer on this page can lead to
        "ids": frozenset(message.message.id for message in page.messages),
        "earlier": page.before,
        "is_newest": before is None,
    }


_NAMES = {
    "header": "Line above",
    "footer": "Footer",
    "buttons": "Buttons",
    "button": "Button",
    "rows": "Rows",
    "question": "Question",
    "options": "Options",
    "latitude": "Degrees north",
    "longitude": "Degrees east",
    "address": "Address",
    "phones": "Phone numbers",
    "file": "File",
    "caption": "Text",
}
_FIRST = {"contact": "Name", "location": "Place"}
"""What a problem is about that names no field above, by kind of content."""
_SEVERAL = {"buttons": "Buttons", "list": "Rows", "poll": "Options"}
"""What a problem is about that names the content alone: two of its choices are the same."""


def _sentence(kind: str, loc: tuple[str | int, ...], problem: str) -> str:
    found = [_NAMES[str(step)] for step in loc if step in _NAMES]
    unnamed = _SEVERAL if loc == ("content",) else _FIRST
    return f"{found[-1] if found else unnamed.get(kind, 'Text')}: {problem}"
