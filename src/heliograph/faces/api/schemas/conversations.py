"""The Conversation record."""

from pydantic import BaseModel

from heliograph.core.inbox.serializers import ConversationRecord, LabelRecord
from heliograph.faces.api.schemas.fields import with_example
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
