"""The driver port: the required and the optional parts of a chat network.

A driver is a folder under `heliograph/networks/` (or a package that registers the entry point
`heliograph.networks`). It knows nothing of the gateway's tables, webhooks or HTTP. It offers

    Network            one per kind of network: its form, its capabilities as data, how to connect
      connect(...)  -> Session   one account's live connection
    Session            the required part: send, ping, close, log_out
      Groups, GroupManagement, Contacts, NumberChecks, Pictures, MessageChanges, Typing, ReadMarks
                 optional parts, one small protocol each

and reports back through `Events.publish`, which returns once the events are on disk. So a driver
acknowledges an inbound message to its network *after* `publish` has returned, if the network allows
that.

`Simulator` is an optional capability of a `Network` whose other side can be simulated:
`phone_actions` has the possible actions.

All times are aware, with a zone: `datetime.now(UTC)`, not `datetime.now()`. A naive one raises
`ValueError`.
"""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, ClassVar, Literal, Protocol, overload, runtime_checkable
from uuid import UUID

import asyncpg
import msgspec

from heliograph.networks.content import CHOICE_KINDS, Content, Referral
from heliograph.networks.form import FormField
from heliograph.networks.phone_actions import MessageAction, QuietAction


class AccountStatus(StrEnum):
    PAIRING = "pairing"
    CONNECTING = "connecting"
    CONNECTED = "connected"
    DISCONNECTED = "disconnected"
    LOGGED_OUT = "logged_out"


class PairingStep(msgspec.Struct, frozen=True):
    """The next step of a pairing for a person: scan a QR code of `payload`, or type the code."""

    kind: Literal["qr", "code"]
    payload: str
    expires_at: datetime | None = None
    """Aware, as every time here."""


ChangeKind = Literal["edited", "deleted", "reaction"]


class Capabilities(msgspec.Struct, frozen=True):
    """The capabilities of a network, as data, so that the API can refuse a request before trying
    it.

    `content` names the `message_type`s that can be sent natively. Others are sent as a text, if
    requested: choices are numbered there, and answers are matched to them. `changes` names the
    possible changes of a sent message, of `edited`, `deleted` and `reaction`; an edit or a deletion
    is too late after `edit_seconds` or `delete_seconds`. `replies` says that a message can quote
    the one that it answers. `max_file_bytes` is the largest file. `deduplicates_by_id` says that
    the network itself drops a second message with the same id. `pairing` says that an account is
    paired with a phone by a code that it shows. `send_rate` is in messages a minute for each
    account; None means no limit.
    """

    content: frozenset[str]
    changes: frozenset[ChangeKind] = frozenset()
    edit_seconds: int | None = None
    delete_seconds: int | None = None
    replies: bool = False
    mentions: bool = False
    create_group: bool = False
    join_group: bool = False
    manage_groups: bool = False
    contacts: bool = False
    number_checks: bool = False
    pictures: bool = False
    typing: bool = False
    read_marks: bool = False
    simulator: bool = False
    deduplicates_by_id: bool = False
    pairing: bool = False
    max_participants: int = 1024
    max_file_bytes: int = 64 * 1024 * 1024
    send_rate: int | None = 30

    @property
    def has_buttons(self) -> bool:
        return "buttons" in self.content

    @property
    def answered_by_text(self) -> frozenset[str]:
        """The kinds of questions that are sent as a text and answered by a text."""
        return CHOICE_KINDS - self.content

    def can_send(self, kind: str, *, as_text: bool = False) -> bool:
        """Return whether messages of this type can be sent, if need be `as_text`."""
        return kind in self.content or (as_text and "text" in self.content)


class DemoAccount(msgspec.Struct, frozen=True):
    """A demo account: form values that connect an account without further steps, and somebody to
    write to."""

    settings: Mapping[str, str]
    contact_phone: str


class Account(msgspec.Struct, frozen=True):
    """The account for which a session is opened, as drivers see it.

    `settings` are the form's plain values, `secrets` the encrypted ones (decrypted) together with
    those that the driver stored through `SessionState.secrets`. `remote_jid` is None until the
    account has been paired. To pair an account again after a log-out, the gateway deletes the
    stored secrets and connects it again; `cursors` stay, so that nothing is missed.
    """

    id: UUID
    name: str
    settings: Mapping[str, str]
    secrets: Mapping[str, str]
    remote_jid: str | None = None
    cursors: Mapping[str, str] = {}
    """The last `Cursor.position` of each `chat_jid` that the account's sessions published."""


