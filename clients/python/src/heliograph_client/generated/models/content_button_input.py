from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

T = TypeVar("T", bound="ContentButtonInput")


@_attrs_define
class ContentButtonInput:
    """One quick-reply button.

    Attributes:
        id (str): Comes back when the button is pressed; one line, no blank at either end, unique within the message.
        title (str): The button's label: one line, not blank, unique within the message.
    """

    id: str
    title: str

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        title = self.title

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "id": id,
                "title": title,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        title = d.pop("title")

        content_button_input = cls(
            id=id,
            title=title,
        )

        return content_button_input
