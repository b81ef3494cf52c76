from __future__ import annotations

from collections.abc import Mapping
from typing import (
    Any,
    Literal,
    TypeVar,
    cast,
)

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="ContactInput")


@_attrs_define
class ContactInput:
    """Somebody's card: their phone numbers, or a whole vCard.

    Attributes:
        name (str):
        type_ (Literal['contact'] | Unset):  Default: 'contact'.
        phones (list[str] | None | Unset): Phone numbers.
        vcard (None | str | Unset): A vCard (RFC 2426 or 6350), instead of `phones`.
    """

    name: str
    type_: Literal["contact"] | Unset = "contact"
    phones: list[str] | None | Unset = UNSET
    vcard: None | str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        type_ = self.type_

        phones: list[str] | None | Unset
        if isinstance(self.phones, Unset):
            phones = UNSET
        elif isinstance(self.phones, list):
            phones = self.phones

        else:
            phones = self.phones

        vcard: None | str | Unset
        if isinstance(self.vcard, Unset):
            vcard = UNSET
        else:
            vcard = self.vcard

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "name": name,
            }
        )
        if type_ is not UNSET:
            field_dict["type"] = type_
        if phones is not UNSET:
            field_dict["phones"] = phones
        if vcard is not UNSET:
            field_dict["vcard"] = vcard

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        name = d.pop("name")

        type_ = cast(Literal["contact"] | Unset, d.pop("type", UNSET))
        if type_ != "contact" and not isinstance(type_, Unset):
            raise ValueError(f"type must match const 'contact', got '{type_}'")

        def _parse_phones(data: object) -> list[str] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                phones_type_0 = cast(list[str], data)

                return phones_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None | Unset, data)

        phones = _parse_phones(d.pop("phones", UNSET))

        def _parse_vcard(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        vcard = _parse_vcard(d.pop("vcard", UNSET))

        contact_input = cls(
            name=name,
            type_=type_,
            phones=phones,
            vcard=vcard,
        )

        return contact_input
