"""The reports of sessions and workers, and the rows that a batch of reports concerns."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple, TypeAlias
from uuid import UUID

import msgspec
from msgspec.structs import replace

from heliograph.core.accounts.model import Account, CursorKey
from heliograph.core.accounts.totals_sql import TotalChanges
from heliograph.core.audit.model import AuditEntry
from heliograph.core.cluster.model import Lease
from heliograph.core.contacts.model import Contact
from heliograph.core.contacts.sql import AddressKey
from heliograph.core.events.service import EventBuilder
from heliograph.core.inbox.conversations_sql import ConversationPlaces
from heliograph.core.inbox.model import Conversation
from heliograph.core.jobs.model import Job, JobStatus
from heliograph.core.media.model import Media
from heliograph.core.messages.model import (
    Attempt,
    ChatType,
    Message,
    MessageChange,
    MessageStatus,
    Names,
    Sender,
)
from heliograph.core.messages.queue.holds_sql import Chat
from heliograph.core.messages.statistics.sql import CountChanges
from heliograph.core.tenants.model import Tenant
from heliograph.core.tenants.rows import Shards
from heliograph.networks import port
from heliograph.networks.content import Content
from heliograph.platform.database.clock import Clock
from heliograph.platform.telemetry.tracing import OFF, Span, Tracer


class MessageTaken(msgspec.Struct, frozen=True):
    message_id: UUID
    sent: port.Sent


class MessageRefused(msgspec.Struct, frozen=True):
    """A message will not be sent any more; `reason` is a sentence for people. Unless it is
    `certain` that the last attempt did not reach the network, the network may have the message."""

    message_id: UUID
    reason: str
    certain: bool = True


class MessagePostponed(msgspec.Struct, frozen=True):
    """A message is requeued until `next_attempt_at`, or until its turn comes if that is None.

    `is_attempt` says whether the network was asked. Unless it is `certain` that the network did not
    accept the message, it may have it all the same. `connected_seconds` is the time since the last
    attempt during which the account was connected.
    """

    message_id: UUID
    next_attempt_at: datetime | None
    reason: str | None
    is_attempt: bool
    certain: bool = True
    connected_seconds: float = 0.0


class ChangeTaken(msgspec.Struct, frozen=True):
    """The network accepted a change of a message at `at`."""

    change: MessageChange
    at: datetime


class ChangeRefused(msgspec.Struct, frozen=True):
    """A change of a message will not be made; `reason` is a sentence for people."""

    change: MessageChange
    reason: str


class ChangePostponed(msgspec.Struct, frozen=True):
    """A change of a message waits until `next_attempt_at`. The rest is as in `MessagePostponed`."""

    change: MessageChange
    next_attempt_at: datetime
    is_attempt: bool
    connected_seconds: float = 0.0


ChangeOutcome: TypeAlias = ChangeTaken | ChangeRefused | ChangePostponed


class JobEnded(msgspec.Struct, frozen=True):
    """A job has ended. `group` is the group that it created or joined."""

    job: Job
    status: JobStatus
    result: dict[str, Any] | None = None
    error: dict[str, Any] | None = None
    group: port.GroupSeen | None = None


ReportedEvent: TypeAlias = (
    port.NetworkEvent | MessageTaken | MessageRefused | MessagePostponed | ChangeOutcome | JobEnded
)


class Report(msgspec.Struct, frozen=True):
    """An event of one account, and the lease under which its session may report it."""

    lease: Lease
    network: str
    event: ReportedEvent

    @property
    def tenant(self) -> Tenant:
        return self.lease.tenant

    @property
    def account_id(self) -> UUID:
        return self.lease.resource_id


ChatKey = tuple[UUID, str]
"""An account's id and the remote JID of a chat."""


class PressByText(NamedTuple):
    """The choice that a text expresses, and the message that it answers."""

    reply: Content
    message_id: UUID
    chat_message_id: str


class RenamedGroup(NamedTuple):
    """The former subject of a group, None if unknown, and the present one."""

    before: str | None
    after: str


ArrivalKey = tuple[UUID, str, str, str]
"""The key of an inbound message: account, chat, sender, the network's id."""


def arrival_key(report: Report, event: port.Inbound) -> ArrivalKey:
    return report.account_id, event.chat_jid, event.sender_jid, event.chat_message_id


