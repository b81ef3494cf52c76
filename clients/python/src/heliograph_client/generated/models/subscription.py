from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.batch_record import BatchRecord
    from ..models.subscription_filter_record import SubscriptionFilterRecord


T = TypeVar("T", bound="Subscription")


@_attrs_define
class Subscription:
    """A URL to which events are posted.

    Attributes:
        id (UUID):
        url (str):
        description (str):
        events (list[str]): Types, and the patterns `*`, `message.*`, `device.*`.
        enabled (bool):
        header_names (list[str]): The names of its custom headers; their values are never shown.
        old_secrets_expire_at (list[datetime.datetime]): When each secret before the last rotation expires, the newest
            first.
        created_at (datetime.datetime):
        updated_at (datetime.datetime):
        disabled_reason (None | str | Unset):
        disabled_at (datetime.datetime | None | Unset):
        failing_since (datetime.datetime | None | Unset): The first failure after the last success.
        filter_ (None | SubscriptionFilterRecord | Unset): Null if it takes every event of its types.
        batch (BatchRecord | None | Unset): Null if each event has its own request.
    """

    id: UUID
    url: str
    description: str
    events: list[str]
    enabled: bool
    header_names: list[str]
    old_secrets_expire_at: list[datetime.datetime]
    created_at: datetime.datetime
    updated_at: datetime.datetime
    disabled_reason: None | str | Unset = UNSET
    disabled_at: datetime.datetime | None | Unset = UNSET
    failing_since: datetime.datetime | None | Unset = UNSET
    filter_: None | SubscriptionFilterRecord | Unset = UNSET
    batch: BatchRecord | None | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.batch_record import BatchRecord  # noqa: PLC0415
        from ..models.subscription_filter_record import SubscriptionFilterRecord  # noqa: PLC0415

        id = str(self.id)

        url = self.url

        description = self.description

        events = self.events

        enabled = self.enabled

        header_names = self.header_names

        old_secrets_expire_at = []
        for old_secrets_expire_at_item_data in self.old_secrets_expire_at:
            old_secrets_expire_at_item = old_secrets_expire_at_item_data.isoformat()
            old_secrets_expire_at.append(old_secrets_expire_at_item)

        created_at = self.created_at.isoformat()

        updated_at = self.updated_at.isoformat()

        disabled_reason: None | str | Unset
        if isinstance(self.disabled_reason, Unset):
            disabled_reason = UNSET
        else:
            disabled_reason = self.disabled_reason

        disabled_at: None | str | Unset
        if isinstance(self.disabled_at, Unset):
            disabled_at = UNSET
        elif isinstance(self.disabled_at, datetime.datetime):
            disabled_at = self.disabled_at.isoformat()
        else:
            disabled_at = self.disabled_at

        failing_since: None | str | Unset
        if isinstance(self.failing_since, Unset):
            failing_since = UNSET
        elif isinstance(self.failing_since, datetime.datetime):
            failing_since = self.failing_since.isoformat()
        else:
            failing_since = self.failing_since

        filter_: dict[str, Any] | None | Unset
        if isinstance(self.filter_, Unset):
            filter_ = UNSET
        elif isinstance(self.filter_, SubscriptionFilterRecord):
            filter_ = self.filter_.to_dict()
        else:
            filter_ = self.filter_

        batch: dict[str, Any] | None | Unset
        if isinstance(self.batch, Unset):
            batch = UNSET
        elif isinstance(self.batch, BatchRecord):
            batch = self.batch.to_dict()
        else:
            batch = self.batch

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "url": url,
                "description": description,
                "events": events,
                "enabled": enabled,
                "header_names": header_names,
                "old_secrets_expire_at": old_secrets_expire_at,
                "created_at": created_at,
                "updated_at": updated_at,
            }
        )
        if disabled_reason is not UNSET:
            field_dict["disabled_reason"] = disabled_reason
        if disabled_at is not UNSET:
            field_dict["disabled_at"] = disabled_at
        if failing_since is not UNSET:
            field_dict["failing_since"] = failing_since
        if filter_ is not UNSET:
            field_dict["filter"] = filter_
        if batch is not UNSET:
            field_dict["batch"] = batch

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.batch_record import BatchRecord  # noqa: PLC0415
        from ..models.subscription_filter_record import SubscriptionFilterRecord  # noqa: PLC0415

        d = dict(src_dict)
        id = UUID(d.pop("id"))

        url = d.pop("url")

        description = d.pop("description")

        events = cast(list[str], d.pop("events"))

        enabled = d.pop("enabled")

        header_names = cast(list[str], d.pop("header_names"))

        old_secrets_expire_at = []
        _old_secrets_expire_at = d.pop("old_secrets_expire_at")
        for old_secrets_expire_at_item_data in _old_secrets_expire_at:
            old_secrets_expire_at_item = datetime.datetime.fromisoformat(
                old_secrets_expire_at_item_data
            )

            old_secrets_expire_at.append(old_secrets_expire_at_item)

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        updated_at = datetime.datetime.fromisoformat(d.pop("updated_at"))

        def _parse_disabled_reason(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        disabled_reason = _parse_disabled_reason(d.pop("disabled_reason", UNSET))

        def _parse_disabled_at(data: object) -> datetime.datetime | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                disabled_at_type_0 = datetime.datetime.fromisoformat(data)

                return disabled_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None | Unset, data)

        disabled_at = _parse_disabled_at(d.pop("disabled_at", UNSET))

        def _parse_failing_since(data: object) -> datetime.datetime | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                failing_since_type_0 = datetime.datetime.fromisoformat(data)

                return failing_since_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None | Unset, data)

        failing_since = _parse_failing_since(d.pop("failing_since", UNSET))

        def _parse_filter_(data: object) -> None | SubscriptionFilterRecord | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                filter_type_0 = SubscriptionFilterRecord.from_dict(data)

                return filter_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | SubscriptionFilterRecord | Unset, data)

        filter_ = _parse_filter_(d.pop("filter", UNSET))

        def _parse_batch(data: object) -> BatchRecord | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                batch_type_0 = BatchRecord.from_dict(data)

                return batch_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(BatchRecord | None | Unset, data)

        batch = _parse_batch(d.pop("batch", UNSET))

        subscription = cls(
            id=id,
            url=url,
            description=description,
            events=events,
            enabled=enabled,
            header_names=header_names,
            old_secrets_expire_at=old_secrets_expire_at,
            created_at=created_at,
            updated_at=updated_at,
            disabled_reason=disabled_reason,
            disabled_at=disabled_at,
            failing_since=failing_since,
            filter_=filter_,
            batch=batch,
        )

        subscription.additional_properties = d
        return subscription

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
