from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.logged_contact_updated_event import LoggedContactUpdatedEvent
    from ..models.logged_contacts_synced_event import LoggedContactsSyncedEvent
    from ..models.logged_conversation_updated_event import LoggedConversationUpdatedEvent
    from ..models.logged_device_connected_event import LoggedDeviceConnectedEvent
    from ..models.logged_device_disconnected_event import LoggedDeviceDisconnectedEvent
    from ..models.logged_device_logged_out_event import LoggedDeviceLoggedOutEvent
    from ..models.logged_device_pairing_event import LoggedDevicePairingEvent
    from ..models.logged_device_restricted_event import LoggedDeviceRestrictedEvent
    from ..models.logged_device_unrestricted_event import LoggedDeviceUnrestrictedEvent
    from ..models.logged_message_canceled_event import LoggedMessageCanceledEvent
    from ..models.logged_message_deleted_event import LoggedMessageDeletedEvent
    from ..models.logged_message_delivered_event import LoggedMessageDeliveredEvent
    from ..models.logged_message_edited_event import LoggedMessageEditedEvent
    from ..models.logged_message_failed_event import LoggedMessageFailedEvent
    from ..models.logged_message_reaction_event import LoggedMessageReactionEvent
    from ..models.logged_message_read_event import LoggedMessageReadEvent
    from ..models.logged_message_received_event import LoggedMessageReceivedEvent
    from ..models.logged_message_sent_event import LoggedMessageSentEvent
    from ..models.logged_unknown_event import LoggedUnknownEvent
    from ..models.logged_webhook_ping_event import LoggedWebhookPingEvent


T = TypeVar("T", bound="BatchedEvents")


