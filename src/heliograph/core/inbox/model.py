"""Conversations, and the pages in which people read them and their messages.

A conversation is everything said between one of our accounts and one person or group.
"""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Annotated, Literal
from uuid import UUID

import msgspec
from msgspec import UNSET, UnsetType

from heliograph.core.labels.model import Label
from heliograph.core.messages.model import (
    BEFORE_SENT,
    Message,
    MessageStatus,
    Sender,
    may_have_arrived,
)
from heliograph.core.tenants.model import Author, Tenant
from heliograph.networks.phone_numbers import searched_digits
from heliograph.platform.database.places import Place


class ConversationStatus(StrEnum):
    OPEN = "open"
    PENDING = "pending"
    SNOOZED = "snoozed"
    CLOSED = "closed"


class Conversation(msgspec.Struct, frozen=True):
    """One row of `conversations`, with the names of its contact or group.

    `snoozed_until` counts while it is snoozed: what reopens it need not clear it. `place` is known
    of a row that was locked, and holds as long as it is.
    """

    tenant: Tenant
    id: UUID
    account_id: UUID
    remote_jid: str
    status: ConversationStatus
    unread_count: int
    is_group: bool
    created_at: datetime
    updated_at: datetime
    contact_id: UUID | None = None
    phone_number: str | None = None
    chat_group_id: UUID | None = None
    group_subject: str | None = None
    assignee_user_id: UUID | None = None
    agent_paused: bool = False
    subject: str | None = None
    last_message_preview: str | None = None
    last_message_at: datetime | None = None
    last_inbound_at: datetime | None = None
    last_outbound_at: datetime | None = None
    contact_name: str | None = None
    contact_chat_name: str | None = None
    pinned: bool = False
    snoozed_until: datetime | None = None
    labels: tuple[Label, ...] = ()
    place: Place | None = None

    @property
    def reopens_at(self) -> datetime | None:
        """When its snooze ends; None if it is not snoozed, or snoozed until somebody writes."""
        return self.snoozed_until if self.status is ConversationStatus.SNOOZED else None

    @property
    def ends_with_ours(self) -> bool:
        """Whether the organization has the last word; False where both wrote at the same time."""
        ours = self.last_outbound_at is not None and self.last_outbound_at == self.last_message_at
        return ours and self.last_inbound_at != self.last_message_at

    @property
    def display_name(self) -> str | None:
        """The organization's name for the contact, else the contact's own."""
        return self.contact_name or self.contact_chat_name


class InboxFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Which conversations to list; None means any. An unknown word or id matches nothing.

    `unassigned` selects those without an assignee who is still a member, `unread` those with unread
    messages or without. `text`, which is folded, is part of the name of the contact or group, of
    the phone number or of the remote JID; the domain of a JID, which most share, is searched only
    for a text with an `@` or a dot.
    """

    account_id: UUID | None = None
    status: str | None = None
    label_id: UUID | None = None
    assignee_user_id: UUID | None = None
    unassigned: bool = False
    unread: bool | None = None
    is_group: bool | None = None
    text: str | None = None
    account_ids: tuple[UUID, ...] | None = None
    """The only accounts that the caller may see; None is all."""

    @property
    def digits(self) -> str | None:
        """The digits of `text` if it can be part of a phone number, else None."""
        return None if self.text is None else searched_digits(self.text)


EVERYTHING = InboxFilter()


class ConversationState(msgspec.Struct, frozen=True):
    """The state of a conversation that people can change, as shown beside its thread."""

    conversation_id: UUID
    status: ConversationStatus
    assignee_user_id: UUID | None
    agent_paused: bool
    pinned: bool
    label_ids: tuple[UUID, ...]


Aware = Annotated[datetime, msgspec.Meta(tz=True)]


class InboxCursor(msgspec.Struct, frozen=True):
    """A position in the list of conversations: the newest activity first, then by id."""

    last_message_at: datetime
    id: UUID


class ConversationCursor(msgspec.Struct, frozen=True):
    """A place in the order of all conversations: the newest activity first, then by id, then,
    without a time, those in which nothing was said, newest first.

    The reader began at `begun_at`. When `is_catching_up`, the place is among those in which
    something was said since then, oldest first.
    """

    last_message_at: Aware | None
    id: UUID
    begun_at: Aware | None = None
    is_catching_up: bool = False


class ConversationChange(msgspec.Struct, frozen=True, kw_only=True):
    """A client's change of a conversation; unset fields stay as they are."""

    status: ConversationStatus | UnsetType = UNSET
    assignee_user_id: UUID | UnsetType | None = UNSET
    agent_paused: bool | UnsetType = UNSET
    pinned: bool | UnsetType = UNSET
    subject: str | UnsetType | None = UNSET
    label_ids: tuple[UUID, ...] | UnsetType = UNSET
    snoozed_until: datetime | UnsetType | None = UNSET


class Note(msgspec.Struct, frozen=True):
    """A note for colleagues about a conversation; its contact never sees it."""

    id: UUID
    conversation_id: UUID
    body: str
    author: Author
    created_at: datetime


class NewestMessage(msgspec.Struct, frozen=True):
    """The newest message of a conversation, if it waits, failed, or was deleted. `at` is when the
    gateway accepted it."""

    conversation_id: UUID
    status: MessageStatus
    preview: str
    at: datetime
    sent_at: datetime | None
    deleted_at: datetime | None
    in_doubt: bool

    @property
    def outcome(
        self,
    ) -> Literal["deleted", "waiting", "not delivered", "not sent", "perhaps not sent"]:
        if self.deleted_at is not None:
            return "deleted"
        if self.status in BEFORE_SENT:
            return "waiting"
        if may_have_arrived(self.sent_at, in_doubt=self.in_doubt):
            return "perhaps not sent"
        return "not sent" if self.sent_at is None else "not delivered"


class InboxPage(msgspec.Struct, frozen=True):
    """`pinned` is on the first page only, and is not repeated among its `conversations`. `newest`
    has the newest messages that wait, failed or were deleted, by their conversation's id.

    A page of a filtered list may be short or empty and yet have a `next`, since the number of
    conversations that are read for a page is limited.
    """

    pinned: tuple[Conversation, ...]
    conversations: tuple[Conversation, ...]
    next: ConversationCursor | None
    newest: Mapping[UUID, NewestMessage] = MappingProxyType({})


class ThreadMessage(msgspec.Struct, frozen=True):
    """A message, and the person who wrote it, None if it is ours."""

    message: Message
    sender: Sender | None

    @property
    def author(self) -> str | None:
        """The name of the person who wrote it, if it is known; None if the message is ours."""
        return self.sender.name if self.sender else None


class ThreadPage(msgspec.Struct, frozen=True):
    """Messages, newest first; `before` leads to the next page, None on the last page. `quoted` are
    those of other pages that these answer, by their ids."""

    conversation: Conversation
    messages: tuple[ThreadMessage, ...]
    before: int | None
    quoted: Mapping[UUID, Message] = MappingProxyType({})
