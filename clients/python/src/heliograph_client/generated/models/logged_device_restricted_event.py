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
from uuid import UUID

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.reported_device import ReportedDevice


T = TypeVar("T", bound="LoggedDeviceRestrictedEvent")


@_attrs_define
class LoggedDeviceRestrictedEvent:
    """For a time, the network lets the account write to no new people: such messages wait.

    Attributes:
        id (UUID): The event's id, a UUID: the `webhook-id` of its deliveries.
        type_ (Literal['device.restricted']):
        timestamp (datetime.datetime): When the gateway recorded it.
        data (ReportedDevice): A device whose state has changed, and why.
    """

    id: UUID
    type_: Literal["device.restricted"]
    timestamp: datetime.datetime
    data: ReportedDevice
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = str(self.id)

        type_ = self.type_

        timestamp = self.timestamp.isoformat()

        data = self.data.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
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
        id = UUID(d.pop("id"))

        type_ = cast(Literal["device.restricted"], d.pop("type"))
        if type_ != "device.restricted":
            raise ValueError(f"type must match const 'device.restricted', got '{type_}'")

        timestamp = datetime.datetime.fromisoformat(d.pop("timestamp"))

        data = ReportedDevice.from_dict(d.pop("data"))

        logged_device_restricted_event = cls(
            id=id,
            type_=type_,
            timestamp=timestamp,
            data=data,
        )

        logged_device_restricted_event.additional_properties = d
        return logged_device_restricted_event

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
