"""A virtual phone: the other side of a network that can be driven, as its people see it."""

import re
from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple, TypeAlias
from urllib.parse import urlencode

from starlette.responses import Response

from heliograph.core.accounts.model import Account
from heliograph.core.accounts.simulator import MAX_PEOPLE, Bubble, PhoneScreen
from heliograph.errors import InvalidInputError, NotFoundError
from heliograph.faces.dashboard.devices.device_pages import pairing_image
from heliograph.faces.dashboard.pages.forms import explain, parse, read_media_type
from heliograph.faces.dashboard.pages.registry import Pages, Visit
from heliograph.faces.dashboard.pages.shown_files import serve_file
from heliograph.networks import phone_actions as actions
from heliograph.networks.action_fields import fields_of, list_actions, read_action
from heliograph.networks.errors import NetworkError
from heliograph.networks.port import AccountStatus, Person

EMOJI = ("👍", "❤️", "😂", "😮", "🙏", "🎉")
_MESSAGE = re.compile(r"[A-Za-z0-9]{1,64}", re.ASCII)

pages = Pages()


class OpenPhone(NamedTuple):
    """What is on the page: the phone of `who` beside this account, with the chat of a group or,
    without one, that with the account."""

    account: Account
    who: str | None
    group: str | None


@pages.get("phone/{account_id:uuid}", scope="messages:write")
async def show_phone(visit: Visit) -> Response:
    account = await _account(visit)
    return await _show(visit, OpenPhone(account, visit.query("with"), visit.query("group")))


@pages.get("phone/{account_id:uuid}/writing", scope="messages:write", is_part=True)
async def show_writing(visit: Visit) -> Response:
    """Show whether the account is writing in a chat: a part that a page fetches."""
    account, chat = await _account(visit), visit.query("chat") or ""
    is_writing = await visit.services.messages.is_sending(visit.principal, account, chat)
    if not is_writing and (who := visit.query("with")):
        is_writing = await visit.services.simulator.is_writing(account, who, chat)
    return visit.render("phone_writing.html", account=account, is_writing=is_writing)


@pages.get("phone/{account_id:uuid}/file/{message}", scope="messages:write")
async def show_file(visit: Visit) -> Response:
    """Serve the file of a message on one of the phones."""
    account, message = await _account(visit), visit.request.path_params["message"]
    if not _MESSAGE.fullmatch(message):
        raise NotFoundError("There is no such file.")
    try:
        file = await visit.services.simulator.of(account).open_file(message)
        return await serve_file(file, visit.request.headers.get("range"))
    except NetworkError as error:
        raise NotFoundError(error.reason) from None


Read: TypeAlias = Callable[[Visit, OpenPhone], Awaitable[actions.PhoneAction | actions.Scan]]
"""Reads the action of a form. Raises `InvalidInputError`, and `NetworkError` for what can't be."""


def _add_form(name: str, read: Read, *, takes_file: bool = False) -> None:
    """Add the route of a form: it does the action, and shows the phone again."""

    @pages.post(f"phone/{{account_id:uuid}}/{name}", scope="messages:write", takes_file=takes_file)
    async def act(visit: Visit) -> Response:
        account = await _account(visit)
        phone = OpenPhone(account, visit.text("person") or None, visit.text("group") or None)
        try:
            await visit.services.simulator.of(account).act(await read(visit, phone))
        except NetworkError as error:
            return await _show(visit, phone, problem=error.reason)
        except InvalidInputError as error:
            return await _show(visit, phone, problem=explain(error))
        chat = {"with": phone.who, "group": phone.group}
        shown = urlencode({name: value for name, value in chat.items() if value})
        return visit.go_to(f"phone/{account.id}?{shown}")


async def _read_written(visit: Visit, _: OpenPhone) -> actions.PhoneAction:
    """Read a text, or a file with the text under it; perhaps as an answer."""
    file, text = await visit.file("file"), visit.text("text")
    if file is not None:
        given = actions.GivenFile(file.name, file.data)
        media_type = read_media_type(file.media_type)
        return _read(visit, actions.SendFile, file=given, type=media_type, caption=text)
    if not text:
        raise InvalidInputError.at(("text",), "Write something first.")
    return _read(visit, actions.Reply if visit.text("message") else actions.Say)


