"""Completes a message that was reported before it could be read, when it arrives again."""

from uuid import UUID

from msgspec.structs import replace

from heliograph.core.messages.model import Message
from heliograph.networks.content import Content, Media, System, message_type
from heliograph.networks.port import Inbound

_NOT_UNDERSTOOD = message_type(System("", ""))


def completed(message: Message, event: Inbound, replied: UUID | None) -> Message | None:
    """Return the message with the content of its second arrival, or None if that adds nothing.

    `replied` is the id of our message that it answers.
    """
    # by its type, since contents are not always kept
    is_unknown = message.message_type == _NOT_UNDERSTOOD and message.deleted_at is None
    if not is_unknown or isinstance(event.content, System):
        return None
    named = event.reply_to_chat_message_id
    return replace(
        message,
        content=event.content,
        message_type=message_type(event.content),
        media_type=media_type_of(event.content),
        media_url=event.media_url,
        referral=event.referral or message.referral,
        reply_to_message_id=replied or message.reply_to_message_id,
        reply_to_chat_message_id=named or message.reply_to_chat_message_id,
    )


def media_type_of(content: Content) -> str | None:
    """Return the MIME type of a file."""
    return content.media_type if isinstance(content, Media) else None