# --- events ----------------------------------------------------------------------------------


def _require_zone(at: datetime | None) -> None:
    if at is not None and at.tzinfo is None:
        raise ValueError(f"The time {at} has no zone. Use `datetime.now(UTC)` and the like.")


class KeptFile(msgspec.Struct, frozen=True):
    """The record of a stored file: `media_type` is determined from its bytes."""

    media_type: str
    sha256: bytes


class Inbound(msgspec.Struct, frozen=True):
    """An inbound message, identified by (account, chat_jid, sender_jid, chat_message_id).

    `from_me` marks a message that the account's owner sent from another device.
    `reply_to_chat_message_id` names the message that this one answers, if the network says so.
    `may_press` is for networks on which a pressed button arrives as a plain text: the text may be a
    choice's id or title. It then means the newest of our messages in this chat before `sent_at`
    that has this choice, among those of the kinds in `answers`. `file` is the file of a `Media`
    content, as the network gave it: a stranger's bytes. The gateway stores it, and sets `media_url`
    to a link and `kept_file` to its record. A message that the driver can't read is a
    `content.System`: it is reported, never dropped. If the same message arrives again and can be
    read, it takes that one's place. `referral` is the advertisement that the message came from, or
    the status that it answers.
    """

    chat_jid: str
    sender_jid: str
    chat_message_id: str
    content: Content
    sent_at: datetime
    """Aware. The network's time, or the time of arrival if it gives none."""
    is_group: bool = False
    from_me: bool = False
    sender_phone_number: str | None = None
    sender_name: str | None = None
    group_subject: str | None = None
    reply_to_chat_message_id: str | None = None
    may_press: bool = False
    answers: frozenset[str] = CHOICE_KINDS
    file: bytes | None = None
    media_url: str | None = None
    referral: Referral | None = None
    kept_file: KeptFile | None = None

    def __post_init__(self) -> None:
        _require_zone(self.sent_at)


class Receipt(msgspec.Struct, frozen=True):
    """The network's report on the progress of one of our messages.

    `chat_jid` is the chat of the message: the gateway uses it as the recipient's address until it
    has stored the result of `send`. `only_of_chat` is for networks on which anybody who knows a
    message's id can write a receipt: it counts for a message that was sent to `chat_jid`, by that
    very address, and for no other.
    """

    chat_jid: str
    chat_message_id: str
    kind: Literal["sent", "delivered", "read", "failed"]
    at: datetime
    """Aware. The network's time, or the time of the receipt's arrival if it gives none."""
    reason: str | None = None
    only_of_chat: bool = False

    def __post_init__(self) -> None:
        _require_zone(self.at)


class ReadElsewhere(msgspec.Struct, frozen=True):
    """The account's owner has read a chat on another device, at `at`.

    `chat_message_ids` names messages in it, or changes of messages: it was read up to the newest of
    them. If the network names none, or none that the gateway knows, everything sent until `at` was
    read. A message that the owner writes there, an `Inbound` that is `from_me`, implies the same.
    """

    chat_jid: str
    at: datetime
    """Aware. The network's time, or the time of arrival if it gives none."""
    chat_message_ids: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _require_zone(self.at)


class SessionState(msgspec.Struct, frozen=True):
    """A change of the connection's state. `reason` is a sentence for people.

    While `status` is `pairing`, `pairing` is the step to show. On the first `connected` after a
    pairing, `remote_jid` and `phone_number` identify the account, and `secrets` are to be stored. A
    session that was logged out or banned does not reconnect. `stays_away` says that a
    `disconnected` one does not try to connect for a while, as after a temporary ban: its reason is
    reported even if the outage has been already.
    """

    status: AccountStatus
    reason: str | None = None
    pairing: PairingStep | None = None
    remote_jid: str | None = None
    phone_number: str | None = None
    secrets: Mapping[str, str] | None = None
    stays_away: bool = False


class ContactSeen(msgspec.Struct, frozen=True):
    """A person known to the network. `name` is the address book's, `chat_name` their own.

    With `if_known`, the event completes a contact that exists, or shows that two are one person; it
    makes no new contact.
    """

    remote_jid: str
    phone_number: str | None = None
    name: str | None = None
    chat_name: str | None = None
    picture_id: str | None = None
    if_known: bool = False


