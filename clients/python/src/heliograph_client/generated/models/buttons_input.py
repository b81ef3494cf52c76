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
    from ..models.content_button_input import ContentButtonInput


T = TypeVar("T", bound="ButtonsInput")


@_attrs_define
class ButtonsInput:
    """A text with one to three quick-reply buttons.

    Attributes:
        body (str): The text.
        buttons (list[ContentButtonInput]): Their ids and their titles must be unique within the message.
        type_ (Literal['buttons'] | Unset):  Default: 'buttons'.
        header (None | str | Unset): A line shown above the text.
        footer (None | str | Unset): A line shown below the buttons.
    """

    body: str
    buttons: list[ContentButtonInput]
    type_: Literal["buttons"] | Unset = "buttons"
    header: None | str | Unset = UNSET
    footer: None | str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        body = self.body

        buttons = []
        for buttons_item_data in self.buttons:
            buttons_item = buttons_item_data.to_dict()
            buttons.append(buttons_item)

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
                "buttons": buttons,
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
        from ..models.content_button_input import ContentButtonInput  # noqa: PLC0415

        d = dict(src_dict)
        body = d.pop("body")

        buttons = []
        _buttons = d.pop("buttons")
        for buttons_item_data in _buttons:
            buttons_item = ContentButtonInput.from_dict(buttons_item_data)

            buttons.append(buttons_item)

        type_ = cast(Literal["buttons"] | Unset, d.pop("type", UNSET))
        if type_ != "buttons" and not isinstance(type_, Unset):
            raise ValueError(f"type must match const 'buttons', got '{type_}'")

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

        buttons_input = cls(
            body=body,
            buttons=buttons,
            type_=type_,
            header=header,
            footer=footer,
        )

        return buttons_input
