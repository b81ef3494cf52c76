from __future__ import annotations

from collections.abc import Mapping
from typing import (
    Any,
    Literal,
    TypeVar,
    cast,
)

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="ButtonReplyContent")


@_attrs_define
class ButtonReplyContent:
    """A button that was pressed.

    Attributes:
        type_ (Literal['button_reply']):
        id (str):
        title (str):
    """

    type_: Literal["button_reply"]
    id: str
    title: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        type_ = self.type_

        id = self.id

        title = self.title

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "type": type_,
                "id": id,
                "title": title,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        type_ = cast(Literal["button_reply"], d.pop("type"))
        if type_ != "button_reply":
            raise ValueError(f"type must match const 'button_reply', got '{type_}'")

        id = d.pop("id")

        title = d.pop("title")

        button_reply_content = cls(
            type_=type_,
            id=id,
            title=title,
        )

        button_reply_content.additional_properties = d
        return button_reply_content

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
