from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="ShowTyping")


@_attrs_define
class ShowTyping:
    """Whether to show that somebody is typing.

    Attributes:
        is_typing (bool | Unset): False withdraws the indicator. Default: `true`.
    """

    is_typing: bool | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        is_typing = self.is_typing

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if is_typing is not UNSET:
            field_dict["is_typing"] = is_typing

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        is_typing = d.pop("is_typing", UNSET)

        show_typing = cls(
            is_typing=is_typing,
        )

        return show_typing
