from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import UUID

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.batched_event_data import BatchedEventData


T = TypeVar("T", bound="BatchedEvent")


@_attrs_define
class BatchedEvent:
    """One event, as it would be posted by itself, with its id.

    Attributes:
        id (UUID): The `webhook-id` that the event would have by itself: recognize duplicates by it.
        type_ (str): What has happened. Now: `message.received`, `message.sent`, `message.delivered`, `message.read`,
            `message.failed`, `message.canceled`, `message.edited`, `message.deleted`, `message.reaction`,
            `conversation.updated`, `contact.updated`, `contacts.synced`, `device.pairing`, `device.connected`,
            `device.disconnected`, `device.logged_out`, `device.restricted`, `device.unrestricted`, `webhook.ping`. More may
            be added.
        timestamp (datetime.datetime): When the gateway learned of it.
        data (BatchedEventData): As in the body of an event of this type.
    """

    id: UUID
    type_: str
    timestamp: datetime.datetime
    data: BatchedEventData
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
        from ..models.batched_event_data import BatchedEventData  # noqa: PLC0415

        d = dict(src_dict)
        id = UUID(d.pop("id"))

        type_ = d.pop("type")

        timestamp = datetime.datetime.fromisoformat(d.pop("timestamp"))

        data = BatchedEventData.from_dict(d.pop("data"))

        batched_event = cls(
            id=id,
            type_=type_,
            timestamp=timestamp,
            data=data,
        )

        batched_event.additional_properties = d
        return batched_event

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
