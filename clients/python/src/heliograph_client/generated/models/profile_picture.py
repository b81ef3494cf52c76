from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="ProfilePicture")


@_attrs_define
class ProfilePicture:
    """A contact's profile picture, from object storage or the chat network.

    Attributes:
        contact_id (UUID):
        url (str): A signed link that works for one hour.
        preview (bool): True when this is the thumbnail.
        chat_account_id (UUID):
        picture_id (str):
        picture_type (str): The whole picture or its thumbnail. Known values: `image`, `preview`. More may be added.
        phone_number (None | str | Unset): `+` and digits when known, else null.
        cached (bool | Unset): True when it came from object storage. Default: False.
    """

    contact_id: UUID
    url: str
    preview: bool
    chat_account_id: UUID
    picture_id: str
    picture_type: str
    phone_number: None | str | Unset = UNSET
    cached: bool | Unset = False
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        contact_id = str(self.contact_id)

        url = self.url

        preview = self.preview

        chat_account_id = str(self.chat_account_id)

        picture_id = self.picture_id

        picture_type = self.picture_type

        phone_number: None | str | Unset
        if isinstance(self.phone_number, Unset):
            phone_number = UNSET
        else:
            phone_number = self.phone_number

        cached = self.cached

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "contact_id": contact_id,
                "url": url,
                "preview": preview,
                "chat_account_id": chat_account_id,
                "picture_id": picture_id,
                "picture_type": picture_type,
            }
        )
        if phone_number is not UNSET:
            field_dict["phone_number"] = phone_number
        if cached is not UNSET:
            field_dict["cached"] = cached

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        contact_id = UUID(d.pop("contact_id"))

        url = d.pop("url")

        preview = d.pop("preview")

        chat_account_id = UUID(d.pop("chat_account_id"))

        picture_id = d.pop("picture_id")

        picture_type = d.pop("picture_type")

        def _parse_phone_number(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        phone_number = _parse_phone_number(d.pop("phone_number", UNSET))

        cached = d.pop("cached", UNSET)

        profile_picture = cls(
            contact_id=contact_id,
            url=url,
            preview=preview,
            chat_account_id=chat_account_id,
            picture_id=picture_id,
            picture_type=picture_type,
            phone_number=phone_number,
            cached=cached,
        )

        profile_picture.additional_properties = d
        return profile_picture

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
