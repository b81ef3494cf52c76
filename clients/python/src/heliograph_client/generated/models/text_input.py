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

T = TypeVar("T", bound="TextInput")


@_attrs_define
class TextInput:
    """A plain text.

    Attributes:
        body (str): The text.
        type_ (Literal['text'] | Unset):  Default: 'text'.
        preview_url (bool | Unset): Show a preview of the first link in the text. It is fetched before the request is
            answered, and only from public addresses. Default: `false`.
        mentions (list[str] | Unset): The people mentioned in the text, each there as `@` and the digits of their
            number: phone numbers or JIDs. Default: `[]`.
    """

    body: str
    type_: Literal["text"] | Unset = "text"
    preview_url: bool | Unset = UNSET
    mentions: list[str] | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        body = self.body

        type_ = self.type_

        preview_url = self.preview_url

        mentions: list[str] | Unset = UNSET
        if not isinstance(self.mentions, Unset):
            mentions = self.mentions

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "body": body,
            }
        )
        if type_ is not UNSET:
            field_dict["type"] = type_
        if preview_url is not UNSET:
            field_dict["preview_url"] = preview_url
        if mentions is not UNSET:
            field_dict["mentions"] = mentions

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        body = d.pop("body")

        type_ = cast(Literal["text"] | Unset, d.pop("type", UNSET))
        if type_ != "text" and not isinstance(type_, Unset):
            raise ValueError(f"type must match const 'text', got '{type_}'")

        preview_url = d.pop("preview_url", UNSET)

        mentions = cast(list[str], d.pop("mentions", UNSET))

        text_input = cls(
            body=body,
            type_=type_,
            preview_url=preview_url,
            mentions=mentions,
        )

        return text_input
