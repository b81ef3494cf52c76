"""Conversations, notes about them, and groups."""

from enum import StrEnum
from typing import Annotated, Any
from uuid import UUID

from pydantic import BaseModel, Field, StrictBool

from heliograph.core.groups.service import CreatedGroupRecord, JoinedGroupRecord
from heliograph.core.inbox import model
from heliograph.core.inbox.serializers import ConversationRecord
from heliograph.core.tenants import model as tenants
from heliograph.faces.api.schemas.fields import (
    ADDRESS_RULE,
    NEXT_CURSOR,
    NO_NUL,
    UNCHANGED,
    StrictBody,
    Time,
    with_example,
)
from heliograph.faces.api.schemas.labels import Label
from heliograph.faces.api.schemas.records import describe_part, describes

_CONVERSATION: dict[str, Any] = {
    "id": "01939b1e-8000-7aaa-8bbb-0c0d0e0f1011",
    "chat_account_id": "01939b1a-0f00-7d11-8c22-93a1b2c3d4e5",
    "remote_jid": "5511999990000@sandbox",
    "status": "open",
    "unread_count": 1,
    "created_at": "2025-12-06T10:00:00.200000Z",
    "updated_at": "2025-12-06T10:00:05.000000Z",
    "contact_id": "01939b1e-7fff-7111-8222-333344445555",
    "phone_number": "+5511999990000",
    "is_group": False,
    "agent_paused": False,
    "last_message_preview": "Yes",
    "last_message_at": "2025-12-06T10:00:05.000000Z",
    "contact_chat_name": "Ana",
    "display_name": "Ana",
    "pinned": False,
    "labels": [],
}
_NOTE = {
    "id": "01939b1f-2222-7222-8333-444455556666",
    "conversation_id": "01939b1e-8000-7aaa-8bbb-0c0d0e0f1011",
    "body": "Wants a call before noon.",
    "author": {"kind": "api_key", "id": "3fGq81Zk0aYbX2mWcVtR7u", "name": "backend"},
    "created_at": "2025-12-06T10:02:00.000000Z",
}


@describes(
    ConversationRecord,
    {
        "is_group": bool | None,
        "agent_paused": bool | None,
        "pinned": bool | None,
        "labels": list[Label] | None,
    },
    is_group=False,
    agent_paused=False,
    pinned=False,
    labels=None,
)
class Conversation(BaseModel):
    model_config = with_example(_CONVERSATION)


class ChosenStatus(StrEnum):
    """The statuses of a conversation that a client can set and filter by."""

    OPEN = "open"
    PENDING = "pending"
    SNOOZED = "snoozed"
    CLOSED = "closed"


class ConversationList(BaseModel):
    """One page of conversations. A page of a filtered list may be short, or empty, and still have a
    `next_cursor`. `contact_profile_picture_url` is null here."""

    model_config = with_example(
        {
            "conversations": [_CONVERSATION],
            "next_cursor": "eyJsYXN0X21lc3NhZ2VfYXQiOiIyMDI1LTEyLTA2VDEwOjAwOjA1WiJ9",
        }
    )

    conversations: list[Conversation]
    next_cursor: str | None = Field(description=NEXT_CURSOR)


class ChangeConversation(StrictBody):
    """The fields to change; those not given stay as they are."""

    model_config = StrictBody.model_config | with_example(
        {
            "status": "snoozed",
            "snoozed_until": "2026-12-06T08:00:00Z",
            "label_ids": ["01939b1d-1111-7222-8333-444455556666"],
        }
    )

    status: ChosenStatus = Field(default=UNCHANGED, description="The new state.")
    assignee_user_id: UUID | None = Field(
        default=UNCHANGED, description="The member it is assigned to; null for nobody."
    )
    agent_paused: StrictBool = Field(
        default=UNCHANGED, description="Whether automatic answers are paused."
    )
    pinned: StrictBool = Field(
        default=UNCHANGED, description="Whether it is pinned above all others; 50 can be pinned."
    )
    subject: Annotated[str, Field(max_length=255, json_schema_extra=NO_NUL)] | None = Field(
        default=UNCHANGED, description="A description for colleagues."
    )
    label_ids: list[UUID] = Field(
        default=UNCHANGED, max_length=50, description="The complete new list of labels."
    )
    snoozed_until: Time | None = Field(
        default=UNCHANGED,
        description="When a snoozed conversation reopens by itself; null: only when somebody "
        "writes.",
    )


describe_part(tenants.Author, "Author")


@describes(model.Note)
class Note(BaseModel):
    model_config = with_example(_NOTE)


class NoteList(BaseModel):
    """One page of notes, newest first."""

    model_config = with_example(
        {
            "notes": [_NOTE],
            "next_cursor": "eyJsYXN0X21lc3NhZ2VfYXQiOiIyMDI1LTEyLTA2VDEwOjAwOjA1WiJ9",
        }
    )

    notes: list[Note]
    next_cursor: str | None = Field(description=NEXT_CURSOR)


class WriteNote(StrictBody):
    """A note for colleagues."""

    model_config = StrictBody.model_config | with_example({"body": "Wants a call before noon."})

    body: str = Field(
        min_length=1, max_length=4096, description="The text.", json_schema_extra=NO_NUL
    )


Participant = Annotated[str, Field(json_schema_extra=NO_NUL)]
"""An address, which the service reads: a thousand at once would hold the event loop."""


class CreateGroup(BaseModel):
    """A group to create on the chat network."""

    model_config = with_example(
        {
            "chat_account_id": "01939b1a-0f00-7d11-8c22-93a1b2c3d4e5",
            "subject": "Trip to Lisbon",
            "participants": ["+5511999990000", "+351912345678"],
        }
    )

    chat_account_id: UUID = Field(description="The connected account that creates the group.")
    subject: str = Field(
        min_length=1, max_length=255, description="The group's name.", json_schema_extra=NO_NUL
    )
    participants: list[Participant] = Field(
        min_length=1,
        max_length=1024,
        description=f"Each is {ADDRESS_RULE}; a person named twice is added once.",
    )


@describes(CreatedGroupRecord)
class CreatedGroup(BaseModel):
    model_config = with_example(
        {
            "conversation_id": "01939b1e-8000-7aaa-8bbb-0c0d0e0f1011",
            "group_jid": "120363025246125486@g.sandbox",
            "subject": "Trip to Lisbon",
        }
    )


class JoinGroup(BaseModel):
    """A group to join through its invite link."""

    model_config = with_example(
        {"session_name": "main", "invite_link": "https://sandbox.example/join/7Q2mX9pKc4vT1sB8dLwE"}
    )

    session_name: str = Field(
        min_length=1,
        max_length=255,
        description="The connected account's session name within the organization.",
        json_schema_extra=NO_NUL,
    )
    invite_link: str = Field(
        min_length=1,
        max_length=2048,
        description="The link in the network's own form.",
        json_schema_extra=NO_NUL,
    )


@describes(JoinedGroupRecord)
class JoinedGroup(BaseModel):
    model_config = with_example(
        {
            "success": True,
            "jid": "120363025246125486@g.sandbox",
            "name": "Trip to Lisbon",
            "owner_jid": "351912345678@sandbox",
            "group_created": "2025-12-06T10:00:00Z",
        }
    )
