"""One conversation: what was said, and a person's answer."""

import re
from hashlib import sha256
from typing import Any
from uuid import UUID, uuid4

from starlette.responses import Response

from heliograph.core.idempotency.service import IdempotencyKey
from heliograph.core.messages.content_input import (
    MAX_BUTTON_TITLE,
    MAX_BUTTONS,
    MAX_BUTTONS_BODY,
    MAX_FOOTER,
    MAX_TEXT,
    read_content,
)
from heliograph.errors import (
    ConflictError,
    IdempotencyConflictError,
    InvalidInputError,
    TooManyRequestsError,
)
from heliograph.faces.dashboard.pages import Pages, Visit
from heliograph.networks.content import Content, encode_content

pages = Pages()

PAGE = 50
LIMITS = {
    "text": MAX_TEXT,
    "body": MAX_BUTTONS_BODY,
    "footer": MAX_FOOTER,
    "title": MAX_BUTTON_TITLE,
}
TITLES = tuple(f"button_{number}" for number in range(1, MAX_BUTTONS + 1))
_NO_WORD = re.compile(r"\W+")


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
    return await _answer(visit, {"type": "text", "body": _typed(visit, "text")})


@pages.post("inbox/{conversation_id:uuid}/ask", scope="messages:write")
async def ask(visit: Visit) -> Response:
    titles = [title for name in TITLES if (title := _typed(visit, name))]
    asked = {
        "type": "buttons",
        "body": _typed(visit, "body"),
        "buttons": _buttons(titles),
        "footer": _typed(visit, "footer") or None,
    }
    return await _answer(visit, asked)


async def _answer(visit: Visit, given: dict[str, Any]) -> Response:
    """Send an answer; show one that can't be sent again as it was typed, with the reason."""
    conversation_id = visit.id("conversation_id")
    try:
        content = read_content(given)
        key = _key(visit, conversation_id, content.to_content())
        await visit.services.inbox.reply(visit.principal, conversation_id, content, key)
    except InvalidInputError as error:
        return await _show(
            visit, problems=[_sentence(problem.loc, problem.msg) for problem in error.problems]
        )
    except IdempotencyConflictError:
        pass  # the same form is being sent at this moment: the thread will show it
    except (ConflictError, TooManyRequestsError) as error:
        return await _show(visit, problems=[error.detail], status=error.status)
    return visit.go_to(f"inbox/{conversation_id}#answer")


async def _show(visit: Visit, *, problems: list[str] | None = None, status: int = 422) -> Response:
    shown = await _read(visit)
    return visit.render(
        "thread.html",
        status=status if problems else 200,
        is_part=False,
        problems=problems or [],
        typed={name: _typed(visit, name) for name in ("text", "body", "footer", *TITLES)},
        asks=any(name in visit.form for name in ("body", *TITLES)),
        titles=TITLES,
        limits=LIMITS,
        form_id=uuid4().hex,
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


def _typed(visit: Visit, name: str) -> str:
    """Return a text with single-character line ends, where browsers send two."""
    value = visit.form.get(name)
    return value.replace("\r\n", "\n").strip() if isinstance(value, str) else ""


def _buttons(titles: list[str]) -> list[dict[str, str]]:
    """Return the buttons, each with its title in lower case as its id."""
    found: dict[str, str] = {}
    for number, title in enumerate(titles, 1):
        name = _NO_WORD.sub("-", title.casefold()).strip("-") or "button"
        name = f"{name}-{number}" if name in found else name
        found[name] = title
    return [{"id": name, "title": title} for name, title in found.items()]


def _key(visit: Visit, conversation_id: UUID, content: Content) -> IdempotencyKey | None:
    """Return the idempotency key of a form, so that one that is sent twice makes one message."""
    form_id = visit.form.get("form_id")
    if not isinstance(form_id, str) or not form_id:
        return None
    words = (str(visit.user.id), str(conversation_id), form_id, encode_content(content))
    digest = sha256("\n".join(words).encode()).digest()
    return IdempotencyKey(f"dashboard {digest.hex()}", digest)


_NAMES = {"footer": "Footer", "buttons": "Buttons"}


def _sentence(loc: tuple[str | int, ...], problem: str) -> str:
    named = next((_NAMES[str(step)] for step in loc if step in _NAMES), "Text")
    return f"{named}: {problem}"
