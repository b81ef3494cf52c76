from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define

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
    from ..models.poll_input import PollInput
    from ..models.sticker_input import StickerInput
    from ..models.text_input import TextInput
    from ..models.video_input import VideoInput


T = TypeVar("T", bound="EditMessageInput")


@_attrs_define
class EditMessageInput:
    """The new content of a message.

    Attributes:
        content (AudioInput | ButtonsInput | ContactInput | DocumentInput | ImageInput | LinkButtonInput | ListInput |
            LocationInput | LocationRequestInput | PollInput | StickerInput | TextInput | VideoInput): The content to send,
            distinguished by `type`.
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

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "content": content,
            }
        )

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

        edit_message_input = cls(
            content=content,
        )

        return edit_message_input
