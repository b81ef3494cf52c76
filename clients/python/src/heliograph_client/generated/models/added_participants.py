from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.refused_participant import RefusedParticipant


T = TypeVar("T", bound="AddedParticipants")


@_attrs_define
class AddedParticipants:
    """Who was added to a group, and who was not.

    Attributes:
        added (list[str]):
        refused (list[RefusedParticipant]):
    """

    added: list[str]
    refused: list[RefusedParticipant]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        added = self.added

        refused = []
        for refused_item_data in self.refused:
            refused_item = refused_item_data.to_dict()
            refused.append(refused_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "added": added,
                "refused": refused,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.refused_participant import RefusedParticipant  # noqa: PLC0415

        d = dict(src_dict)
        added = cast(list[str], d.pop("added"))

        refused = []
        _refused = d.pop("refused")
        for refused_item_data in _refused:
            refused_item = RefusedParticipant.from_dict(refused_item_data)

            refused.append(refused_item)

        added_participants = cls(
            added=added,
            refused=refused,
        )

        added_participants.additional_properties = d
        return added_participants

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
