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

T = TypeVar("T", bound="PollContent")


@_attrs_define
class PollContent:
    """A question with answers to choose from.

    Attributes:
        type_ (Literal['poll']):
        question (str):
        options (list[str]):
        max_choices (int): Maximum number of choices per person.
    """

    type_: Literal["poll"]
    question: str
    options: list[str]
    max_choices: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        type_ = self.type_

        question = self.question

        options = self.options

        max_choices = self.max_choices

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "type": type_,
                "question": question,
                "options": options,
                "max_choices": max_choices,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        type_ = cast(Literal["poll"], d.pop("type"))
        if type_ != "poll":
            raise ValueError(f"type must match const 'poll', got '{type_}'")

        question = d.pop("question")

        options = cast(list[str], d.pop("options"))

        max_choices = d.pop("max_choices")

        poll_content = cls(
            type_=type_,
            question=question,
            options=options,
            max_choices=max_choices,
        )

        poll_content.additional_properties = d
        return poll_content

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
