from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="ChangeGroup")


@_attrs_define
class ChangeGroup:
    """The fields of a group to change; those not given stay.

    Attributes:
        subject (str | Unset): The group's name.
        description (str | Unset): The group's description; empty removes it.
    """

    subject: str | Unset = UNSET
    description: str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        subject = self.subject

        description = self.description

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if subject is not UNSET:
            field_dict["subject"] = subject
        if description is not UNSET:
            field_dict["description"] = description

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        subject = d.pop("subject", UNSET)

        description = d.pop("description", UNSET)

        change_group = cls(
            subject=subject,
            description=description,
        )

        return change_group
