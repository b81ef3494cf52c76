"""Records as clients see them, in the API's answers and in webhooks alike: one shape, one place.

Each function returns JSON-ready values (UUIDs, aware datetimes in UTC); fields and their order are
those of the API reference.
"""

from collections.abc import Callable
from typing import Any

from heliograph.core.accounts.model import Account
from heliograph.core.contacts.model import ContactPicture
from heliograph.core.inbox.conversations_model import Conversation
from heliograph.core.messages.model import NAMELESS, ChatType, Direction, Message, Names, Sender
from heliograph.core.messages.typed_content import typed_content

PREVIEW_LENGTH = 160

Renew = Callable[[Message], Message]
"""Gives a message's file a link that is good from now on: the one in its row was made when the
message came (`MediaService.renew`)."""


def as_stored(message: Message) -> Message:
    """The `Renew` of who has no files."""
    return message


def message_record(message: Message, names: Names = NAMELESS) -> dict[str, Any]:
    """The full message with its timeline."""
    is_group = message.chat_type is ChatType.GROUP
    return {
        "id": message.id,
        "phone_number": message.phone_number,
        "content": message.content.summary,
        "status": message.status,
        "direction": message.direction,
        "retry_count": message.retry_count,
        "chat_account_id": message.account_id,
        "created_at": message.created_at,
        "updated_at": message.updated_at,
        "chat_type": message.chat_type,
        "group_jid": (message.remote_jid or message.recipient) if is_group else None,
        "group_name": names.group if is_group else None,
        "message_type": message.message_type,
        "media_type": message.media_type,
        "media_url": message.media_url,
        "failure_reason": message.failure_reason,
        "chat_message_id": message.chat_message_id,
        "variable_values": message.variable_values,
        "contact_id": message.contact_id,
        "contact_name": names.contact,
        "campaign_id": message.campaign_id,
        "batch_id": message.batch_id,
        "scheduled_for": message.scheduled_for,
        "queued_at": message.queued_at,
        "sent_at": message.sent_at,
        "delivered_at": message.delivered_at,
        "read_at": message.read_at,
        "failed_at": message.failed_at,
        "typed_content": typed_content(message.content),
        "sender": _sender_record(message, names.sender) if is_group else None,
    }


def _sender_record(message: Message, sender: Sender | None) -> dict[str, Any] | None:
    """Who wrote in a group; None for what we wrote ourselves."""
    if message.direction is Direction.OUTBOUND:
        return None
    return {
        "contact_id": sender.contact_id if sender else message.contact_id,
        "jid": message.sender_jid,
        "phone_number": sender.phone_number if sender else None,
        "name": sender.name if sender else None,
    }


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


def device_record(account: Account) -> dict[str, Any]:
    return {
        "id": account.id,
        "name": account.name,
        "session_name": account.session_name,
        "status": account.status,
        "is_primary": account.is_primary,
        "message_logging_enabled": account.message_logging_enabled,
        "auto_warmer_enabled": account.auto_warmer_enabled,
        "total_messages_sent": account.total_messages_sent,
        "total_messages_received": account.total_messages_received,
        "contacts_synced_count": account.contacts_synced_count,
        "created_at": account.created_at,
        "updated_at": account.updated_at,
        "phone_number": account.phone_number,
        "last_connected_at": account.last_connected_at,
        "last_health_check_at": account.last_health_check_at,
        "last_contact_sync_at": account.last_contact_sync_at,
        "last_contact_sync_status": account.last_contact_sync_status,
    }


def picture_record(
    picture: ContactPicture, *, phone_number: str | None, url: str, cached: bool
) -> dict[str, Any]:
    return {
        "contact_id": picture.contact_id,
        "phone_number": phone_number,
        "url": url,
        "preview": picture.preview,
        "chat_account_id": picture.account_id,
        "picture_id": picture.picture_id,
        "picture_type": "preview" if picture.preview else "image",
        "cached": cached,
    }


def preview(text: str) -> str:
    """The beginning of a message, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= PREVIEW_LENGTH else line[: PREVIEW_LENGTH - 1] + "…"
