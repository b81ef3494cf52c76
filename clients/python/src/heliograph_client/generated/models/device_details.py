from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.device_details_settings import DeviceDetailsSettings
    from ..models.device_restriction import DeviceRestriction


T = TypeVar("T", bound="DeviceDetails")


@_attrs_define
class DeviceDetails:
    """A device with its queue, its send rate and those of its settings that are not secret.

    Attributes:
        id (UUID):
        name (str):
        session_name (str):
        status (str): Whether a device can send. Known values: `pairing`, `connecting`, `connected`, `disconnected`,
            `logged_out`. More may be added.
        is_primary (bool):
        message_logging_enabled (bool):
        auto_warmer_enabled (bool):
        total_messages_sent (int):
        total_messages_received (int):
        contacts_synced_count (int):
        created_at (datetime.datetime):
        updated_at (datetime.datetime):
        network (str): The name of the chat network, as in the list of networks.
        queued_messages (int): Number of waiting messages, including held ones; 10000 means at least that many.
        held_messages (int): Number of messages that the restriction holds back; they go out when it ends.
        settings (DeviceDetailsSettings): Values of the network's form, by the field's name, without those that are
            secret.
        phone_number (None | str | Unset):
        last_connected_at (datetime.datetime | None | Unset):
        last_health_check_at (datetime.datetime | None | Unset):
        last_contact_sync_at (datetime.datetime | None | Unset):
        last_contact_sync_status (None | str | Unset):
        restriction (DeviceRestriction | None | Unset):
        disconnected_since (datetime.datetime | None | Unset): Since when the device has had no connection; null while
            it is connected.
        send_rate (int | None | Unset): Maximum messages a minute; null is no limit.
    """

    id: UUID
    name: str
    session_name: str
    status: str
    is_primary: bool
    message_logging_enabled: bool
    auto_warmer_enabled: bool
    total_messages_sent: int
    total_messages_received: int
    contacts_synced_count: int
    created_at: datetime.datetime
    updated_at: datetime.datetime
    network: str
    queued_messages: int
    held_messages: int
    settings: DeviceDetailsSettings
    phone_number: None | str | Unset = UNSET
    last_connected_at: datetime.datetime | None | Unset = UNSET
    last_health_check_at: datetime.datetime | None | Unset = UNSET
    last_contact_sync_at: datetime.datetime | None | Unset = UNSET
    last_contact_sync_status: None | str | Unset = UNSET
    restriction: DeviceRestriction | None | Unset = UNSET
    disconnected_since: datetime.datetime | None | Unset = UNSET
    send_rate: int | None | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.device_restriction import DeviceRestriction  # noqa: PLC0415

        id = str(self.id)

        name = self.name

        session_name = self.session_name

        status = self.status

        is_primary = self.is_primary

        message_logging_enabled = self.message_logging_enabled

        auto_warmer_enabled = self.auto_warmer_enabled

        total_messages_sent = self.total_messages_sent

        total_messages_received = self.total_messages_received

        contacts_synced_count = self.contacts_synced_count

        created_at = self.created_at.isoformat()

        updated_at = self.updated_at.isoformat()

        network = self.network

        queued_messages = self.queued_messages

        held_messages = self.held_messages

        settings = self.settings.to_dict()

        phone_number: None | str | Unset
        if isinstance(self.phone_number, Unset):
            phone_number = UNSET
        else:
            phone_number = self.phone_number

        last_connected_at: None | str | Unset
        if isinstance(self.last_connected_at, Unset):
            last_connected_at = UNSET
        elif isinstance(self.last_connected_at, datetime.datetime):
            last_connected_at = self.last_connected_at.isoformat()
        else:
            last_connected_at = self.last_connected_at

        last_health_check_at: None | str | Unset
        if isinstance(self.last_health_check_at, Unset):
            last_health_check_at = UNSET
        elif isinstance(self.last_health_check_at, datetime.datetime):
            last_health_check_at = self.last_health_check_at.isoformat()
        else:
            last_health_check_at = self.last_health_check_at

        last_contact_sync_at: None | str | Unset
        if isinstance(self.last_contact_sync_at, Unset):
            last_contact_sync_at = UNSET
        elif isinstance(self.last_contact_sync_at, datetime.datetime):
            last_contact_sync_at = self.last_contact_sync_at.isoformat()
        else:
            last_contact_sync_at = self.last_contact_sync_at

        last_contact_sync_status: None | str | Unset
        if isinstance(self.last_contact_sync_status, Unset):
            last_contact_sync_status = UNSET
        else:
            last_contact_sync_status = self.last_contact_sync_status

        restriction: dict[str, Any] | None | Unset
        if isinstance(self.restriction, Unset):
            restriction = UNSET
        elif isinstance(self.restriction, DeviceRestriction):
            restriction = self.restriction.to_dict()
        else:
            restriction = self.restriction

        disconnected_since: None | str | Unset
        if isinstance(self.disconnected_since, Unset):
            disconnected_since = UNSET
        elif isinstance(self.disconnected_since, datetime.datetime):
            disconnected_since = self.disconnected_since.isoformat()
        else:
            disconnected_since = self.disconnected_since

        send_rate: int | None | Unset
        if isinstance(self.send_rate, Unset):
            send_rate = UNSET
        else:
            send_rate = self.send_rate

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "name": name,
                "session_name": session_name,
                "status": status,
                "is_primary": is_primary,
                "message_logging_enabled": message_logging_enabled,
                "auto_warmer_enabled": auto_warmer_enabled,
                "total_messages_sent": total_messages_sent,
                "total_messages_received": total_messages_received,
                "contacts_synced_count": contacts_synced_count,
                "created_at": created_at,
                "updated_at": updated_at,
                "network": network,
                "queued_messages": queued_messages,
                "held_messages": held_messages,
                "settings": settings,
            }
        )
        if phone_number is not UNSET:
            field_dict["phone_number"] = phone_number
        if last_connected_at is not UNSET:
            field_dict["last_connected_at"] = last_connected_at
        if last_health_check_at is not UNSET:
            field_dict["last_health_check_at"] = last_health_check_at
        if last_contact_sync_at is not UNSET:
            field_dict["last_contact_sync_at"] = last_contact_sync_at
        if last_contact_sync_status is not UNSET:
            field_dict["last_contact_sync_status"] = last_contact_sync_status
        if restriction is not UNSET:
            field_dict["restriction"] = restriction
        if disconnected_since is not UNSET:
            field_dict["disconnected_since"] = disconnected_since
        if send_rate is not UNSET:
            field_dict["send_rate"] = send_rate

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.device_details_settings import DeviceDetailsSettings  # noqa: PLC0415
        from ..models.device_restriction import DeviceRestriction  # noqa: PLC0415

        d = dict(src_dict)
        id = UUID(d.pop("id"))

        name = d.pop("name")

        session_name = d.pop("session_name")

        status = d.pop("status")

        is_primary = d.pop("is_primary")

        message_logging_enabled = d.pop("message_logging_enabled")

        auto_warmer_enabled = d.pop("auto_warmer_enabled")

        total_messages_sent = d.pop("total_messages_sent")

        total_messages_received = d.pop("total_messages_received")

        contacts_synced_count = d.pop("contacts_synced_count")

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        updated_at = datetime.datetime.fromisoformat(d.pop("updated_at"))

        network = d.pop("network")

        queued_messages = d.pop("queued_messages")

        held_messages = d.pop("held_messages")

        settings = DeviceDetailsSettings.from_dict(d.pop("settings"))

        def _parse_phone_number(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        phone_number = _parse_phone_number(d.pop("phone_number", UNSET))

        def _parse_last_connected_at(data: object) -> datetime.datetime | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                last_connected_at_type_0 = datetime.datetime.fromisoformat(data)

                return last_connected_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None | Unset, data)

        last_connected_at = _parse_last_connected_at(d.pop("last_connected_at", UNSET))

        def _parse_last_health_check_at(data: object) -> datetime.datetime | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                last_health_check_at_type_0 = datetime.datetime.fromisoformat(data)

                return last_health_check_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None | Unset, data)

        last_health_check_at = _parse_last_health_check_at(d.pop("last_health_check_at", UNSET))

        def _parse_last_contact_sync_at(data: object) -> datetime.datetime | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                last_contact_sync_at_type_0 = datetime.datetime.fromisoformat(data)

                return last_contact_sync_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None | Unset, data)

        last_contact_sync_at = _parse_last_contact_sync_at(d.pop("last_contact_sync_at", UNSET))

        def _parse_last_contact_sync_status(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        last_contact_sync_status = _parse_last_contact_sync_status(
            d.pop("last_contact_sync_status", UNSET)
        )

        def _parse_restriction(data: object) -> DeviceRestriction | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                restriction_type_0 = DeviceRestriction.from_dict(data)

                return restriction_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(DeviceRestriction | None | Unset, data)

        restriction = _parse_restriction(d.pop("restriction", UNSET))

        def _parse_disconnected_since(data: object) -> datetime.datetime | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                disconnected_since_type_0 = datetime.datetime.fromisoformat(data)

                return disconnected_since_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None | Unset, data)

        disconnected_since = _parse_disconnected_since(d.pop("disconnected_since", UNSET))

        def _parse_send_rate(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        send_rate = _parse_send_rate(d.pop("send_rate", UNSET))

        device_details = cls(
            id=id,
            name=name,
            session_name=session_name,
            status=status,
            is_primary=is_primary,
            message_logging_enabled=message_logging_enabled,
            auto_warmer_enabled=auto_warmer_enabled,
            total_messages_sent=total_messages_sent,
            total_messages_received=total_messages_received,
            contacts_synced_count=contacts_synced_count,
            created_at=created_at,
            updated_at=updated_at,
            network=network,
            queued_messages=queued_messages,
            held_messages=held_messages,
            settings=settings,
            phone_number=phone_number,
            last_connected_at=last_connected_at,
            last_health_check_at=last_health_check_at,
            last_contact_sync_at=last_contact_sync_at,
            last_contact_sync_status=last_contact_sync_status,
            restriction=restriction,
            disconnected_since=disconnected_since,
            send_rate=send_rate,
        )

        device_details.additional_properties = d
        return device_details

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