class GroupSeen(msgspec.Struct, frozen=True):
    """A group that was created, joined or named."""

    remote_jid: str
    subject: str
    owner_jid: str | None = None
    created_at: datetime | None = None
    """Aware, the network's time; None if it gives none."""
    participants: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _require_zone(self.created_at)


class Cursor(msgspec.Struct, frozen=True):
    """How far the session has read an archive of the network: the account's (`chat_jid` is empty),
    or one chat's if the network has one for each.

    It is published after the messages that were read, stored in their transaction or a later one,
    and returned in `Account.cursors`. Only the driver interprets `position`; None deletes the
    cursor.
    """

    chat_jid: str
    position: str | None


class Changed(msgspec.Struct, frozen=True):
    """Somebody changed a message, deleted it or reacted to it.

    `chat_message_id` of `message_sender_jid` names the message; (account, chat_jid, sender_jid,
    change_id) names the change, so that it is stored once. With `edited`, `content` is what the
    message says now. With `reaction`, `emoji` is empty when the reaction was withdrawn.
    `earlier_jids` leads from the addresses of the chat and the sender to those under which the
    message may have been stored.

    `from_own_account` says that the account itself made the change on another of its devices, and
    that the network guarantees this instead of the change claiming it. Only then does the gateway
    accept an edit or a deletion of a message that the account has sent.

    `otherwise` is reported if the message is unknown, so that its new content is not lost. It has
    the change's chat and sender, and `change_id` as its own id.
    """

    kind: ChangeKind
    chat_jid: str
    sender_jid: str
    change_id: str
    chat_message_id: str
    message_sender_jid: str
    at: datetime
    """Aware. The network's time, or the time of arrival if it gives none."""
    content: Content | None = None
    emoji: str | None = None
    earlier_jids: Mapping[str, str] = {}
    from_own_account: bool = False
    otherwise: Inbound | None = None

    def __post_init__(self) -> None:
        _require_zone(self.at)


RestrictionKind = Literal["new_conversations"]
"""The kinds of restrictions: an account may not write to people it has not talked with."""


class Restricted(msgspec.Struct, frozen=True):
    """A temporary restriction of the account by the network; the connection stays.

    While it lasts, the gateway holds the messages that it concerns, without an attempt. If the
    network reports it only by refusing a message, the session raises `RestrictedError` there
    instead. `reason` is a sentence for people. `is_guess` says that the network has named no time.
    """

    kind: RestrictionKind
    until: datetime
    """Aware. A later event may name another time."""
    reason: str
    is_guess: bool = False

    def __post_init__(self) -> None:
        _require_zone(self.until)


class Unrestricted(msgspec.Struct, frozen=True):
    """The network has lifted the restriction before its time. Its end by time needs no event."""


NetworkEvent = (
    Inbound
    | Receipt
    | ReadElsewhere
    | SessionState
    | ContactSeen
    | GroupSeen
    | Cursor
    | Changed
    | Restricted
    | Unrestricted
)


class Events(Protocol):
    """Where a session reports. One per session."""

    async def publish(self, events: Sequence[NetworkEvent]) -> None:
        """Publish the events, in order. Returns when they are committed.

        Raises `LeaseLostError` if this node no longer owns the account: the session must then stop
        and acknowledge nothing.
        """


# --- sessions --------------------------------------------------------------------------------


class OutgoingFile(Protocol):
    """The stored file of an outgoing message. It is not in memory."""

    @property
    def media_type(self) -> str: ...

    @property
    def file_name(self) -> str: ...

    @property
    def size(self) -> int: ...

    def chunks(self) -> AsyncIterator[bytes]:
        """Read the file in pieces of at most 512 KiB. Raises `FileUnavailableError`."""

    def on_disk(self) -> AbstractAsyncContextManager[Path]:
        """Provide a temporary copy on disk, which is deleted afterwards. Raises
        `FileUnavailableError`."""


class Quoted(msgspec.Struct, frozen=True):
    """The message that another one answers. `sender_jid` is None for the account's own."""

    chat_message_id: str
    sender_jid: str | None
    content: Content


