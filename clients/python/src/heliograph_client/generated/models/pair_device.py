from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ..models.pair_device_method import PairDeviceMethod, check_pair_device_method
from ..types import UNSET, Unset

T = TypeVar("T", bound="PairDevice")


@_attrs_define
class PairDevice:
    """The method of pairing a device.

    Attributes:
        method (PairDeviceMethod): `qr`: scan a QR code. `code`: type a code on the phone.
        phone_number (None | str | Unset): The number of the phone on which the code is typed; default: the one given
            before.
    """

    method: PairDeviceMethod
    phone_number: None | str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        method: str = self.method

        phone_number: None | str | Unset
        if isinstance(self.phone_number, Unset):
            phone_number = UNSET
        else:
            phone_number = self.phone_number

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "method": method,
            }
        )
        if phone_number is not UNSET:
            field_dict["phone_number"] = phone_number

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        method = check_pair_device_method(d.pop("method"))

        def _parse_phone_number(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        phone_number = _parse_phone_number(d.pop("phone_number", UNSET))

        pair_device = cls(
            method=method,
            phone_number=phone_number,
        )

        return pair_device
