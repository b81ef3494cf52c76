from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="CheckNumbers")


@_attrs_define
class CheckNumbers:
    """Phone numbers to look for on a chat network.

    Attributes:
        phone_numbers (list[str]): Each as people write it, with its country code.
        chat_account_id (None | Unset | UUID): The account that asks; default: the organization's primary account.
    """

    phone_numbers: list[str]
    chat_account_id: None | Unset | str | UUID = UNSET

    def to_dict(self) -> dict[str, Any]:
        phone_numbers = self.phone_numbers

        chat_account_id: None | str | Unset
        if isinstance(self.chat_account_id, Unset):
            chat_account_id = UNSET
        elif isinstance(self.chat_account_id, UUID):
            chat_account_id = str(self.chat_account_id)
        else:
            chat_account_id = self.chat_account_id

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "phone_numbers": phone_numbers,
            }
        )
        if chat_account_id is not UNSET:
            field_dict["chat_account_id"] = chat_account_id

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        phone_numbers = cast(list[str], d.pop("phone_numbers"))

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

        check_numbers = cls(
            phone_numbers=phone_numbers,
            chat_account_id=chat_account_id,
        )

        return check_numbers
