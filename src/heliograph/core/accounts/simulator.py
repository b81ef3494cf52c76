"""The simulated side of a network: virtual phones for the CLI, pages and MCP.

If the network refuses something (an unknown phone, a missing button), a `NetworkError` is raised,
whose text is a sentence for people.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from heliograph.core.accounts.model import Account
from heliograph.errors import NotSupportedByNetworkError
from heliograph.networks.content import (
    Button,
    ButtonReply,
    Buttons,
    Content,
    ListReply,
    Poll,
    PollVote,
    message_type,
)
from heliograph.networks.errors import NetworkError
from heliograph.networks.port import Person, SimulatedGroup, SimulatedMessage, Simulator
from heliograph.networks.registry import DriverLoadError, NetworkRegistry, UnknownNetworkError

MAX_PEOPLE = 200
"""The most people that a page or a tool shows."""
SHOWN = 50
"""The most messages of a chat that a phone's screen shows."""


@dataclass(frozen=True, slots=True)
class Quote:
    """The message that another one answers. `author` is None if the phone's owner wrote it."""

    author: str | None
    text: str


@dataclass(frozen=True, slots=True)
class PollOption:
    """An option of a poll, with the names of those who chose it."""

    title: str
    voters: Sequence[str]
    is_mine: bool


@dataclass(frozen=True, slots=True)
class Bubble:
    """A message as a phone shows it. `author` is the sender's name, or None for the phone's owner.

    `reactions` has the names of people who reacted, by emoji; `my_reaction` is the owner's.
    """

    chat_message_id: str
    message_type: str
    author: str | None
    text: str
    footer: str | None
    buttons: Sequence[Button]
    mine: bool
    status: str
    sent_at: datetime
    content: Content
    header: str | None = None
    quote: Quote | None = None
    answers: Sequence[PollOption] = ()
    reactions: Mapping[str, Sequence[str]] = field(default_factory=dict)
    my_reaction: str = ""
    has_file: bool = False
    is_edited: bool = False
    is_deleted: bool = False


def show_bubble(
    message: SimulatedMessage, names: Mapping[str, str] | None = None, owner_jid: str | None = None
) -> Bubble:
    """Return a message as a screen shows it. `names` has people's names by address; for others, the
    address is shown. `owner_jid` is the phone's address, if known."""
    known = names or {}
    content = message.content
    owner_jid = message.sender_jid if message.mine else owner_jid

    def name_of(jid: str) -> str:
        return known.get(jid, jid)

    quoted, quote = message.quoted, None
    if quoted is not None and quoted.sender_jid is not None and not _is_answer(content):
        author = None if quoted.sender_jid == owner_jid else name_of(quoted.sender_jid)
        quote = Quote(author, quoted.content.summary)
    reactions: defaultdict[str, list[str]] = defaultdict(list)
    for jid, emoji in message.reactions.items():
        reactions[emoji].append(name_of(jid))
    return Bubble(
        chat_message_id=message.chat_message_id,
        message_type=message_type(content),
        author=None if message.mine else name_of(message.sender_jid),
        text=content.summary,
        header=content.header,
        footer=content.footer,
        buttons=content.buttons if isinstance(content, Buttons) else (),
        mine=message.mine,
        status=message.status,
        sent_at=message.sent_at,
        content=content,
        quote=quote,
        answers=[
            PollOption(
                option,
                [name_of(jid) for jid, chosen in message.votes.items() if option in chosen],
                option in message.votes.get(owner_jid or "", ()),
            )
            for option in (content.options if isinstance(content, Poll) else ())
        ],
        reactions=reactions,
        my_reaction=message.reactions.get(owner_jid or "", ""),
        has_file=message.has_file,
        is_edited=message.is_edited,
        is_deleted=message.is_deleted,
    )


def _is_answer(content: Content) -> bool:
    """Whether a message is a choice from the message that it answers, and self-explanatory."""
    return isinstance(content, (ButtonReply, ListReply, PollVote))


