from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="SubscriptionFilterRecord")


@_attrs_define
class SubscriptionFilterRecord:
    """A webhook's filter on the events of its types.

    Attributes:
        chat_account_ids (list[UUID] | None | Unset): Only events of these accounts; null for any.
        chat_type (None | str | Unset): Only messages of this kind of chat: `individual` or `group`; null for both.
    """

    chat_account_ids: list[UUID] | None | Unset = UNSET
    chat_type: None | str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        chat_account_ids: list[str] | None | Unset
        if isinstance(self.chat_account_ids, Unset):
            chat_account_ids = UNSET
        elif isinstance(self.chat_account_ids, list):
            chat_account_ids = []
            for chat_account_ids_type_0_item_data in self.chat_account_ids:
                chat_account_ids_type_0_item = str(chat_account_ids_type_0_item_data)
                chat_account_ids.append(chat_account_ids_type_0_item)

        else:
            chat_account_ids = self.chat_account_ids

        chat_type: None | str | Unset
        if isinstance(self.chat_type, Unset):
            chat_type = UNSET
        else:
            chat_type = self.chat_type

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if chat_account_ids is not UNSET:
            field_dict["chat_account_ids"] = chat_account_ids
        if chat_type is not UNSET:
            field_dict["chat_type"] = chat_type

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)

        def _parse_chat_account_ids(data: object) -> list[UUID] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                chat_account_ids_type_0 = []
                _chat_account_ids_type_0 = data
                for chat_account_ids_type_0_item_data in _chat_account_ids_type_0:
                    chat_account_ids_type_0_item = UUID(chat_account_ids_type_0_item_data)

                    chat_account_ids_type_0.append(chat_account_ids_type_0_item)

                return chat_account_ids_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[UUID] | None | Unset, data)

        chat_account_ids = _parse_chat_account_ids(d.pop("chat_account_ids", UNSET))

        def _parse_chat_type(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        chat_type = _parse_chat_type(d.pop("chat_type", UNSET))

        subscription_filter_record = cls(
            chat_account_ids=chat_account_ids,
            chat_type=chat_type,
        )

        subscription_filter_record.additional_properties = d
        return subscription_filter_record

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
