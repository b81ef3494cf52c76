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

from ..types import UNSET, Unset

T = TypeVar("T", bound="LinkButtonContent")


@_attrs_define
class LinkButtonContent:
    """A text with a button that opens a page.

    Attributes:
        type_ (Literal['link_button']):
        body (str):
        title (str): The button's label.
        url (str): The page's address.
        header (None | str | Unset):
        footer (None | str | Unset):
    """

    type_: Literal["link_button"]
    body: str
    title: str
    url: str
    header: None | str | Unset = UNSET
    footer: None | str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        type_ = self.type_

        body = self.body

        title = self.title

        url = self.url

        header: None | str | Unset
        if isinstance(self.header, Unset):
            header = UNSET
        else:
            header = self.header

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
                "title": title,
                "url": url,
            }
        )
        if header is not UNSET:
            field_dict["header"] = header
        if footer is not UNSET:
            field_dict["footer"] = footer

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        type_ = cast(Literal["link_button"], d.pop("type"))
        if type_ != "link_button":
            raise ValueError(f"type must match const 'link_button', got '{type_}'")

        body = d.pop("body")

        title = d.pop("title")

        url = d.pop("url")

        def _parse_header(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        header = _parse_header(d.pop("header", UNSET))

        def _parse_footer(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        footer = _parse_footer(d.pop("footer", UNSET))

        link_button_content = cls(
            type_=type_,
            body=body,
            title=title,
            url=url,
            header=header,
            footer=footer,
        )

        link_button_content.additional_properties = d
        return link_button_content

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
