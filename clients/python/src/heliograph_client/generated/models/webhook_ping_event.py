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
    from ..models.ping import Ping


T = TypeVar("T", bound="WebhookPingEvent")


@_attrs_define
class WebhookPingEvent:
    """A test event, sent on request to a single webhook, whatever it subscribes to.

    Attributes:
        type_ (Literal['webhook.ping']):
        timestamp (datetime.datetime): When the gateway recorded it.
        data (Ping): Empty: a test that was requested.
    """

    type_: Literal["webhook.ping"]
    timestamp: datetime.datetime
    data: Ping
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
        from ..models.ping import Ping  # noqa: PLC0415

        d = dict(src_dict)
        type_ = cast(Literal["webhook.ping"], d.pop("type"))
        if type_ != "webhook.ping":
            raise ValueError(f"type must match const 'webhook.ping', got '{type_}'")

        timestamp = datetime.datetime.fromisoformat(d.pop("timestamp"))

        data = Ping.from_dict(d.pop("data"))

        webhook_ping_event = cls(
            type_=type_,
            timestamp=timestamp,
            data=data,
        )

        webhook_ping_event.additional_properties = d
        return webhook_ping_event

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
