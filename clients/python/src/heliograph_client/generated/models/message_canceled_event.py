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
    from ..models.outbound_message import OutboundMessage


T = TypeVar("T", bound="MessageCanceledEvent")


@_attrs_define
class MessageCanceledEvent:
    """Somebody canceled it, or removed its device, before it was sent.

    Attributes:
        type_ (Literal['message.canceled']):
        timestamp (datetime.datetime): When the gateway recorded it.
        data (OutboundMessage): A message that you sent.
    """

    type_: Literal["message.canceled"]
    timestamp: datetime.datetime
    data: OutboundMessage
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
        from ..models.outbound_message import OutboundMessage  # noqa: PLC0415

        d = dict(src_dict)
        type_ = cast(Literal["message.canceled"], d.pop("type"))
        if type_ != "message.canceled":
            raise ValueError(f"type must match const 'message.canceled', got '{type_}'")

        timestamp = datetime.datetime.fromisoformat(d.pop("timestamp"))

        data = OutboundMessage.from_dict(d.pop("data"))

        message_canceled_event = cls(
            type_=type_,
            timestamp=timestamp,
            data=data,
        )

        message_canceled_event.additional_properties = d
        return message_canceled_event

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
