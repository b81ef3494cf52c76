"""Messages, their statuses, and the transitions between them.

    scheduled → queued → sending → sent → delivered → read
                  ↑ └──────┘ └→ failed       (a retry, a take-over: sending → queued)
    scheduled, queued → canceled             (while no attempt may have sent it)
    sent → failed                            (the network refuses late, before a delivery receipt)
    failed → sent, delivered, read           (a late receipt proves that it arrived)
    received → read                          (inbound)

A status never moves backwards otherwise. A late receipt sets its own timestamp and nothing else,
except that `sent_at` is never later than the arrival that a receipt reports.
"""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Literal, NamedTuple
from uuid import UUID

import msgspec
from msgspec.structs import replace
from typing_extensions import Doc
from uuid_utils import uuid7

from heliograph.core.tenants.model import Tenant
from heliograph.networks.content import Content, Referral, edited, message_type
from heliograph.networks.port import ChangeKind
from heliograph.untrusted import UntrustedText

MAX_REACTIONS = 256
"""Reactions kept for one message: the newest ones."""


class Direction(StrEnum):
    INBOUND = "inbound"
    OUTBOUND = "outbound"


class ChatType(StrEnum):
    INDIVIDUAL = "individual"
    GROUP = "group"


class MessageStatus(StrEnum):
    SCHEDULED = "scheduled"
    QUEUED = "queued"
    SENDING = "sending"
    SENT = "sent"
    DELIVERED = "delivered"
    READ = "read"
    FAILED = "failed"
    CANCELED = "canceled"
    RECEIVED = "received"


_RANK = {
    MessageStatus.SCHEDULED: 0,
    MessageStatus.QUEUED: 1,
    MessageStatus.SENDING: 2,
    MessageStatus.FAILED: 2,
    MessageStatus.SENT: 3,
    MessageStatus.DELIVERED: 4,
    MessageStatus.READ: 5,
}
BEFORE_SENT = (MessageStatus.SCHEDULED, MessageStatus.QUEUED, MessageStatus.SENDING)
WAITING = (MessageStatus.SCHEDULED, MessageStatus.QUEUED)
_RECEIPTS = (MessageStatus.SENT, MessageStatus.DELIVERED, MessageStatus.READ)


class SentBy(msgspec.Struct, frozen=True, omit_defaults=True):
    """Who had a message sent: an API key, a person in the dashboard, an AI tool, or the account's
    owner on their phone. `id` is the key's public id or the person's."""

    kind: Literal["api_key", "user", "agent", "phone"]
    id: str | None = None
    name: str | None = None


PHONE = SentBy("phone")


class Reaction(msgspec.Struct, frozen=True):
    """Somebody's reaction to the message."""

    emoji: UntrustedText
    jid: Annotated[
        UntrustedText | None, Doc("Their address on the chat network; null for the account.")
    ]
    at: datetime


