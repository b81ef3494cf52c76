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
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.list_section import ListSection


T = TypeVar("T", bound="ListContent")


@_attrs_define
class ListContent:
    """A text with a button that opens a list to choose one row from.

    Attributes:
        type_ (Literal['list']):
        body (str):
        button (str): The title of the button that opens the list.
        sections (list[ListSection]):
        footer (None | str | Unset):
    """

    type_: Literal["list"]
    body: str
    button: str
    sections: list[ListSection]
    footer: None | str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        type_ = self.type_

        body = self.body

        button = self.button

        sections = []
        for sections_item_data in self.sections:
            sections_item = sections_item_data.to_dict()
            sections.append(sections_item)

        footer: None | str | Unset
        if isinstance(self.footer, Unset):
            footer = UNSET
        else:
            footer = self.footer

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "type": type_,
                "body": body,
                "button": button,
                "sections": sections,
            }
        )
        if footer is not UNSET:
            field_dict["footer"] = footer

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.list_section import ListSection  # noqa: PLC0415

        d = dict(src_dict)
        type_ = cast(Literal["list"], d.pop("type"))
        if type_ != "list":
            raise ValueError(f"type must match const 'list', got '{type_}'")

        body = d.pop("body")

        button = d.pop("button")

        sections = []
        _sections = d.pop("sections")
        for sections_item_data in _sections:
            sections_item = ListSection.from_dict(sections_item_data)

            sections.append(sections_item)

        def _parse_footer(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        footer = _parse_footer(d.pop("footer", UNSET))

        list_content = cls(
            type_=type_,
            body=body,
            button=button,
            sections=sections,
            footer=footer,
        )

        list_content.additional_properties = d
        return list_content

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
