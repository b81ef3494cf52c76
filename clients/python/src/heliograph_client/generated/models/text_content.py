from __future__ import annotations

from collections.abc import Mapping
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    TypeVar,
    cast,
)

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.link_preview import LinkPreview


T = TypeVar("T", bound="TextContent")


@_attrs_define
class TextContent:
    """A plain text.

    Attributes:
        type_ (Literal['text']):
        body (str):
        mentions (list[str] | None | Unset): The network's identifiers of the people mentioned in the text.
        preview (LinkPreview | None | Unset):
    """

    type_: Literal["text"]
    body: str
    mentions: list[str] | None | Unset = UNSET
    preview: LinkPreview | None | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.link_preview import LinkPreview  # noqa: PLC0415

        type_ = self.type_

        body = self.body

        mentions: list[str] | None | Unset
        if isinstance(self.mentions, Unset):
            mentions = UNSET
        elif isinstance(self.mentions, list):
            mentions = self.mentions

        else:
            mentions = self.mentions

        preview: dict[str, Any] | None | Unset
        if isinstance(self.preview, Unset):
            preview = UNSET
        elif isinstance(self.preview, LinkPreview):
            preview = self.preview.to_dict()
        else:
            preview = self.preview

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "type": type_,
                "body": body,
            }
        )
        if mentions is not UNSET:
            field_dict["mentions"] = mentions
        if preview is not UNSET:
            field_dict["preview"] = preview

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.link_preview import LinkPreview  # noqa: PLC0415

        d = dict(src_dict)
        type_ = cast(Literal["text"], d.pop("type"))
        if type_ != "text":
            raise ValueError(f"type must match const 'text', got '{type_}'")

        body = d.pop("body")

        def _parse_mentions(data: object) -> list[str] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                mentions_type_0 = cast(list[str], data)

                return mentions_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None | Unset, data)

        mentions = _parse_mentions(d.pop("mentions", UNSET))

        def _parse_preview(data: object) -> LinkPreview | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                preview_type_0 = LinkPreview.from_dict(data)

                return preview_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(LinkPreview | None | Unset, data)

        preview = _parse_preview(d.pop("preview", UNSET))

        text_content = cls(
            type_=type_,
            body=body,
            mentions=mentions,
            preview=preview,
        )

        text_content.additional_properties = d
        return text_content

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
