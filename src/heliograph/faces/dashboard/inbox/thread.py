"""One conversation: what was said, and a person's answer."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

import msgspec
from starlette.responses import Response

from heliograph.core.idempotency.service import encode_response
from heliograph.core.inbox.model import Conversation, Note, ThreadMessage
from heliograph.core.inbox.notes import NoteCursor
from heliograph.core.messages.model import Message
from heliograph.core.pages import encode_cursor
from heliograph.errors import (
    BodyTooLargeError,
    ConflictError,
    IdempotencyConflictError,
    InvalidInputError,
    MediaTypeError,
    NotFoundError,
    TooManyRequestsError,
)
from heliograph.faces.dashboard.devices.note import find_device, hindrance
from heliograph.faces.dashboard.inbox.composer import file_values, form_values, upload_file
from heliograph.faces.dashboard.inbox.composer_problems import explain_problems
from heliograph.faces.dashboard.inbox.content_forms import read_form_of, typed
from heliograph.faces.dashboard.inbox.conversation_actions import SNOOZES
from heliograph.faces.dashboard.inbox.conversations import find_given, query_of, read_list
from heliograph.faces.dashboard.pages.forms import parse, read_key
from heliograph.faces.dashboard.pages.registry import Pages, Visit
from heliograph.faces.dashboard.pages.shown_files import ShownFile, serve_file
from heliograph.networks.content import CAPTION_KINDS, encode_content, read_content
from heliograph.platform.database.clock import first_id

pages = Pages()

PAGE = 50
_NOTES = 200
"""Notes that a page shows at most."""
_A_MOMENT = timedelta(seconds=1)
_OTHERS = 10
EMOJIS = ("👍", "❤️", "😂", "🎉", "🙏")
"""What people react with."""


@pages.get("inbox/{conversation_id:uuid}", scope="messages:read")
async def show_thread(visit: Visit) -> Response:
    return await show(visit)


@pages.get("inbox/{conversation_id:uuid}/messages", scope="messages:read", is_part=True)
async def show_messages(visit: Visit) -> Response:
    """Show the messages alone, which an open page fetches after a new one."""
    query = query_of(find_given(visit), visit.query("after"))
    return visit.render("inbox_messages.html", query=query, **await _read(visit))


@pages.get("inbox/{conversation_id:uuid}/panel", scope="conversations:read", is_part=True)
async def show_panel(visit: Visit) -> Response:
    """Show the panel beside the messages, which an open page fetches when it has changed."""
    conversation = await visit.services.inbox.get(visit.principal, visit.id("conversation_id"))
    accounts = await visit.services.accounts.list(visit.principal)
    device = find_device(accounts, conversation)
    return visit.render(
        "thread_panel.html",
        conversation=conversation,
        is_part=True,
        snoozes=SNOOZES,
        query=query_of(find_given(visit), visit.query("after")),
        accounts=accounts,
        device=device,
        hindrance=hindrance(device),
        members=await visit.services.members.list_members(visit.principal),
        labels=await visit.services.labels.list(visit.principal),
        **await read_person(visit, conversation),
    )


@pages.get("inbox/{conversation_id:uuid}/file/{message_id:uuid}", scope="messages:read")
async def show_file(visit: Visit) -> Response:
    """Show the file of a message, as what its bytes are."""
    message = await visit.services.messages.get(visit.principal, visit.id("message_id"))
    if message["conversation_id"] != visit.id("conversation_id"):
        raise NotFoundError("There is no such file in this conversation.")
    media = visit.services.media
    opened = await media.open_link(visit.principal.tenant, message["media_url"])
    name = opened.media.file_name if opened.media and opened.media.file_name else ""
    file = ShownFile(media, opened, name)
    return await serve_file(file, visit.request.headers.get("range"))


@pages.post("inbox/{conversation_id:uuid}/answer", scope="messages:write")
async def answer(visit: Visit) -> Response:
    """Send the content of one of the forms, by default the text's."""
    kind = typed(visit, "kind") or "text"

    async def send(conversation_id: UUID) -> None:
        content = read_content(read_form_of(visit, kind))
        words = encode_content(content.to_content())
        key = read_key(visit, conversation_id, words)
        await visit.services.inbox.reply(
            visit.principal, conversation_id, content, key, reply_to_message_id=_quoted(visit)
        )

    return await _answer(visit, kind, send)


@pages.post("inbox/{conversation_id:uuid}/file", scope="messages:write", takes_file=True)
async def send_file(visit: Visit) -> Response:
    """Send a file as what it is: a picture, a video, a sound, else a document."""

    async def send(conversation_id: UUID) -> None:
        # a conversation that the person may not write to is refused before a file is stored
        await visit.services.inbox.get(visit.principal, conversation_id)
        caption = typed(visit, "caption")
        media = await upload_file(visit, caption)
        key = read_key(visit, conversation_id, f"{media.sha256.hex()} {caption}")
        content = read_content(file_values(media, caption))
        await visit.services.inbox.reply(visit.principal, conversation_id, content, key)

    return await _answer(visit, "file", send)


@pages.post("inbox/{conversation_id:uuid}/note", scope="conversations:write")
async def write_note(visit: Visit) -> Response:
    async def write(conversation_id: UUID) -> None:
        body = typed(visit, "note")
        key = read_key(visit, conversation_id, f"note {body}")
        make = partial(visit.services.notes.write, visit.principal, conversation_id, body)
        await visit.services.changes.once(visit.principal, key, make, partial(encode_response, 201))

    return await _answer(visit, "note", write)


