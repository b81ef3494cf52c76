from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.message_delivery_attempt import MessageDeliveryAttempt


T = TypeVar("T", bound="MessageDelivery")


@_attrs_define
class MessageDelivery:
    """The delivery of one event of the message to one webhook, with each attempt.

    Attributes:
        id (UUID):
        event_id (UUID):
        event_type (str): The type of an event. Known values: `message.received`, `message.sent`, `message.delivered`,
            `message.read`, `message.failed`, `message.canceled`, `message.edited`, `message.deleted`, `message.reaction`,
            `conversation.updated`, `contact.updated`, `contacts.synced`, `device.pairing`, `device.connected`,
            `device.disconnected`, `device.logged_out`, `device.restricted`, `device.unrestricted`, `webhook.ping`. More may
            be added.
        webhook_id (UUID):
        webhook_url (str):
        status (str): The status of a delivery; `failed` is final. Known values: `pending`, `delivering`, `delivered`,
            `failed`, `canceled`. More may be added.
        created_at (datetime.datetime):
        attempts (list[MessageDeliveryAttempt]):
        delivered_at (datetime.datetime | None | Unset):
        next_attempt_at (datetime.datetime | None | Unset):
    """

    id: UUID
    event_id: UUID
    event_type: str
    webhook_id: UUID
    webhook_url: str
    status: str
    created_at: datetime.datetime
    attempts: list[MessageDeliveryAttempt]
    delivered_at: datetime.datetime | None | Unset = UNSET
    next_attempt_at: datetime.datetime | None | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = str(self.id)

        event_id = str(self.event_id)

        event_type = self.event_type

        webhook_id = str(self.webhook_id)

        webhook_url = self.webhook_url

        status = self.status

        created_at = self.created_at.isoformat()

        attempts = []
        for attempts_item_data in self.attempts:
            attempts_item = attempts_item_data.to_dict()
            attempts.append(attempts_item)

        delivered_at: None | str | Unset
        if isinstance(self.delivered_at, Unset):
            delivered_at = UNSET
        elif isinstance(self.delivered_at, datetime.datetime):
            delivered_at = self.delivered_at.isoformat()
        else:
            delivered_at = self.delivered_at

        next_attempt_at: None | str | Unset
        if isinstance(self.next_attempt_at, Unset):
            next_attempt_at = UNSET
        elif isinstance(self.next_attempt_at, datetime.datetime):
            next_attempt_at = self.next_attempt_at.isoformat()
        else:
            next_attempt_at = self.next_attempt_at

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "event_id": event_id,
                "event_type": event_type,
                "webhook_id": webhook_id,
                "webhook_url": webhook_url,
                "status": status,
                "created_at": created_at,
                "attempts": attempts,
            }
        )
        if delivered_at is not UNSET:
            field_dict["delivered_at"] = delivered_at
        if next_attempt_at is not UNSET:
            field_dict["next_attempt_at"] = next_attempt_at

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.message_delivery_attempt import MessageDeliveryAttempt  # noqa: PLC0415

        d = dict(src_dict)
        id = UUID(d.pop("id"))

        event_id = UUID(d.pop("event_id"))

        event_type = d.pop("event_type")

        webhook_id = UUID(d.pop("webhook_id"))

        webhook_url = d.pop("webhook_url")

        status = d.pop("status")

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        attempts = []
        _attempts = d.pop("attempts")
        for attempts_item_data in _attempts:
            attempts_item = MessageDeliveryAttempt.from_dict(attempts_item_data)

            attempts.append(attempts_item)

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

        def _parse_next_attempt_at(data: object) -> datetime.datetime | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                next_attempt_at_type_0 = datetime.datetime.fromisoformat(data)

                return next_attempt_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None | Unset, data)

        next_attempt_at = _parse_next_attempt_at(d.pop("next_attempt_at", UNSET))

        message_delivery = cls(
            id=id,
            event_id=event_id,
            event_type=event_type,
            webhook_id=webhook_id,
            webhook_url=webhook_url,
            status=status,
            created_at=created_at,
            attempts=attempts,
            delivered_at=delivered_at,
            next_attempt_at=next_attempt_at,
        )

        message_delivery.additional_properties = d
        return message_delivery

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
