from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.media_file import MediaFile


T = TypeVar("T", bound="MediaList")


@_attrs_define
class MediaList:
    """A page of files, newest first, and the size of all uploads of the organization.

    Attributes:
        media (list[MediaFile]):
        next_cursor (None | str): The `cursor` of the next page; null on the last one.
        stored_bytes (int): Bytes that the organization's uploads take.
        stored_bytes_limit (int | None): `media_bytes` of the organization's plan; null is no limit.
    """

    media: list[MediaFile]
    next_cursor: None | str
    stored_bytes: int
    stored_bytes_limit: int | None
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        media = []
        for media_item_data in self.media:
            media_item = media_item_data.to_dict()
            media.append(media_item)

        next_cursor: None | str
        next_cursor = self.next_cursor

        stored_bytes = self.stored_bytes

        stored_bytes_limit: int | None
        stored_bytes_limit = self.stored_bytes_limit

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "media": media,
                "next_cursor": next_cursor,
                "stored_bytes": stored_bytes,
                "stored_bytes_limit": stored_bytes_limit,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.media_file import MediaFile  # noqa: PLC0415

        d = dict(src_dict)
        media = []
        _media = d.pop("media")
        for media_item_data in _media:
            media_item = MediaFile.from_dict(media_item_data)

            media.append(media_item)

        def _parse_next_cursor(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        next_cursor = _parse_next_cursor(d.pop("next_cursor"))

        stored_bytes = d.pop("stored_bytes")

        def _parse_stored_bytes_limit(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        stored_bytes_limit = _parse_stored_bytes_limit(d.pop("stored_bytes_limit"))

        media_list = cls(
            media=media,
            next_cursor=next_cursor,
            stored_bytes=stored_bytes,
            stored_bytes_limit=stored_bytes_limit,
        )

        media_list.additional_properties = d
        return media_list

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
