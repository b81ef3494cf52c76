from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="BatchOptions")


@_attrs_define
class BatchOptions:
    """Post events together, as a `batch`.

    Attributes:
        max_events (int): Maximum number of events.
        max_wait_ms (int | Unset): How long the first event waits for others. Default: `0`.
    """

    max_events: int
    max_wait_ms: int | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        max_events = self.max_events

        max_wait_ms = self.max_wait_ms

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "max_events": max_events,
            }
        )
        if max_wait_ms is not UNSET:
            field_dict["max_wait_ms"] = max_wait_ms

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        max_events = d.pop("max_events")

        max_wait_ms = d.pop("max_wait_ms", UNSET)

        batch_options = cls(
            max_events=max_events,
            max_wait_ms=max_wait_ms,
        )

        return batch_options
