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
    from ..models.outbound_message import OutboundMessage


T = TypeVar("T", bound="LoggedMessageDeliveredEvent")


@_attrs_define
class LoggedMessageDeliveredEvent:
    """It has reached the recipient's device.

    Attributes:
        id (UUID): The event's id, a UUID: the `webhook-id` of its deliveries.
        type_ (Literal['message.delivered']):
        timestamp (datetime.datetime): When the gateway recorded it.
        data (OutboundMessage): A message that you sent.
    """

    id: UUID
    type_: Literal["message.delivered"]
    timestamp: datetime.datetime
    data: OutboundMessage
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
        from ..models.outbound_message import OutboundMessage  # noqa: PLC0415

        d = dict(src_dict)
        id = UUID(d.pop("id"))

        type_ = cast(Literal["message.delivered"], d.pop("type"))
        if type_ != "message.delivered":
            raise ValueError(f"type must match const 'message.delivered', got '{type_}'")

        timestamp = datetime.datetime.fromisoformat(d.pop("timestamp"))

        data = OutboundMessage.from_dict(d.pop("data"))

        logged_message_delivered_event = cls(
            id=id,
            type_=type_,
            timestamp=timestamp,
            data=data,
        )

        logged_message_delivered_event.additional_properties = d
        return logged_message_delivered_event

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
