from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="ChangeResult")


@_attrs_define
class ChangeResult:
    """An accepted change: it is queued, or was made at once because the message was waiting.

    Attributes:
        success (bool):
        message_id (UUID):
        status (str): `queued`, or `done` for a message that nothing had begun to send.
        run_id (str): The correlation id that every log line of this change carries.
        change_id (None | Unset | UUID): Events about the outcome of a queued change name it; null for a change that was
            made at once, which only the record shows.
    """

    success: bool
    message_id: UUID
    status: str
    run_id: str
    change_id: None | Unset | UUID = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        success = self.success

        message_id = str(self.message_id)

        status = self.status

        run_id = self.run_id

        change_id: None | str | Unset
        if isinstance(self.change_id, Unset):
            change_id = UNSET
        elif isinstance(self.change_id, UUID):
            change_id = str(self.change_id)
        else:
            change_id = self.change_id

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
        if change_id is not UNSET:
            field_dict["change_id"] = change_id

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        success = d.pop("success")

        message_id = UUID(d.pop("message_id"))

        status = d.pop("status")

        run_id = d.pop("run_id")

        def _parse_change_id(data: object) -> None | Unset | UUID:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                change_id_type_0 = UUID(data)

                return change_id_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Unset | UUID, data)

        change_id = _parse_change_id(d.pop("change_id", UNSET))

        change_result = cls(
            success=success,
            message_id=message_id,
            status=status,
            run_id=run_id,
            change_id=change_id,
        )

        change_result.additional_properties = d
        return change_result

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
