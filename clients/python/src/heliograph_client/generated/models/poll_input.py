from __future__ import annotations

from collections.abc import Mapping
from typing import (
    Any,
    Literal,
    TypeVar,
    cast,
)

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="PollInput")


@_attrs_define
class PollInput:
    """A question with two to twelve answers.

    Attributes:
        question (str): The question.
        options (list[str]): The answers, all different.
        type_ (Literal['poll'] | Unset):  Default: 'poll'.
        max_choices (int | Unset): Maximum number of choices per person. Default: `1`.
    """

    question: str
    options: list[str]
    type_: Literal["poll"] | Unset = "poll"
    max_choices: int | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        question = self.question

        options = self.options

        type_ = self.type_

        max_choices = self.max_choices

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "question": question,
                "options": options,
            }
        )
        if type_ is not UNSET:
            field_dict["type"] = type_
        if max_choices is not UNSET:
            field_dict["max_choices"] = max_choices

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        question = d.pop("question")

        options = cast(list[str], d.pop("options"))

        type_ = cast(Literal["poll"] | Unset, d.pop("type", UNSET))
        if type_ != "poll" and not isinstance(type_, Unset):
            raise ValueError(f"type must match const 'poll', got '{type_}'")

        max_choices = d.pop("max_choices", UNSET)

        poll_input = cls(
            question=question,
            options=options,
            type_=type_,
            max_choices=max_choices,
        )

        return poll_input
