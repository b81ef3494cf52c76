"""Conversations as clients see them."""

from datetime import datetime
from typing import Annotated, TypedDict
from uuid import UUID

from typing_extensions import Doc

from heliograph.core.inbox.model import Conversation, ConversationStatus
from heliograph.core.labels.model import Label
from heliograph.core.records import make_record
from heliograph.untrusted import UntrustedText


class ConversationRecord(TypedDict):
    """Everything said between one account and one person or group."""

    id: UUID
    chat_account_id: Annotated[UUID, Doc("The connected account that owns the conversation.")]
    remote_jid: Annotated[UntrustedText, Doc("The network's identifier of the person or group.")]
    status: ConversationStatus
    unread_count: int
    created_at: datetime
    updated_at: datetime
    contact_id: UUID | None
    phone_number: str | None
    is_group: bool
    group_subject: UntrustedText | None
    assignee_user_id: UUID | None
    agent_paused: bool
    subject: str | None
    last_message_preview: UntrustedText | None
    last_message_at: datetime | None
    last_inbound_at: datetime | None
    last_outbound_at: datetime | None
    contact_name: UntrustedText | None
    contact_chat_name: Annotated[
        UntrustedText | None, Doc("The name the contact uses on the chat network.")
    ]
    contact_profile_picture_url: str | None
    display_name: Annotated[
        UntrustedText | None,
        Doc("The best name for people: the contact's name, else the one on the chat network."),
    ]
    pinned: bool
    chat_group_id: UUID | None
    snoozed_until: Annotated[
        datetime | None,
        Doc("When a snoozed conversation reopens by itself; null: only when somebody writes."),
    ]
    labels: list[Label]


def conversation_record(
    conversation: Conversation, *, shows_messages: bool, picture_url: str | None = None
) -> ConversationRecord:
    """`shows_messages` says whether the caller may see what was said last."""
    return make_record(
        ConversationRecord,
        conversation,
        chat_account_id=conversation.account_id,
        last_message_preview=conversation.last_message_preview if shows_messages else None,
        contact_profile_picture_url=picture_url,
        snoozed_until=conversation.reopens_at,
        labels=list(conversation.labels),
    )
