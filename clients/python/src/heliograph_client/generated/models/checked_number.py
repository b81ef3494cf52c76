from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="CheckedNumber")


@_attrs_define
class CheckedNumber:
    """Whether a phone number is on the chat network.

    Attributes:
        phone_number (str): `+` and digits.
        exists (bool):
        jid (None | str | Unset): Their address on the network.
    """

    phone_number: str
    exists: bool
    jid: None | str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        phone_number = self.phone_number

        exists = self.exists

        jid: None | str | Unset
        if isinstance(self.jid, Unset):
            jid = UNSET
        else:
            jid = self.jid

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "phone_number": phone_number,
                "exists": exists,
            }
        )
        if jid is not UNSET:
            field_dict["jid"] = jid

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        phone_number = d.pop("phone_number")

        exists = d.pop("exists")

        def _parse_jid(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        jid = _parse_jid(d.pop("jid", UNSET))

        checked_number = cls(
            phone_number=phone_number,
            exists=exists,
            jid=jid,
        )

        checked_number.additional_properties = d
        return checked_number

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