async def _read_vote(visit: Visit, phone: OpenPhone) -> actions.PhoneAction:
    """Read a vote for the chosen option besides those already chosen, or without it."""
    who, poll, option = visit.field("person"), visit.field("message"), visit.field("option")
    options = await visit.services.simulator.tap(
        phone.account, who, poll, option, group_jid=phone.group
    )
    return _read(visit, actions.Vote, options=options)


async def _read_scan(visit: Visit, phone: OpenPhone) -> actions.Scan:
    return actions.Scan(visit.services.simulator.get_code(phone.account))


def _reader(kind: type[actions.Action]) -> Read:
    async def read(visit: Visit, phone: OpenPhone) -> actions.PhoneAction:
        if kind in (actions.Revoke, actions.Approve):
            await _require_own_link(visit, phone)
        return _read(visit, kind)

    return read


ACTIONS = list_actions(actions.PhoneAction)
_add_form("say", _read_written, takes_file=True)
_add_form("vote", _read_vote)
_add_form("scan", _read_scan)
for _name, _kind in ACTIONS.items():
    if _kind not in (actions.Say, actions.Reply, actions.SendFile, actions.Vote):
        _add_form(_name, _reader(_kind))

_SWITCHES, _LINKS = (actions.Online, actions.Offline), (actions.Revoke, actions.Approve)
_ELSEWHERE = (actions.Say, actions.OnMessage, *_SWITCHES, *_LINKS)
_NOT_ASKED = ("phone", "owner", "group", "vcard")
FORMS = {
    name: (kind.__doc__, [each for each in fields_of(kind) if each.name not in _NOT_ASKED])
    for name, kind in ACTIONS.items()
    if not issubclass(kind, _ELSEWHERE)
}
"""Forms beside the phone: what each does, and what it asks for."""


def _read(visit: Visit, kind: type[actions.Action], **given: object) -> actions.PhoneAction:
    """Read an action from the form, which has what is not given. Raises `InvalidInputError` for a
    missing or wrong value."""
    who = visit.field("person")
    found: dict[str, object] = {"phone": who, "owner": who, **given}
    for each in fields_of(kind):
        if each.name in found or each.kind is actions.GivenFile:
            continue
        text = visit.field(each.name) if each.is_required else visit.text(each.name)
        if each.is_number:
            found[each.name] = parse(float, text, each.name, f"{each.description} Give a number.")
        elif text:
            found[each.name] = True if each.kind is bool else text
    action: actions.PhoneAction = read_action(kind, found)
    return action


async def _require_own_link(visit: Visit, phone: OpenPhone) -> None:
    """Raise `NetworkError` unless this phone has made the form's invite link."""
    # everybody who got a link knows it, but only its maker may act on it
    groups = await visit.services.simulator.of(phone.account).groups(visit.field("person"))
    if visit.field("link") not in (invite.link for group in groups for invite in group.invites):
        raise NetworkError("This phone has made no such invite link.", permanent=True)


async def _account(visit: Visit) -> Account:
    """Return the account. Raises `NotSupportedByNetworkError` where the people are real."""
    account = await visit.services.accounts.get(visit.principal, visit.id("account_id"))
    visit.services.simulator.of(account)  # raises where the people are real
    return account


async def _show(visit: Visit, phone: OpenPhone, *, problem: str | None = None) -> Response:
    account, who, group = phone
    screen: PhoneScreen | None = None
    people: Sequence[Person] = ()
    simulator = visit.services.simulator
    if account.status is not AccountStatus.PAIRING:
        try:
            people = await simulator.of(account).people(most=MAX_PEOPLE)
            who = who or next((person.remote_jid for person in people), None)
            if who is not None:
                screen = await simulator.open_phone(account, who, group_jid=group)
        except NetworkError as error:
            problem = problem or error.reason
    return visit.render(
        "phone.html",
        status=422 if problem and visit.request.method == "POST" and not visit.is_partial else 200,
        account=account,
        people=people,
        most_people=MAX_PEOPLE,
        screen=screen,
        image=await pairing_image(account),
        problem=problem,
        public_url=visit.services.settings.public_url,
        emoji=EMOJI,
        action_forms=FORMS,
        selected=_selected(screen, visit.query("at")),
    )


def _selected(screen: PhoneScreen | None, message: str | None) -> Bubble | None:
    """Return the message that was chosen to be answered, reacted to or changed."""
    bubbles = screen.chat.bubbles if screen and screen.chat and message else ()
    return next((each for each in bubbles if each.chat_message_id == message), None)
