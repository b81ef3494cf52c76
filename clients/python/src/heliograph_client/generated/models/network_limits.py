from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="NetworkLimits")


@_attrs_define
class NetworkLimits:
    """The limits of a network.

    Attributes:
        max_participants (int): The largest number of participants of a new group.
        max_file_bytes (int): The largest file; the plan may allow less.
        edit_seconds (int | None | Unset): How long after sending a message can be edited; null is no limit.
        delete_seconds (int | None | Unset): How long after sending a message can be deleted; null is no limit.
        send_rate (int | None | Unset): Messages a minute of a new device; null is no limit.
    """

    max_participants: int
    max_file_bytes: int
    edit_seconds: int | None | Unset = UNSET
    delete_seconds: int | None | Unset = UNSET
    send_rate: int | None | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        max_participants = self.max_participants

        max_file_bytes = self.max_file_bytes

        edit_seconds: int | None | Unset
        if isinstance(self.edit_seconds, Unset):
            edit_seconds = UNSET
        else:
            edit_seconds = self.edit_seconds

        delete_seconds: int | None | Unset
        if isinstance(self.delete_seconds, Unset):
            delete_seconds = UNSET
        else:
            delete_seconds = self.delete_seconds

        send_rate: int | None | Unset
        if isinstance(self.send_rate, Unset):
            send_rate = UNSET
        else:
            send_rate = self.send_rate

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "max_participants": max_participants,
                "max_file_bytes": max_file_bytes,
            }
        )
        if edit_seconds is not UNSET:
            field_dict["edit_seconds"] = edit_seconds
        if delete_seconds is not UNSET:
            field_dict["delete_seconds"] = delete_seconds
        if send_rate is not UNSET:
            field_dict["send_rate"] = send_rate

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        max_participants = d.pop("max_participants")

        max_file_bytes = d.pop("max_file_bytes")

        def _parse_edit_seconds(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        edit_seconds = _parse_edit_seconds(d.pop("edit_seconds", UNSET))

        def _parse_delete_seconds(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        delete_seconds = _parse_delete_seconds(d.pop("delete_seconds", UNSET))

        def _parse_send_rate(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        send_rate = _parse_send_rate(d.pop("send_rate", UNSET))

        network_limits = cls(
            max_participants=max_participants,
            max_file_bytes=max_file_bytes,
            edit_seconds=edit_seconds,
            delete_seconds=delete_seconds,
            send_rate=send_rate,
        )

        network_limits.additional_properties = d
        return network_limits

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
