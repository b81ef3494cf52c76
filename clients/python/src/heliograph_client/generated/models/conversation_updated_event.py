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
    from ..models.updated_conversation import UpdatedConversation


T = TypeVar("T", bound="ConversationUpdatedEvent")


@_attrs_define
class ConversationUpdatedEvent:
    """Somebody changed a conversation, its group's subject or one of its labels, or its snooze has ended.

    Attributes:
        type_ (Literal['conversation.updated']):
        timestamp (datetime.datetime): When the gateway recorded it.
        data (UpdatedConversation): A changed conversation, as it is now. `last_message_preview` and
            `contact_profile_picture_url` are null here.
    """

    type_: Literal["conversation.updated"]
    timestamp: datetime.datetime
    data: UpdatedConversation
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
        from ..models.updated_conversation import UpdatedConversation  # noqa: PLC0415

        d = dict(src_dict)
        type_ = cast(Literal["conversation.updated"], d.pop("type"))
        if type_ != "conversation.updated":
            raise ValueError(f"type must match const 'conversation.updated', got '{type_}'")

        timestamp = datetime.datetime.fromisoformat(d.pop("timestamp"))

        data = UpdatedConversation.from_dict(d.pop("data"))

        conversation_updated_event = cls(
            type_=type_,
            timestamp=timestamp,
            data=data,
        )

        conversation_updated_event.additional_properties = d
        return conversation_updated_event

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