class Message(msgspec.Struct, frozen=True):
    """One row of `messages`. `seq` is the order in which the database inserted the messages.

    `in_doubt` says that an attempt with an unknown outcome may have reached the network, whatever
    the status. `trace_context` is the context from which its trace continues (`telemetry.tracing`);
    None if no trace is recorded.
    """

    tenant: Tenant
    id: UUID
    seq: int
    account_id: UUID
    direction: Direction
    status: MessageStatus
    message_type: str
    chat_type: ChatType
    recipient: str
    phone_number: str
    content: Content
    chat_message_id: str
    created_at: datetime
    updated_at: datetime
    conversation_id: UUID | None = None
    contact_id: UUID | None = None
    remote_jid: str | None = None
    sender_jid: str | None = None
    reply_to_message_id: UUID | None = None
    reply_to_chat_message_id: str | None = None
    run_id: str | None = None
    media_type: str | None = None
    media_url: str | None = None
    variable_values: dict[str, Any] | None = None
    campaign_id: UUID | None = None
    batch_id: UUID | None = None
    retry_count: int = 0
    next_attempt_at: datetime | None = None
    connected_seconds: float = 0.0
    claim_epoch: int | None = None
    in_doubt: bool = False
    failure_reason: str | None = None
    scheduled_for: datetime | None = None
    queued_at: datetime | None = None
    sent_at: datetime | None = None
    delivered_at: datetime | None = None
    read_at: datetime | None = None
    failed_at: datetime | None = None
    metadata: dict[str, str] | None = None
    sent_by: SentBy | None = None
    expires_at: datetime | None = None
    edited_at: datetime | None = None
    deleted_at: datetime | None = None
    reactions: tuple[Reaction, ...] = ()
    trace_context: str | None = None
    referral: Referral | None = None

    @property
    def chat_jid(self) -> str:
        """The address of the person or group: the network's own if known, else as requested."""
        return self.remote_jid or self.recipient

    @property
    def is_here_alone(self) -> bool:
        """Whether it is certain that no attempt has sent it: only then can it be canceled, or
        edited in place."""
        return self.status in WAITING and not self.in_doubt

    @property
    def may_have_arrived(self) -> bool:
        """Whether it may have reached the phone although no receipt says so."""
        return may_have_arrived(self.sent_at, in_doubt=self.in_doubt)


def may_have_arrived(sent_at: datetime | None, *, in_doubt: bool) -> bool:
    """Whether such a message may have reached the phone although no receipt says so. Every report
    of a failure mentions this, since a message that is sent again could arrive twice."""
    return in_doubt and sent_at is None


class ClaimedMessage(msgspec.Struct, frozen=True):
    """The columns of a message's row that sending needs."""

    tenant: Tenant
    id: UUID
    seq: int
    account_id: UUID
    message_type: str
    recipient: str
    content: Content
    chat_message_id: str
    created_at: datetime
    run_id: str | None
    media_url: str | None
    reply_to_message_id: UUID | None
    retry_count: int
    connected_seconds: float
    expires_at: datetime | None
    trace_context: str | None = None
    failure_reason: str | None = None


class Attempt(msgspec.Struct, frozen=True):
    """A failed attempt to hand a message to the network. Unless `certain`, the network may have the
    message all the same."""

    at: datetime
    reason: str | None
    certain: bool


class Claim(msgspec.Struct, frozen=True):
    """Messages that were claimed together, by `seq`."""

    id: UUID
    messages: list[ClaimedMessage]


class ClaimResult(NamedTuple):
    """The claim, if there was anything to claim, and whether messages were skipped because they, or
    earlier ones to the same recipient, were locked."""

    claim: Claim | None
    is_busy: bool = False


class RequeuedMessage(msgspec.Struct, frozen=True):
    """The columns of a requeued message that the queue and the log need."""

    tenant: Tenant
    id: UUID
    seq: int
    account_id: UUID
    status: MessageStatus
    recipient: str
    run_id: str | None
    created_at: datetime
    queued_at: datetime | None
    next_attempt_at: datetime | None
    retry_count: int


class AppliedChange(msgspec.Struct, frozen=True):
    """A change of a message that has happened. `jid` is who made it, or None for the account
    itself; `id` is our id if the change was requested here."""

    kind: ChangeKind
    jid: str | None
    at: datetime
    content: Content | None = None
    emoji: str = ""
    id: UUID | None = None


def apply_change(message: Message, change: AppliedChange) -> Message:
    """Return the message as it is after the change."""
    if change.kind == "edited":
        content = message.content if change.content is None else change.content
        after = edited(message.content, content)
        return replace(
            message, content=after, message_type=message_type(after), edited_at=change.at
        )
    if change.kind == "deleted":
        return replace(message, deleted_at=change.at)
    others = [reaction for reaction in message.reactions if reaction.jid != change.jid]
    own = [Reaction(change.emoji, change.jid, change.at)] if change.emoji else []
    return replace(message, reactions=(*others, *own)[-MAX_REACTIONS:])


