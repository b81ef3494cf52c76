from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import UUID

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.logged_event_data import LoggedEventData


T = TypeVar("T", bound="LoggedEvent")


@_attrs_define
class LoggedEvent:
    """An event, with the same members as the body that is posted to webhooks, and its id.

    Attributes:
        id (UUID): The event's id, a UUID: the `webhook-id` of its deliveries.
        type_ (str): What has happened. Now: `message.received`, `message.sent`, `message.delivered`, `message.read`,
            `message.failed`, `message.canceled`, `message.edited`, `message.deleted`, `message.reaction`,
            `conversation.updated`, `contact.updated`, `contacts.synced`, `device.pairing`, `device.connected`,
            `device.disconnected`, `device.logged_out`, `device.restricted`, `device.unrestricted`, `webhook.ping`. More may
            be added.
        timestamp (datetime.datetime): When the gateway learned of it.
        data (LoggedEventData): What it is about, as `data` of the event of this type under `webhooks`.
    """

    id: UUID
    type_: str
    timestamp: datetime.datetime
    data: LoggedEventData
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
        from ..models.logged_event_data import LoggedEventData  # noqa: PLC0415

        d = dict(src_dict)
        id = UUID(d.pop("id"))

        type_ = d.pop("type")

        timestamp = datetime.datetime.fromisoformat(d.pop("timestamp"))

        data = LoggedEventData.from_dict(d.pop("data"))

        logged_event = cls(
            id=id,
            type_=type_,
            timestamp=timestamp,
            data=data,
        )

        logged_event.additional_properties = d
        return logged_event

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
