"""Conversations: everything said between one of our accounts and one person or group."""

from datetime import datetime
from enum import StrEnum
from uuid import UUID

import msgspec

from heliograph.core.tenants.organization import Tenant


class ConversationStatus(StrEnum):
    OPEN = "open"
    PENDING = "pending"
    SNOOZED = "snoozed"
    CLOSED = "closed"


class Label(msgspec.Struct, frozen=True):
    id: UUID
    organization_id: UUID
    name: str
    color: str
    created_at: datetime


class Conversation(msgspec.Struct, frozen=True):
    """One row of `conversations`, with the names of its contact or group."""

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
    labels: tuple[Label, ...] = ()

    @property
    def display_name(self) -> str | None:
        """The best human name there is."""
        return self.contact_name or self.contact_chat_name
