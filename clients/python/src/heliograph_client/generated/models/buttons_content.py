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
    from ..models.choice import Choice


T = TypeVar("T", bound="ButtonsContent")


@_attrs_define
class ButtonsContent:
    """A text with quick-reply buttons.

    Attributes:
        type_ (Literal['buttons']):
        body (str):
        buttons (list[Choice]):
        header (None | str | Unset):
        footer (None | str | Unset):
    """

    type_: Literal["buttons"]
    body: str
    buttons: list[Choice]
    header: None | str | Unset = UNSET
    footer: None | str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        type_ = self.type_

        body = self.body

        buttons = []
        for buttons_item_data in self.buttons:
            buttons_item = buttons_item_data.to_dict()
            buttons.append(buttons_item)

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
                "buttons": buttons,
            }
        )
        if header is not UNSET:
            field_dict["header"] = header
        if footer is not UNSET:
            field_dict["footer"] = footer

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.choice import Choice  # noqa: PLC0415

        d = dict(src_dict)
        type_ = cast(Literal["buttons"], d.pop("type"))
        if type_ != "buttons":
            raise ValueError(f"type must match const 'buttons', got '{type_}'")

        body = d.pop("body")

        buttons = []
        _buttons = d.pop("buttons")
        for buttons_item_data in _buttons:
            buttons_item = Choice.from_dict(buttons_item_data)

            buttons.append(buttons_item)

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

        buttons_content = cls(
            type_=type_,
            body=body,
            buttons=buttons,
            header=header,
            footer=footer,
        )

        buttons_content.additional_properties = d
        return buttons_content

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
