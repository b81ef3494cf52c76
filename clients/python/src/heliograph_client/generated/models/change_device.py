from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.change_device_settings import ChangeDeviceSettings


T = TypeVar("T", bound="ChangeDevice")


@_attrs_define
class ChangeDevice:
    """The fields of a device to change; those left out stay.

    Attributes:
        name (str | Unset): The name that people see.
        is_primary (bool | Unset): True makes it the one used when a request names none.
        message_logging_enabled (bool | Unset): Whether the contents of its messages are kept.
        auto_warmer_enabled (bool | Unset): Whether its daily limit grows over its first days.
        send_rate (int | None | Unset): Maximum messages a minute; null is no limit.
        settings (ChangeDeviceSettings | Unset): Values of the network's form, by the field's name, all as strings.
            Secret values are encrypted, and never shown again.
    """

    name: str | Unset = UNSET
    is_primary: bool | Unset = UNSET
    message_logging_enabled: bool | Unset = UNSET
    auto_warmer_enabled: bool | Unset = UNSET
    send_rate: int | None | Unset = UNSET
    settings: ChangeDeviceSettings | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        is_primary = self.is_primary

        message_logging_enabled = self.message_logging_enabled

        auto_warmer_enabled = self.auto_warmer_enabled

        send_rate: int | None | Unset
        if isinstance(self.send_rate, Unset):
            send_rate = UNSET
        else:
            send_rate = self.send_rate

        settings: dict[str, Any] | Unset = UNSET
        if not isinstance(self.settings, Unset):
            settings = self.settings.to_dict()

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if name is not UNSET:
            field_dict["name"] = name
        if is_primary is not UNSET:
            field_dict["is_primary"] = is_primary
        if message_logging_enabled is not UNSET:
            field_dict["message_logging_enabled"] = message_logging_enabled
        if auto_warmer_enabled is not UNSET:
            field_dict["auto_warmer_enabled"] = auto_warmer_enabled
        if send_rate is not UNSET:
            field_dict["send_rate"] = send_rate
        if settings is not UNSET:
            field_dict["settings"] = settings

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.change_device_settings import ChangeDeviceSettings  # noqa: PLC0415

        d = dict(src_dict)
        name = d.pop("name", UNSET)

        is_primary = d.pop("is_primary", UNSET)

        message_logging_enabled = d.pop("message_logging_enabled", UNSET)

        auto_warmer_enabled = d.pop("auto_warmer_enabled", UNSET)

        def _parse_send_rate(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        send_rate = _parse_send_rate(d.pop("send_rate", UNSET))

        _settings = d.pop("settings", UNSET)
        settings: ChangeDeviceSettings | Unset
        if isinstance(_settings, Unset):
            settings = UNSET
        else:
            settings = ChangeDeviceSettings.from_dict(_settings)

        change_device = cls(
            name=name,
            is_primary=is_primary,
            message_logging_enabled=message_logging_enabled,
            auto_warmer_enabled=auto_warmer_enabled,
            send_rate=send_rate,
            settings=settings,
        )

        return change_device
