from __future__ import annotations

from collections.abc import Mapping
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    TypeVar,
    cast,
)

from attrs import define as _attrs_define

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.section_input import SectionInput


T = TypeVar("T", bound="ListInput")


@_attrs_define
class ListInput:
    """A text with a button that opens a list to choose one row from.

    Attributes:
        body (str): The text.
        button (str): The title of the button that opens the list.
        sections (list[SectionInput]): With at most 10 rows in all.
        type_ (Literal['list'] | Unset):  Default: 'list'.
        footer (None | str | Unset): A line shown below the text.
    """

    body: str
    button: str
    sections: list[SectionInput]
    type_: Literal["list"] | Unset = "list"
    footer: None | str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        body = self.body

        button = self.button

        sections = []
        for sections_item_data in self.sections:
            sections_item = sections_item_data.to_dict()
            sections.append(sections_item)

        type_ = self.type_

        footer: None | str | Unset
        if isinstance(self.footer, Unset):
            footer = UNSET
        else:
            footer = self.footer

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "body": body,
                "button": button,
                "sections": sections,
            }
        )
        if type_ is not UNSET:
            field_dict["type"] = type_
        if footer is not UNSET:
            field_dict["footer"] = footer

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.section_input import SectionInput  # noqa: PLC0415

        d = dict(src_dict)
        body = d.pop("body")

        button = d.pop("button")

        sections = []
        _sections = d.pop("sections")
        for sections_item_data in _sections:
            sections_item = SectionInput.from_dict(sections_item_data)

            sections.append(sections_item)

        type_ = cast(Literal["list"] | Unset, d.pop("type", UNSET))
        if type_ != "list" and not isinstance(type_, Unset):
            raise ValueError(f"type must match const 'list', got '{type_}'")

        def _parse_footer(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        footer = _parse_footer(d.pop("footer", UNSET))

        list_input = cls(
            body=body,
            button=button,
            sections=sections,
            type_=type_,
            footer=footer,
        )

        return list_input
