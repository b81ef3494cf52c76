from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="MediaFile")


@_attrs_define
class MediaFile:
    """A file as clients see it. `url` works for an hour; `sha256` is in hexadecimal digits.

    Attributes:
        id (UUID):
        media_type (str):
        size (int):
        sha256 (str):
        url (str):
        created_at (datetime.datetime):
        origin (str): `upload`, or `inbound` for a file that was sent to a device.
        file_name (None | str | Unset):
        expires_at (datetime.datetime | None | Unset):
        chat_account_id (None | Unset | UUID): The device through which the file came in.
    """

    id: UUID
    media_type: str
    size: int
    sha256: str
    url: str
    created_at: datetime.datetime
    origin: str
    file_name: None | str | Unset = UNSET
    expires_at: datetime.datetime | None | Unset = UNSET
    chat_account_id: None | Unset | UUID = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = str(self.id)

        media_type = self.media_type

        size = self.size

        sha256 = self.sha256

        url = self.url

        created_at = self.created_at.isoformat()

        origin = self.origin

        file_name: None | str | Unset
        if isinstance(self.file_name, Unset):
            file_name = UNSET
        else:
            file_name = self.file_name

        expires_at: None | str | Unset
        if isinstance(self.expires_at, Unset):
            expires_at = UNSET
        elif isinstance(self.expires_at, datetime.datetime):
            expires_at = self.expires_at.isoformat()
        else:
            expires_at = self.expires_at

        chat_account_id: None | str | Unset
        if isinstance(self.chat_account_id, Unset):
            chat_account_id = UNSET
        elif isinstance(self.chat_account_id, UUID):
            chat_account_id = str(self.chat_account_id)
        else:
            chat_account_id = self.chat_account_id

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "media_type": media_type,
                "size": size,
                "sha256": sha256,
                "url": url,
                "created_at": created_at,
                "origin": origin,
            }
        )
        if file_name is not UNSET:
            field_dict["file_name"] = file_name
        if expires_at is not UNSET:
            field_dict["expires_at"] = expires_at
        if chat_account_id is not UNSET:
            field_dict["chat_account_id"] = chat_account_id

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = UUID(d.pop("id"))

        media_type = d.pop("media_type")

        size = d.pop("size")

        sha256 = d.pop("sha256")

        url = d.pop("url")

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        origin = d.pop("origin")

        def _parse_file_name(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        file_name = _parse_file_name(d.pop("file_name", UNSET))

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

        media_file = cls(
            id=id,
            media_type=media_type,
            size=size,
            sha256=sha256,
            url=url,
            created_at=created_at,
            origin=origin,
            file_name=file_name,
            expires_at=expires_at,
            chat_account_id=chat_account_id,
        )

        media_file.additional_properties = d
        return media_file

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
