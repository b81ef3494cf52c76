from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

T = TypeVar("T", bound="AddParticipants")


@_attrs_define
class AddParticipants:
    """People to add to a group.

    Attributes:
        participants (list[str]): Each is a phone number with its country code, as people write it (5 to 15 digits, `+`
            or `00` optional; spaces, dots, dashes, slashes and brackets are dropped), or a JID; a person named twice is
            added once.
    """

    participants: list[str]

    def to_dict(self) -> dict[str, Any]:
        participants = self.participants

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "participants": participants,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        participants = cast(list[str], d.pop("participants"))

        add_participants = cls(
            participants=participants,
        )

        return add_participants
