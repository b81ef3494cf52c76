from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="WebhookEvent")


@_attrs_define
class WebhookEvent:
    """One delivery of one event to one webhook.

    Attributes:
        id (UUID):
        webhook_id (UUID):
        webhook_url (str):
        event_type (str): The type of an event. Known values: `message.received`, `message.sent`, `message.delivered`,
            `message.read`, `message.failed`, `message.canceled`, `message.edited`, `message.deleted`, `message.reaction`,
            `conversation.updated`, `contact.updated`, `contacts.synced`, `device.pairing`, `device.connected`,
            `device.disconnected`, `device.logged_out`, `device.restricted`, `device.unrestricted`, `webhook.ping`. More may
            be added.
        status (str): The status of a delivery; `failed` is final. Known values: `pending`, `delivering`, `delivered`,
            `failed`, `canceled`. More may be added.
        retry_count (int):
        created_at (datetime.datetime):
        response_code (int | None | Unset):
        error_message (None | str | Unset):
        delivered_at (datetime.datetime | None | Unset):
    """

    id: UUID
    webhook_id: UUID
    webhook_url: str
    event_type: str
    status: str
    retry_count: int
    created_at: datetime.datetime
    response_code: int | None | Unset = UNSET
    error_message: None | str | Unset = UNSET
    delivered_at: datetime.datetime | None | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = str(self.id)

        webhook_id = str(self.webhook_id)

        webhook_url = self.webhook_url

        event_type = self.event_type

        status = self.status

        retry_count = self.retry_count

        created_at = self.created_at.isoformat()

        response_code: int | None | Unset
        if isinstance(self.response_code, Unset):
            response_code = UNSET
        else:
            response_code = self.response_code

        error_message: None | str | Unset
        if isinstance(self.error_message, Unset):
            error_message = UNSET
        else:
            error_message = self.error_message

        delivered_at: None | str | Unset
        if isinstance(self.delivered_at, Unset):
            delivered_at = UNSET
        elif isinstance(self.delivered_at, datetime.datetime):
            delivered_at = self.delivered_at.isoformat()
        else:
            delivered_at = self.delivered_at

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "webhook_id": webhook_id,
                "webhook_url": webhook_url,
                "event_type": event_type,
                "status": status,
                "retry_count": retry_count,
                "created_at": created_at,
            }
        )
        if response_code is not UNSET:
            field_dict["response_code"] = response_code
        if error_message is not UNSET:
            field_dict["error_message"] = error_message
        if delivered_at is not UNSET:
            field_dict["delivered_at"] = delivered_at

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = UUID(d.pop("id"))

        webhook_id = UUID(d.pop("webhook_id"))

        webhook_url = d.pop("webhook_url")

        event_type = d.pop("event_type")

        status = d.pop("status")

        retry_count = d.pop("retry_count")

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        def _parse_response_code(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        response_code = _parse_response_code(d.pop("response_code", UNSET))

        def _parse_error_message(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        error_message = _parse_error_message(d.pop("error_message", UNSET))

        def _parse_delivered_at(data: object) -> datetime.datetime | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                delivered_at_type_0 = datetime.datetime.fromisoformat(data)

                return delivered_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None | Unset, data)

        delivered_at = _parse_delivered_at(d.pop("delivered_at", UNSET))

        webhook_event = cls(
            id=id,
            webhook_id=webhook_id,
            webhook_url=webhook_url,
            event_type=event_type,
            status=status,
            retry_count=retry_count,
            created_at=created_at,
            response_code=response_code,
            error_message=error_message,
            delivered_at=delivered_at,
        )

        webhook_event.additional_properties = d
        return webhook_event

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