def changed_keys(report: Report, event: port.Changed) -> list[ArrivalKey]:
    """List the possible keys of the changed message, if it is an inbound one.

    They combine the current and the earlier addresses of its chat and its sender.
    """
    chats, senders = (
        [jid, *([event.earlier_jids[jid]] if jid in event.earlier_jids else [])]
        for jid in (event.chat_jid, event.message_sender_jid)
    )
    return [
        (report.account_id, chat, sender, event.chat_message_id)
        for chat in chats
        for sender in senders
    ]


def read_keys(report: Report, event: port.ReadElsewhere) -> list[ArrivalKey]:
    """List the possible keys of the messages and changes that were read, written by the person
    whose chat this is."""
    chat = event.chat_jid
    return [(report.account_id, chat, chat, name) for name in event.chat_message_ids]


class ReadMark(NamedTuple):
    """How far a chat was read at a certain time: up to the message `place`, as ids follow the order
    of arrival, or else everything sent by then.

    `names` are the network's ids of that message.
    """

    tenant: Tenant
    chat: ChatKey
    at: datetime
    place: UUID | None = None
    names: tuple[str, ...] = ()

    def has_read(self, message: Message) -> bool:
        if self.place is not None:
            return message.id <= self.place
        return message.sent_at is None or message.sent_at <= self.at


