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
    from ..models.batched_events import BatchedEvents


T = TypeVar("T", bound="BatchBody")


@_attrs_define
class BatchBody:
    """Several events in one request of at most 1 MiB, the same in every attempt.

    Attributes:
        type_ (Literal['batch']):
        timestamp (datetime.datetime): That of the last event.
        data (BatchedEvents): The events of a batch, in order within each conversation.
    """

    type_: Literal["batch"]
    timestamp: datetime.datetime
    data: BatchedEvents
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
        from ..models.batched_events import BatchedEvents  # noqa: PLC0415

        d = dict(src_dict)
        type_ = cast(Literal["batch"], d.pop("type"))
        if type_ != "batch":
            raise ValueError(f"type must match const 'batch', got '{type_}'")

        timestamp = datetime.datetime.fromisoformat(d.pop("timestamp"))

        data = BatchedEvents.from_dict(d.pop("data"))

        batch_body = cls(
            type_=type_,
            timestamp=timestamp,
            data=data,
        )

        batch_body.additional_properties = d
        return batch_body

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
