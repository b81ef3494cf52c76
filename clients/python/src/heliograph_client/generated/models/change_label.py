from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="ChangeLabel")


@_attrs_define
class ChangeLabel:
    """The fields to change; those not given stay as they are.

    Attributes:
        name (str | Unset): The new name.
        color (str | Unset): The new color, as `#rrggbb`.
    """

    name: str | Unset = UNSET
    color: str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        color = self.color

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if name is not UNSET:
            field_dict["name"] = name
        if color is not UNSET:
            field_dict["color"] = color

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        name = d.pop("name", UNSET)

        color = d.pop("color", UNSET)

        change_label = cls(
            name=name,
            color=color,
        )

        return change_label
