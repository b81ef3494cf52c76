from __future__ import annotations

from collections.abc import Mapping
from typing import (
    Any,
    Literal,
    TypeVar,
    cast,
)

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="ContactContent")


@_attrs_define
class ContactContent:
    """Somebody's card. If several came at once, `name`, `phones` and `vcard` contain them all.

    Attributes:
        type_ (Literal['contact']):
        name (str):
        vcard (str): As the network gave it (version 2.1, RFC 2426 or 6350): untrusted text.
        phones (list[str]): The phone numbers, each once: `+` and digits where that is clear, else as the card has it.
    """

    type_: Literal["contact"]
    name: str
    vcard: str
    phones: list[str]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        type_ = self.type_

        name = self.name

        vcard = self.vcard

        phones = self.phones

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "type": type_,
                "name": name,
                "vcard": vcard,
                "phones": phones,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        type_ = cast(Literal["contact"], d.pop("type"))
        if type_ != "contact":
            raise ValueError(f"type must match const 'contact', got '{type_}'")

        name = d.pop("name")

        vcard = d.pop("vcard")

        phones = cast(list[str], d.pop("phones"))

        contact_content = cls(
            type_=type_,
            name=name,
            vcard=vcard,
            phones=phones,
        )

        contact_content.additional_properties = d
        return contact_content

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
