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

T = TypeVar("T", bound="LocationInput")


@_attrs_define
class LocationInput:
    """A place.

    Attributes:
        latitude (float): Degrees north.
        longitude (float): Degrees east.
        type_ (Literal['location'] | Unset):  Default: 'location'.
        name (None | str | Unset):
        address (None | str | Unset):
    """

    latitude: float
    longitude: float
    type_: Literal["location"] | Unset = "location"
    name: None | str | Unset = UNSET
    address: None | str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        latitude = self.latitude

        longitude = self.longitude

        type_ = self.type_

        name: None | str | Unset
        if isinstance(self.name, Unset):
            name = UNSET
        else:
            name = self.name

        address: None | str | Unset
        if isinstance(self.address, Unset):
            address = UNSET
        else:
            address = self.address

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "latitude": latitude,
                "longitude": longitude,
            }
        )
        if type_ is not UNSET:
            field_dict["type"] = type_
        if name is not UNSET:
            field_dict["name"] = name
        if address is not UNSET:
            field_dict["address"] = address

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        latitude = d.pop("latitude")

        longitude = d.pop("longitude")

        type_ = cast(Literal["location"] | Unset, d.pop("type", UNSET))
        if type_ != "location" and not isinstance(type_, Unset):
            raise ValueError(f"type must match const 'location', got '{type_}'")

        def _parse_name(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        name = _parse_name(d.pop("name", UNSET))

        def _parse_address(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        address = _parse_address(d.pop("address", UNSET))

        location_input = cls(
            latitude=latitude,
            longitude=longitude,
            type_=type_,
            name=name,
            address=address,
        )

        return location_input
