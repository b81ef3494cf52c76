from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.contact_updated_event import ContactUpdatedEvent
    from ..models.contacts_synced_event import ContactsSyncedEvent
    from ..models.conversation_updated_event import ConversationUpdatedEvent
    from ..models.delivery_attempt import DeliveryAttempt
    from ..models.device_connected_event import DeviceConnectedEvent
    from ..models.device_disconnected_event import DeviceDisconnectedEvent
    from ..models.device_logged_out_event import DeviceLoggedOutEvent
    from ..models.device_pairing_event import DevicePairingEvent
    from ..models.device_restricted_event import DeviceRestrictedEvent
    from ..models.device_unrestricted_event import DeviceUnrestrictedEvent
    from ..models.message_canceled_event import MessageCanceledEvent
    from ..models.message_deleted_event import MessageDeletedEvent
    from ..models.message_delivered_event import MessageDeliveredEvent
    from ..models.message_edited_event import MessageEditedEvent
    from ..models.message_failed_event import MessageFailedEvent
    from ..models.message_reaction_event import MessageReactionEvent
    from ..models.message_read_event import MessageReadEvent
    from ..models.message_received_event import MessageReceivedEvent
    from ..models.message_sent_event import MessageSentEvent
    from ..models.unknown_event import UnknownEvent
    from ..models.webhook_ping_event import WebhookPingEvent


T = TypeVar("T", bound="DeliveryDetails")


