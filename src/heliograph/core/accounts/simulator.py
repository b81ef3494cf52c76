"""The other side of a network, where it can be driven: virtual phones for the CLI, pages and MCP.

What the network refuses (an unknown phone, a button that is not there) is raised as `NetworkError`,
whose text is a sentence for a person.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from heliograph.core.accounts.model import Account
from heliograph.errors import NotSupportedByNetworkError
from heliograph.networks.content import Button, Buttons, message_type
from heliograph.networks.errors import NetworkError
from heliograph.networks.port import Person, SimulatedGroup, SimulatedMessage, Simulator
from heliograph.networks.registry import DriverLoadError, NetworkRegistry, UnknownNetworkError

MOST_PEOPLE = 200
"""How many people a page or a tool shows."""


@dataclass(frozen=True, slots=True)
class Bubble:
    """A message as a phone shows it. `author` is the name of who sent it, unless its owner did."""

    chat_message_id: str
    message_type: str
    author: str | None
    text: str
    footer: str | None
    buttons: Sequence[Button]
    mine: bool
    status: str
    sent_at: datetime


def show_bubble(message: SimulatedMessage, names: Mapping[str, str] | None = None) -> Bubble:
    """Return a message as a screen shows it. `names` has senders' names by address; of others the
    address is shown."""
    content, author = message.content, None
    if not message.mine:
        author = (names or {}).get(message.sender_jid, message.sender_jid)
    question = content if isinstance(content, Buttons) else None
    return Bubble(
        chat_message_id=message.chat_message_id,
        message_type=message_type(content),
        author=author,
        text=content.summary,
        footer=question.footer if question else None,
        buttons=question.buttons if question else (),
        mine=message.mine,
        status=message.status,
        sent_at=message.sent_at,
    )


@dataclass(frozen=True, slots=True)
class Chat:
    """The messages of one chat, oldest first. `names` are of those who write, by address."""

    messages: Sequence[SimulatedMessage]
    names: Mapping[str, str]

    @property
    def bubbles(self) -> list[Bubble]:
        return [show_bubble(message, self.names) for message in self.messages]


@dataclass(frozen=True, slots=True)
class PhoneScreen:
    """A phone with one of its chats open: the one with the account, or that of `group`.

    `chat` is None for a group that the account is not in.
    """

    person: Person
    groups: Sequence[SimulatedGroup]
    group: SimulatedGroup | None
    chat: Chat | None

    @property
    def chat_jid(self) -> str:
        """The open chat's address, as the account writes to it."""
        return (self.group or self.person).remote_jid

    @property
    def can_write(self) -> bool:
        """Whether the phone is on and somebody is there to read what it writes."""
        return self.person.online and self.chat is not None


class SimulatorService:
    """The caller has looked the account up within its tenant.

    Every method but `is_offered` raises `NotSupportedByNetworkError` where the people are real.
    """

    def __init__(self, networks: NetworkRegistry) -> None:
        self._networks = networks

    def is_offered(self, account: Account) -> bool:
        """Whether the people of the account's network are virtual."""
        try:
            return self._find(account) is not None
        except (UnknownNetworkError, DriverLoadError):
            return False

    def of(self, account: Account) -> Simulator:
        """What drives the people around this account."""
        simulator = self._find(account)
        if simulator is None:
            raise NotSupportedByNetworkError(account.network, "be driven: its people are real")
        return simulator

    async def scan(self, account: Account, payload: str | None = None) -> None:
        """Accept a pairing; without a payload the one that the account shows now."""
        shown = payload or (account.pairing or {}).get("payload")
        if not shown:
            raise NetworkError(f"The account {account.name!r} shows no code.", permanent=True)
        await self.of(account).scan(shown)

    async def read_chat(
        self, account: Account, phone: str, *, group_jid: str | None = None, limit: int = 20
    ) -> Chat:
        """The newest messages of a chat, with the names of those who write; opening it reads it."""
        simulator = self.of(account)
        messages = await simulator.receive(phone, limit=limit, group_jid=group_jid)
        names = await simulator.find_names([message.sender_jid for message in messages])
        return Chat(messages, {**names, account.remote_jid or "": account.name})

    async def open_phone(
        self, account: Account, phone: str, *, group_jid: str | None = None
    ) -> PhoneScreen:
        """Everything that a phone shows; opening its chat reads it.

        Raises `NetworkError` for a phone of nobody, and for a group that it is not in.
        """
        simulator = self.of(account)
        groups = await simulator.groups(phone)
        group = next((group for group in groups if group.remote_jid == group_jid), None)
        if group_jid and group is None:
            raise NetworkError("This phone is not in this group.", permanent=True)
        chat = None
        if group is None or group.has_account:
            chat = await self.read_chat(account, phone, group_jid=group_jid, limit=50)
        return PhoneScreen(await simulator.find_person(phone), groups, group, chat)

    def _find(self, account: Account) -> Simulator | None:
        return self._networks.get_network(account.network).simulator(account.id)