class MessageChange(msgspec.Struct, frozen=True):
    """One row of `message_changes`: a requested change that the network has not accepted yet.
    `change_id` is its id on the network."""

    tenant: Tenant
    id: UUID
    account_id: UUID
    message_id: UUID
    kind: ChangeKind
    change_id: str
    run_id: str
    created_at: datetime
    content: Content | None = None
    emoji: str = ""
    sent_by: SentBy | None = None
    retry_count: int = 0
    connected_seconds: float = 0.0


class Sender(msgspec.Struct, frozen=True):
    """The author of a message in a group, as far as known."""

    contact_id: UUID
    phone_number: str | None
    name: str | None


class Names(msgspec.Struct, frozen=True):
    """The parts of a message's record that are not in its row: the names of the contact and the
    group, and the author in a group."""

    contact: str | None = None
    group: str | None = None
    sender: Sender | None = None


NO_NAMES = Names()


class NewMessage(msgspec.Struct, frozen=True):
    """An accepted message on its way into the queue; the rest of its row is derived from it.

    `conversation_id` is set if it is sent within a conversation. After `expires_at` it is not sent.
    """

    tenant: Tenant
    id: UUID
    account_id: UUID
    recipient: str
    phone_number: str
    chat_type: ChatType
    content: Content
    chat_message_id: str
    run_id: str
    created_at: datetime
    sent_by: SentBy | None = None
    scheduled_for: datetime | None = None
    expires_at: datetime | None = None
    conversation_id: UUID | None = None
    reply_to_message_id: UUID | None = None
    reply_to_chat_message_id: str | None = None
    media_type: str | None = None
    media_url: str | None = None
    metadata: dict[str, str] | None = None
    trace_context: str | None = None


def advance(
    message: Message, to: MessageStatus, at: datetime, *, reason: str | None = None
) -> tuple[Message, tuple[MessageStatus, ...]]:
    """Advance an outbound message to the status `to`, reached at `at`.

    Returns the message and the statuses to report, in order: the same object and no statuses if
    nothing changes.
    """
    # A receipt implies what comes before it: what is delivered has been sent. A message that failed
    # after it was sent comes back by a receipt that proves its arrival, not by another "sent".
    if to is MessageStatus.FAILED:
        return _fail(message, at, reason)
    if message.status is MessageStatus.CANCELED or to not in _RECEIPTS:
        return message, ()
    # the rank that it had reached, or had reached before it failed
    failed_late = message.status is MessageStatus.FAILED and message.sent_at is not None
    before = _RANK[MessageStatus.SENT if failed_late else message.status]
    reached: list[MessageStatus] = []
    if message.sent_at is None:
        message = replace(message, sent_at=at)
        reached.append(MessageStatus.SENT)
    if to is MessageStatus.DELIVERED and message.delivered_at is None:
        message = replace(message, delivered_at=at)
        reached.append(to)
    if to is MessageStatus.READ and message.read_at is None:
        message = replace(message, read_at=at)
        reached.append(to)
    if reached and message.sent_at is not None and message.sent_at > at:
        # the network reported late that it was sent, such as when a receipt answered an earlier
        # attempt
        message = replace(message, sent_at=at)
    if _RANK[to] > before:
        message = replace(message, status=to, failure_reason=None, next_attempt_at=None)
    return message, tuple(reached)


def _fail(
    message: Message, at: datetime, reason: str | None
) -> tuple[Message, tuple[MessageStatus, ...]]:
    if message.status not in (*BEFORE_SENT, MessageStatus.SENT):
        return message, ()
    failed = replace(
        message,
        status=MessageStatus.FAILED,
        failed_at=at,
        failure_reason=reason,
        next_attempt_at=None,
    )
    return failed, (MessageStatus.FAILED,)


def new_run_id() -> str:
    """Make the correlation id of one send."""
    return f"run_{uuid7().hex}"
