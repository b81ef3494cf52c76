from __future__ import annotations

from collections.abc import Mapping
from typing import (
    Any,
    Literal,
    TypeVar,
    cast,
)
from uuid import UUID

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="AudioInput")


@_attrs_define
class AudioInput:
    """A sound.

    Attributes:
        media_id (None | Unset | UUID): The id of an uploaded file.
        url (None | str | Unset): Where to fetch the file, before the answer: `https`, at a public address, within 20 s.
        file_name (None | str | Unset): The file's name for the recipient, under the same rules as for an upload;
            default: its own name.
        type_ (Literal['audio'] | Unset):  Default: 'audio'.
        voice (bool | Unset): Send it as a voice message. Default: `false`.
    """

    media_id: None | Unset | str | UUID = UNSET
    url: None | str | Unset = UNSET
    file_name: None | str | Unset = UNSET
    type_: Literal["audio"] | Unset = "audio"
    voice: bool | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        media_id: None | str | Unset
        if isinstance(self.media_id, Unset):
            media_id = UNSET
        elif isinstance(self.media_id, UUID):
            media_id = str(self.media_id)
        else:
            media_id = self.media_id

        url: None | str | Unset
        if isinstance(self.url, Unset):
            url = UNSET
        else:
            url = self.url

        file_name: None | str | Unset
        if isinstance(self.file_name, Unset):
            file_name = UNSET
        else:
            file_name = self.file_name

        type_ = self.type_

        voice = self.voice

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if media_id is not UNSET:
            field_dict["media_id"] = media_id
        if url is not UNSET:
            field_dict["url"] = url
        if file_name is not UNSET:
            field_dict["file_name"] = file_name
        if type_ is not UNSET:
            field_dict["type"] = type_
        if voice is not UNSET:
            field_dict["voice"] = voice

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)

        def _parse_media_id(data: object) -> None | Unset | UUID:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                media_id_type_0 = UUID(data)

                return media_id_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Unset | UUID, data)

        media_id = _parse_media_id(d.pop("media_id", UNSET))

        def _parse_url(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        url = _parse_url(d.pop("url", UNSET))

        def _parse_file_name(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        file_name = _parse_file_name(d.pop("file_name", UNSET))

        type_ = cast(Literal["audio"] | Unset, d.pop("type", UNSET))
        if type_ != "audio" and not isinstance(type_, Unset):
            raise ValueError(f"type must match const 'audio', got '{type_}'")

        voice = d.pop("voice", UNSET)

        audio_input = cls(
            media_id=media_id,
            url=url,
            file_name=file_name,
            type_=type_,
            voice=voice,
        )

        return audio_input
