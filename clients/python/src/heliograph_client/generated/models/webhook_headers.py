from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="WebhookHeaders")


@_attrs_define
class WebhookHeaders:
    """Your own headers, sent with each attempt and never shown again. Not `Host`, `User-Agent`, `Connection`, `Keep-
    Alive`, `TE`, `Trailer`, `Transfer-Encoding`, `Upgrade`, `HTTP2-Settings`, `Expect`, `Accept-Encoding`, `Via` or
    `Forwarded`, and none that begins with `Content-`, `Proxy-` or `webhook-`.

    """

    additional_properties: dict[str, str] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        webhook_headers = cls()

        webhook_headers.additional_properties = d
        return webhook_headers

    @property
    def additional_keys(self) -> list[str]:
        return list(self.additional_properties.keys())

    def __getitem__(self, key: str) -> str:
        return self.additional_properties[key]

    def __setitem__(self, key: str, value: str) -> None:
        self.additional_properties[key] = value

    def __delitem__(self, key: str) -> None:
        del self.additional_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self.additional_properties
