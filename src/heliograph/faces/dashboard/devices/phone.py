"""A virtual phone: the other side of a network that can be driven, as its people see it."""

import re
from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from starlette.responses import Response

from heliograph.core.accounts.model import Account
from heliograph.core.accounts.simulator import (
    MAX_PEOPLE,
    Bubble,
    PhoneScreen,
)
from heliograph.errors import InvalidInputError, NotFoundError
from heliograph.faces.dashboard.devices.device_pages import pairing_image
from heliograph.faces.dashboard.pages.forms import explain, parse, read_media_type
from heliograph.faces.dashboard.pages.registry import Pages, Visit
from heliograph.faces.dashboard.pages.shown_files import serve_file
from heliograph.networks import phone_actions as actions
from heliograph.networks.action_fields import fields_of, list_actions, read_action
from heliograph.networks.errors import NetworkError
from heliograph.networks.port import AccountStatus, Person, Simulator

EMOJI = ("👍", "❤️", "😂", "😮", "🙏", "🎉")
_MESSAGE = re.compile(r"[A-Za-z0-9]{1,64}", re.ASCII)

pages = Pages()


@pages.get("phone/{account_id:uuid}", scope="messages:write")
async def show_phone(visit: Visit) -> Response:
    return await _show(visit, await _account(visit), visit.query("with"), visit.query("group"))


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


@pages.post("phone/{account_id:uuid}/say", scope="messages:write", takes_file=True)
async def say(visit: Visit) -> Response:
    """Write a text, or send a file with the text under it; perhaps as an answer."""
    file, text, message = await visit.file("file"), visit.text("text"), visit.text("message")
    if file is not None:
        given = {
            "file": actions.GivenFile(file.name, file.data),
            "type": read_media_type(file.media_type),
        }
        return await _act(visit, actions.SendFile, given | {"caption": text})
    if not text:
        account, who = await _account(visit), visit.field("person")
        return await _show(visit, account, who, _group(visit), problem="Write something first.")
    return await _act(visit, actions.Reply if message else actions.Say)


@pages.post("phone/{account_id:uuid}/vote", scope="messages:write")
async def vote(visit: Visit) -> Response:
    """Vote in a poll for the chosen option besides those already chosen, or take one back."""
    account, who, group = await _account(visit), visit.field("person"), _group(visit)
    message, option = visit.field("message"), visit.field("option")
    try:
        options = await visit.services.simulator.tap(account, who, message, option, group_jid=group)
    except NetworkError as error:
        return await _show(visit, account, who, group, problem=error.reason)
    return await _act(visit, actions.Vote, {"options": options})


@pages.post("phone/{account_id:uuid}/scan", scope="messages:write")
async def scan(visit: Visit) -> Response:
    account = await _account(visit)
    try:
        await visit.services.simulator.scan(account)
    except NetworkError as error:
        return await _show(visit, account, None, None, problem=error.reason)
    return visit.go_to(f"phone/{account.id}")


def _add_form(name: str, kind: type[actions.Action]) -> None:
    """Add the route that takes the form of an action."""

    @pages.post(f"phone/{{account_id:uuid}}/{name}", scope="messages:write")
    async def act(visit: Visit) -> Response:
        return await _act(visit, kind)


_HAVE_OWN_FORMS = (actions.Say, actions.Reply, actions.SendFile, actions.Vote)
for _name, _kind in list_actions(actions.PhoneAction).items():
    if _kind not in _HAVE_OWN_FORMS:
        _add_form(_name, _kind)

_SHOWN_ELSEWHERE = (actions.Say, actions.Online, actions.Offline, actions.OnMessage)
OTHER_FORMS = {
    name: (kind.__doc__, [each for each in fields_of(kind) if each.kind is not actions.GivenFile])
    for name, kind in list_actions(actions.PhoneAction).items()
    if issubclass(kind, actions.OnPhone) and not issubclass(kind, _SHOWN_ELSEWHERE)
}
"""Actions with a form beside the phone: what each does, and what it needs."""


async def _act(
    visit: Visit, kind: type[actions.Action], given: Mapping[str, object] | None = None
) -> Response:
    """Let the form's person act, and show their phone again. The form has what is not `given`."""
    account, who, group = await _account(visit), visit.field("person"), _group(visit)
    phones = visit.services.simulator.of(account)
    try:
        if kind in (actions.Revoke, actions.Approve):
            await _require_own_link(visit, phones, who)
        known = {"phone": who, "owner": who, **(given or {})}
        await phones.act(read_action(kind, _filled_in(visit, kind, known)))
    except (NetworkError, InvalidInputError) as error:
        reason = error.reason if isinstance(error, NetworkError) else explain(error)
        return await _show(visit, account, who, group, problem=reason)
    chat = {"with": who, "group": group} if group else {"with": who}
    return visit.go_to(f"phone/{account.id}?{urlencode(chat)}")


def _filled_in(
    visit: Visit, kind: type[actions.Action], known: Mapping[str, object]
) -> dict[str, object]:
    """Return what an action needs. Raises `InvalidInputError` for a missing or wrong value."""
    found = dict(known)
    for each in fields_of(kind):
        if each.name in known or each.kind is actions.GivenFile:
            continue
        text = visit.field(each.name) if each.is_required else visit.text(each.name)
        if each.is_number:
            found[each.name] = parse(float, text, each.name, f"{each.description} Give a number.")
        elif text:
            found[each.name] = True if each.kind is bool else text
    return found


def _group(visit: Visit) -> str | None:
    """Return the group whose chat is open."""
    return visit.text("group") or None


async def _require_own_link(visit: Visit, phones: Simulator, who: str) -> None:
    """Raise `NetworkError` unless this phone has made the form's invite link."""
    # everybody who got a link knows it, but only its maker may act on it
    wanted, groups = visit.field("link"), await phones.groups(who)
    if wanted not in (invite.link for group in groups for invite in group.invites):
        raise NetworkError("This phone has made no such invite link.", permanent=True)


async def _account(visit: Visit) -> Account:
    """Return the account. Raises `NotSupportedByNetworkError` where the people are real."""
    account = await visit.services.accounts.get(visit.principal, visit.id("account_id"))
    visit.services.simulator.of(account)  # raises where the people are real
    return account


async def _show(
    visit: Visit,
    account: Account,
    who: str | None,
    group: str | None,
    *,
    problem: str | None = None,
) -> Response:
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
        other_forms=OTHER_FORMS,
        selected=_selected(screen, visit.query("at")),
    )


def _selected(screen: PhoneScreen | None, message: str | None) -> Bubble | None:
    """Return the message that was chosen to be answered, reacted to or changed."""
    bubbles = screen.chat.bubbles if screen and screen.chat and message else ()
    return next((each for each in bubbles if each.chat_message_id == message), None)