async def _answer(visit: Visit, kind: str, send: Callable[[UUID], Awaitable[None]]) -> Response:
    """Send an answer; show one that can't be sent again as it was typed, with the reason."""
    conversation_id = visit.id("conversation_id")
    try:
        await send(conversation_id)
    except InvalidInputError as error:
        problems = explain_problems(visit, kind, error)
        return await show(visit, kind, problems=problems)
    except IdempotencyConflictError:
        pass  # the same form is being sent at this moment: the thread will show it
    except (ConflictError, TooManyRequestsError, MediaTypeError, BodyTooLargeError) as error:
        return await show(visit, kind, problems=[error.detail], status=error.status)
    if visit.is_partial:  # the page stays, as the next answer may be half written
        return Response(status_code=204)
    given = {**find_given(visit), "sent": kind}
    # the focus returns to the field: elsewhere letters are shortcuts
    field = "note" if kind == "note" else "text"
    return visit.go_to(f"inbox/{conversation_id}{query_of(given, visit.query('after'))}#{field}")


async def show(
    visit: Visit, kind: str = "text", *, problems: list[str] | None = None, status: int = 422
) -> Response:
    """Show a conversation between the list and its person; with `problems`, also what was typed."""
    shown = await _read(visit)
    canned = await visit.services.canned_replies.list(visit.principal)
    listed = await read_list(visit, visit.id("conversation_id"))
    device = find_device(listed["accounts"], shown["conversation"])
    return visit.render(
        "thread.html",
        status=status if problems else 200,
        is_part=False,
        problems=problems or [],
        **form_values(visit, "note" if visit.query("sent") == "note" else kind),
        emojis=EMOJIS,
        snoozes=SNOOZES,
        selected=_selected(visit, shown["messages"]),
        caption_kinds=CAPTION_KINDS,
        canned=msgspec.json.encode({each.shortcut: each.body for each in canned}).decode(),
        device=device,
        hindrance=hindrance(device),
        **shown,
        **await read_person(visit, shown["conversation"]),
        **listed,
    )


async def read_person(visit: Visit, conversation: Conversation) -> dict[str, Any]:
    """Return the contact of a conversation, and the other conversations with the same person."""
    if conversation.contact_id is None:
        return {"contact": None, "others_of_person": []}
    contact = await visit.services.contact_book.get(visit.principal, conversation.contact_id)
    page = await visit.services.conversations.list(
        visit.principal, contact_id=conversation.contact_id, limit=_OTHERS
    )
    others = [each for each in page.records if each["id"] != conversation.id]
    return {"contact": contact, "others_of_person": others}


async def _read(visit: Visit) -> dict[str, Any]:
    """Return the values of a page of the thread.

    The newest page marks the conversation as read when the visitor may change conversations.
    """
    conversation_id, before = visit.id("conversation_id"), visit.number("before")
    # A GET may do this: it works without JavaScript, can be repeated, and the worst another site
    # could do with it is to clear a counter. It comes before the messages are fetched, so that a
    # message that arrives in between is not marked.
    if before is None and visit.may("conversations:write"):
        await visit.services.inbox.mark_read(visit.principal, conversation_id)
    page = await visit.services.inbox.thread(visit.principal, conversation_id, before, PAGE)
    messages = page.messages[::-1]
    end = None if before is None else await _next_moment(visit, before, messages)
    first = messages[0].message.created_at if messages and page.before else None
    return {
        "conversation": page.conversation,
        "messages": messages,
        "timeline_of": _in_order(messages, await _list_notes(visit, first, end)),
        "by_id": {shown.message.id: shown.message for shown in messages},
        "quoted_elsewhere": page.quoted,
        "now": visit.services.database.clock.now(),
        "earlier": page.before,
        "is_newest": before is None,
    }


async def _next_moment(
    visit: Visit, before: int, messages: Sequence[ThreadMessage]
) -> datetime | None:
    """Return the time of the first message after a page that is not the newest."""
    found = await visit.services.inbox.thread(
        visit.principal, visit.id("conversation_id"), before + 1, 1
    )
    shown = {each.message.id for each in messages}
    behind = [each.message for each in found.messages if each.message.id not in shown]
    return behind[0].created_at if behind else None


async def _list_notes(visit: Visit, first: datetime | None, end: datetime | None) -> list[Note]:
    """Return the newest notes from `first` to before `end`, in their order."""
    # a note's id is made just before its time is taken
    cursor = None if end is None else encode_cursor(NoteCursor(first_id(end + _A_MOMENT)))
    page = await visit.services.notes.list(
        visit.principal, visit.id("conversation_id"), cursor, _NOTES
    )
    return [
        note
        for note in reversed(page.records)
        if (first is None or note.created_at >= first) and (end is None or note.created_at < end)
    ]


def _in_order(
    messages: Sequence[ThreadMessage], notes: Sequence[Note]
) -> list[ThreadMessage | Note]:
    """Return the messages of a page in order, together with the notes from its time."""
    waiting = list(notes)
    found: list[ThreadMessage | Note] = []
    for shown in messages:
        while waiting and waiting[0].created_at < shown.message.created_at:
            found.append(waiting.pop(0))
        found.append(shown)
    return found + waiting


def _selected(visit: Visit, messages: Sequence[ThreadMessage]) -> Message | None:
    """Return the message of the page that was chosen to be answered or changed."""
    changed = visit.request.path_params.get("message_id", "")
    wanted = visit.query("at") or visit.text("reply_to") or str(changed)
    return next(
        (each.message for each in messages if str(each.message.id) == wanted),
        None,
    )


def _quoted(visit: Visit) -> UUID | None:
    given = visit.text("reply_to")
    return parse(UUID, given, "reply_to", "There is no such message.") if given else None
