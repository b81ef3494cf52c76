from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ..models.replay_status import ReplayStatus, check_replay_status
from ..types import UNSET, Unset

T = TypeVar("T", bound="ReplayEvents")


@_attrs_define
class ReplayEvents:
    """Which events to post again.

    Attributes:
        since (datetime.datetime): Events from that time on.
        until (datetime.datetime): Events before that time.
        status (None | ReplayStatus | Unset): Only events whose delivery to this webhook was made in that time and has
            this status. Without it, all events of that time that the webhook takes.
        cursor (None | str | Unset): The `next_cursor` of the previous call.
    """

    since: datetime.datetime
    until: datetime.datetime
    status: None | ReplayStatus | Unset = UNSET
    cursor: None | str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        since = self.since.isoformat()

        until = self.until.isoformat()

        status: None | str | Unset
        if isinstance(self.status, Unset):
            status = UNSET
        elif isinstance(self.status, str):
            status = self.status
        else:
            status = self.status

        cursor: None | str | Unset
        if isinstance(self.cursor, Unset):
            cursor = UNSET
        else:
            cursor = self.cursor

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "since": since,
                "until": until,
            }
        )
        if status is not UNSET:
            field_dict["status"] = status
        if cursor is not UNSET:
            field_dict["cursor"] = cursor

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        since = datetime.datetime.fromisoformat(d.pop("since"))

        until = datetime.datetime.fromisoformat(d.pop("until"))

        def _parse_status(data: object) -> None | ReplayStatus | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                status_type_0 = check_replay_status(data)

                return status_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | ReplayStatus | Unset, data)

        status = _parse_status(d.pop("status", UNSET))

        def _parse_cursor(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        cursor = _parse_cursor(d.pop("cursor", UNSET))

        replay_events = cls(
            since=since,
            until=until,
            status=status,
            cursor=cursor,
        )

        return replay_events
