from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

T = TypeVar("T", bound="ReactionInput")


@_attrs_define
class ReactionInput:
    """A reaction to a message.

    Attributes:
        emoji (str): One emoji, such as 👍. It replaces an earlier one.
    """

    emoji: str

    def to_dict(self) -> dict[str, Any]:
        emoji = self.emoji

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "emoji": emoji,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        emoji = d.pop("emoji")

        reaction_input = cls(
            emoji=emoji,
        )

        return reaction_input
