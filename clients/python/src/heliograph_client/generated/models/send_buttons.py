from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.button_input import ButtonInput


T = TypeVar("T", bound="SendButtons")


@_attrs_define
class SendButtons:
    """A text with one to three quick-reply buttons.

    Attributes:
        phone_number (str): The recipient: a phone number with its country code, as people write it (5 to 15 digits, `+`
            or `00` optional; spaces, dots, dashes, slashes and brackets are dropped), or a JID.
        body (str): The text.
        buttons (list[ButtonInput]): Their ids and their titles must be unique within the message.
        footer (None | str | Unset): A line shown below the buttons.
        chat_account_id (None | Unset | UUID): The account that sends; default: the organization's primary account.
    """

    phone_number: str
    body: str
    buttons: list[ButtonInput]
    footer: None | str | Unset = UNSET
    chat_account_id: None | Unset | str | UUID = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        phone_number = self.phone_number

        body = self.body

        buttons = []
        for buttons_item_data in self.buttons:
            buttons_item = buttons_item_data.to_dict()
            buttons.append(buttons_item)

        footer: None | str | Unset
        if isinstance(self.footer, Unset):
            footer = UNSET
        else:
            footer = self.footer

        chat_account_id: None | str | Unset
        if isinstance(self.chat_account_id, Unset):
            chat_account_id = UNSET
        elif isinstance(self.chat_account_id, UUID):
            chat_account_id = str(self.chat_account_id)
        else:
            chat_account_id = self.chat_account_id

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "phone_number": phone_number,
                "body": body,
                "buttons": buttons,
            }
        )
        if footer is not UNSET:
            field_dict["footer"] = footer
        if chat_account_id is not UNSET:
            field_dict["chat_account_id"] = chat_account_id

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.button_input import ButtonInput  # noqa: PLC0415

        d = dict(src_dict)
        phone_number = d.pop("phone_number")

        body = d.pop("body")

        buttons = []
        _buttons = d.pop("buttons")
        for buttons_item_data in _buttons:
            buttons_item = ButtonInput.from_dict(buttons_item_data)

            buttons.append(buttons_item)

        def _parse_footer(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        footer = _parse_footer(d.pop("footer", UNSET))

        def _parse_chat_account_id(data: object) -> None | Unset | UUID:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                chat_account_id_type_0 = UUID(data)

                return chat_account_id_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Unset | UUID, data)

        chat_account_id = _parse_chat_account_id(d.pop("chat_account_id", UNSET))

        send_buttons = cls(
            phone_number=phone_number,
            body=body,
            buttons=buttons,
            footer=footer,
            chat_account_id=chat_account_id,
        )

        send_buttons.additional_properties = d
        return send_buttons

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
