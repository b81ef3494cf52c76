"""A virtual phone: the other side of a network that can be driven, as its people see it."""

import re
from collections.abc import Awaitable, Callable, Sequence
from urllib.parse import urlencode

from starlette.responses import Response

from heliograph.core.accounts.model import Account
from heliograph.core.accounts.simulator import (
    MOST_PEOPLE,
    SHOWN,
    Bubble,
    PhoneScreen,
    media_content,
    simple_vcard,
    toggled_vote,
)
from heliograph.errors import InvalidInputError, NotFoundError
from heliograph.faces.dashboard.devices.devices import pairing_image
from heliograph.faces.dashboard.pages.forms import explain, parse, read_media_type
from heliograph.faces.dashboard.pages.registry import Pages, Visit
from heliograph.faces.dashboard.pages.shown_files import serve_file
from heliograph.networks.content import ContactCard, Location, is_on_globe
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
    """Whether the account says something in a chat, or is about to: a part that a page asks for."""
    account, chat = await _account(visit), visit.query("chat") or ""
    is_writing = await visit.services.messages.is_sending(visit.principal, account, chat)
    if not is_writing and (who := visit.query("with")):
        is_writing = await visit.services.simulator.is_writing(account, who, chat)
    return visit.render("phone_writing.html", account=account, is_writing=is_writing)


@pages.get("phone/{account_id:uuid}/file/{message}", scope="messages:write")
async def show_file(visit: Visit) -> Response:
    """The file of a message on one of the phones."""
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
    file, answered = await visit.file("file"), visit.text("message") or None
    group, text = _group(visit), visit.text("text")

    async def act(phones: Simulator, who: str) -> None:
        if file is not None:
            content = media_content(read_media_type(file.media_type), file.name, text)
            await phones.send(who, content, group_jid=group, reply_to=answered, file=file.data)
        elif text:
            await phones.say(who, text, group_jid=group, reply_to=answered)
        else:
            raise InvalidInputError.at(("text",), "Write something first.")

    return await _do(visit, act)


@pages.post("phone/{account_id:uuid}/place", scope="messages:write")
async def send_place(visit: Visit) -> Response:
    async def act(phones: Simulator, who: str) -> None:
        north, east = (
            parse(float, visit.field(name), name, "Give degrees, such as 52.52.")
            for name in ("latitude", "longitude")
        )
        if not is_on_globe(north, east):
            raise InvalidInputError.at(("latitude",), "There is no such place on Earth.")
        place = Location(north, east, visit.text("name"))
        await phones.send(who, place, group_jid=_group(visit))

    return await _do(visit, act)


@pages.post("phone/{account_id:uuid}/card", scope="messages:write")
async def send_card(visit: Visit) -> Response:
    async def act(phones: Simulator, who: str) -> None:
        name = visit.field("name")
        card = ContactCard(name, simple_vcard(name, visit.text("number")))
        await phones.send(who, card, group_jid=_group(visit))

    return await _do(visit, act)


@pages.post("phone/{account_id:uuid}/press", scope="messages:write")
async def press(visit: Visit) -> Response:
    return await _do(
        visit,
        lambda phones, who: phones.press(
            who,
            visit.field("button"),
            chat_message_id=visit.field("message"),
            group_jid=_group(visit),
        ),
    )


@pages.post("phone/{account_id:uuid}/choose", scope="messages:write")
async def choose(visit: Visit) -> Response:
    """Choose a row of a list."""
    return await _do(
        visit,
        lambda phones, who: phones.choose(
            who,
            visit.field("row"),
            chat_message_id=visit.field("message"),
            group_jid=_group(visit),
        ),
    )


@pages.post("phone/{account_id:uuid}/vote", scope="messages:write")
async def vote(visit: Visit) -> Response:
    """Vote in a poll with what was chosen besides, or take one option back."""
    message, group, option = visit.field("message"), _group(visit), visit.field("option")

    async def act(phones: Simulator, who: str) -> None:
        shown = await phones.receive(who, limit=SHOWN, group_jid=group)
        options = toggled_vote(shown, message, (await phones.find_person(who)).remote_jid, option)
        await phones.vote(who, options, chat_message_id=message, group_jid=group)

    return await _do(visit, act)


