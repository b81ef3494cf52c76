"""The Conversation record."""

from uuid import UUID

from pydantic import AwareDatetime, BaseModel, Field

from heliograph.faces.api.schemas.extensible_enums import ConversationStatus
from heliograph.faces.api.schemas.fields import with_example


class Label(BaseModel):
    """A label that people put on conversations."""

    id: UUID
    organization_id: UUID
    name: str
    color: str
    created_at: AwareDatetime


class Conversation(BaseModel):
    """Everything said between one account and one person or group."""

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

    id: UUID
    chat_account_id: UUID = Field(description="The connected account that owns the conversation.")
    remote_jid: str = Field(description="The network's identifier of the person or group.")
    status: ConversationStatus
    unread_count: int
    created_at: AwareDatetime
    updated_at: AwareDatetime
    contact_id: UUID | None = None
    phone_number: str | None = None
    is_group: bool | None = False
    group_subject: str | None = None
    assignee_user_id: UUID | None = None
    agent_paused: bool | None = False
    subject: str | None = None
    last_message_preview: str | None = None
    last_message_at: AwareDatetime | None = None
    last_inbound_at: AwareDatetime | None = None
    last_outbound_at: AwareDatetime | None = None
    contact_name: str | None = None
    contact_chat_name: str | None = Field(
        default=None, description="The name the contact uses on the chat network."
    )
    contact_profile_picture_url: str | None = None
    display_name: str | None = Field(
        default=None,
        description="The best human name: the contact's name, else the one on the chat network.",
    )
    pinned: bool | None = False
    chat_group_id: UUID | None = None
    labels: list[Label] | None = None
