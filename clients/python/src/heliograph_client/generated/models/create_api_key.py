from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="CreateApiKey")


@_attrs_define
class CreateApiKey:
    """A new key. It can't do more than the key that makes it.

    Attributes:
        name (str): What it is for.
        scopes (list[str] | None | Unset): Null: everything.
        expires_at (datetime.datetime | None | Unset): Null: it never expires.
        chat_account_ids (list[UUID] | None | Unset): The only devices it may use. Null: all, including future ones.
    """

    name: str
    scopes: list[str] | None | Unset = UNSET
    expires_at: datetime.datetime | None | Unset = UNSET
    chat_account_ids: list[UUID] | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        scopes: list[str] | None | Unset
        if isinstance(self.scopes, Unset):
            scopes = UNSET
        elif isinstance(self.scopes, list):
            scopes = self.scopes

        else:
            scopes = self.scopes

        expires_at: None | str | Unset
        if isinstance(self.expires_at, Unset):
            expires_at = UNSET
        elif isinstance(self.expires_at, datetime.datetime):
            expires_at = self.expires_at.isoformat()
        else:
            expires_at = self.expires_at

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

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "name": name,
            }
        )
        if scopes is not UNSET:
            field_dict["scopes"] = scopes
        if expires_at is not UNSET:
            field_dict["expires_at"] = expires_at
        if chat_account_ids is not UNSET:
            field_dict["chat_account_ids"] = chat_account_ids

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        name = d.pop("name")

        def _parse_scopes(data: object) -> list[str] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                scopes_type_0 = cast(list[str], data)

                return scopes_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None | Unset, data)

        scopes = _parse_scopes(d.pop("scopes", UNSET))

        def _parse_expires_at(data: object) -> datetime.datetime | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                expires_at_type_0 = datetime.datetime.fromisoformat(data)

                return expires_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None | Unset, data)

        expires_at = _parse_expires_at(d.pop("expires_at", UNSET))

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

        create_api_key = cls(
            name=name,
            scopes=scopes,
            expires_at=expires_at,
            chat_account_ids=chat_account_ids,
        )

        return create_api_key
