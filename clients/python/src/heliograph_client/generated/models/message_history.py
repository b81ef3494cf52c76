from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.message import Message
    from ..models.message_delivery import MessageDelivery
    from ..models.message_event import MessageEvent
    from ..models.message_step import MessageStep
    from ..models.network_attempts import NetworkAttempts


T = TypeVar("T", bound="MessageHistory")


@_attrs_define
class MessageHistory:
    """The history of a message, as far as it is kept.

    Attributes:
        message (Message): A message with its timeline.
        explanation (list[str]): An explanation in sentences for people, the most important first.
        steps (list[MessageStep]): In the order in which they were reached. Of more than 20 failed attempts, the first
            and the newest are listed.
        network_attempts (NetworkAttempts): The attempts to hand the message to the chat network.
        events (list[MessageEvent]): Oldest first.
        deliveries (list[MessageDelivery] | None | Unset): The last 20, oldest first; for a key that is limited to some
            devices those to webhooks that it sees. Null without the scope `webhooks:read`.
    """

    message: Message
    explanation: list[str]
    steps: list[MessageStep]
    network_attempts: NetworkAttempts
    events: list[MessageEvent]
    deliveries: list[MessageDelivery] | None | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        message = self.message.to_dict()

        explanation = self.explanation

        steps = []
        for steps_item_data in self.steps:
            steps_item = steps_item_data.to_dict()
            steps.append(steps_item)

        network_attempts = self.network_attempts.to_dict()

        events = []
        for events_item_data in self.events:
            events_item = events_item_data.to_dict()
            events.append(events_item)

        deliveries: list[dict[str, Any]] | None | Unset
        if isinstance(self.deliveries, Unset):
            deliveries = UNSET
        elif isinstance(self.deliveries, list):
            deliveries = []
            for deliveries_type_0_item_data in self.deliveries:
                deliveries_type_0_item = deliveries_type_0_item_data.to_dict()
                deliveries.append(deliveries_type_0_item)

        else:
            deliveries = self.deliveries

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "message": message,
                "explanation": explanation,
                "steps": steps,
                "network_attempts": network_attempts,
                "events": events,
            }
        )
        if deliveries is not UNSET:
            field_dict["deliveries"] = deliveries

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.message import Message  # noqa: PLC0415
        from ..models.message_delivery import MessageDelivery  # noqa: PLC0415
        from ..models.message_event import MessageEvent  # noqa: PLC0415
        from ..models.message_step import MessageStep  # noqa: PLC0415
        from ..models.network_attempts import NetworkAttempts  # noqa: PLC0415

        d = dict(src_dict)
        message = Message.from_dict(d.pop("message"))

        explanation = cast(list[str], d.pop("explanation"))

        steps = []
        _steps = d.pop("steps")
        for steps_item_data in _steps:
            steps_item = MessageStep.from_dict(steps_item_data)

            steps.append(steps_item)

        network_attempts = NetworkAttempts.from_dict(d.pop("network_attempts"))

        events = []
        _events = d.pop("events")
        for events_item_data in _events:
            events_item = MessageEvent.from_dict(events_item_data)

            events.append(events_item)

        def _parse_deliveries(data: object) -> list[MessageDelivery] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                deliveries_type_0 = []
                _deliveries_type_0 = data
                for deliveries_type_0_item_data in _deliveries_type_0:
                    deliveries_type_0_item = MessageDelivery.from_dict(deliveries_type_0_item_data)

                    deliveries_type_0.append(deliveries_type_0_item)

                return deliveries_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[MessageDelivery] | None | Unset, data)

        deliveries = _parse_deliveries(d.pop("deliveries", UNSET))

        message_history = cls(
            message=message,
            explanation=explanation,
            steps=steps,
            network_attempts=network_attempts,
            events=events,
            deliveries=deliveries,
        )

        message_history.additional_properties = d
        return message_history

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
