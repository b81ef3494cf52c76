"""Conversations as clients see them."""

from typing import Any

from heliograph.core.inbox.conversations_model import Conversation


def conversation_record(
    conversation: Conversation, *, shows_messages: bool, picture_url: str | None = None
) -> dict[str, Any]:
    """`shows_messages` says whether the caller may see what was said last."""
    return {
        "id": conversation.id,
        "chat_account_id": conversation.account_id,
        "remote_jid": conversation.remote_jid,
        "status": conversation.status,
        "unread_count": conversation.unread_count,
        "created_at": conversation.created_at,
        "updated_at": conversation.updated_at,
        "contact_id": conversation.contact_id,
        "phone_number": conversation.phone_number,
        "is_group": conversation.is_group,
        "group_subject": conversation.group_subject,
        "assignee_user_id": conversation.assignee_user_id,
        "agent_paused": conversation.agent_paused,
        "subject": conversation.subject,
        "last_message_preview": conversation.last_message_preview if shows_messages else None,
        "last_message_at": conversation.last_message_at,
        "last_inbound_at": conversation.last_inbound_at,
        "last_outbound_at": conversation.last_outbound_at,
        "contact_name": conversation.contact_name,
        "contact_chat_name": conversation.contact_chat_name,
        "contact_profile_picture_url": picture_url,
        "display_name": conversation.display_name,
        "pinned": conversation.pinned,
        "chat_group_id": conversation.chat_group_id,
        "labels": [
            {
                "id": label.id,
                "organization_id": label.organization_id,
                "name": label.name,
                "color": label.color,
                "created_at": label.created_at,
            }
            for label in conversation.labels
        ],
    }
