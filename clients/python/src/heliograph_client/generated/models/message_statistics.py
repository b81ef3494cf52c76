from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.message_statistics_by_direction import MessageStatisticsByDirection
    from ..models.message_statistics_by_status import MessageStatisticsByStatus
    from ..models.message_statistics_outbound_by_status import (
        MessageStatisticsOutboundByStatus,
    )


T = TypeVar("T", bound="MessageStatistics")


@_attrs_define
class MessageStatistics:
    """Message counts, which deleting old messages does not lower. Statuses without messages are
    absent.

        Attributes:
            total (int):
            by_status (MessageStatisticsByStatus):
            by_direction (MessageStatisticsByDirection):
            outbound_by_status (MessageStatisticsOutboundByStatus):
            last_7_days (int): The last 7 UTC days, today included.
            last_30_days (int): The last 30 UTC days, today included.
    """

    total: int
    by_status: MessageStatisticsByStatus
    by_direction: MessageStatisticsByDirection
    outbound_by_status: MessageStatisticsOutboundByStatus
    last_7_days: int
    last_30_days: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        total = self.total

        by_status = self.by_status.to_dict()

        by_direction = self.by_direction.to_dict()

        outbound_by_status = self.outbound_by_status.to_dict()

        last_7_days = self.last_7_days

        last_30_days = self.last_30_days

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "total": total,
                "by_status": by_status,
                "by_direction": by_direction,
                "outbound_by_status": outbound_by_status,
                "last_7_days": last_7_days,
                "last_30_days": last_30_days,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.message_statistics_by_direction import (
            MessageStatisticsByDirection,  # noqa: PLC0415
        )
        from ..models.message_statistics_by_status import MessageStatisticsByStatus  # noqa: PLC0415
        from ..models.message_statistics_outbound_by_status import (
            MessageStatisticsOutboundByStatus,  # noqa: PLC0415
        )

        d = dict(src_dict)
        total = d.pop("total")

        by_status = MessageStatisticsByStatus.from_dict(d.pop("by_status"))

        by_direction = MessageStatisticsByDirection.from_dict(d.pop("by_direction"))

        outbound_by_status = MessageStatisticsOutboundByStatus.from_dict(
            d.pop("outbound_by_status")
        )

        last_7_days = d.pop("last_7_days")

        last_30_days = d.pop("last_30_days")

        message_statistics = cls(
            total=total,
            by_status=by_status,
            by_direction=by_direction,
            outbound_by_status=outbound_by_status,
            last_7_days=last_7_days,
            last_30_days=last_30_days,
        )

        message_statistics.additional_properties = d
        return message_statistics

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