class Outgoing(msgspec.Struct, frozen=True):
    """A message to send. `recipient` is what `Network.recipient` made of the client's input.

    `content` is of a kind in `Capabilities.content`, or a `Text`. `file` is the file of a `Media`
    content. `reply_to` is the message that it answers, if the network supports `replies`.
    """

    message_id: UUID
    chat_message_id: str
    recipient: str
    content: Content
    attempt: int = 0
    file: OutgoingFile | None = None
    reply_to: Quoted | None = None


class OutgoingChange(msgspec.Struct, frozen=True):
    """A change to a message that the network has. `change_id` is its id on the network, the same at
    each attempt.

    `sender_jid` is None for a message that the account sent; only such ones are edited and deleted.
    With `edited`, `content` is what it says now, of a kind that the network can send. For a file,
    it is the file's content with the new caption. With `reaction`, an empty `emoji` withdraws.
    """

    kind: ChangeKind
    change_id: str
    chat_jid: str
    chat_message_id: str
    sender_jid: str | None
    content: Content | None = None
    emoji: str = ""
    attempt: int = 0


class Sent(msgspec.Struct, frozen=True):
    """The network has accepted the message. `remote_jid` and `phone_number` identify the recipient.

    `is_group` is for networks whose addresses do not show whether they are groups: it says whether
    the account knows this one as a group. None leaves it to `Network.is_group`.
    """

    remote_jid: str
    sent_at: datetime
    """Aware. The network's time, or the time of its answer if it gives none."""
    phone_number: str | None = None
    contact_name: str | None = None
    chat_name: str | None = None
    is_group: bool | None = None

    def __post_init__(self) -> None:
        _require_zone(self.sent_at)


class FetchedPicture(msgspec.Struct, frozen=True):
    """A profile picture as the network gave it: a stranger's bytes, never served as they are."""

    picture_id: str
    data: bytes


class Session(ABC):
    """One account's live connection.

    Every method raises `NetworkError`, and nothing else, if the network refuses or does not answer.
    It waits for an answer for as long as its caller does, who knows the deadline and cancels the
    wait: a driver sets no time limits of its own for requests. That also holds for the optional
    parts.
    """

    @abstractmethod
    async def send(self, message: Outgoing) -> Sent:
        """Send one message. Returns when the network has accepted it."""

    @abstractmethod
    async def ping(self) -> None:
        """Prove that the connection is alive."""

    @abstractmethod
    async def log_out(self) -> None:
        """End the account's registration on the network."""

    @abstractmethod
    async def close(self) -> None:
        """Close the connection. The account can be connected again, here or on another node."""


@runtime_checkable
class Groups(Protocol):
    """A session that supports groups."""

    async def create_group(self, subject: str, participants: Sequence[str]) -> GroupSeen: ...

    async def find_group(self, subject: str, since: datetime) -> GroupSeen | None:
        """Find a group with this subject that this account owns and created at or after `since`."""

    async def join_group(self, invite_link: str) -> GroupSeen: ...


class Participant(msgspec.Struct, frozen=True):
    """A participant of a group. `role` is their highest role."""

    remote_jid: str
    role: Literal["owner", "admin", "member"] = "member"
    phone_number: str | None = None
    name: str | None = None


class GroupDetails(msgspec.Struct, frozen=True):
    """A group as the network shows it to the account."""

    remote_jid: str
    subject: str
    participants: tuple[Participant, ...]
    description: str = ""
    owner_jid: str | None = None
    created_at: datetime | None = None
    """Aware, the network's time; None if it gives none."""

    def __post_init__(self) -> None:
        _require_zone(self.created_at)


@runtime_checkable
class GroupManagement(Protocol):
    """A session that can change groups, as far as the account may."""

    async def get_group(self, remote_jid: str) -> GroupDetails:
        """Query the group. Raises `GroupNotFoundError` for one that the account is not in."""

    async def add_participants(
        self, remote_jid: str, participants: Sequence[str]
    ) -> Mapping[str, str]:
        """Add people. Returns the reasons for those who were not added, by address."""

    async def remove_participant(self, remote_jid: str, participant: str) -> None:
        """Remove somebody. Raises `ParticipantNotFoundError` if nobody is in the group under this
        address or the other form of its number (`participants.find_participant`)."""

    async def change_group(
        self, remote_jid: str, *, subject: str | None = None, description: str | None = None
    ) -> None:
        """Change what is given."""

    async def get_invite_link(self, remote_jid: str) -> str: ...

    async def leave_group(self, remote_jid: str) -> None: ...


