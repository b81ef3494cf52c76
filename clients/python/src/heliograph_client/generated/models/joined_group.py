from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="JoinedGroup")


@_attrs_define
class JoinedGroup:
    """The group that was joined.

    Attributes:
        success (bool):
        jid (str):
        name (str):
        owner_jid (str): The owner of the group; empty if the network does not say.
        group_created (str): When it was created, in ISO 8601; empty if the network does not say.
    """

    success: bool
    jid: str
    name: str
    owner_jid: str
    group_created: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        success = self.success

        jid = self.jid

        name = self.name

        owner_jid = self.owner_jid

        group_created = self.group_created

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "success": success,
                "jid": jid,
                "name": name,
                "owner_jid": owner_jid,
                "group_created": group_created,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        success = d.pop("success")

        jid = d.pop("jid")

        name = d.pop("name")

        owner_jid = d.pop("owner_jid")

        group_created = d.pop("group_created")

        joined_group = cls(
            success=success,
            jid=jid,
            name=name,
            owner_jid=owner_jid,
            group_created=group_created,
        )

        joined_group.additional_properties = d
        return joined_group

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
