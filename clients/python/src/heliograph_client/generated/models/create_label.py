from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="CreateLabel")


@_attrs_define
class CreateLabel:
    """A label for conversations and contacts.

    Attributes:
        name (str): A name that no other label has, regardless of case and accents.
        color (str | Unset): Its color, as `#rrggbb`. Default: `"#6b7280"`.
    """

    name: str
    color: str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        color = self.color

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "name": name,
            }
        )
        if color is not UNSET:
            field_dict["color"] = color

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        name = d.pop("name")

        color = d.pop("color", UNSET)

        create_label = cls(
            name=name,
            color=color,
        )

        return create_label