@runtime_checkable
class MessageChanges(Protocol):
    """A session that can edit, delete or react to messages, according to `capabilities.changes`."""

    async def change(self, change: OutgoingChange) -> datetime:
        """Send one change. Returns the aware time at which the network accepted it."""


@runtime_checkable
class Typing(Protocol):
    """A session that can show a typing indicator."""

    async def set_typing(self, chat_jid: str, is_typing: bool) -> None: ...


@runtime_checkable
class ReadMarks(Protocol):
    """A session that can send read receipts."""

    async def mark_read(self, chat_jid: str, messages: Sequence[tuple[str, str]]) -> None:
        """Mark messages, each as (chat_message_id, sender_jid), oldest first; the newest 100 at
        most."""


class NumberCheck(msgspec.Struct, frozen=True):
    """Whether a phone number is on the network. `remote_jid` is its address there, None if not."""

    phone_number: str
    remote_jid: str | None


@runtime_checkable
class NumberChecks(Protocol):
    """A session that can check which phone numbers are on the network."""

    async def check_numbers(self, phone_numbers: Sequence[str]) -> Sequence[NumberCheck]:
        """Check numbers, each as digits without `+`. Returns the answers in the same order."""


@runtime_checkable
class Contacts(Protocol):
    """A session that can list the account's contacts."""

    def contacts(self) -> AsyncIterator[Sequence[ContactSeen]]: ...


@runtime_checkable
class Pictures(Protocol):
    """A session that can fetch profile pictures."""

    async def picture(
        self, remote_jid: str, *, preview: bool, known_id: str | None = None
    ) -> FetchedPicture | None:
        """Fetch the picture; None if it still is `known_id`. Raises `PictureNotFoundError` if none
        is set.

        A network without previews gives the whole picture in both cases. The gateway decodes the
        bytes.
        """


# --- simulators ------------------------------------------------------------------------------


class SimulatedMessage(msgspec.Struct, frozen=True):
    """One bubble on a simulated phone. `mine` is true for what the phone's owner sent.

    `content` is what the message says now, nothing once it was deleted. `status` of a message of
    the owner's is `read` once the account has read it. `reactions` have everybody's emoji, `votes`
    in a poll everybody's options, by address. `has_file` says that `Simulator.open_file` has its
    file.
    """

    chat_message_id: str
    chat_jid: str
    sender_jid: str
    content: Content
    sent_at: datetime
    mine: bool
    status: str
    reply_to: str | None = None
    quoted: Quoted | None = None
    is_edited: bool = False
    is_deleted: bool = False
    has_file: bool = False
    reactions: Mapping[str, str] = {}
    votes: Mapping[str, tuple[str, ...]] = {}


class SimulatedFile(Protocol):
    """The file of a message on a simulated phone: a stranger's bytes."""

    @property
    def media_type(self) -> str: ...

    @property
    def file_name(self) -> str: ...

    @property
    def size(self) -> int: ...

    def chunks(self, first: int = 0) -> AsyncIterator[bytes]:
        """Read it in pieces from the byte `first` on. Raises `FileUnavailableError`."""


class Person(msgspec.Struct, frozen=True):
    """A person of the simulated network, seen from an account."""

    remote_jid: str
    phone_number: str
    name: str
    online: bool
    note: str = ""


class SimulatedInvite(msgspec.Struct, frozen=True):
    """A link into a group. With `approval`, the owner has to let in whoever follows it."""

    link: str
    approval: bool
    revoked: bool


class SimulatedGroup(msgspec.Struct, frozen=True):
    """A group that a simulated phone is in, seen from an account.

    `has_account`: the account is in it, too, and what is said there can be read and answered.
    `is_asked`: the account waits to be let in. `invites` are the links that the phone has made.
    """

    remote_jid: str
    subject: str
    has_account: bool
    is_asked: bool
    invites: tuple[SimulatedInvite, ...] = ()


