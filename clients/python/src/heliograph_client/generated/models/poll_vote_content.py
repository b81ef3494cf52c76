from __future__ import annotations

from collections.abc import Mapping
from typing import (
    Any,
    Literal,
    TypeVar,
    cast,
)

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="PollVoteContent")


@_attrs_define
class PollVoteContent:
    """Somebody's choice in a poll. A later vote replaces it.

    Attributes:
        type_ (Literal['poll_vote']):
        options (list[str]): All current choices; empty if the vote was withdrawn.
    """

    type_: Literal["poll_vote"]
    options: list[str]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        type_ = self.type_

        options = self.options

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "type": type_,
                "options": options,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        type_ = cast(Literal["poll_vote"], d.pop("type"))
        if type_ != "poll_vote":
            raise ValueError(f"type must match const 'poll_vote', got '{type_}'")

        options = cast(list[str], d.pop("options"))

        poll_vote_content = cls(
            type_=type_,
            options=options,
        )

        poll_vote_content.additional_properties = d
        return poll_vote_content

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
