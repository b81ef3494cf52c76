"""A new conversation: choose a device and a person, then write the first message.

If the person already has a conversation with that device, the page leads to it. Until the network
has said whom a first message reached there is no conversation, and the page waits for it.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

import msgspec
from starlette.responses import Response

from heliograph.core.accounts.model import Account
from heliograph.core.contacts.model import ContactFilter
from heliograph.core.idempotency.service import StoredResponse
from heliograph.core.inbox.model import InboxFilter
from heliograph.core.messages.accepting.recipients import SendTo
from heliograph.core.messages.accepting.service import SendMessage
from heliograph.core.messages.model import new_run_id
from heliograph.errors import (
    BodyTooLargeError,
    ConflictError,
    InvalidInputError,
    MediaTypeError,
    TooManyRequestsError,
)
from heliograph.faces.dashboard.devices.state import state_of
from heliograph.faces.dashboard.inbox.composer import file_values, form_values, upload_file
from heliograph.faces.dashboard.inbox.composer_problems import explain_problems
from heliograph.faces.dashboard.inbox.content_forms import read_form_of, typed
from heliograph.faces.dashboard.inbox.conversations import read_list
from heliograph.faces.dashboard.pages.forms import parse, read_key
from heliograph.faces.dashboard.pages.registry import Pages, Visit
from heliograph.networks.content import AnyInput, encode_content, read_content
from heliograph.networks.phone_numbers import PhoneNumberError, read_phone_number
from heliograph.networks.port import AccountStatus

pages = Pages()

_HERE = "inbox/new"
_CHOICES = 20
"""Contacts to choose from."""


@pages.get(_HERE, scope="messages:write")
async def show_form(visit: Visit) -> Response:
    return await _show(visit)


@pages.post(f"{_HERE}/answer", scope="messages:write")
async def send(visit: Visit) -> Response:
    kind = typed(visit, "kind") or "text"

    async def work(account: Account, to: str) -> StoredResponse:
        content = read_content(read_form_of(visit, kind))
        return await _send(visit, account, to, content, encode_content(content.to_content()))

    return await _answer(visit, kind, work)


@pages.post(f"{_HERE}/file", scope="messages:write", takes_file=True)
async def send_file(visit: Visit) -> Response:
    async def work(account: Account, to: str) -> StoredResponse:
        # anything but a number is refused before a file is stored for it
        await _list_conversations(visit, account, to)
        caption = typed(visit, "caption")
        media = await upload_file(visit, caption)
        content = read_content(file_values(media, caption))
        return await _send(visit, account, to, content, f"{media.sha256.hex()} {caption}")

    return await _answer(visit, "file", work)


@pages.get(f"{_HERE}/sent/{{message_id:uuid}}", scope="messages:read")
async def await_conversation(visit: Visit) -> Response:
    """Lead to the conversation that a first message has begun, once there is one."""
    history = await visit.services.message_history.get(visit.principal, visit.id("message_id"))
    sent = visit.query("sent") or ""
    if history.conversation_id is not None:
        page = f"inbox/{history.conversation_id}?{urlencode({'sent': sent})}#text"
        if visit.is_partial:
            return Response(headers={"HX-Redirect": visit.path(page)})
        return visit.go_to(page)
    message = history.message
    again = urlencode({"device": message["chat_account_id"], "to": message["phone_number"]})
    return visit.render(
        "new_conversation_sent.html",
        message=message,
        may_have_arrived=history.may_have_arrived,
        again=again,
        sent=sent,
    )


async def _send(
    visit: Visit, account: Account, to: str, content: AnyInput, words: str
) -> StoredResponse:
    request = SendMessage(
        SendTo(to),
        content=content.to_content(),
        run_id=new_run_id(),
        account_id=account.id,
        as_text=True,
        file=content.file,
        wants_preview=content.wants_preview,
    )
    key = read_key(visit, account.id, f"{to} {words}")
    return await visit.services.messages.send(visit.principal, request, key)


async def _answer(
    visit: Visit, kind: str, work: Callable[[Account, str], Awaitable[StoredResponse]]
) -> Response:
    account, to = await _device(visit), (visit.query("to") or "").strip()
    if account is None or not to:
        return await _show(visit, kind, ["Choose a device and whom to write to."])
    try:
        response = await work(account, to)
    except InvalidInputError as error:
        problems = explain_problems(visit, kind, error)
        return await _show(visit, kind, problems)
    except (ConflictError, TooManyRequestsError, MediaTypeError, BodyTooLargeError) as error:
        return await _show(visit, kind, [error.detail], status=error.status)
    message_id = msgspec.json.decode(response.body)["message_id"]
    return visit.go_to(f"{_HERE}/sent/{message_id}?sent={kind}")


async def _list_conversations(visit: Visit, account: Account, to: str) -> Sequence[Any]:
    """List the conversation that the device has with a number, if any. Raises `InvalidInputError`
    for what is neither a number nor an address."""
    only = InboxFilter(account_id=account.id)
    listed = visit.services.conversations
    return (await listed.list(visit.principal, only, limit=1, phone_number=to)).records


async def _device(visit: Visit) -> Account | None:
    """Return the chosen device. Raises `InvalidInputError` and `NotFoundError`."""
    given = visit.query("device")
    if not given:
        return None
    account_id = parse(UUID, given, "device", "There is no such device.")
    return await visit.services.accounts.get(visit.principal, account_id)


def _is_national(to: str) -> bool:
    """Return whether this is a number as dialed within its country, without the country code."""
    try:
        read_phone_number(to)
    except PhoneNumberError as error:
        return error.is_national
    return False


async def _show(
    visit: Visit, kind: str = "text", problems: Sequence[str] = (), *, status: int = 422
) -> Response:
    """Ask for the device and the person, then for what to send; with `problems`, as typed."""
    account, to = await _device(visit), (visit.query("to") or "").strip()
    people: list[Any] = []
    is_number = False
    is_national = _is_national(to)
    if to and account is not None and not is_national:
        try:
            found = await _list_conversations(visit, account, to)
            is_number = True
            if found and not problems:
                return visit.go_to(f"inbox/{found[0]['id']}#text")
        except InvalidInputError:  # neither a number nor an address, so a name
            page = await visit.services.contact_book.list(
                visit.principal, ContactFilter(text=to), limit=_CHOICES
            )
            people = [person for person in page.records if person["addresses"]]
    shown = await read_list(visit)
    chosen = urlencode({"device": account.id if account else "", "to": to})
    canned = await visit.services.canned_replies.list(visit.principal)
    return visit.render(
        "new_conversation.html",
        status=status if problems else 200,
        account=account,
        to=to,
        is_number=is_number,
        is_national=is_national,
        people=people,
        senders=[each for each in shown["accounts"] if each.status is not AccountStatus.LOGGED_OUT],
        states={each.id: state_of(each) for each in shown["accounts"]},
        chosen=f"?{chosen}",
        problems=problems,
        **form_values(visit, kind),
        canned=msgspec.json.encode({each.shortcut: each.body for each in canned}).decode(),
        **shown,
    )
