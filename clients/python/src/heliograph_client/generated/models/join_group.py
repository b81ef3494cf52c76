from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="JoinGroup")


@_attrs_define
class JoinGroup:
    """A group to join through its invite link.

    Attributes:
        session_name (str): The connected account's session name within the organization.
        invite_link (str): The link in the network's own form.
    """

    session_name: str
    invite_link: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        session_name = self.session_name

        invite_link = self.invite_link

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "session_name": session_name,
                "invite_link": invite_link,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        session_name = d.pop("session_name")

        invite_link = d.pop("invite_link")

        join_group = cls(
            session_name=session_name,
            invite_link=invite_link,
        )

        join_group.additional_properties = d
        return join_group

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
