from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="SyncStarted")


@_attrs_define
class SyncStarted:
    """The job that reads the contacts: a new one, or the one that is running already.

    Attributes:
        success (bool):
        message (str):
        job_id (str):
        status (str): The status of a contact synchronization. Known values: `pending`, `running`, `completed`,
            `failed`. More may be added.
    """

    success: bool
    message: str
    job_id: str
    status: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        success = self.success

        message = self.message

        job_id = self.job_id

        status = self.status

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "success": success,
                "message": message,
                "job_id": job_id,
                "status": status,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        success = d.pop("success")

        message = d.pop("message")

        job_id = d.pop("job_id")

        status = d.pop("status")

        sync_started = cls(
            success=success,
            message=message,
            job_id=job_id,
            status=status,
        )

        sync_started.additional_properties = d
        return sync_started

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
