from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define

from ..models.filtered_chat_type import FilteredChatType, check_filtered_chat_type
from ..types import UNSET, Unset

T = TypeVar("T", bound="SubscriptionFilter")


@_attrs_define
class SubscriptionFilter:
    """A filter on the events of the subscribed types.

    Attributes:
        chat_account_ids (list[UUID] | None | Unset): Only events of these accounts; null for any that the key may use.
        chat_type (FilteredChatType | None | Unset): Only messages of this kind of chat. Other events are not filtered.
    """

    chat_account_ids: list[UUID] | None | Unset = UNSET
    chat_type: FilteredChatType | None | Unset = UNSET

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
        elif isinstance(self.chat_type, str):
            chat_type = self.chat_type
        else:
            chat_type = self.chat_type

        field_dict: dict[str, Any] = {}

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

        def _parse_chat_type(data: object) -> FilteredChatType | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                chat_type_type_0 = check_filtered_chat_type(data)

                return chat_type_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(FilteredChatType | None | Unset, data)

        chat_type = _parse_chat_type(d.pop("chat_type", UNSET))

        subscription_filter = cls(
            chat_account_ids=chat_account_ids,
            chat_type=chat_type,
        )

        return subscription_filter