@pages.post("phone/{account_id:uuid}/react", scope="messages:write")
async def react(visit: Visit) -> Response:
    """React to a message; without an emoji, withdraw the reaction."""
    return await _do(
        visit,
        lambda phones, who: phones.react(
            who,
            visit.text("emoji"),
            chat_message_id=visit.field("message"),
            group_jid=_group(visit),
        ),
    )


@pages.post("phone/{account_id:uuid}/edit", scope="messages:write")
async def edit(visit: Visit) -> Response:
    return await _do(
        visit,
        lambda phones, who: phones.edit(
            who,
            visit.field("text"),
            chat_message_id=visit.field("message"),
            group_jid=_group(visit),
        ),
    )


@pages.post("phone/{account_id:uuid}/delete", scope="messages:write")
async def delete(visit: Visit) -> Response:
    return await _do(
        visit,
        lambda phones, who: phones.delete(
            who, chat_message_id=visit.field("message"), group_jid=_group(visit)
        ),
    )


@pages.post("phone/{account_id:uuid}/switch", scope="messages:write")
async def switch(visit: Visit) -> Response:
    online = visit.field("to") == "on"
    return await _do(visit, lambda phones, who: phones.set_online(who, online))


@pages.post("phone/{account_id:uuid}/invite", scope="messages:write")
async def invite(visit: Visit) -> Response:
    """Make a group, with an invite link into it."""
    return await _do(
        visit,
        lambda phones, who: phones.invite(
            visit.field("subject"), owner=who, approval=bool(visit.text("approval"))
        ),
    )


@pages.post("phone/{account_id:uuid}/revoke", scope="messages:write")
async def revoke(visit: Visit) -> Response:
    async def act(phones: Simulator, who: str) -> None:
        await phones.revoke_invite(await _own_link(visit, phones, who))

    return await _do(visit, act)


@pages.post("phone/{account_id:uuid}/approve", scope="messages:write")
async def approve(visit: Visit) -> Response:
    """Let the account into the group that it has asked to join, as the group's owner."""

    async def act(phones: Simulator, who: str) -> None:
        await phones.approve(await _own_link(visit, phones, who))

    return await _do(visit, act)


@pages.post("phone/{account_id:uuid}/scan", scope="messages:write")
async def scan(visit: Visit) -> Response:
    account = await _account(visit)
    try:
        await visit.services.simulator.scan(account)
    except NetworkError as error:
        return await _show(visit, account, None, None, problem=error.reason)
    return visit.go_to(f"phone/{account.id}")


async def _do(visit: Visit, act: Callable[[Simulator, str], Awaitable[object]]) -> Response:
    """Let the form's person do something, and show their phone again."""
    account, who, group = await _account(visit), visit.field("person"), _group(visit)
    try:
        await act(visit.services.simulator.of(account), who)
    except (NetworkError, InvalidInputError) as error:
        reason = error.reason if isinstance(error, NetworkError) else explain(error)
        return await _show(visit, account, who, group, problem=reason)
    chat = {"with": who, "group": group} if group else {"with": who}
    return visit.go_to(f"phone/{account.id}?{urlencode(chat)}")


def _group(visit: Visit) -> str | None:
    """The group whose chat is open."""
    return visit.text("group") or None


async def _own_link(visit: Visit, phones: Simulator, who: str) -> str:
    """The form's invite link. Raises `NetworkError` unless this phone has made it."""
    # a link is known to everybody who got it, and only its maker may do something about it
    wanted = visit.field("link")
    for group in await phones.groups(who):
        if wanted in (invite.link for invite in group.invites):
            return wanted
    raise NetworkError("This phone has made no such invite link.", permanent=True)


async def _account(visit: Visit) -> Account:
    """Raises `NotSupportedByNetworkError` where the people are real."""
    account = await visit.services.accounts.get(visit.principal, visit.id("account_id"))
    visit.services.simulator.of(account)  # refuses where the people are real
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
            people = await simulator.of(account).people(most=MOST_PEOPLE)
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
        most_people=MOST_PEOPLE,
        screen=screen,
        image=await pairing_image(account),
        problem=problem,
        public_url=visit.services.settings.public_url,
        emoji=EMOJI,
        selected=_selected(screen, visit.query("at")),
    )


def _selected(screen: PhoneScreen | None, message: str | None) -> Bubble | None:
    """The message to answer, to react to or to change."""
    bubbles = screen.chat.bubbles if screen and screen.chat and message else ()
    return next((each for each in bubbles if each.chat_message_id == message), None)
