from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar
from uuid import UUID

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="SendResult")


@_attrs_define
class SendResult:
    """An accepted message: it is stored and will be sent.

    Attributes:
        success (bool):
        message_id (UUID):
        status (str): The status of a message; an inbound one is `received` or `read`. Known values: `scheduled`,
            `queued`, `sending`, `sent`, `delivered`, `read`, `failed`, `canceled`, `received`. More may be added.
        run_id (str): The correlation id that every log line and webhook of this send carries.
    """

    success: bool
    message_id: UUID
    status: str
    run_id: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        success = self.success

        message_id = str(self.message_id)

        status = self.status

        run_id = self.run_id

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "success": success,
                "message_id": message_id,
                "status": status,
                "run_id": run_id,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        success = d.pop("success")

        message_id = UUID(d.pop("message_id"))

        status = d.pop("status")

        run_id = d.pop("run_id")

        send_result = cls(
            success=success,
            message_id=message_id,
            status=status,
            run_id=run_id,
        )

        send_result.additional_properties = d
        return send_result

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
