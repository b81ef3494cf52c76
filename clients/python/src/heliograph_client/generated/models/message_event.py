from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar
from uuid import UUID

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="MessageEvent")


@_attrs_define
class MessageEvent:
    """An event that the message made.

    Attributes:
        id (UUID): The `webhook-id` of the requests that report it.
        type_ (str): The type of an event. Known values: `message.received`, `message.sent`, `message.delivered`,
            `message.read`, `message.failed`, `message.canceled`, `message.edited`, `message.deleted`, `message.reaction`,
            `conversation.updated`, `contact.updated`, `contacts.synced`, `device.pairing`, `device.connected`,
            `device.disconnected`, `device.logged_out`, `device.restricted`, `device.unrestricted`, `webhook.ping`. More may
            be added.
        created_at (datetime.datetime):
    """

    id: UUID
    type_: str
    created_at: datetime.datetime
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = str(self.id)

        type_ = self.type_

        created_at = self.created_at.isoformat()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "type": type_,
                "created_at": created_at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = UUID(d.pop("id"))

        type_ = d.pop("type")

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        message_event = cls(
            id=id,
            type_=type_,
            created_at=created_at,
        )

        message_event.additional_properties = d
        return message_event

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