class Simulator(Protocol):
    """Drives the other side of a network for one account.

    A phone is named by its number, its JID or, where it is nobody else's, a name. Each account has
    phones of its own: what it does to one changes nothing for other accounts. Every method raises
    `NetworkError` for what does not exist (an unknown phone, a button that is not there), with a
    sentence for a person.
    """

    @overload
    async def act(self, action: MessageAction) -> SimulatedMessage: ...
    @overload
    async def act(self, action: QuietAction) -> str: ...
    async def act(self, action: MessageAction | QuietAction) -> SimulatedMessage | str:
        """Carry out the action. Return the message that the phone sent, or else a sentence for a
        person; for an `Invite`, that is the link."""

    async def people(self, *, most: int | None = None) -> Sequence[Person]:
        """List the people the account deals with, by address: the first `most`."""

    async def find_person(self, who: str) -> Person:
        """Find the person with this number, address or name. Raises `NetworkError` if there is
        none."""

    async def find_names(self, jids: Sequence[str]) -> Mapping[str, str]:
        """Return the names of the people at these addresses, by address; unknown addresses are left
        out."""

    async def groups(self, phone: str) -> Sequence[SimulatedGroup]:
        """List the groups that the phone shows, the newest first."""

    async def receive(
        self, phone: str, *, limit: int = 20, group_jid: str | None = None
    ) -> Sequence[SimulatedMessage]:
        """Open the chat on the phone, which reads it; returns its messages, oldest first."""

    async def open_file(self, chat_message_id: str) -> SimulatedFile:
        """Return the file of a message. Raises `NetworkError` where there is none."""

    async def is_typing(self, phone: str, *, group_jid: str | None = None) -> bool:
        """Return whether the phone shows that the account is typing."""


# --- the network -----------------------------------------------------------------------------


class NetworkContext(msgspec.Struct, frozen=True):
    """The resources that a network gets from the gateway: a pool for tables of its own, a clock in
    database time, and a way to wake its own sessions on every node (`notify(topic)` reaches
    `subscribe(topic)`).

    `database_url` is the same database's, with its password: for a library that brings a connection
    of its own. `why_refused` says what kind of IP address this is, when a customer's settings lead
    there and it may not be dialed; a driver asks it before it dials.
    """

    pool: "asyncpg.Pool[Any]"
    now: Callable[[], datetime]
    notify: Callable[[str], None]
    subscribe: Callable[[str, Callable[[], None]], Callable[[], None]]
    database_url: str = ""
    why_refused: Callable[[str], str | None] = lambda _: None


class Network(ABC):
    """A kind of chat network."""

    name: ClassVar[str]
    title: ClassVar[str]
    capabilities: ClassVar[Capabilities]
    form: ClassVar[tuple[FormField, ...]] = ()
    demo: ClassVar[DemoAccount | None] = None
    migrations: ClassVar[Path | None] = None
    """A folder of Alembic revisions for tables of the driver's own, a branch labeled `name`."""

    def start(self, context: NetworkContext) -> None:  # noqa: B027 - a network may need nothing
        """Accept the gateway's resources; called once in each process, before `connect`."""

    def missing(self) -> str:
        """Return a sentence about missing dependencies and how to install them; "" if there are
        none.

        It is for a driver that can be loaded without the library that it needs later.
        """
        return ""

    @abstractmethod
    def recipient(self, value: str, settings: Mapping[str, str]) -> str:
        """Make the network's address of a phone number (digits, without `+`) or a JID.

        Raises `InvalidAddressError` for what can't be an address of this network.
        """

    @abstractmethod
    def is_group(self, remote_jid: str) -> bool:
        """Return whether this address is a group's, by its form alone."""
        # data from one account must not affect another

    @abstractmethod
    def check_invite_link(self, invite_link: str) -> None:
        """Raise `InvalidInviteError` when the link does not have this network's form."""

    @abstractmethod
    def message_id(self, message_id: UUID) -> str:
        """Return the id of our message on this network, which is always the same for the same
        message."""

    @abstractmethod
    async def connect(self, account: Account, events: Events) -> Session:
        """Open the account's connection, or begin its pairing; progress is reported as events.

        The session reconnects automatically after a lost connection, with backoff and jitter.
        """

    async def forget(self, account_id: UUID) -> None:  # noqa: B027 - a network may keep nothing
        """Delete a removed account's rows from the driver's own tables, above all its keys.

        Called a minute after the removal, and again until it has worked. Raises `NetworkError`.
        """

    def simulator(self, account_id: UUID) -> Simulator | None:
        """Return the simulator of this account's network, or None for a real network."""
        return None
