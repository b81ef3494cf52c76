from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    TypeVar,
    cast,
)
from uuid import UUID

from attrs import define as _attrs_define

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.audio_input import AudioInput
    from ..models.buttons_input import ButtonsInput
    from ..models.contact_input import ContactInput
    from ..models.document_input import DocumentInput
    from ..models.image_input import ImageInput
    from ..models.link_button_input import LinkButtonInput
    from ..models.list_input import ListInput
    from ..models.location_input import LocationInput
    from ..models.location_request_input import LocationRequestInput
    from ..models.metadata import Metadata
    from ..models.poll_input import PollInput
    from ..models.sticker_input import StickerInput
    from ..models.text_input import TextInput
    from ..models.video_input import VideoInput


T = TypeVar("T", bound="SendMessageInput")


@_attrs_define
class SendMessageInput:
    """A message to exactly one of `phone_number`, `conversation_id` and `contact_id`.

    Attributes:
        content (AudioInput | ButtonsInput | ContactInput | DocumentInput | ImageInput | LinkButtonInput | ListInput |
            LocationInput | LocationRequestInput | PollInput | StickerInput | TextInput | VideoInput): The content to send,
            distinguished by `type`.
        phone_number (None | str | Unset): The recipient: a phone number with its country code, as people write it (5 to
            15 digits, `+` or `00` optional; spaces, dots, dashes, slashes and brackets are dropped), or a JID.
        conversation_id (None | Unset | UUID): The conversation to write in, through its own account.
        contact_id (None | Unset | UUID): The contact to write to.
        chat_account_id (None | Unset | UUID): The account that sends; default: the conversation's, else the
            organization's primary account.
        reply_to_message_id (None | Unset | UUID): A message of the same conversation that this one answers.
        scheduled_for (datetime.datetime | None | Unset): When to send it, at most 366 days ahead; default: now.
        expires_at (datetime.datetime | None | Unset): A message not sent by then fails, with the reason `expired`.
        fallback (Literal['text'] | None | Unset): `text`: if the network lacks this kind, send it as a text. Choices
            are numbered, and an answer comes back as if it had been chosen.
        metadata (Metadata | None | Unset): Values of your own, for records and webhooks.
    """

    content: (
        AudioInput
        | ButtonsInput
        | ContactInput
        | DocumentInput
        | ImageInput
        | LinkButtonInput
        | ListInput
        | LocationInput
        | LocationRequestInput
        | PollInput
        | StickerInput
        | TextInput
        | VideoInput
    )
    phone_number: None | str | Unset = UNSET
    conversation_id: None | Unset | str | UUID = UNSET
    contact_id: None | Unset | str | UUID = UNSET
    chat_account_id: None | Unset | str | UUID = UNSET
    reply_to_message_id: None | Unset | str | UUID = UNSET
    scheduled_for: datetime.datetime | None | Unset = UNSET
    expires_at: datetime.datetime | None | Unset = UNSET
    fallback: Literal["text"] | None | Unset = UNSET
    metadata: Metadata | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.audio_input import AudioInput  # noqa: PLC0415
        from ..models.buttons_input import ButtonsInput  # noqa: PLC0415
        from ..models.contact_input import ContactInput  # noqa: PLC0415
        from ..models.document_input import DocumentInput  # noqa: PLC0415
        from ..models.image_input import ImageInput  # noqa: PLC0415
        from ..models.link_button_input import LinkButtonInput  # noqa: PLC0415
        from ..models.list_input import ListInput  # noqa: PLC0415
        from ..models.location_input import LocationInput  # noqa: PLC0415
        from ..models.location_request_input import LocationRequestInput  # noqa: PLC0415
        from ..models.metadata import Metadata  # noqa: PLC0415
        from ..models.sticker_input import StickerInput  # noqa: PLC0415
        from ..models.text_input import TextInput  # noqa: PLC0415
        from ..models.video_input import VideoInput  # noqa: PLC0415

        content: dict[str, Any]
        if isinstance(self.content, TextInput):
            content = self.content.to_dict()
        elif isinstance(self.content, ButtonsInput):
            content = self.content.to_dict()
        elif isinstance(self.content, ListInput):
            content = self.content.to_dict()
        elif isinstance(self.content, LinkButtonInput):
            content = self.content.to_dict()
        elif isinstance(self.content, ImageInput):
            content = self.content.to_dict()
        elif isinstance(self.content, VideoInput):
            content = self.content.to_dict()
        elif isinstance(self.content, AudioInput):
            content = self.content.to_dict()
        elif isinstance(self.content, DocumentInput):
            content = self.content.to_dict()
        elif isinstance(self.content, StickerInput):
            content = self.content.to_dict()
        elif isinstance(self.content, LocationInput):
            content = self.content.to_dict()
        elif isinstance(self.content, LocationRequestInput):
            content = self.content.to_dict()
        elif isinstance(self.content, ContactInput):
            content = self.content.to_dict()
        else:
            content = self.content.to_dict()

        phone_number: None | str | Unset
        if isinstance(self.phone_number, Unset):
            phone_number = UNSET
        else:
            phone_number = self.phone_number

        conversation_id: None | str | Unset
        if isinstance(self.conversation_id, Unset):
            conversation_id = UNSET
        elif isinstance(self.conversation_id, UUID):
            conversation_id = str(self.conversation_id)
        else:
            conversation_id = self.conversation_id

        contact_id: None | str | Unset
        if isinstance(self.contact_id, Unset):
            contact_id = UNSET
        elif isinstance(self.contact_id, UUID):
            contact_id = str(self.contact_id)
        else:
            contact_id = self.contact_id

        chat_account_id: None | str | Unset
        if isinstance(self.chat_account_id, Unset):
            chat_account_id = UNSET
        elif isinstance(self.chat_account_id, UUID):
            chat_account_id = str(self.chat_account_id)
        else:
            chat_account_id = self.chat_account_id

        reply_to_message_id: None | str | Unset
        if isinstance(self.reply_to_message_id, Unset):
            reply_to_message_id = UNSET
        elif isinstance(self.reply_to_message_id, UUID):
            reply_to_message_id = str(self.reply_to_message_id)
        else:
            reply_to_message_id = self.reply_to_message_id

        scheduled_for: None | str | Unset
        if isinstance(self.scheduled_for, Unset):
            scheduled_for = UNSET
        elif isinstance(self.scheduled_for, datetime.datetime):
            scheduled_for = self.scheduled_for.isoformat()
        else:
            scheduled_for = self.scheduled_for

        expires_at: None | str | Unset
        if isinstance(self.expires_at, Unset):
            expires_at = UNSET
        elif isinstance(self.expires_at, datetime.datetime):
            expires_at = self.expires_at.isoformat()
        else:
            expires_at = self.expires_at

        fallback: Literal["text"] | None | Unset
        if isinstance(self.fallback, Unset):
            fallback = UNSET
        else:
            fallback = self.fallback

        metadata: dict[str, Any] | None | Unset
        if isinstance(self.metadata, Unset):
            metadata = UNSET
        elif isinstance(self.metadata, Metadata):
            metadata = self.metadata.to_dict()
        else:
            metadata = self.metadata

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "content": content,
            }
        )
        if phone_number is not UNSET:
            field_dict["phone_number"] = phone_number
        if conversation_id is not UNSET:
            field_dict["conversation_id"] = conversation_id
        if contact_id is not UNSET:
            field_dict["contact_id"] = contact_id
        if chat_account_id is not UNSET:
            field_dict["chat_account_id"] = chat_account_id
        if reply_to_message_id is not UNSET:
            field_dict["reply_to_message_id"] = reply_to_message_id
        if scheduled_for is not UNSET:
            field_dict["scheduled_for"] = scheduled_for
        if expires_at is not UNSET:
            field_dict["expires_at"] = expires_at
        if fallback is not UNSET:
            field_dict["fallback"] = fallback
        if metadata is not UNSET:
            field_dict["metadata"] = metadata

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.audio_input import AudioInput  # noqa: PLC0415
        from ..models.buttons_input import ButtonsInput  # noqa: PLC0415
        from ..models.contact_input import ContactInput  # noqa: PLC0415
        from ..models.document_input import DocumentInput  # noqa: PLC0415
        from ..models.image_input import ImageInput  # noqa: PLC0415
        from ..models.link_button_input import LinkButtonInput  # noqa: PLC0415
        from ..models.list_input import ListInput  # noqa: PLC0415
        from ..models.location_input import LocationInput  # noqa: PLC0415
        from ..models.location_request_input import LocationRequestInput  # noqa: PLC0415
        from ..models.metadata import Metadata  # noqa: PLC0415
        from ..models.poll_input import PollInput  # noqa: PLC0415
        from ..models.sticker_input import StickerInput  # noqa: PLC0415
        from ..models.text_input import TextInput  # noqa: PLC0415
        from ..models.video_input import VideoInput  # noqa: PLC0415

        d = dict(src_dict)

        def _parse_content(
            data: object,
        ) -> (
            AudioInput
            | ButtonsInput
            | ContactInput
            | DocumentInput
            | ImageInput
            | LinkButtonInput
            | ListInput
            | LocationInput
            | LocationRequestInput
            | PollInput
            | StickerInput
            | TextInput
            | VideoInput
        ):
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_content_input_type_0 = TextInput.from_dict(data)

                return componentsschemas_content_input_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_content_input_type_1 = ButtonsInput.from_dict(data)

                return componentsschemas_content_input_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_content_input_type_2 = ListInput.from_dict(data)

                return componentsschemas_content_input_type_2
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_content_input_type_3 = LinkButtonInput.from_dict(data)

                return componentsschemas_content_input_type_3
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_content_input_type_4 = ImageInput.from_dict(data)

                return componentsschemas_content_input_type_4
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_content_input_type_5 = VideoInput.from_dict(data)

                return componentsschemas_content_input_type_5
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_content_input_type_6 = AudioInput.from_dict(data)

                return componentsschemas_content_input_type_6
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_content_input_type_7 = DocumentInput.from_dict(data)

                return componentsschemas_content_input_type_7
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_content_input_type_8 = StickerInput.from_dict(data)

                return componentsschemas_content_input_type_8
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_content_input_type_9 = LocationInput.from_dict(data)

                return componentsschemas_content_input_type_9
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_content_input_type_10 = LocationRequestInput.from_dict(data)

                return componentsschemas_content_input_type_10
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_content_input_type_11 = ContactInput.from_dict(data)

                return componentsschemas_content_input_type_11
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            if not isinstance(data, dict):
                raise TypeError()
            componentsschemas_content_input_type_12 = PollInput.from_dict(data)

            return componentsschemas_content_input_type_12

        content = _parse_content(d.pop("content"))

        def _parse_phone_number(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        phone_number = _parse_phone_number(d.pop("phone_number", UNSET))

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

        def _parse_chat_account_id(data: object) -> None | Unset | UUID:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                chat_account_id_type_0 = UUID(data)

                return chat_account_id_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Unset | UUID, data)

        chat_account_id = _parse_chat_account_id(d.pop("chat_account_id", UNSET))

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

        def _parse_fallback(data: object) -> Literal["text"] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            fallback_type_0 = cast(Literal["text"], data)
            if fallback_type_0 != "text":
                raise ValueError(
                    f"fallback_type_0 must match const 'text', got '{fallback_type_0}'"
                )
            return fallback_type_0
            return cast(Literal["text"] | None | Unset, data)

        fallback = _parse_fallback(d.pop("fallback", UNSET))

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

        send_message_input = cls(
            content=content,
            phone_number=phone_number,
            conversation_id=conversation_id,
            contact_id=contact_id,
            chat_account_id=chat_account_id,
            reply_to_message_id=reply_to_message_id,
            scheduled_for=scheduled_for,
            expires_at=expires_at,
            fallback=fallback,
            metadata=metadata,
        )

        return send_message_input
