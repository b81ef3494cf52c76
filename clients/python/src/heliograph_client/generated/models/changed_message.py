from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.audio_content import AudioContent
    from ..models.button_reply_content import ButtonReplyContent
    from ..models.buttons_content import ButtonsContent
    from ..models.contact_content import ContactContent
    from ..models.document_content import DocumentContent
    from ..models.image_content import ImageContent
    from ..models.link_button_content import LinkButtonContent
    from ..models.list_content import ListContent
    from ..models.list_reply_content import ListReplyContent
    from ..models.location_content import LocationContent
    from ..models.location_request_content import LocationRequestContent
    from ..models.message_reaction import MessageReaction
    from ..models.message_referral import MessageReferral
    from ..models.message_sender import MessageSender
    from ..models.message_sent_by import MessageSentBy
    from ..models.metadata import Metadata
    from ..models.order_content import OrderContent
    from ..models.poll_content import PollContent
    from ..models.poll_vote_content import PollVoteContent
    from ..models.sticker_content import StickerContent
    from ..models.system_content import SystemContent
    from ..models.text_content import TextContent
    from ..models.unknown_content import UnknownContent
    from ..models.variable_values import VariableValues
    from ..models.video_content import VideoContent


T = TypeVar("T", bound="ChangedMessage")


@_attrs_define
class ChangedMessage:
    """A message that somebody edited, deleted or reacted to, as it is now.

    Attributes:
        id (UUID):
        phone_number (str): `+` and digits when known, else the remote JID.
        content (str): The message as text.
        status (str): The status of a message; an inbound one is `received` or `read`. Known values: `scheduled`,
            `queued`, `sending`, `sent`, `delivered`, `read`, `failed`, `canceled`, `received`. More may be added.
        direction (str): The direction of a message: to you or from you. Known values: `inbound`, `outbound`. More may
            be added.
        retry_count (int):
        chat_account_id (UUID):
        created_at (datetime.datetime):
        updated_at (datetime.datetime):
        changed_at (datetime.datetime):
        chat_type (None | str | Unset):  Default: 'individual'.
        group_jid (None | str | Unset):
        group_name (None | str | Unset):
        message_type (None | str | Unset):  Default: 'text'.
        media_type (None | str | Unset): A MIME type.
        media_url (None | str | Unset):
        failure_reason (None | str | Unset):
        chat_message_id (None | str | Unset): The message's id on the chat network.
        variable_values (None | Unset | VariableValues):
        contact_id (None | Unset | UUID):
        contact_name (None | str | Unset):
        campaign_id (None | Unset | UUID):
        batch_id (None | Unset | UUID):
        scheduled_for (datetime.datetime | None | Unset):
        queued_at (datetime.datetime | None | Unset):
        sent_at (datetime.datetime | None | Unset):
        delivered_at (datetime.datetime | None | Unset):
        read_at (datetime.datetime | None | Unset):
        failed_at (datetime.datetime | None | Unset):
        typed_content (AudioContent | ButtonReplyContent | ButtonsContent | ContactContent | DocumentContent |
            ImageContent | LinkButtonContent | ListContent | ListReplyContent | LocationContent | LocationRequestContent |
            None | OrderContent | PollContent | PollVoteContent | StickerContent | SystemContent | TextContent |
            UnknownContent | Unset | VideoContent): The complete content of the message, by its kind: a chosen row with its
            id, a place with its coordinates, a card with its vCard. Null if the account keeps no contents.
        sender (MessageSender | None | Unset): In a group, the author; null for the account's own messages.
        conversation_id (None | Unset | UUID): Null for a message to somebody with whom the account had no conversation,
            until the network has named the recipient.
        reply_to_message_id (None | Unset | UUID): The id of the message that it answers, if that is known.
        sent_by (MessageSentBy | None | Unset): Null for received messages.
        run_id (None | str | Unset): As returned by the send.
        metadata (Metadata | None | Unset): As given in the send.
        expires_at (datetime.datetime | None | Unset):
        edited_at (datetime.datetime | None | Unset):
        deleted_at (datetime.datetime | None | Unset): When it was deleted for everyone.
        reactions (list[MessageReaction] | Unset):
        referral (MessageReferral | None | Unset): The advertisement that led to the message, or the status that it
            answers.
        change_id (None | Unset | UUID): The id of a change that you requested, as its request returned it.
        changed_by (None | str | Unset): The network's identifier of the person; null for the account itself.
        emoji (None | str | Unset): The reaction; null or empty if it was removed.
    """

    id: UUID
    phone_number: str
    content: str
    status: str
    direction: str
    retry_count: int
    chat_account_id: UUID
    created_at: datetime.datetime
    updated_at: datetime.datetime
    changed_at: datetime.datetime
    chat_type: None | str | Unset = "individual"
    group_jid: None | str | Unset = UNSET
    group_name: None | str | Unset = UNSET
    message_type: None | str | Unset = "text"
    media_type: None | str | Unset = UNSET
    media_url: None | str | Unset = UNSET
    failure_reason: None | str | Unset = UNSET
    chat_message_id: None | str | Unset = UNSET
    variable_values: None | Unset | VariableValues = UNSET
    contact_id: None | Unset | UUID = UNSET
    contact_name: None | str | Unset = UNSET
    campaign_id: None | Unset | UUID = UNSET
    batch_id: None | Unset | UUID = UNSET
    scheduled_for: datetime.datetime | None | Unset = UNSET
    queued_at: datetime.datetime | None | Unset = UNSET
    sent_at: datetime.datetime | None | Unset = UNSET
    delivered_at: datetime.datetime | None | Unset = UNSET
    read_at: datetime.datetime | None | Unset = UNSET
    failed_at: datetime.datetime | None | Unset = UNSET
    typed_content: (
        AudioContent
        | ButtonReplyContent
        | ButtonsContent
        | ContactContent
        | DocumentContent
        | ImageContent
        | LinkButtonContent
        | ListContent
        | ListReplyContent
        | LocationContent
        | LocationRequestContent
        | None
        | OrderContent
        | PollContent
        | PollVoteContent
        | StickerContent
        | SystemContent
        | TextContent
        | UnknownContent
        | Unset
        | VideoContent
    ) = UNSET
    sender: MessageSender | None | Unset = UNSET
    conversation_id: None | Unset | UUID = UNSET
    reply_to_message_id: None | Unset | UUID = UNSET
    sent_by: MessageSentBy | None | Unset = UNSET
    run_id: None | str | Unset = UNSET
    metadata: Metadata | None | Unset = UNSET
    expires_at: datetime.datetime | None | Unset = UNSET
    edited_at: datetime.datetime | None | Unset = UNSET
    deleted_at: datetime.datetime | None | Unset = UNSET
    reactions: list[MessageReaction] | Unset = UNSET
    referral: MessageReferral | None | Unset = UNSET
    change_id: None | Unset | UUID = UNSET
    changed_by: None | str | Unset = UNSET
    emoji: None | str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.audio_content import AudioContent  # noqa: PLC0415
        from ..models.button_reply_content import ButtonReplyContent  # noqa: PLC0415
        from ..models.buttons_content import ButtonsContent  # noqa: PLC0415
        from ..models.contact_content import ContactContent  # noqa: PLC0415
        from ..models.document_content import DocumentContent  # noqa: PLC0415
        from ..models.image_content import ImageContent  # noqa: PLC0415
        from ..models.link_button_content import LinkButtonContent  # noqa: PLC0415
        from ..models.list_content import ListContent  # noqa: PLC0415
        from ..models.list_reply_content import ListReplyContent  # noqa: PLC0415
        from ..models.location_content import LocationContent  # noqa: PLC0415
        from ..models.location_request_content import LocationRequestContent  # noqa: PLC0415
        from ..models.message_referral import MessageReferral  # noqa: PLC0415
        from ..models.message_sender import MessageSender  # noqa: PLC0415
        from ..models.message_sent_by import MessageSentBy  # noqa: PLC0415
        from ..models.metadata import Metadata  # noqa: PLC0415
        from ..models.order_content import OrderContent  # noqa: PLC0415
        from ..models.poll_content import PollContent  # noqa: PLC0415
        from ..models.poll_vote_content import PollVoteContent  # noqa: PLC0415
        from ..models.sticker_content import StickerContent  # noqa: PLC0415
        from ..models.system_content import SystemContent  # noqa: PLC0415
        from ..models.text_content import TextContent  # noqa: PLC0415
        from ..models.unknown_content import UnknownContent  # noqa: PLC0415
        from ..models.variable_values import VariableValues  # noqa: PLC0415
        from ..models.video_content import VideoContent  # noqa: PLC0415

        id = str(self.id)

        phone_number = self.phone_number

        content = self.content

        status = self.status

        direction = self.direction

        retry_count = self.retry_count

        chat_account_id = str(self.chat_account_id)

        created_at = self.created_at.isoformat()

        updated_at = self.updated_at.isoformat()

        changed_at = self.changed_at.isoformat()

        chat_type: None | str | Unset
        if isinstance(self.chat_type, Unset):
            chat_type = UNSET
        else:
            chat_type = self.chat_type

        group_jid: None | str | Unset
        if isinstance(self.group_jid, Unset):
            group_jid = UNSET
        else:
            group_jid = self.group_jid

        group_name: None | str | Unset
        if isinstance(self.group_name, Unset):
            group_name = UNSET
        else:
            group_name = self.group_name

        message_type: None | str | Unset
        if isinstance(self.message_type, Unset):
            message_type = UNSET
        else:
            message_type = self.message_type

        media_type: None | str | Unset
        if isinstance(self.media_type, Unset):
            media_type = UNSET
        else:
            media_type = self.media_type

        media_url: None | str | Unset
        if isinstance(self.media_url, Unset):
            media_url = UNSET
        else:
            media_url = self.media_url

        failure_reason: None | str | Unset
        if isinstance(self.failure_reason, Unset):
            failure_reason = UNSET
        else:
            failure_reason = self.failure_reason

        chat_message_id: None | str | Unset
        if isinstance(self.chat_message_id, Unset):
            chat_message_id = UNSET
        else:
            chat_message_id = self.chat_message_id

        variable_values: dict[str, Any] | None | Unset
        if isinstance(self.variable_values, Unset):
            variable_values = UNSET
        elif isinstance(self.variable_values, VariableValues):
            variable_values = self.variable_values.to_dict()
        else:
            variable_values = self.variable_values

        contact_id: None | str | Unset
        if isinstance(self.contact_id, Unset):
            contact_id = UNSET
        elif isinstance(self.contact_id, UUID):
            contact_id = str(self.contact_id)
        else:
            contact_id = self.contact_id

        contact_name: None | str | Unset
        if isinstance(self.contact_name, Unset):
            contact_name = UNSET
        else:
            contact_name = self.contact_name

        campaign_id: None | str | Unset
        if isinstance(self.campaign_id, Unset):
            campaign_id = UNSET
        elif isinstance(self.campaign_id, UUID):
            campaign_id = str(self.campaign_id)
        else:
            campaign_id = self.campaign_id

        batch_id: None | str | Unset
        if isinstance(self.batch_id, Unset):
            batch_id = UNSET
        elif isinstance(self.batch_id, UUID):
            batch_id = str(self.batch_id)
        else:
            batch_id = self.batch_id

        scheduled_for: None | str | Unset
        if isinstance(self.scheduled_for, Unset):
            scheduled_for = UNSET
        elif isinstance(self.scheduled_for, datetime.datetime):
            scheduled_for = self.scheduled_for.isoformat()
        else:
            scheduled_for = self.scheduled_for

        queued_at: None | str | Unset
        if isinstance(self.queued_at, Unset):
            queued_at = UNSET
        elif isinstance(self.queued_at, datetime.datetime):
            queued_at = self.queued_at.isoformat()
        else:
            queued_at = self.queued_at

        sent_at: None | str | Unset
        if isinstance(self.sent_at, Unset):
            sent_at = UNSET
        elif isinstance(self.sent_at, datetime.datetime):
            sent_at = self.sent_at.isoformat()
        else:
            sent_at = self.sent_at

        delivered_at: None | str | Unset
        if isinstance(self.delivered_at, Unset):
            delivered_at = UNSET
        elif isinstance(self.delivered_at, datetime.datetime):
            delivered_at = self.delivered_at.isoformat()
        else:
            delivered_at = self.delivered_at

        read_at: None | str | Unset
        if isinstance(self.read_at, Unset):
            read_at = UNSET
        elif isinstance(self.read_at, datetime.datetime):
            read_at = self.read_at.isoformat()
        else:
            read_at = self.read_at

        failed_at: None | str | Unset
        if isinstance(self.failed_at, Unset):
            failed_at = UNSET
        elif isinstance(self.failed_at, datetime.datetime):
            failed_at = self.failed_at.isoformat()
        else:
            failed_at = self.failed_at

        typed_content: dict[str, Any] | None | Unset
        if isinstance(self.typed_content, Unset):
            typed_content = UNSET
        elif isinstance(self.typed_content, TextContent):
            typed_content = self.typed_content.to_dict()
        elif isinstance(self.typed_content, ButtonsContent):
            typed_content = self.typed_content.to_dict()
        elif isinstance(self.typed_content, ButtonReplyContent):
            typed_content = self.typed_content.to_dict()
        elif isinstance(self.typed_content, ListContent):
            typed_content = self.typed_content.to_dict()
        elif isinstance(self.typed_content, ListReplyContent):
            typed_content = self.typed_content.to_dict()
        elif isinstance(self.typed_content, PollContent):
            typed_content = self.typed_content.to_dict()
        elif isinstance(self.typed_content, PollVoteContent):
            typed_content = self.typed_content.to_dict()
        elif isinstance(self.typed_content, LinkButtonContent):
            typed_content = self.typed_content.to_dict()
        elif isinstance(self.typed_content, ImageContent):
            typed_content = self.typed_content.to_dict()
        elif isinstance(self.typed_content, VideoContent):
            typed_content = self.typed_content.to_dict()
        elif isinstance(self.typed_content, AudioContent):
            typed_content = self.typed_content.to_dict()
        elif isinstance(self.typed_content, DocumentContent):
            typed_content = self.typed_content.to_dict()
        elif isinstance(self.typed_content, StickerContent):
            typed_content = self.typed_content.to_dict()
        elif isinstance(self.typed_content, LocationContent):
            typed_content = self.typed_content.to_dict()
        elif isinstance(self.typed_content, LocationRequestContent):
            typed_content = self.typed_content.to_dict()
        elif isinstance(self.typed_content, ContactContent):
            typed_content = self.typed_content.to_dict()
        elif isinstance(self.typed_content, OrderContent):
            typed_content = self.typed_content.to_dict()
        elif isinstance(self.typed_content, SystemContent):
            typed_content = self.typed_content.to_dict()
        elif isinstance(self.typed_content, UnknownContent):
            typed_content = self.typed_content.to_dict()
        else:
            typed_content = self.typed_content

        sender: dict[str, Any] | None | Unset
        if isinstance(self.sender, Unset):
            sender = UNSET
        elif isinstance(self.sender, MessageSender):
            sender = self.sender.to_dict()
        else:
            sender = self.sender

        conversation_id: None | str | Unset
        if isinstance(self.conversation_id, Unset):
            conversation_id = UNSET
        elif isinstance(self.conversation_id, UUID):
            conversation_id = str(self.conversation_id)
        else:
            conversation_id = self.conversation_id

        reply_to_message_id: None | str | Unset
        if isinstance(self.reply_to_message_id, Unset):
            reply_to_message_id = UNSET
        elif isinstance(self.reply_to_message_id, UUID):
            reply_to_message_id = str(self.reply_to_message_id)
        else:
            reply_to_message_id = self.reply_to_message_id

        sent_by: dict[str, Any] | None | Unset
        if isinstance(self.sent_by, Unset):
            sent_by = UNSET
        elif isinstance(self.sent_by, MessageSentBy):
            sent_by = self.sent_by.to_dict()
        else:
            sent_by = self.sent_by

        run_id: None | str | Unset
        if isinstance(self.run_id, Unset):
            run_id = UNSET
        else:
            run_id = self.run_id

        metadata: dict[str, Any] | None | Unset
        if isinstance(self.metadata, Unset):
            metadata = UNSET
        elif isinstance(self.metadata, Metadata):
            metadata = self.metadata.to_dict()
        else:
            metadata = self.metadata

        expires_at: None | str | Unset
        if isinstance(self.expires_at, Unset):
            expires_at = UNSET
        elif isinstance(self.expires_at, datetime.datetime):
            expires_at = self.expires_at.isoformat()
        else:
            expires_at = self.expires_at

        edited_at: None | str | Unset
        if isinstance(self.edited_at, Unset):
            edited_at = UNSET
        elif isinstance(self.edited_at, datetime.datetime):
            edited_at = self.edited_at.isoformat()
        else:
            edited_at = self.edited_at

        deleted_at: None | str | Unset
        if isinstance(self.deleted_at, Unset):
            deleted_at = UNSET
        elif isinstance(self.deleted_at, datetime.datetime):
            deleted_at = self.deleted_at.isoformat()
        else:
            deleted_at = self.deleted_at

        reactions: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.reactions, Unset):
            reactions = []
            for reactions_item_data in self.reactions:
                reactions_item = reactions_item_data.to_dict()
                reactions.append(reactions_item)

        referral: dict[str, Any] | None | Unset
        if isinstance(self.referral, Unset):
            referral = UNSET
        elif isinstance(self.referral, MessageReferral):
            referral = self.referral.to_dict()
        else:
            referral = self.referral

        change_id: None | str | Unset
        if isinstance(self.change_id, Unset):
            change_id = UNSET
        elif isinstance(self.change_id, UUID):
            change_id = str(self.change_id)
        else:
            change_id = self.change_id

        changed_by: None | str | Unset
        if isinstance(self.changed_by, Unset):
            changed_by = UNSET
        else:
            changed_by = self.changed_by

        emoji: None | str | Unset
        if isinstance(self.emoji, Unset):
            emoji = UNSET
        else:
            emoji = self.emoji

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "phone_number": phone_number,
                "content": content,
                "status": status,
                "direction": direction,
                "retry_count": retry_count,
                "chat_account_id": chat_account_id,
                "created_at": created_at,
                "updated_at": updated_at,
                "changed_at": changed_at,
            }
        )
        if chat_type is not UNSET:
            field_dict["chat_type"] = chat_type
        if group_jid is not UNSET:
            field_dict["group_jid"] = group_jid
        if group_name is not UNSET:
            field_dict["group_name"] = group_name
        if message_type is not UNSET:
            field_dict["message_type"] = message_type
        if media_type is not UNSET:
            field_dict["media_type"] = media_type
        if media_url is not UNSET:
            field_dict["media_url"] = media_url
        if failure_reason is not UNSET:
            field_dict["failure_reason"] = failure_reason
        if chat_message_id is not UNSET:
            field_dict["chat_message_id"] = chat_message_id
        if variable_values is not UNSET:
            field_dict["variable_values"] = variable_values
        if contact_id is not UNSET:
            field_dict["contact_id"] = contact_id
        if contact_name is not UNSET:
            field_dict["contact_name"] = contact_name
        if campaign_id is not UNSET:
            field_dict["campaign_id"] = campaign_id
        if batch_id is not UNSET:
            field_dict["batch_id"] = batch_id
        if scheduled_for is not UNSET:
            field_dict["scheduled_for"] = scheduled_for
        if queued_at is not UNSET:
            field_dict["queued_at"] = queued_at
        if sent_at is not UNSET:
            field_dict["sent_at"] = sent_at
        if delivered_at is not UNSET:
            field_dict["delivered_at"] = delivered_at
        if read_at is not UNSET:
            field_dict["read_at"] = read_at
        if failed_at is not UNSET:
            field_dict["failed_at"] = failed_at
        if typed_content is not UNSET:
            field_dict["typed_content"] = typed_content
        if sender is not UNSET:
            field_dict["sender"] = sender
        if conversation_id is not UNSET:
            field_dict["conversation_id"] = conversation_id
        if reply_to_message_id is not UNSET:
            field_dict["reply_to_message_id"] = reply_to_message_id
        if sent_by is not UNSET:
            field_dict["sent_by"] = sent_by
        if run_id is not UNSET:
            field_dict["run_id"] = run_id
        if metadata is not UNSET:
            field_dict["metadata"] = metadata
        if expires_at is not UNSET:
            field_dict["expires_at"] = expires_at
        if edited_at is not UNSET:
            field_dict["edited_at"] = edited_at
        if deleted_at is not UNSET:
            field_dict["deleted_at"] = deleted_at
        if reactions is not UNSET:
            field_dict["reactions"] = reactions
        if referral is not UNSET:
            field_dict["referral"] = referral
        if change_id is not UNSET:
            field_dict["change_id"] = change_id
        if changed_by is not UNSET:
            field_dict["changed_by"] = changed_by
        if emoji is not UNSET:
            field_dict["emoji"] = emoji

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.audio_content import AudioContent  # noqa: PLC0415
        from ..models.button_reply_content import ButtonReplyContent  # noqa: PLC0415
        from ..models.buttons_content import ButtonsContent  # noqa: PLC0415
        from ..models.contact_content import ContactContent  # noqa: PLC0415
        from ..models.document_content import DocumentContent  # noqa: PLC0415
        from ..models.image_content import ImageContent  # noqa: PLC0415
        from ..models.link_button_content import LinkButtonContent  # noqa: PLC0415
        from ..models.list_content import ListContent  # noqa: PLC0415
        from ..models.list_reply_content import ListReplyContent  # noqa: PLC0415
        from ..models.location_content import LocationContent  # noqa: PLC0415
        from ..models.location_request_content import LocationRequestContent  # noqa: PLC0415
        from ..models.message_reaction import MessageReaction  # noqa: PLC0415
        from ..models.message_referral import MessageReferral  # noqa: PLC0415
        from ..models.message_sender import MessageSender  # noqa: PLC0415
        from ..models.message_sent_by import MessageSentBy  # noqa: PLC0415
        from ..models.metadata import Metadata  # noqa: PLC0415
        from ..models.order_content import OrderContent  # noqa: PLC0415
        from ..models.poll_content import PollContent  # noqa: PLC0415
        from ..models.poll_vote_content import PollVoteContent  # noqa: PLC0415
        from ..models.sticker_content import StickerContent  # noqa: PLC0415
        from ..models.system_content import SystemContent  # noqa: PLC0415
        from ..models.text_content import TextContent  # noqa: PLC0415
        from ..models.unknown_content import UnknownContent  # noqa: PLC0415
        from ..models.variable_values import VariableValues  # noqa: PLC0415
        from ..models.video_content import VideoContent  # noqa: PLC0415

        d = dict(src_dict)
        id = UUID(d.pop("id"))

        phone_number = d.pop("phone_number")

        content = d.pop("content")

        status = d.pop("status")

        direction = d.pop("direction")

        retry_count = d.pop("retry_count")

        chat_account_id = UUID(d.pop("chat_account_id"))

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        updated_at = datetime.datetime.fromisoformat(d.pop("updated_at"))

        changed_at = datetime.datetime.fromisoformat(d.pop("changed_at"))

        def _parse_chat_type(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        chat_type = _parse_chat_type(d.pop("chat_type", UNSET))

        def _parse_group_jid(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        group_jid = _parse_group_jid(d.pop("group_jid", UNSET))

        def _parse_group_name(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        group_name = _parse_group_name(d.pop("group_name", UNSET))

        def _parse_message_type(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        message_type = _parse_message_type(d.pop("message_type", UNSET))

        def _parse_media_type(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        media_type = _parse_media_type(d.pop("media_type", UNSET))

        def _parse_media_url(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        media_url = _parse_media_url(d.pop("media_url", UNSET))

        def _parse_failure_reason(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        failure_reason = _parse_failure_reason(d.pop("failure_reason", UNSET))

        def _parse_chat_message_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        chat_message_id = _parse_chat_message_id(d.pop("chat_message_id", UNSET))

        def _parse_variable_values(data: object) -> None | Unset | VariableValues:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                variable_values_type_0 = VariableValues.from_dict(data)

                return variable_values_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Unset | VariableValues, data)

        variable_values = _parse_variable_values(d.pop("variable_values", UNSET))

        def _parse_contact_id(data: object) -> None | Unset | UUID:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                contact_id_type_0 = UUID(data)

                return contact_id_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Unset | UUID, data)

        contact_id = _parse_contact_id(d.pop("contact_id", UNSET))

        def _parse_contact_name(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        contact_name = _parse_contact_name(d.pop("contact_name", UNSET))

        def _parse_campaign_id(data: object) -> None | Unset | UUID:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                campaign_id_type_0 = UUID(data)

                return campaign_id_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Unset | UUID, data)

        campaign_id = _parse_campaign_id(d.pop("campaign_id", UNSET))

        def _parse_batch_id(data: object) -> None | Unset | UUID:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                batch_id_type_0 = UUID(data)

                return batch_id_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Unset | UUID, data)

        batch_id = _parse_batch_id(d.pop("batch_id", UNSET))

        def _parse_scheduled_for(data: object) -> datetime.datetime | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                scheduled_for_type_0 = datetime.datetime.fromisoformat(data)

                return scheduled_for_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None | Unset, data)

        scheduled_for = _parse_scheduled_for(d.pop("scheduled_for", UNSET))

        def _parse_queued_at(data: object) -> datetime.datetime | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                queued_at_type_0 = datetime.datetime.fromisoformat(data)

                return queued_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None | Unset, data)

        queued_at = _parse_queued_at(d.pop("queued_at", UNSET))

        def _parse_sent_at(data: object) -> datetime.datetime | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                sent_at_type_0 = datetime.datetime.fromisoformat(data)

                return sent_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None | Unset, data)

        sent_at = _parse_sent_at(d.pop("sent_at", UNSET))

        def _parse_delivered_at(data: object) -> datetime.datetime | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                delivered_at_type_0 = datetime.datetime.fromisoformat(data)

                return delivered_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None | Unset, data)

        delivered_at = _parse_delivered_at(d.pop("delivered_at", UNSET))

        def _parse_read_at(data: object) -> datetime.datetime | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                read_at_type_0 = datetime.datetime.fromisoformat(data)

                return read_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None | Unset, data)

        read_at = _parse_read_at(d.pop("read_at", UNSET))

        def _parse_failed_at(data: object) -> datetime.datetime | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                failed_at_type_0 = datetime.datetime.fromisoformat(data)

                return failed_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None | Unset, data)

        failed_at = _parse_failed_at(d.pop("failed_at", UNSET))

        def _parse_typed_content(
            data: object,
        ) -> (
            AudioContent
            | ButtonReplyContent
            | ButtonsContent
            | ContactContent
            | DocumentContent
            | ImageContent
            | LinkButtonContent
            | ListContent
            | ListReplyContent
            | LocationContent
            | LocationRequestContent
            | None
            | OrderContent
            | PollContent
            | PollVoteContent
            | StickerContent
            | SystemContent
            | TextContent
            | UnknownContent
            | Unset
            | VideoContent
        ):
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_typed_content_type_0 = TextContent.from_dict(data)

                return componentsschemas_typed_content_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_typed_content_type_1 = ButtonsContent.from_dict(data)

                return componentsschemas_typed_content_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_typed_content_type_2 = ButtonReplyContent.from_dict(data)

                return componentsschemas_typed_content_type_2
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_typed_content_type_3 = ListContent.from_dict(data)

                return componentsschemas_typed_content_type_3
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_typed_content_type_4 = ListReplyContent.from_dict(data)

                return componentsschemas_typed_content_type_4
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_typed_content_type_5 = PollContent.from_dict(data)

                return componentsschemas_typed_content_type_5
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_typed_content_type_6 = PollVoteContent.from_dict(data)

                return componentsschemas_typed_content_type_6
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_typed_content_type_7 = LinkButtonContent.from_dict(data)

                return componentsschemas_typed_content_type_7
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_typed_content_type_8 = ImageContent.from_dict(data)

                return componentsschemas_typed_content_type_8
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_typed_content_type_9 = VideoContent.from_dict(data)

                return componentsschemas_typed_content_type_9
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_typed_content_type_10 = AudioContent.from_dict(data)

                return componentsschemas_typed_content_type_10
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_typed_content_type_11 = DocumentContent.from_dict(data)

                return componentsschemas_typed_content_type_11
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_typed_content_type_12 = StickerContent.from_dict(data)

                return componentsschemas_typed_content_type_12
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_typed_content_type_13 = LocationContent.from_dict(data)

                return componentsschemas_typed_content_type_13
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_typed_content_type_14 = LocationRequestContent.from_dict(data)

                return componentsschemas_typed_content_type_14
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_typed_content_type_15 = ContactContent.from_dict(data)

                return componentsschemas_typed_content_type_15
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_typed_content_type_16 = OrderContent.from_dict(data)

                return componentsschemas_typed_content_type_16
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_typed_content_type_17 = SystemContent.from_dict(data)

                return componentsschemas_typed_content_type_17
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_typed_content_type_18 = UnknownContent.from_dict(data)

                return componentsschemas_typed_content_type_18
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(
                AudioContent
                | ButtonReplyContent
                | ButtonsContent
                | ContactContent
                | DocumentContent
                | ImageContent
                | LinkButtonContent
                | ListContent
                | ListReplyContent
                | LocationContent
                | LocationRequestContent
                | None
                | OrderContent
                | PollContent
                | PollVoteContent
                | StickerContent
                | SystemContent
                | TextContent
                | UnknownContent
                | Unset
                | VideoContent,
                data,
            )

        typed_content = _parse_typed_content(d.pop("typed_content", UNSET))

        def _parse_sender(data: object) -> MessageSender | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                sender_type_0 = MessageSender.from_dict(data)

                return sender_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(MessageSender | None | Unset, data)

        sender = _parse_sender(d.pop("sender", UNSET))

        def _parse_conversation_id(data: object) -> None | Unset | UUID:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                conversation_id_type_0 = UUID(data)

                return conversation_id_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Unset | UUID, data)

        conversation_id = _parse_conversation_id(d.pop("conversation_id", UNSET))

        def _parse_reply_to_message_id(data: object) -> None | Unset | UUID:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                reply_to_message_id_type_0 = UUID(data)

                return reply_to_message_id_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Unset | UUID, data)

        reply_to_message_id = _parse_reply_to_message_id(d.pop("reply_to_message_id", UNSET))

        def _parse_sent_by(data: object) -> MessageSentBy | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                sent_by_type_0 = MessageSentBy.from_dict(data)

                return sent_by_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(MessageSentBy | None | Unset, data)

        sent_by = _parse_sent_by(d.pop("sent_by", UNSET))

        def _parse_run_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        run_id = _parse_run_id(d.pop("run_id", UNSET))

        def _parse_metadata(data: object) -> Metadata | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                metadata_type_0 = Metadata.from_dict(data)

                return metadata_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(Metadata | None | Unset, data)

        metadata = _parse_metadata(d.pop("metadata", UNSET))

        def _parse_expires_at(data: object) -> datetime.datetime | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                expires_at_type_0 = datetime.datetime.fromisoformat(data)

                return expires_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None | Unset, data)

        expires_at = _parse_expires_at(d.pop("expires_at", UNSET))

        def _parse_edited_at(data: object) -> datetime.datetime | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                edited_at_type_0 = datetime.datetime.fromisoformat(data)

                return edited_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None | Unset, data)

        edited_at = _parse_edited_at(d.pop("edited_at", UNSET))

        def _parse_deleted_at(data: object) -> datetime.datetime | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                deleted_at_type_0 = datetime.datetime.fromisoformat(data)

                return deleted_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None | Unset, data)

        deleted_at = _parse_deleted_at(d.pop("deleted_at", UNSET))

        _reactions = d.pop("reactions", UNSET)
        reactions: list[MessageReaction] | Unset = UNSET
        if _reactions is not UNSET:
            reactions = []
            for reactions_item_data in _reactions:
                reactions_item = MessageReaction.from_dict(reactions_item_data)

                reactions.append(reactions_item)

        def _parse_referral(data: object) -> MessageReferral | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                referral_type_0 = MessageReferral.from_dict(data)

                return referral_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(MessageReferral | None | Unset, data)

        referral = _parse_referral(d.pop("referral", UNSET))

        def _parse_change_id(data: object) -> None | Unset | UUID:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                change_id_type_0 = UUID(data)

                return change_id_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Unset | UUID, data)

        change_id = _parse_change_id(d.pop("change_id", UNSET))

        def _parse_changed_by(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        changed_by = _parse_changed_by(d.pop("changed_by", UNSET))

        def _parse_emoji(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        emoji = _parse_emoji(d.pop("emoji", UNSET))

        changed_message = cls(
            id=id,
            phone_number=phone_number,
            content=content,
            status=status,
            direction=direction,
            retry_count=retry_count,
            chat_account_id=chat_account_id,
            created_at=created_at,
            updated_at=updated_at,
            changed_at=changed_at,
            chat_type=chat_type,
            group_jid=group_jid,
            group_name=group_name,
            message_type=message_type,
            media_type=media_type,
            media_url=media_url,
            failure_reason=failure_reason,
            chat_message_id=chat_message_id,
            variable_values=variable_values,
            contact_id=contact_id,
            contact_name=contact_name,
            campaign_id=campaign_id,
            batch_id=batch_id,
            scheduled_for=scheduled_for,
            queued_at=queued_at,
            sent_at=sent_at,
            delivered_at=delivered_at,
            read_at=read_at,
            failed_at=failed_at,
            typed_content=typed_content,
            sender=sender,
            conversation_id=conversation_id,
            reply_to_message_id=reply_to_message_id,
            sent_by=sent_by,
            run_id=run_id,
            metadata=metadata,
            expires_at=expires_at,
            edited_at=edited_at,
            deleted_at=deleted_at,
            reactions=reactions,
            referral=referral,
            change_id=change_id,
            changed_by=changed_by,
            emoji=emoji,
        )

        changed_message.additional_properties = d
        return changed_message

    @property
    def additional_keys(self) -> list[str]:
        return list(self.additional_properties.keys())

    def __getitem__(self, key: str) -> Any:
        return self.additional_properties[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.additional_properties[key] = value

    def __delitem__(self, key: str) -> None:
        del self.additional_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self.additional_properties
