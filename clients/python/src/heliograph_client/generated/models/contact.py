from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.contact_address import ContactAddress
    from ..models.contact_attributes import ContactAttributes
    from ..models.label import Label


T = TypeVar("T", bound="Contact")


@_attrs_define
class Contact:
    """A person known to the organization.

    Attributes:
        id (UUID):
        attributes (ContactAttributes): Your own data about the contact, by name.
        labels (list[Label]):
        addresses (list[ContactAddress]):
        created_at (datetime.datetime):
        updated_at (datetime.datetime):
        phone_number (None | str | Unset): `+` and digits when known, else null.
        name (None | str | Unset): The organization's name for the contact.
        chat_name (None | str | Unset): The name the contact uses on the chat network.
        display_name (None | str | Unset): The organization's name, else the network's.
        profile_picture_url (None | str | Unset): A signed link to a stored picture, which works for one hour.
    """

    id: UUID
    attributes: ContactAttributes
    labels: list[Label]
    addresses: list[ContactAddress]
    created_at: datetime.datetime
    updated_at: datetime.datetime
    phone_number: None | str | Unset = UNSET
    name: None | str | Unset = UNSET
    chat_name: None | str | Unset = UNSET
    display_name: None | str | Unset = UNSET
    profile_picture_url: None | str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = str(self.id)

        attributes = self.attributes.to_dict()

        labels = []
        for labels_item_data in self.labels:
            labels_item = labels_item_data.to_dict()
            labels.append(labels_item)

        addresses = []
        for addresses_item_data in self.addresses:
            addresses_item = addresses_item_data.to_dict()
            addresses.append(addresses_item)

        created_at = self.created_at.isoformat()

        updated_at = self.updated_at.isoformat()

        phone_number: None | str | Unset
        if isinstance(self.phone_number, Unset):
            phone_number = UNSET
        else:
            phone_number = self.phone_number

        name: None | str | Unset
        if isinstance(self.name, Unset):
            name = UNSET
        else:
            name = self.name

        chat_name: None | str | Unset
        if isinstance(self.chat_name, Unset):
            chat_name = UNSET
        else:
            chat_name = self.chat_name

        display_name: None | str | Unset
        if isinstance(self.display_name, Unset):
            display_name = UNSET
        else:
            display_name = self.display_name

        profile_picture_url: None | str | Unset
        if isinstance(self.profile_picture_url, Unset):
            profile_picture_url = UNSET
        else:
            profile_picture_url = self.profile_picture_url

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "attributes": attributes,
                "labels": labels,
                "addresses": addresses,
                "created_at": created_at,
                "updated_at": updated_at,
            }
        )
        if phone_number is not UNSET:
            field_dict["phone_number"] = phone_number
        if name is not UNSET:
            field_dict["name"] = name
        if chat_name is not UNSET:
            field_dict["chat_name"] = chat_name
        if display_name is not UNSET:
            field_dict["display_name"] = display_name
        if profile_picture_url is not UNSET:
            field_dict["profile_picture_url"] = profile_picture_url

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.contact_address import ContactAddress  # noqa: PLC0415
        from ..models.contact_attributes import ContactAttributes  # noqa: PLC0415
        from ..models.label import Label  # noqa: PLC0415

        d = dict(src_dict)
        id = UUID(d.pop("id"))

        attributes = ContactAttributes.from_dict(d.pop("attributes"))

        labels = []
        _labels = d.pop("labels")
        for labels_item_data in _labels:
            labels_item = Label.from_dict(labels_item_data)

            labels.append(labels_item)

        addresses = []
        _addresses = d.pop("addresses")
        for addresses_item_data in _addresses:
            addresses_item = ContactAddress.from_dict(addresses_item_data)

            addresses.append(addresses_item)

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        updated_at = datetime.datetime.fromisoformat(d.pop("updated_at"))

        def _parse_phone_number(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        phone_number = _parse_phone_number(d.pop("phone_number", UNSET))

        def _parse_name(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        name = _parse_name(d.pop("name", UNSET))

        def _parse_chat_name(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        chat_name = _parse_chat_name(d.pop("chat_name", UNSET))

        def _parse_display_name(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        display_name = _parse_display_name(d.pop("display_name", UNSET))

        def _parse_profile_picture_url(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        profile_picture_url = _parse_profile_picture_url(d.pop("profile_picture_url", UNSET))

        contact = cls(
            id=id,
            attributes=attributes,
            labels=labels,
            addresses=addresses,
            created_at=created_at,
            updated_at=updated_at,
            phone_number=phone_number,
            name=name,
            chat_name=chat_name,
            display_name=display_name,
            profile_picture_url=profile_picture_url,
        )

        contact.additional_properties = d
        return contact

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