@_attrs_define
class BatchedEvents:
    """The events of a batch, in order within each conversation.

    Attributes:
        events (list[LoggedContactsSyncedEvent | LoggedContactUpdatedEvent | LoggedConversationUpdatedEvent |
            LoggedDeviceConnectedEvent | LoggedDeviceDisconnectedEvent | LoggedDeviceLoggedOutEvent |
            LoggedDevicePairingEvent | LoggedDeviceRestrictedEvent | LoggedDeviceUnrestrictedEvent |
            LoggedMessageCanceledEvent | LoggedMessageDeletedEvent | LoggedMessageDeliveredEvent | LoggedMessageEditedEvent
            | LoggedMessageFailedEvent | LoggedMessageReactionEvent | LoggedMessageReadEvent | LoggedMessageReceivedEvent |
            LoggedMessageSentEvent | LoggedUnknownEvent | LoggedWebhookPingEvent]):
    """

    events: list[
        LoggedContactsSyncedEvent
        | LoggedContactUpdatedEvent
        | LoggedConversationUpdatedEvent
        | LoggedDeviceConnectedEvent
        | LoggedDeviceDisconnectedEvent
        | LoggedDeviceLoggedOutEvent
        | LoggedDevicePairingEvent
        | LoggedDeviceRestrictedEvent
        | LoggedDeviceUnrestrictedEvent
        | LoggedMessageCanceledEvent
        | LoggedMessageDeletedEvent
        | LoggedMessageDeliveredEvent
        | LoggedMessageEditedEvent
        | LoggedMessageFailedEvent
        | LoggedMessageReactionEvent
        | LoggedMessageReadEvent
        | LoggedMessageReceivedEvent
        | LoggedMessageSentEvent
        | LoggedUnknownEvent
        | LoggedWebhookPingEvent
    ]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.logged_contact_updated_event import LoggedContactUpdatedEvent  # noqa: PLC0415
        from ..models.logged_contacts_synced_event import LoggedContactsSyncedEvent  # noqa: PLC0415
        from ..models.logged_conversation_updated_event import (
            LoggedConversationUpdatedEvent,  # noqa: PLC0415
        )
        from ..models.logged_device_connected_event import LoggedDeviceConnectedEvent  # noqa: PLC0415
        from ..models.logged_device_disconnected_event import (
            LoggedDeviceDisconnectedEvent,  # noqa: PLC0415
        )
        from ..models.logged_device_logged_out_event import LoggedDeviceLoggedOutEvent  # noqa: PLC0415
        from ..models.logged_device_pairing_event import LoggedDevicePairingEvent  # noqa: PLC0415
        from ..models.logged_device_restricted_event import LoggedDeviceRestrictedEvent  # noqa: PLC0415
        from ..models.logged_device_unrestricted_event import (
            LoggedDeviceUnrestrictedEvent,  # noqa: PLC0415
        )
        from ..models.logged_message_canceled_event import LoggedMessageCanceledEvent  # noqa: PLC0415
        from ..models.logged_message_deleted_event import LoggedMessageDeletedEvent  # noqa: PLC0415
        from ..models.logged_message_delivered_event import LoggedMessageDeliveredEvent  # noqa: PLC0415
        from ..models.logged_message_edited_event import LoggedMessageEditedEvent  # noqa: PLC0415
        from ..models.logged_message_failed_event import LoggedMessageFailedEvent  # noqa: PLC0415
        from ..models.logged_message_reaction_event import LoggedMessageReactionEvent  # noqa: PLC0415
        from ..models.logged_message_read_event import LoggedMessageReadEvent  # noqa: PLC0415
        from ..models.logged_message_received_event import LoggedMessageReceivedEvent  # noqa: PLC0415
        from ..models.logged_message_sent_event import LoggedMessageSentEvent  # noqa: PLC0415
        from ..models.logged_webhook_ping_event import LoggedWebhookPingEvent  # noqa: PLC0415

        events = []
        for events_item_data in self.events:
            events_item: dict[str, Any]
            if isinstance(events_item_data, LoggedMessageReceivedEvent):
                events_item = events_item_data.to_dict()
            elif isinstance(events_item_data, LoggedMessageSentEvent):
                events_item = events_item_data.to_dict()
            elif isinstance(events_item_data, LoggedMessageDeliveredEvent):
                events_item = events_item_data.to_dict()
            elif isinstance(events_item_data, LoggedMessageReadEvent):
                events_item = events_item_data.to_dict()
            elif isinstance(events_item_data, LoggedMessageFailedEvent):
                events_item = events_item_data.to_dict()
            elif isinstance(events_item_data, LoggedMessageCanceledEvent):
                events_item = events_item_data.to_dict()
            elif isinstance(events_item_data, LoggedMessageEditedEvent):
                events_item = events_item_data.to_dict()
            elif isinstance(events_item_data, LoggedMessageDeletedEvent):
                events_item = events_item_data.to_dict()
            elif isinstance(events_item_data, LoggedMessageReactionEvent):
                events_item = events_item_data.to_dict()
            elif isinstance(events_item_data, LoggedConversationUpdatedEvent):
                events_item = events_item_data.to_dict()
            elif isinstance(events_item_data, LoggedContactUpdatedEvent):
                events_item = events_item_data.to_dict()
            elif isinstance(events_item_data, LoggedContactsSyncedEvent):
                events_item = events_item_data.to_dict()
            elif isinstance(events_item_data, LoggedDevicePairingEvent):
                events_item = events_item_data.to_dict()
            elif isinstance(events_item_data, LoggedDeviceConnectedEvent):
                events_item = events_item_data.to_dict()
            elif isinstance(events_item_data, LoggedDeviceDisconnectedEvent):
                events_item = events_item_data.to_dict()
            elif isinstance(events_item_data, LoggedDeviceLoggedOutEvent):
                events_item = events_item_data.to_dict()
            elif isinstance(events_item_data, LoggedDeviceRestrictedEvent):
                events_item = events_item_data.to_dict()
            elif isinstance(events_item_data, LoggedDeviceUnrestrictedEvent):
                events_item = events_item_data.to_dict()
            elif isinstance(events_item_data, LoggedWebhookPingEvent):
                events_item = events_item_data.to_dict()
            else:
                events_item = events_item_data.to_dict()

            events.append(events_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "events": events,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.logged_contact_updated_event import LoggedContactUpdatedEvent  # noqa: PLC0415
        from ..models.logged_contacts_synced_event import LoggedContactsSyncedEvent  # noqa: PLC0415
        from ..models.logged_conversation_updated_event import (
            LoggedConversationUpdatedEvent,  # noqa: PLC0415
        )
        from ..models.logged_device_connected_event import LoggedDeviceConnectedEvent  # noqa: PLC0415
        from ..models.logged_device_disconnected_event import (
            LoggedDeviceDisconnectedEvent,  # noqa: PLC0415
        )
        from ..models.logged_device_logged_out_event import LoggedDeviceLoggedOutEvent  # noqa: PLC0415
        from ..models.logged_device_pairing_event import LoggedDevicePairingEvent  # noqa: PLC0415
        from ..models.logged_device_restricted_event import LoggedDeviceRestrictedEvent  # noqa: PLC0415
        from ..models.logged_device_unrestricted_event import (
            LoggedDeviceUnrestrictedEvent,  # noqa: PLC0415
        )
        from ..models.logged_message_canceled_event import LoggedMessageCanceledEvent  # noqa: PLC0415
        from ..models.logged_message_deleted_event import LoggedMessageDeletedEvent  # noqa: PLC0415
        from ..models.logged_message_delivered_event import LoggedMessageDeliveredEvent  # noqa: PLC0415
        from ..models.logged_message_edited_event import LoggedMessageEditedEvent  # noqa: PLC0415
        from ..models.logged_message_failed_event import LoggedMessageFailedEvent  # noqa: PLC0415
        from ..models.logged_message_reaction_event import LoggedMessageReactionEvent  # noqa: PLC0415
        from ..models.logged_message_read_event import LoggedMessageReadEvent  # noqa: PLC0415
        from ..models.logged_message_received_event import LoggedMessageReceivedEvent  # noqa: PLC0415
        from ..models.logged_message_sent_event import LoggedMessageSentEvent  # noqa: PLC0415
        from ..models.logged_unknown_event import LoggedUnknownEvent  # noqa: PLC0415
        from ..models.logged_webhook_ping_event import LoggedWebhookPingEvent  # noqa: PLC0415

        d = dict(src_dict)
        events = []
        _events = d.pop("events")
        for events_item_data in _events:

            def _parse_events_item(
                data: object,
            ) -> (
                LoggedContactsSyncedEvent
                | LoggedContactUpdatedEvent
                | LoggedConversationUpdatedEvent
                | LoggedDeviceConnectedEvent
                | LoggedDeviceDisconnectedEvent
                | LoggedDeviceLoggedOutEvent
                | LoggedDevicePairingEvent
                | LoggedDeviceRestrictedEvent
                | LoggedDeviceUnrestrictedEvent
                | LoggedMessageCanceledEvent
                | LoggedMessageDeletedEvent
                | LoggedMessageDeliveredEvent
                | LoggedMessageEditedEvent
                | LoggedMessageFailedEvent
                | LoggedMessageReactionEvent
                | LoggedMessageReadEvent
                | LoggedMessageReceivedEvent
                | LoggedMessageSentEvent
                | LoggedUnknownEvent
                | LoggedWebhookPingEvent
            ):
                try:
                    if not isinstance(data, dict):
                        raise TypeError()
                    componentsschemas_logged_event_type_0 = LoggedMessageReceivedEvent.from_dict(
                        data
                    )

                    return componentsschemas_logged_event_type_0
                except (TypeError, ValueError, AttributeError, KeyError):
                    pass
                try:
                    if not isinstance(data, dict):
                        raise TypeError()
                    componentsschemas_logged_event_type_1 = LoggedMessageSentEvent.from_dict(data)

                    return componentsschemas_logged_event_type_1
                except (TypeError, ValueError, AttributeError, KeyError):
                    pass
                try:
                    if not isinstance(data, dict):
                        raise TypeError()
                    componentsschemas_logged_event_type_2 = LoggedMessageDeliveredEvent.from_dict(
                        data
                    )

                    return componentsschemas_logged_event_type_2
                except (TypeError, ValueError, AttributeError, KeyError):
                    pass
                try:
                    if not isinstance(data, dict):
                        raise TypeError()
                    componentsschemas_logged_event_type_3 = LoggedMessageReadEvent.from_dict(data)

                    return componentsschemas_logged_event_type_3
                except (TypeError, ValueError, AttributeError, KeyError):
                    pass
                try:
                    if not isinstance(data, dict):
                        raise TypeError()
                    componentsschemas_logged_event_type_4 = LoggedMessageFailedEvent.from_dict(data)

                    return componentsschemas_logged_event_type_4
                except (TypeError, ValueError, AttributeError, KeyError):
                    pass
                try:
                    if not isinstance(data, dict):
                        raise TypeError()
                    componentsschemas_logged_event_type_5 = LoggedMessageCanceledEvent.from_dict(
                        data
                    )

                    return componentsschemas_logged_event_type_5
                except (TypeError, ValueError, AttributeError, KeyError):
                    pass
                try:
                    if not isinstance(data, dict):
                        raise TypeError()
                    componentsschemas_logged_event_type_6 = LoggedMessageEditedEvent.from_dict(data)

                    return componentsschemas_logged_event_type_6
                except (TypeError, ValueError, AttributeError, KeyError):
                    pass
                try:
                    if not isinstance(data, dict):
                        raise TypeError()
                    componentsschemas_logged_event_type_7 = LoggedMessageDeletedEvent.from_dict(
                        data
                    )

                    return componentsschemas_logged_event_type_7
                except (TypeError, ValueError, AttributeError, KeyError):
                    pass
                try:
                    if not isinstance(data, dict):
                        raise TypeError()
                    componentsschemas_logged_event_type_8 = LoggedMessageReactionEvent.from_dict(
                        data
                    )

                    return componentsschemas_logged_event_type_8
                except (TypeError, ValueError, AttributeError, KeyError):
                    pass
                try:
                    if not isinstance(data, dict):
                        raise TypeError()
                    componentsschemas_logged_event_type_9 = (
                        LoggedConversationUpdatedEvent.from_dict(data)
                    )

                    return componentsschemas_logged_event_type_9
                except (TypeError, ValueError, AttributeError, KeyError):
                    pass
                try:
                    if not isinstance(data, dict):
                        raise TypeError()
                    componentsschemas_logged_event_type_10 = LoggedContactUpdatedEvent.from_dict(
                        data
                    )

                    return componentsschemas_logged_event_type_10
                except (TypeError, ValueError, AttributeError, KeyError):
                    pass
                try:
                    if not isinstance(data, dict):
                        raise TypeError()
                    componentsschemas_logged_event_type_11 = LoggedContactsSyncedEvent.from_dict(
                        data
                    )

                    return componentsschemas_logged_event_type_11
                except (TypeError, ValueError, AttributeError, KeyError):
                    pass
                try:
                    if not isinstance(data, dict):
                        raise TypeError()
                    componentsschemas_logged_event_type_12 = LoggedDevicePairingEvent.from_dict(
                        data
                    )

                    return componentsschemas_logged_event_type_12
                except (TypeError, ValueError, AttributeError, KeyError):
                    pass
                try:
                    if not isinstance(data, dict):
                        raise TypeError()
                    componentsschemas_logged_event_type_13 = LoggedDeviceConnectedEvent.from_dict(
                        data
                    )

                    return componentsschemas_logged_event_type_13
                except (TypeError, ValueError, AttributeError, KeyError):
                    pass
                try:
                    if not isinstance(data, dict):
                        raise TypeError()
                    componentsschemas_logged_event_type_14 = (
                        LoggedDeviceDisconnectedEvent.from_dict(data)
                    )

                    return componentsschemas_logged_event_type_14
                except (TypeError, ValueError, AttributeError, KeyError):
                    pass
                try:
                    if not isinstance(data, dict):
                        raise TypeError()
                    componentsschemas_logged_event_type_15 = LoggedDeviceLoggedOutEvent.from_dict(
                        data
                    )

                    return componentsschemas_logged_event_type_15
                except (TypeError, ValueError, AttributeError, KeyError):
                    pass
                try:
                    if not isinstance(data, dict):
                        raise TypeError()
                    componentsschemas_logged_event_type_16 = LoggedDeviceRestrictedEvent.from_dict(
                        data
                    )

                    return componentsschemas_logged_event_type_16
                except (TypeError, ValueError, AttributeError, KeyError):
                    pass
                try:
                    if not isinstance(data, dict):
                        raise TypeError()
                    componentsschemas_logged_event_type_17 = (
                        LoggedDeviceUnrestrictedEvent.from_dict(data)
                    )

                    return componentsschemas_logged_event_type_17
                except (TypeError, ValueError, AttributeError, KeyError):
                    pass
                try:
                    if not isinstance(data, dict):
                        raise TypeError()
                    componentsschemas_logged_event_type_18 = LoggedWebhookPingEvent.from_dict(data)

                    return componentsschemas_logged_event_type_18
                except (TypeError, ValueError, AttributeError, KeyError):
                    pass
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_logged_event_type_19 = LoggedUnknownEvent.from_dict(data)

                return componentsschemas_logged_event_type_19

            events_item = _parse_events_item(events_item_data)

            events.append(events_item)

        batched_events = cls(
            events=events,
        )

        batched_events.additional_properties = d
        return batched_events

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
