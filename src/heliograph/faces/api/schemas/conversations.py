"""The Conversation record."""

from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, Field

from heliograph.core.groups.service import CreatedGroupRecord, JoinedGroupRecord
from heliograph.core.inbox.serializers import ConversationRecord, LabelRecord
from heliograph.faces.api.schemas.fields import (
    ADDRESS_EXTRA,
    ADDRESS_RULE,
    NO_NUL,
    Address,
    with_example,
)
from heliograph.faces.api.schemas.records import describes


@describes(LabelRecord)
class Label(BaseModel):
    pass


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
    model_config = with_example(
        {
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
    )


Participant = Annotated[Address, Field(json_schema_extra=ADDRESS_EXTRA)]


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
        description=f"Each is {ADDRESS_RULE}; somebody named twice is added once.",
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
