"""What a virtual phone shows: whose it is, their chats, and what is said in the open one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from heliograph.core.accounts.model import Account
from heliograph.core.accounts.simulator import SimulatorService
from heliograph.networks.content import Button, ButtonReply, Buttons
from heliograph.networks.errors import NetworkError
from heliograph.networks.port import Person, SimulatedGroup, SimulatedMessage

SHOWN = 50
MOST_PEOPLE = 200


@dataclass(frozen=True, slots=True)
class Bubble:
    """A message as the phone shows it; `is_reply` marks a button that was pressed.

    `author` is who says it where that is not plain: others in a group.
    """

    id: str
    author: str | None
    text: str
    footer: str | None
    buttons: Sequence[Button]
    mine: bool
    is_reply: bool
    at: datetime


@dataclass(frozen=True, slots=True)
class Screen:
    """Without a person, nobody's phone could be opened. `group` is the one whose chat is open,
    None for the chat with the account."""

    people: Sequence[Person]
    person: Person | None = None
    groups: Sequence[SimulatedGroup] = ()
    group: SimulatedGroup | None = None
    bubbles: Sequence[Bubble] = ()

    @property
    def chat_jid(self) -> str | None:
        """The open chat's address, as the account writes to it."""
        if self.group is not None:
            return self.group.remote_jid
        return self.person.remote_jid if self.person else None

    @property
    def can_write(self) -> bool:
        """Whether somebody is there to read it."""
        is_on = self.person is not None and self.person.online
        return is_on and (self.group is None or self.group.has_account)


async def list_people(simulator: SimulatorService, account: Account) -> Sequence[Person]:
    """Whose phone can be chosen."""
    return await simulator.people(account, most=MOST_PEOPLE)


async def read_screen(
    simulator: SimulatorService, account: Account, who: str | None, group_jid: str | None
) -> Screen:
    """The phone of `who`, by default the first there is. Raises `NetworkError` for somebody who is
    not there, and a group that they are not in."""
    people = await list_people(simulator, account)
    chosen = who or next((person.remote_jid for person in people), None)
    if chosen is None:
        return Screen(people)
    groups = await simulator.groups(account, chosen)
    group = find_group(groups, group_jid) if group_jid else None
    messages: Sequence[SimulatedMessage] = ()
    if group is None or group.has_account:
        messages = await simulator.receive(account, chosen, limit=SHOWN, group_jid=group_jid)
    senders = list({message.sender_jid for message in messages}) if group else []
    names = {**await simulator.find_names(account, senders), account.remote_jid or "": account.name}
    return Screen(
        people=people,
        person=_find(people, chosen) or await simulator.find_person(account, chosen),
        groups=groups,
        group=group,
        bubbles=[_bubble(message, names if group else {}) for message in messages],
    )


def find_group(groups: Sequence[SimulatedGroup], group_jid: str) -> SimulatedGroup:
    """Raises `NetworkError`."""
    for group in groups:
        if group.remote_jid == group_jid:
            return group
    raise NetworkError("This phone is not in this group.", permanent=True)


def _find(people: Sequence[Person], who: str) -> Person | None:
    digits = "".join(filter(str.isdigit, who.partition("@")[0]))
    for person in people:
        if (
            who in (person.remote_jid, person.name)
            or person.phone_number.removeprefix("+") == digits
        ):
            return person
    return None


def _bubble(message: SimulatedMessage, names: Mapping[str, str]) -> Bubble:
    """`names` are of those who talk in a group; none in a chat of two."""
    content = message.content
    footer: str | None = None
    buttons: Sequence[Button] = ()
    if isinstance(content, Buttons):
        footer, buttons = content.footer, content.buttons
    is_named = bool(names) and not message.mine
    return Bubble(
        id=message.chat_message_id,
        author=names.get(message.sender_jid, message.sender_jid) if is_named else None,
        text=content.summary,
        footer=footer,
        buttons=buttons,
        mine=message.mine,
        is_reply=isinstance(content, ButtonReply),
        at=message.sent_at,
    )