@dataclass(frozen=True, slots=True)
class Chat:
    """The messages of one chat, oldest first. `names` has the authors' names by address."""

    messages: Sequence[SimulatedMessage]
    names: Mapping[str, str]
    owner_jid: str | None = None

    @property
    def bubbles(self) -> list[Bubble]:
        """The messages as a phone shows them, with votes inside their polls."""
        return [
            show_bubble(message, self.names, self.owner_jid)
            for message in self.messages
            if not isinstance(message.content, PollVote)
        ]

    @property
    def chosen(self) -> Mapping[str, frozenset[str]]:
        """The ids of buttons and rows that the phone's owner has chosen, by message."""
        chosen: defaultdict[str, set[str]] = defaultdict(set)
        for message in self.messages:
            content, question = message.content, message.reply_to
            if message.mine and question and isinstance(content, (ButtonReply, ListReply)):
                chosen[question].add(content.id)
        return {message: frozenset(ids) for message, ids in chosen.items()}


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
        """Whether the phone is on and its messages can reach somebody."""
        return self.person.online and self.chat is not None


def _people_of(message: SimulatedMessage) -> Iterator[str]:
    yield message.sender_jid
    yield from message.reactions
    yield from message.votes
    if message.quoted is not None and message.quoted.sender_jid is not None:
        yield message.quoted.sender_jid


class SimulatorService:
    """Drives virtual phones. The caller has looked the account up within its tenant.

    Every method but `is_offered` raises `NotSupportedByNetworkError` for a real network.
    """

    def __init__(self, networks: NetworkRegistry) -> None:
        self._networks = networks

    def is_offered(self, account: Account) -> bool:
        """Whether the account's network is simulated."""
        try:
            return self._find(account) is not None
        except (UnknownNetworkError, DriverLoadError):
            return False

    def of(self, account: Account) -> Simulator:
        """Return the simulator of this account's network."""
        simulator = self._find(account)
        if simulator is None:
            raise NotSupportedByNetworkError(account.network, "be driven: its people are real")
        return simulator

    def get_code(self, account: Account) -> str:
        """Return the code that the account shows to be paired. Raises `NetworkError` where it shows
        none."""
        shown: str | None = (account.pairing or {}).get("payload")
        if not shown:
            raise NetworkError(f"The account {account.name!r} shows no code.", permanent=True)
        return shown

    async def read_chat(
        self, account: Account, phone: str, *, group_jid: str | None = None, limit: int = 20
    ) -> Chat:
        """Return the newest messages of a chat, with the authors' names; opening the chat marks it
        as read."""
        simulator = self.of(account)
        messages = await simulator.receive(phone, limit=limit, group_jid=group_jid)
        owner = await simulator.find_person(phone)
        jids = {jid for message in messages for jid in _people_of(message)}
        names = await simulator.find_names(sorted(jids))
        names = {**names, account.remote_jid or "": account.name}
        return Chat(messages, names, owner.remote_jid)

    async def tap(
        self, account: Account, phone: str, poll_id: str, option: str, *, group_jid: str | None
    ) -> tuple[str, ...]:
        """Return somebody's vote after a tap on an option: in a single-choice poll it replaces the
        former choice."""
        chat = await self.read_chat(account, phone, group_jid=group_jid, limit=SHOWN)
        for message in chat.messages:
            if message.chat_message_id == poll_id and isinstance(message.content, Poll):
                before = message.votes.get(chat.owner_jid or "", ())
                kept = tuple(each for each in before if each != option)
                if option in before:
                    return kept
                return (*kept, option) if message.content.max_choices > 1 else (option,)
        return (option,)

    async def is_writing(self, account: Account, phone: str, chat_jid: str) -> bool:
        """Whether a phone shows in this chat that the account is typing."""
        simulator = self.of(account)
        try:
            person = await simulator.find_person(phone)
            group_jid = None if chat_jid == person.remote_jid else chat_jid
            return await simulator.is_typing(phone, group_jid=group_jid)
        except NetworkError:
            return False

    async def open_phone(
        self, account: Account, phone: str, *, group_jid: str | None = None
    ) -> PhoneScreen:
        """Return everything that a phone shows; opening its chat marks it as read.

        Raises `NetworkError` for an unknown phone, and for a group that it is not in.
        """
        simulator = self.of(account)
        groups = await simulator.groups(phone)
        group = next((group for group in groups if group.remote_jid == group_jid), None)
        if group_jid and group is None:
            raise NetworkError("This phone is not in this group.", permanent=True)
        chat = None
        if group is None or group.has_account:
            chat = await self.read_chat(account, phone, group_jid=group_jid, limit=SHOWN)
        return PhoneScreen(await simulator.find_person(phone), groups, group, chat)

    def _find(self, account: Account) -> Simulator | None:
        return self._networks.get_network(account.network).simulator(account.id)
