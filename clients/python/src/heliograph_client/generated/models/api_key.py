from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="ApiKey")


@_attrs_define
class ApiKey:
    """An API key of the organization, without its secret.

    Attributes:
        id (UUID):
        key_id (str): The public part of the key, by which the audit log names it.
        name (str):
        display_prefix (str): The first characters of the key.
        created_at (datetime.datetime):
        updated_at (datetime.datetime):
        old_secrets_expire_at (list[datetime.datetime]): When each secret before the last rotation expires or has
            expired.
        scopes (list[str] | None | Unset): The scopes of the key; null means all.
        chat_account_ids (list[UUID] | None | Unset): The only devices it may use; null is all of them.
        expires_at (datetime.datetime | None | Unset):
        last_used_at (datetime.datetime | None | Unset):
        last_used_address (None | str | Unset): The address from which it was used last, as the gateway sees it.
        revoked_at (datetime.datetime | None | Unset):
    """

    id: UUID
    key_id: str
    name: str
    display_prefix: str
    created_at: datetime.datetime
    updated_at: datetime.datetime
    old_secrets_expire_at: list[datetime.datetime]
    scopes: list[str] | None | Unset = UNSET
    chat_account_ids: list[UUID] | None | Unset = UNSET
    expires_at: datetime.datetime | None | Unset = UNSET
    last_used_at: datetime.datetime | None | Unset = UNSET
    last_used_address: None | str | Unset = UNSET
    revoked_at: datetime.datetime | None | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = str(self.id)

        key_id = self.key_id

        name = self.name

        display_prefix = self.display_prefix

        created_at = self.created_at.isoformat()

        updated_at = self.updated_at.isoformat()

        old_secrets_expire_at = []
        for old_secrets_expire_at_item_data in self.old_secrets_expire_at:
            old_secrets_expire_at_item = old_secrets_expire_at_item_data.isoformat()
            old_secrets_expire_at.append(old_secrets_expire_at_item)

        scopes: list[str] | None | Unset
        if isinstance(self.scopes, Unset):
            scopes = UNSET
        elif isinstance(self.scopes, list):
            scopes = self.scopes

        else:
            scopes = self.scopes

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

        expires_at: None | str | Unset
        if isinstance(self.expires_at, Unset):
            expires_at = UNSET
        elif isinstance(self.expires_at, datetime.datetime):
            expires_at = self.expires_at.isoformat()
        else:
            expires_at = self.expires_at

        last_used_at: None | str | Unset
        if isinstance(self.last_used_at, Unset):
            last_used_at = UNSET
        elif isinstance(self.last_used_at, datetime.datetime):
            last_used_at = self.last_used_at.isoformat()
        else:
            last_used_at = self.last_used_at

        last_used_address: None | str | Unset
        if isinstance(self.last_used_address, Unset):
            last_used_address = UNSET
        else:
            last_used_address = self.last_used_address

        revoked_at: None | str | Unset
        if isinstance(self.revoked_at, Unset):
            revoked_at = UNSET
        elif isinstance(self.revoked_at, datetime.datetime):
            revoked_at = self.revoked_at.isoformat()
        else:
            revoked_at = self.revoked_at

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "key_id": key_id,
                "name": name,
                "display_prefix": display_prefix,
                "created_at": created_at,
                "updated_at": updated_at,
                "old_secrets_expire_at": old_secrets_expire_at,
            }
        )
        if scopes is not UNSET:
            field_dict["scopes"] = scopes
        if chat_account_ids is not UNSET:
            field_dict["chat_account_ids"] = chat_account_ids
        if expires_at is not UNSET:
            field_dict["expires_at"] = expires_at
        if last_used_at is not UNSET:
            field_dict["last_used_at"] = last_used_at
        if last_used_address is not UNSET:
            field_dict["last_used_address"] = last_used_address
        if revoked_at is not UNSET:
            field_dict["revoked_at"] = revoked_at

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = UUID(d.pop("id"))

        key_id = d.pop("key_id")

        name = d.pop("name")

        display_prefix = d.pop("display_prefix")

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        updated_at = datetime.datetime.fromisoformat(d.pop("updated_at"))

        old_secrets_expire_at = []
        _old_secrets_expire_at = d.pop("old_secrets_expire_at")
        for old_secrets_expire_at_item_data in _old_secrets_expire_at:
            old_secrets_expire_at_item = datetime.datetime.fromisoformat(
                old_secrets_expire_at_item_data
            )

            old_secrets_expire_at.append(old_secrets_expire_at_item)

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

        def _parse_last_used_at(data: object) -> datetime.datetime | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                last_used_at_type_0 = datetime.datetime.fromisoformat(data)

                return last_used_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None | Unset, data)

        last_used_at = _parse_last_used_at(d.pop("last_used_at", UNSET))

        def _parse_last_used_address(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        last_used_address = _parse_last_used_address(d.pop("last_used_address", UNSET))

        def _parse_revoked_at(data: object) -> datetime.datetime | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                revoked_at_type_0 = datetime.datetime.fromisoformat(data)

                return revoked_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None | Unset, data)

        revoked_at = _parse_revoked_at(d.pop("revoked_at", UNSET))

        api_key = cls(
            id=id,
            key_id=key_id,
            name=name,
            display_prefix=display_prefix,
            created_at=created_at,
            updated_at=updated_at,
            old_secrets_expire_at=old_secrets_expire_at,
            scopes=scopes,
            chat_account_ids=chat_account_ids,
            expires_at=expires_at,
            last_used_at=last_used_at,
            last_used_address=last_used_address,
            revoked_at=revoked_at,
        )

        api_key.additional_properties = d
        return api_key

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
