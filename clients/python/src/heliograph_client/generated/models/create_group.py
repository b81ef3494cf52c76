from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="CreateGroup")


@_attrs_define
class CreateGroup:
    """A group to create on the chat network.

    Attributes:
        chat_account_id (UUID): The connected account that creates the group.
        subject (str): The group's name.
        participants (list[str]): Each is a phone number with its country code, as people write it (5 to 15 digits, `+`
            or `00` optional; spaces, dots, dashes, slashes and brackets are dropped), or a JID; a person named twice is
            added once.
    """

    chat_account_id: str | UUID
    subject: str
    participants: list[str]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        chat_account_id = str(self.chat_account_id)

        subject = self.subject

        participants = self.participants

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "chat_account_id": chat_account_id,
                "subject": subject,
                "participants": participants,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        chat_account_id = UUID(d.pop("chat_account_id"))

        subject = d.pop("subject")

        participants = cast(list[str], d.pop("participants"))

        create_group = cls(
            chat_account_id=chat_account_id,
            subject=subject,
            participants=participants,
        )

        create_group.additional_properties = d
        return create_group

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
