from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.create_device_settings import CreateDeviceSettings


T = TypeVar("T", bound="CreateDevice")


@_attrs_define
class CreateDevice:
    """A device to connect.

    Attributes:
        network (str): The network's name.
        name (str): The name that people see.
        session_name (None | str | Unset): Its name in requests, unique in the organization; default: made from `name`.
        settings (CreateDeviceSettings | Unset): Values of the network's form, by the field's name, all as strings.
            Secret values are encrypted, and never shown again.
    """

    network: str
    name: str
    session_name: None | str | Unset = UNSET
    settings: CreateDeviceSettings | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        network = self.network

        name = self.name

        session_name: None | str | Unset
        if isinstance(self.session_name, Unset):
            session_name = UNSET
        else:
            session_name = self.session_name

        settings: dict[str, Any] | Unset = UNSET
        if not isinstance(self.settings, Unset):
            settings = self.settings.to_dict()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "network": network,
                "name": name,
            }
        )
        if session_name is not UNSET:
            field_dict["session_name"] = session_name
        if settings is not UNSET:
            field_dict["settings"] = settings

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.create_device_settings import CreateDeviceSettings  # noqa: PLC0415

        d = dict(src_dict)
        network = d.pop("network")

        name = d.pop("name")

        def _parse_session_name(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        session_name = _parse_session_name(d.pop("session_name", UNSET))

        _settings = d.pop("settings", UNSET)
        settings: CreateDeviceSettings | Unset
        if isinstance(_settings, Unset):
            settings = UNSET
        else:
            settings = CreateDeviceSettings.from_dict(_settings)

        create_device = cls(
            network=network,
            name=name,
            session_name=session_name,
            settings=settings,
        )

        return create_device
