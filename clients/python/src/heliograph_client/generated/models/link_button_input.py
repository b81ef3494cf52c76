from __future__ import annotations

from collections.abc import Mapping
from typing import (
    Any,
    Literal,
    TypeVar,
    cast,
)

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="LinkButtonInput")


@_attrs_define
class LinkButtonInput:
    """A text with a button that opens a page.

    Attributes:
        body (str): The text.
        title (str): The button's label: one line, not blank.
        url (str): The page's address: `https`.
        type_ (Literal['link_button'] | Unset):  Default: 'link_button'.
        header (None | str | Unset): A line shown above the text.
        footer (None | str | Unset): A line shown below the text.
    """

    body: str
    title: str
    url: str
    type_: Literal["link_button"] | Unset = "link_button"
    header: None | str | Unset = UNSET
    footer: None | str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        body = self.body

        title = self.title

        url = self.url

        type_ = self.type_

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

        field_dict.update(
            {
                "body": body,
                "title": title,
                "url": url,
            }
        )
        if type_ is not UNSET:
            field_dict["type"] = type_
        if header is not UNSET:
            field_dict["header"] = header
        if footer is not UNSET:
            field_dict["footer"] = footer

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        body = d.pop("body")

        title = d.pop("title")

        url = d.pop("url")

        type_ = cast(Literal["link_button"] | Unset, d.pop("type", UNSET))
        if type_ != "link_button" and not isinstance(type_, Unset):
            raise ValueError(f"type must match const 'link_button', got '{type_}'")

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

        link_button_input = cls(
            body=body,
            title=title,
            url=url,
            type_=type_,
            header=header,
            footer=footer,
        )

        return link_button_input
