from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.device_details import DeviceDetails


T = TypeVar("T", bound="DeviceList")


@_attrs_define
class DeviceList:
    """One page of devices; `total` counts all that match the filter.

    Attributes:
        devices (list[DeviceDetails]):
        total (int):
        limit (int):
        offset (int):
    """

    devices: list[DeviceDetails]
    total: int
    limit: int
    offset: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        devices = []
        for devices_item_data in self.devices:
            devices_item = devices_item_data.to_dict()
            devices.append(devices_item)

        total = self.total

        limit = self.limit

        offset = self.offset

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "devices": devices,
                "total": total,
                "limit": limit,
                "offset": offset,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.device_details import DeviceDetails  # noqa: PLC0415

        d = dict(src_dict)
        devices = []
        _devices = d.pop("devices")
        for devices_item_data in _devices:
            devices_item = DeviceDetails.from_dict(devices_item_data)

            devices.append(devices_item)

        total = d.pop("total")

        limit = d.pop("limit")

        offset = d.pop("offset")

        device_list = cls(
            devices=devices,
            total=total,
            limit=limit,
            offset=offset,
        )

        device_list.additional_properties = d
        return device_list

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
