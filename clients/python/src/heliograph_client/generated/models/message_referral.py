from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="MessageReferral")


@_attrs_define
class MessageReferral:
    """The advertisement or post that led somebody to write, as far as it is known.

    Attributes:
        source_id (None | str | Unset): The advertisement's id.
        source_type (None | str | Unset): Such as `ad` or `post`.
        source_url (None | str | Unset):
        headline (None | str | Unset):
        body (None | str | Unset):
        ctwa_clid (None | str | Unset): The id of the click, for reporting conversions to Meta.
    """

    source_id: None | str | Unset = UNSET
    source_type: None | str | Unset = UNSET
    source_url: None | str | Unset = UNSET
    headline: None | str | Unset = UNSET
    body: None | str | Unset = UNSET
    ctwa_clid: None | str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        source_id: None | str | Unset
        if isinstance(self.source_id, Unset):
            source_id = UNSET
        else:
            source_id = self.source_id

        source_type: None | str | Unset
        if isinstance(self.source_type, Unset):
            source_type = UNSET
        else:
            source_type = self.source_type

        source_url: None | str | Unset
        if isinstance(self.source_url, Unset):
            source_url = UNSET
        else:
            source_url = self.source_url

        headline: None | str | Unset
        if isinstance(self.headline, Unset):
            headline = UNSET
        else:
            headline = self.headline

        body: None | str | Unset
        if isinstance(self.body, Unset):
            body = UNSET
        else:
            body = self.body

        ctwa_clid: None | str | Unset
        if isinstance(self.ctwa_clid, Unset):
            ctwa_clid = UNSET
        else:
            ctwa_clid = self.ctwa_clid

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if source_id is not UNSET:
            field_dict["source_id"] = source_id
        if source_type is not UNSET:
            field_dict["source_type"] = source_type
        if source_url is not UNSET:
            field_dict["source_url"] = source_url
        if headline is not UNSET:
            field_dict["headline"] = headline
        if body is not UNSET:
            field_dict["body"] = body
        if ctwa_clid is not UNSET:
            field_dict["ctwa_clid"] = ctwa_clid

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)

        def _parse_source_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        source_id = _parse_source_id(d.pop("source_id", UNSET))

        def _parse_source_type(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        source_type = _parse_source_type(d.pop("source_type", UNSET))

        def _parse_source_url(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        source_url = _parse_source_url(d.pop("source_url", UNSET))

        def _parse_headline(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        headline = _parse_headline(d.pop("headline", UNSET))

        def _parse_body(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        body = _parse_body(d.pop("body", UNSET))

        def _parse_ctwa_clid(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        ctwa_clid = _parse_ctwa_clid(d.pop("ctwa_clid", UNSET))

        message_referral = cls(
            source_id=source_id,
            source_type=source_type,
            source_url=source_url,
            headline=headline,
            body=body,
            ctwa_clid=ctwa_clid,
        )

        message_referral.additional_properties = d
        return message_referral

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
