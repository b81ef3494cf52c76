from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="Pairing")


@_attrs_define
class Pairing:
    """What a person must do to pair a device: scan a QR code, or type a code on the phone.

    Attributes:
        chat_account_id (UUID):
        status (str): Whether a device can send. Known values: `pairing`, `connecting`, `connected`, `disconnected`,
            `logged_out`. More may be added.
        kind (None | str | Unset): What `payload` is, `qr` or `code`; null while there is nothing to show.
        payload (None | str | Unset): The text of the QR code, or the code to type.
        expires_at (datetime.datetime | None | Unset): When another one replaces it.
        reason (None | str | Unset): Why the device is in this state, for a person.
    """

    chat_account_id: UUID
    status: str
    kind: None | str | Unset = UNSET
    payload: None | str | Unset = UNSET
    expires_at: datetime.datetime | None | Unset = UNSET
    reason: None | str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        chat_account_id = str(self.chat_account_id)

        status = self.status

        kind: None | str | Unset
        if isinstance(self.kind, Unset):
            kind = UNSET
        else:
            kind = self.kind

        payload: None | str | Unset
        if isinstance(self.payload, Unset):
            payload = UNSET
        else:
            payload = self.payload

        expires_at: None | str | Unset
        if isinstance(self.expires_at, Unset):
            expires_at = UNSET
        elif isinstance(self.expires_at, datetime.datetime):
            expires_at = self.expires_at.isoformat()
        else:
            expires_at = self.expires_at

        reason: None | str | Unset
        if isinstance(self.reason, Unset):
            reason = UNSET
        else:
            reason = self.reason

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "chat_account_id": chat_account_id,
                "status": status,
            }
        )
        if kind is not UNSET:
            field_dict["kind"] = kind
        if payload is not UNSET:
            field_dict["payload"] = payload
        if expires_at is not UNSET:
            field_dict["expires_at"] = expires_at
        if reason is not UNSET:
            field_dict["reason"] = reason

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        chat_account_id = UUID(d.pop("chat_account_id"))

        status = d.pop("status")

        def _parse_kind(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        kind = _parse_kind(d.pop("kind", UNSET))

        def _parse_payload(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        payload = _parse_payload(d.pop("payload", UNSET))

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

        def _parse_reason(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        reason = _parse_reason(d.pop("reason", UNSET))

        pairing = cls(
            chat_account_id=chat_account_id,
            status=status,
            kind=kind,
            payload=payload,
            expires_at=expires_at,
            reason=reason,
        )

        pairing.additional_properties = d
        return pairing

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