@_attrs_define
class DeliveryDetails:
    """A delivery with its event and each of its attempts.

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
        event_id (UUID): The `webhook-id` of its requests, unless it is in a batch.
        attempt_count (int):
        attempts (list[DeliveryAttempt]):
        response_code (int | None | Unset):
        error_message (None | str | Unset):
        delivered_at (datetime.datetime | None | Unset):
        next_attempt_at (datetime.datetime | None | Unset):
        delivery_batch_id (None | Unset | UUID): The `webhook-id` of the batch that it is posted in; null outside of
            one.
        payload (ContactsSyncedEvent | ContactUpdatedEvent | ConversationUpdatedEvent | DeviceConnectedEvent |
            DeviceDisconnectedEvent | DeviceLoggedOutEvent | DevicePairingEvent | DeviceRestrictedEvent |
            DeviceUnrestrictedEvent | MessageCanceledEvent | MessageDeletedEvent | MessageDeliveredEvent |
            MessageEditedEvent | MessageFailedEvent | MessageReactionEvent | MessageReadEvent | MessageReceivedEvent |
            MessageSentEvent | None | UnknownEvent | Unset | WebhookPingEvent): `{type, timestamp, data}` as posted; null
            when it is no longer kept.
    """

    id: UUID
    webhook_id: UUID
    webhook_url: str
    event_type: str
    status: str
    retry_count: int
    created_at: datetime.datetime
    event_id: UUID
    attempt_count: int
    attempts: list[DeliveryAttempt]
    response_code: int | None | Unset = UNSET
    error_message: None | str | Unset = UNSET
    delivered_at: datetime.datetime | None | Unset = UNSET
    next_attempt_at: datetime.datetime | None | Unset = UNSET
    delivery_batch_id: None | Unset | UUID = UNSET
    payload: (
        ContactsSyncedEvent
        | ContactUpdatedEvent
        | ConversationUpdatedEvent
        | DeviceConnectedEvent
        | DeviceDisconnectedEvent
        | DeviceLoggedOutEvent
        | DevicePairingEvent
        | DeviceRestrictedEvent
        | DeviceUnrestrictedEvent
        | MessageCanceledEvent
        | MessageDeletedEvent
        | MessageDeliveredEvent
        | MessageEditedEvent
        | MessageFailedEvent
        | MessageReactionEvent
        | MessageReadEvent
        | MessageReceivedEvent
        | MessageSentEvent
        | None
        | UnknownEvent
        | Unset
        | WebhookPingEvent
    ) = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.contact_updated_event import ContactUpdatedEvent  # noqa: PLC0415
        from ..models.contacts_synced_event import ContactsSyncedEvent  # noqa: PLC0415
        from ..models.conversation_updated_event import ConversationUpdatedEvent  # noqa: PLC0415
        from ..models.device_connected_event import DeviceConnectedEvent  # noqa: PLC0415
        from ..models.device_disconnected_event import DeviceDisconnectedEvent  # noqa: PLC0415
        from ..models.device_logged_out_event import DeviceLoggedOutEvent  # noqa: PLC0415
        from ..models.device_pairing_event import DevicePairingEvent  # noqa: PLC0415
        from ..models.device_restricted_event import DeviceRestrictedEvent  # noqa: PLC0415
        from ..models.device_unrestricted_event import DeviceUnrestrictedEvent  # noqa: PLC0415
        from ..models.message_canceled_event import MessageCanceledEvent  # noqa: PLC0415
        from ..models.message_deleted_event import MessageDeletedEvent  # noqa: PLC0415
        from ..models.message_delivered_event import MessageDeliveredEvent  # noqa: PLC0415
        from ..models.message_edited_event import MessageEditedEvent  # noqa: PLC0415
        from ..models.message_failed_event import MessageFailedEvent  # noqa: PLC0415
        from ..models.message_reaction_event import MessageReactionEvent  # noqa: PLC0415
        from ..models.message_read_event import MessageReadEvent  # noqa: PLC0415
        from ..models.message_received_event import MessageReceivedEvent  # noqa: PLC0415
        from ..models.message_sent_event import MessageSentEvent  # noqa: PLC0415
        from ..models.unknown_event import UnknownEvent  # noqa: PLC0415
        from ..models.webhook_ping_event import WebhookPingEvent  # noqa: PLC0415

        id = str(self.id)

        webhook_id = str(self.webhook_id)

        webhook_url = self.webhook_url

        event_type = self.event_type

        status = self.status

        retry_count = self.retry_count

        created_at = self.created_at.isoformat()

        event_id = str(self.event_id)

        attempt_count = self.attempt_count

        attempts = []
        for attempts_item_data in self.attempts:
            attempts_item = attempts_item_data.to_dict()
            attempts.append(attempts_item)

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

        next_attempt_at: None | str | Unset
        if isinstance(self.next_attempt_at, Unset):
            next_attempt_at = UNSET
        elif isinstance(self.next_attempt_at, datetime.datetime):
            next_attempt_at = self.next_attempt_at.isoformat()
        else:
            next_attempt_at = self.next_attempt_at

        delivery_batch_id: None | str | Unset
        if isinstance(self.delivery_batch_id, Unset):
            delivery_batch_id = UNSET
        elif isinstance(self.delivery_batch_id, UUID):
            delivery_batch_id = str(self.delivery_batch_id)
        else:
            delivery_batch_id = self.delivery_batch_id

        payload: dict[str, Any] | None | Unset
        if isinstance(self.payload, Unset):
            payload = UNSET
        elif isinstance(self.payload, MessageReceivedEvent):
            payload = self.payload.to_dict()
        elif isinstance(self.payload, MessageSentEvent):
            payload = self.payload.to_dict()
        elif isinstance(self.payload, MessageDeliveredEvent):
            payload = self.payload.to_dict()
        elif isinstance(self.payload, MessageReadEvent):
            payload = self.payload.to_dict()
        elif isinstance(self.payload, MessageFailedEvent):
            payload = self.payload.to_dict()
        elif isinstance(self.payload, MessageCanceledEvent):
            payload = self.payload.to_dict()
        elif isinstance(self.payload, MessageEditedEvent):
            payload = self.payload.to_dict()
        elif isinstance(self.payload, MessageDeletedEvent):
            payload = self.payload.to_dict()
        elif isinstance(self.payload, MessageReactionEvent):
            payload = self.payload.to_dict()
        elif isinstance(self.payload, ConversationUpdatedEvent):
            payload = self.payload.to_dict()
        elif isinstance(self.payload, ContactUpdatedEvent):
            payload = self.payload.to_dict()
        elif isinstance(self.payload, ContactsSyncedEvent):
            payload = self.payload.to_dict()
        elif isinstance(self.payload, DevicePairingEvent):
            payload = self.payload.to_dict()
        elif isinstance(self.payload, DeviceConnectedEvent):
            payload = self.payload.to_dict()
        elif isinstance(self.payload, DeviceDisconnectedEvent):
            payload = self.payload.to_dict()
        elif isinstance(self.payload, DeviceLoggedOutEvent):
            payload = self.payload.to_dict()
        elif isinstance(self.payload, DeviceRestrictedEvent):
            payload = self.payload.to_dict()
        elif isinstance(self.payload, DeviceUnrestrictedEvent):
            payload = self.payload.to_dict()
        elif isinstance(self.payload, WebhookPingEvent):
            payload = self.payload.to_dict()
        elif isinstance(self.payload, UnknownEvent):
            payload = self.payload.to_dict()
        else:
            payload = self.payload

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
                "event_id": event_id,
                "attempt_count": attempt_count,
                "attempts": attempts,
            }
        )
        if response_code is not UNSET:
            field_dict["response_code"] = response_code
        if error_message is not UNSET:
            field_dict["error_message"] = error_message
        if delivered_at is not UNSET:
            field_dict["delivered_at"] = delivered_at
        if next_attempt_at is not UNSET:
            field_dict["next_attempt_at"] = next_attempt_at
        if delivery_batch_id is not UNSET:
            field_dict["delivery_batch_id"] = delivery_batch_id
        if payload is not UNSET:
            field_dict["payload"] = payload

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.contact_updated_event import ContactUpdatedEvent  # noqa: PLC0415
        from ..models.contacts_synced_event import ContactsSyncedEvent  # noqa: PLC0415
        from ..models.conversation_updated_event import ConversationUpdatedEvent  # noqa: PLC0415
        from ..models.delivery_attempt import DeliveryAttempt  # noqa: PLC0415
        from ..models.device_connected_event import DeviceConnectedEvent  # noqa: PLC0415
        from ..models.device_disconnected_event import DeviceDisconnectedEvent  # noqa: PLC0415
        from ..models.device_logged_out_event import DeviceLoggedOutEvent  # noqa: PLC0415
        from ..models.device_pairing_event import DevicePairingEvent  # noqa: PLC0415
        from ..models.device_restricted_event import DeviceRestrictedEvent  # noqa: PLC0415
        from ..models.device_unrestricted_event import DeviceUnrestrictedEvent  # noqa: PLC0415
        from ..models.message_canceled_event import MessageCanceledEvent  # noqa: PLC0415
        from ..models.message_deleted_event import MessageDeletedEvent  # noqa: PLC0415
        from ..models.message_delivered_event import MessageDeliveredEvent  # noqa: PLC0415
        from ..models.message_edited_event import MessageEditedEvent  # noqa: PLC0415
        from ..models.message_failed_event import MessageFailedEvent  # noqa: PLC0415
        from ..models.message_reaction_event import MessageReactionEvent  # noqa: PLC0415
        from ..models.message_read_event import MessageReadEvent  # noqa: PLC0415
        from ..models.message_received_event import MessageReceivedEvent  # noqa: PLC0415
        from ..models.message_sent_event import MessageSentEvent  # noqa: PLC0415
        from ..models.unknown_event import UnknownEvent  # noqa: PLC0415
        from ..models.webhook_ping_event import WebhookPingEvent  # noqa: PLC0415

        d = dict(src_dict)
        id = UUID(d.pop("id"))

        webhook_id = UUID(d.pop("webhook_id"))

        webhook_url = d.pop("webhook_url")

        event_type = d.pop("event_type")

        status = d.pop("status")

        retry_count = d.pop("retry_count")

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        event_id = UUID(d.pop("event_id"))

        attempt_count = d.pop("attempt_count")

        attempts = []
        _attempts = d.pop("attempts")
        for attempts_item_data in _attempts:
            attempts_item = DeliveryAttempt.from_dict(attempts_item_data)

            attempts.append(attempts_item)

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

        def _parse_delivery_batch_id(data: object) -> None | Unset | UUID:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                delivery_batch_id_type_0 = UUID(data)

                return delivery_batch_id_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Unset | UUID, data)

        delivery_batch_id = _parse_delivery_batch_id(d.pop("delivery_batch_id", UNSET))

        def _parse_payload(
            data: object,
        ) -> (
            ContactsSyncedEvent
            | ContactUpdatedEvent
            | ConversationUpdatedEvent
            | DeviceConnectedEvent
            | DeviceDisconnectedEvent
            | DeviceLoggedOutEvent
            | DevicePairingEvent
            | DeviceRestrictedEvent
            | DeviceUnrestrictedEvent
            | MessageCanceledEvent
            | MessageDeletedEvent
            | MessageDeliveredEvent
            | MessageEditedEvent
            | MessageFailedEvent
            | MessageReactionEvent
            | MessageReadEvent
            | MessageReceivedEvent
            | MessageSentEvent
            | None
            | UnknownEvent
            | Unset
            | WebhookPingEvent
        ):
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_posted_event_type_0 = MessageReceivedEvent.from_dict(data)

                return componentsschemas_posted_event_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_posted_event_type_1 = MessageSentEvent.from_dict(data)

                return componentsschemas_posted_event_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_posted_event_type_2 = MessageDeliveredEvent.from_dict(data)

                return componentsschemas_posted_event_type_2
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_posted_event_type_3 = MessageReadEvent.from_dict(data)

                return componentsschemas_posted_event_type_3
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_posted_event_type_4 = MessageFailedEvent.from_dict(data)

                return componentsschemas_posted_event_type_4
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_posted_event_type_5 = MessageCanceledEvent.from_dict(data)

                return componentsschemas_posted_event_type_5
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_posted_event_type_6 = MessageEditedEvent.from_dict(data)

                return componentsschemas_posted_event_type_6
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_posted_event_type_7 = MessageDeletedEvent.from_dict(data)

                return componentsschemas_posted_event_type_7
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_posted_event_type_8 = MessageReactionEvent.from_dict(data)

                return componentsschemas_posted_event_type_8
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_posted_event_type_9 = ConversationUpdatedEvent.from_dict(data)

                return componentsschemas_posted_event_type_9
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_posted_event_type_10 = ContactUpdatedEvent.from_dict(data)

                return componentsschemas_posted_event_type_10
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_posted_event_type_11 = ContactsSyncedEvent.from_dict(data)

                return componentsschemas_posted_event_type_11
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_posted_event_type_12 = DevicePairingEvent.from_dict(data)

                return componentsschemas_posted_event_type_12
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_posted_event_type_13 = DeviceConnectedEvent.from_dict(data)

                return componentsschemas_posted_event_type_13
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_posted_event_type_14 = DeviceDisconnectedEvent.from_dict(data)

                return componentsschemas_posted_event_type_14
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_posted_event_type_15 = DeviceLoggedOutEvent.from_dict(data)

                return componentsschemas_posted_event_type_15
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_posted_event_type_16 = DeviceRestrictedEvent.from_dict(data)

                return componentsschemas_posted_event_type_16
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_posted_event_type_17 = DeviceUnrestrictedEvent.from_dict(data)

                return componentsschemas_posted_event_type_17
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_posted_event_type_18 = WebhookPingEvent.from_dict(data)

                return componentsschemas_posted_event_type_18
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_posted_event_type_19 = UnknownEvent.from_dict(data)

                return componentsschemas_posted_event_type_19
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(
                ContactsSyncedEvent
                | ContactUpdatedEvent
                | ConversationUpdatedEvent
                | DeviceConnectedEvent
                | DeviceDisconnectedEvent
                | DeviceLoggedOutEvent
                | DevicePairingEvent
                | DeviceRestrictedEvent
                | DeviceUnrestrictedEvent
                | MessageCanceledEvent
                | MessageDeletedEvent
                | MessageDeliveredEvent
                | MessageEditedEvent
                | MessageFailedEvent
                | MessageReactionEvent
                | MessageReadEvent
                | MessageReceivedEvent
                | MessageSentEvent
                | None
                | UnknownEvent
                | Unset
                | WebhookPingEvent,
                data,
            )

        payload = _parse_payload(d.pop("payload", UNSET))

        delivery_details = cls(
            id=id,
            webhook_id=webhook_id,
            webhook_url=webhook_url,
            event_type=event_type,
            status=status,
            retry_count=retry_count,
            created_at=created_at,
            event_id=event_id,
            attempt_count=attempt_count,
            attempts=attempts,
            response_code=response_code,
            error_message=error_message,
            delivered_at=delivered_at,
            next_attempt_at=next_attempt_at,
            delivery_batch_id=delivery_batch_id,
            payload=payload,
        )

        delivery_details.additional_properties = d
        return delivery_details

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
