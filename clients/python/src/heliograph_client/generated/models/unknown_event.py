from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.unknown_event_data import UnknownEventData


T = TypeVar("T", bound="UnknownEvent")


@_attrs_define
class UnknownEvent:
    """Added later than this description.

    Attributes:
        type_ (str): Any value except the known ones; TypeScript's types say `unknown`.
        timestamp (datetime.datetime): When the gateway recorded it.
        data (UnknownEventData): What it is about.
    """

    type_: str
    timestamp: datetime.datetime
    data: UnknownEventData
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
        from ..models.unknown_event_data import UnknownEventData  # noqa: PLC0415

        d = dict(src_dict)
        type_ = d.pop("type")

        timestamp = datetime.datetime.fromisoformat(d.pop("timestamp"))

        data = UnknownEventData.from_dict(d.pop("data"))

        unknown_event = cls(
            type_=type_,
            timestamp=timestamp,
            data=data,
        )

        unknown_event.additional_properties = d
        return unknown_event

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
