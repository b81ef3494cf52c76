"""Records as clients see them, in the API's answers and in webhooks alike: one shape, one place.

Each function returns JSON-ready values (UUIDs, aware datetimes in UTC); fields and their order are
those of the API reference. `typed_content` has a schema for each kind, distinguished by `type`.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any, TypedDict
from uuid import UUID

from msgspec.structs import replace
from typing_extensions import Doc

from heliograph.core.media.service import MediaService
from heliograph.core.messages.model import (
    NO_NAMES,
    ChatType,
    Direction,
    Message,
    MessageStatus,
    Names,
    Reaction,
    Sender,
)
from heliograph.core.records import make_record
from heliograph.networks.content import NOTHING, Content, message_type
from heliograph.untrusted import UntrustedText

PREVIEW_LENGTH = 160

RenewLink = Callable[[Message], Message]
"""Gives a message's file a fresh link: the one in its row was signed when the message arrived."""


def link_renewer(media: MediaService) -> RenewLink:
    """Return the `RenewLink` of files that are kept in `media`."""

    def renew(message: Message) -> Message:
        if message.media_url is None:
            return message
        return replace(message, media_url=media.renew_link(message.tenant, message.media_url))

    return renew


def keep_link(message: Message) -> Message:
    """Keep the message as it is: the `RenewLink` to use without object storage."""
    return message


class SendRecord(TypedDict):
    """An accepted message: it is stored and will be sent."""

    success: bool
    message_id: UUID
    status: MessageStatus
    run_id: Annotated[
        str, Doc("The correlation id that every log line and webhook of this send carries.")
    ]


class SenderRecord(TypedDict):
    """The author of a message in a group, as far as known."""

    contact_id: UUID | None
    jid: Annotated[UntrustedText | None, Doc("Their address on the chat network.")]
    phone_number: str | None
    name: UntrustedText | None


class SentByRecord(TypedDict):
    """The sender of an outbound message: a key, a person, an agent or the owner's phone."""

    kind: Annotated[str, Doc("`api_key`, `user`, `agent` (an AI tool) or `phone`.")]
    id: Annotated[str | None, Doc("The key's public id, or the person's.")]
    name: str | None


class ReferralRecord(TypedDict):
    """The advertisement or post that led somebody to write, as far as it is known."""

    source_id: Annotated[UntrustedText | None, Doc("The advertisement's id.")]
    source_type: Annotated[UntrustedText | None, Doc("Such as `ad` or `post`.")]
    source_url: UntrustedText | None
    headline: UntrustedText | None
    body: UntrustedText | None
    ctwa_clid: Annotated[
        UntrustedText | None, Doc("The id of the click, for reporting conversions to Meta.")
    ]


class MessageRecord(TypedDict):
    """A message with its timeline."""

    id: UUID
    phone_number: Annotated[UntrustedText, Doc("`+` and digits when known, else the remote JID.")]
    content: Annotated[UntrustedText, Doc("The message as text.")]
    status: MessageStatus
    direction: Direction
    retry_count: int
    chat_account_id: UUID
    created_at: datetime
    updated_at: datetime
    chat_type: ChatType
    group_jid: UntrustedText | None
    group_name: UntrustedText | None
    message_type: str
    media_type: Annotated[UntrustedText | None, Doc("A MIME type.")]
    media_url: str | None
    failure_reason: UntrustedText | None
    chat_message_id: Annotated[UntrustedText | None, Doc("The message's id on the chat network.")]
    variable_values: dict[str, Any] | None
    contact_id: UUID | None
    contact_name: UntrustedText | None
    campaign_id: UUID | None
    batch_id: UUID | None
    scheduled_for: datetime | None
    queued_at: datetime | None
    sent_at: datetime | None
    delivered_at: datetime | None
    read_at: datetime | None
    failed_at: datetime | None
    typed_content: Annotated[
        dict[str, Any] | None,
        Doc(
            "The complete content of the message, by its kind: a chosen row with its id, a place "
            "with its coordinates, a card with its vCard. Null if the account keeps no contents."
        ),
    ]
    sender: Annotated[
        SenderRecord | None, Doc("In a group, the author; null for the account's own messages.")
    ]
    conversation_id: Annotated[
        UUID | None,
        Doc(
            "Null for a message to somebody with whom the account had no conversation, until the "
            "network has named the recipient."
        ),
    ]
    reply_to_message_id: Annotated[
        UUID | None, Doc("The id of the message that it answers, if that is known.")
    ]
    sent_by: Annotated[SentByRecord | None, Doc("Null for received messages.")]
    run_id: Annotated[str | None, Doc("As returned by the send.")]
    metadata: Annotated[dict[str, str] | None, Doc("As given in the send.")]
    expires_at: datetime | None
    edited_at: datetime | None
    deleted_at: Annotated[datetime | None, Doc("When it was deleted for everyone.")]
    reactions: list[Reaction]
    referral: Annotated[
        ReferralRecord | None,
        Doc("The advertisement that led to the message, or the status that it answers."),
    ]


def message_record(message: Message, names: Names = NO_NAMES) -> MessageRecord:
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
        "group_jid": message.chat_jid if is_group else None,
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
        "conversation_id": message.conversation_id,
        "reply_to_message_id": message.reply_to_message_id,
        "sent_by": None if message.sent_by is None else make_record(SentByRecord, message.sent_by),
        "run_id": message.run_id,
        "metadata": message.metadata,
        "expires_at": message.expires_at,
        "edited_at": message.edited_at,
        "deleted_at": message.deleted_at,
        "reactions": list(message.reactions),
        "referral": None
        if message.referral is None
        else make_record(ReferralRecord, message.referral),
    }


def _sender_record(message: Message, sender: Sender | None) -> SenderRecord | None:
    """Return the author in a group, or None for our own messages."""
    if message.direction is Direction.OUTBOUND:
        return None
    return {
        "contact_id": sender.contact_id if sender else message.contact_id,
        "jid": message.sender_jid,
        "phone_number": sender.phone_number if sender else None,
        "name": sender.name if sender else None,
    }


def preview(text: str) -> str:
    """Return the beginning of a message on one line."""
    line = " ".join(text.split())
    return line if len(line) <= PREVIEW_LENGTH else line[: PREVIEW_LENGTH - 1] + "…"


def typed_content(content: Content) -> dict[str, Any] | None:
    """Return the content as JSON-ready values, or None if it was not kept."""
    if content == NOTHING:
        return None
    return {"type": message_type(content), **content.members}
