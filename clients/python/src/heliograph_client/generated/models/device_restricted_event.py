from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    TypeVar,
    cast,
)

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.reported_device import ReportedDevice


T = TypeVar("T", bound="DeviceRestrictedEvent")


@_attrs_define
class DeviceRestrictedEvent:
    """For a time, the network lets the account write to no new people: such messages wait.

    Attributes:
        type_ (Literal['device.restricted']):
        timestamp (datetime.datetime): When the gateway recorded it.
        data (ReportedDevice): A device whose state has changed, and why.
    """

    type_: Literal["device.restricted"]
    timestamp: datetime.datetime
    data: ReportedDevice
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        type_ = self.type_

        timestamp = self.timestamp.isoformat()

        data = self.data.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "type": type_,
                "timestamp": timestamp,
                "data": data,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.reported_device import ReportedDevice  # noqa: PLC0415

        d = dict(src_dict)
        type_ = cast(Literal["device.restricted"], d.pop("type"))
        if type_ != "device.restricted":
            raise ValueError(f"type must match const 'device.restricted', got '{type_}'")

        timestamp = datetime.datetime.fromisoformat(d.pop("timestamp"))

        data = ReportedDevice.from_dict(d.pop("data"))

        device_restricted_event = cls(
            type_=type_,
            timestamp=timestamp,
            data=data,
        )

        device_restricted_event.additional_properties = d
        return device_restricted_event

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
