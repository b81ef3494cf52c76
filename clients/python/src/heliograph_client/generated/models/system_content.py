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

T = TypeVar("T", bound="SystemContent")


@_attrs_define
class SystemContent:
    """A message that the gateway can't read: it has to be opened on the phone.

    Attributes:
        type_ (Literal['system']):
        kind (str): The network's name for its kind.
        body (str): What the gateway knows of it, as a sentence.
    """

    type_: Literal["system"]
    kind: str
    body: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        type_ = self.type_

        kind = self.kind

        body = self.body

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "type": type_,
                "kind": kind,
                "body": body,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        type_ = cast(Literal["system"], d.pop("type"))
        if type_ != "system":
            raise ValueError(f"type must match const 'system', got '{type_}'")

        kind = d.pop("kind")

        body = d.pop("body")

        system_content = cls(
            type_=type_,
            kind=kind,
            body=body,
        )

        system_content.additional_properties = d
        return system_content

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
