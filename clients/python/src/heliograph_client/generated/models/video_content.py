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
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="VideoContent")


@_attrs_define
class VideoContent:
    """A video.

    Attributes:
        type_ (Literal['video']):
        media_type (str): A MIME type.
        caption (None | str | Unset):
        file_name (None | str | Unset):
        size (int | None | Unset): In bytes, as the sender stated it.
        media_id (None | Unset | UUID): Its id in the gateway, if it was uploaded or fetched.
    """

    type_: Literal["video"]
    media_type: str
    caption: None | str | Unset = UNSET
    file_name: None | str | Unset = UNSET
    size: int | None | Unset = UNSET
    media_id: None | Unset | UUID = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        type_ = self.type_

        media_type = self.media_type

        caption: None | str | Unset
        if isinstance(self.caption, Unset):
            caption = UNSET
        else:
            caption = self.caption

        file_name: None | str | Unset
        if isinstance(self.file_name, Unset):
            file_name = UNSET
        else:
            file_name = self.file_name

        size: int | None | Unset
        if isinstance(self.size, Unset):
            size = UNSET
        else:
            size = self.size

        media_id: None | str | Unset
        if isinstance(self.media_id, Unset):
            media_id = UNSET
        elif isinstance(self.media_id, UUID):
            media_id = str(self.media_id)
        else:
            media_id = self.media_id

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "type": type_,
                "media_type": media_type,
            }
        )
        if caption is not UNSET:
            field_dict["caption"] = caption
        if file_name is not UNSET:
            field_dict["file_name"] = file_name
        if size is not UNSET:
            field_dict["size"] = size
        if media_id is not UNSET:
            field_dict["media_id"] = media_id

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        type_ = cast(Literal["video"], d.pop("type"))
        if type_ != "video":
            raise ValueError(f"type must match const 'video', got '{type_}'")

        media_type = d.pop("media_type")

        def _parse_caption(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        caption = _parse_caption(d.pop("caption", UNSET))

        def _parse_file_name(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        file_name = _parse_file_name(d.pop("file_name", UNSET))

        def _parse_size(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        size = _parse_size(d.pop("size", UNSET))

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

        video_content = cls(
            type_=type_,
            media_type=media_type,
            caption=caption,
            file_name=file_name,
            size=size,
            media_id=media_id,
        )

        video_content.additional_properties = d
        return video_content

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