@dataclass(slots=True)
class WorkingSet:
    """The rows that the `reports` of a batch concern.

    A `loaded_…` dictionary has the locked rows as they were; its twin has them as they will be.
    `now` is the time of the whole batch; `failed_attempts` are the messages that failed or are
    retried, `attempts` the records of the latter's attempts, with their (organization id, id),
    `changed` the messages that were edited, deleted or reacted to. `read_marks` say, by position,
    how far the owner has read on another device, `read_ids` are the existing conversations of those
    chats, and `stored_unread` is how many stored messages stay unread; `lapsed` are restricted
    accounts as they were before their restriction ended or changed, `released` the chats of
    restricted accounts whose messages may be sent. `spans` end with the commit of the transaction
    that `began` then, by the tracer's clock.
    """

    shards: Shards
    reports: Sequence[Report]
    clock: Clock
    now: datetime
    events: EventBuilder
    totals: TotalChanges
    places: ConversationPlaces
    counts: CountChanges = field(default_factory=CountChanges)
    reached: Counter[MessageStatus] = field(default_factory=Counter)
    failed_attempts: list[Message] = field(default_factory=list)
    attempts: list[tuple[UUID, UUID, Attempt]] = field(default_factory=list)
    pressed: dict[int, PressByText] = field(default_factory=dict)
    cursors: dict[CursorKey, str | None] = field(default_factory=dict)
    contacts_by_address: dict[AddressKey, Contact] = field(default_factory=dict)
    contacts: dict[UUID, Contact] = field(default_factory=dict)
    updated_contacts: Sequence[tuple[Contact, Contact]] = ()
    ids: dict[tuple[UUID, str], UUID] = field(default_factory=dict)
    loaded_messages: dict[UUID, Message] = field(default_factory=dict)
    messages: dict[UUID, Message] = field(default_factory=dict)
    inbound_ids: dict[int, UUID] = field(default_factory=dict)
    new_ids: set[UUID] = field(default_factory=set)
    arrived: list[Message] = field(default_factory=list)
    received_files: list[Media] = field(default_factory=list)
    arrived_before: dict[ArrivalKey, UUID] = field(default_factory=dict)
    changed: set[UUID] = field(default_factory=set)
    ended_changes: set[UUID] = field(default_factory=set)
    running_jobs: set[UUID] = field(default_factory=set)
    groups: dict[ChatKey, UUID] = field(default_factory=dict)
    renamed_groups: dict[ChatKey, RenamedGroup] = field(default_factory=dict)
    loaded_conversations: dict[ChatKey, Conversation] = field(default_factory=dict)
    conversations: dict[ChatKey, Conversation] = field(default_factory=dict)
    conversations_of_refused: dict[ChatKey, UUID] = field(default_factory=dict)
    names: dict[UUID, Names] = field(default_factory=dict)
    senders: dict[UUID, Sender] = field(default_factory=dict)
    loaded_accounts: dict[UUID, Account] = field(default_factory=dict)
    accounts: dict[UUID, Account] = field(default_factory=dict)
    secrets: list[tuple[Lease, bytes]] = field(default_factory=list)
    audit: list[AuditEntry] = field(default_factory=list)
    read_marks: dict[int, ReadMark] = field(default_factory=dict)
    read_ids: dict[ChatKey, UUID] = field(default_factory=dict)
    stored_unread: dict[ChatKey, int] = field(default_factory=dict)
    lapsed: list[Account] = field(default_factory=list)
    released: set[Chat] = field(default_factory=set)
    tracer: Tracer = OFF
    began: int = 0
    spans: list[Span] = field(default_factory=list)

    def keeps_content(self, account_id: UUID) -> bool:
        """Whether the account keeps the contents of messages after they were sent or received."""
        account = self.accounts.get(account_id)
        return account is None or account.message_logging_enabled

    def receipt_target(self, report: Report) -> UUID | None:
        if not isinstance(report.event, port.Receipt):
            return None
        return self.ids.get((report.account_id, report.event.chat_message_id))

    def receipt_message(self, report: Report) -> Message | None:
        """Find the loaded message of a receipt, if the receipt counts for it."""
        event, target = report.event, self.receipt_target(report)
        message = self.messages.get(target) if target else None
        if message is None or not isinstance(event, port.Receipt):
            return None
        is_of_chat = event.chat_jid == (message.remote_jid or message.recipient)
        return message if is_of_chat or not event.only_of_chat else None

    def changed_target(self, report: Report) -> UUID | None:
        """Find the stored message that was changed, outbound or inbound."""
        event = report.event
        if not isinstance(event, port.Changed):
            return None
        for key in changed_keys(report, event):
            if key in self.arrived_before:
                return self.arrived_before[key]
        return self.ids.get((report.account_id, event.chat_message_id))

    def arrived_target(self, report: Report, position: int) -> UUID | None:
        """Find the stored message that has arrived again."""
        event = report.event
        if not isinstance(event, port.Inbound) or not self.is_repeated(position):
            return None
        return self.arrived_before.get(arrival_key(report, event))

    def rewritten_message(self, report: Report, position: int) -> Message | None:
        """Find the loaded message that is edited, deleted or completed."""
        if (again := self.arrived_target(report, position)) is not None:
            return self.messages.get(again)
        event, target = report.event, self.changed_target(report)
        if isinstance(event, ChangeTaken) and event.change.kind != "reaction":
            return self.messages.get(event.change.message_id)
        if isinstance(event, port.Changed) and event.kind != "reaction" and target is not None:
            return self.messages.get(target)
        return None

    def sent_message(self, event: MessageTaken) -> Message | None:
        """Find the loaded message that the network accepted, with the type of chat that it
        reached."""
        message = self.messages.get(event.message_id)
        if message is None or event.sent.is_group is None:
            return message
        chat_type = ChatType.GROUP if event.sent.is_group else ChatType.INDIVIDUAL
        return replace(message, chat_type=chat_type)

    def ended_message(self, change: MessageChange) -> Message | None:
        """Find the message of a change that has ended, unless that was written before."""
        return self.messages.get(change.message_id) if change.id in self.ended_changes else None

    def is_our_own(self, report: Report, event: port.Inbound) -> bool:
        """Whether this is an echo of a message that this gateway sent."""
        return event.from_me and (report.account_id, event.chat_message_id) in self.ids

    def is_new(self, position: int) -> bool:
        return self.inbound_ids.get(position) in self.new_ids

    def is_repeated(self, position: int) -> bool:
        """Whether the message at this position has arrived before."""
        return position in self.inbound_ids and not self.is_new(position)

    def chat_of_early_receipt(self, report: Report) -> tuple[str, bool] | None:
        """Return the chat of a receipt whose message has no remote JID yet, and whether it is a
        group's."""
        message = self.receipt_message(report)
        if message is None or message.remote_jid or not isinstance(report.event, port.Receipt):
            return None
        return report.event.chat_jid, message.chat_type is ChatType.GROUP

    def contact(self, report: Report, jid: str) -> Contact | None:
        return self.contacts_by_address.get(
            AddressKey(report.tenant.organization_id, report.network, jid)
        )
