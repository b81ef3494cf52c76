from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ..models.event_pattern import EventPattern, check_event_pattern
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.batch_options import BatchOptions
    from ..models.subscription_filter import SubscriptionFilter
    from ..models.webhook_headers import WebhookHeaders


T = TypeVar("T", bound="CreateSubscription")


@_attrs_define
class CreateSubscription:
    """The URL and the events to post to it.

    Attributes:
        url (str): An http or https URL without user name and password.
        events (list[EventPattern]): Event types, or the patterns `*`, `message.*`, `device.*`.
        description (str | Unset): What it is for. Default: `""`.
        enabled (bool | Unset): Whether to post at once. Default: `true`.
        headers (None | Unset | WebhookHeaders):
        filter_ (None | SubscriptionFilter | Unset):
        batch (BatchOptions | None | Unset): Without it, each event has its own request.
    """

    url: str
    events: list[EventPattern]
    description: str | Unset = UNSET
    enabled: bool | Unset = UNSET
    headers: None | Unset | WebhookHeaders = UNSET
    filter_: None | SubscriptionFilter | Unset = UNSET
    batch: BatchOptions | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.batch_options import BatchOptions  # noqa: PLC0415
        from ..models.subscription_filter import SubscriptionFilter  # noqa: PLC0415
        from ..models.webhook_headers import WebhookHeaders  # noqa: PLC0415

        url = self.url

        events = []
        for events_item_data in self.events:
            events_item: str = events_item_data
            events.append(events_item)

        description = self.description

        enabled = self.enabled

        headers: dict[str, Any] | None | Unset
        if isinstance(self.headers, Unset):
            headers = UNSET
        elif isinstance(self.headers, WebhookHeaders):
            headers = self.headers.to_dict()
        else:
            headers = self.headers

        filter_: dict[str, Any] | None | Unset
        if isinstance(self.filter_, Unset):
            filter_ = UNSET
        elif isinstance(self.filter_, SubscriptionFilter):
            filter_ = self.filter_.to_dict()
        else:
            filter_ = self.filter_

        batch: dict[str, Any] | None | Unset
        if isinstance(self.batch, Unset):
            batch = UNSET
        elif isinstance(self.batch, BatchOptions):
            batch = self.batch.to_dict()
        else:
            batch = self.batch

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "url": url,
                "events": events,
            }
        )
        if description is not UNSET:
            field_dict["description"] = description
        if enabled is not UNSET:
            field_dict["enabled"] = enabled
        if headers is not UNSET:
            field_dict["headers"] = headers
        if filter_ is not UNSET:
            field_dict["filter"] = filter_
        if batch is not UNSET:
            field_dict["batch"] = batch

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.batch_options import BatchOptions  # noqa: PLC0415
        from ..models.subscription_filter import SubscriptionFilter  # noqa: PLC0415
        from ..models.webhook_headers import WebhookHeaders  # noqa: PLC0415

        d = dict(src_dict)
        url = d.pop("url")

        events = []
        _events = d.pop("events")
        for events_item_data in _events:
            events_item = check_event_pattern(events_item_data)

            events.append(events_item)

        description = d.pop("description", UNSET)

        enabled = d.pop("enabled", UNSET)

        def _parse_headers(data: object) -> None | Unset | WebhookHeaders:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                headers_type_0 = WebhookHeaders.from_dict(data)

                return headers_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Unset | WebhookHeaders, data)

        headers = _parse_headers(d.pop("headers", UNSET))

        def _parse_filter_(data: object) -> None | SubscriptionFilter | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                filter_type_0 = SubscriptionFilter.from_dict(data)

                return filter_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | SubscriptionFilter | Unset, data)

        filter_ = _parse_filter_(d.pop("filter", UNSET))

        def _parse_batch(data: object) -> BatchOptions | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                batch_type_0 = BatchOptions.from_dict(data)

                return batch_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(BatchOptions | None | Unset, data)

        batch = _parse_batch(d.pop("batch", UNSET))

        create_subscription = cls(
            url=url,
            events=events,
            description=description,
            enabled=enabled,
            headers=headers,
            filter_=filter_,
            batch=batch,
        )

        return create_subscription
