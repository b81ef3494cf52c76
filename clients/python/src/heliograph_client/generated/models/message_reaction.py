from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="MessageReaction")


@_attrs_define
class MessageReaction:
    """Somebody's reaction to the message.

    Attributes:
        emoji (str):
        at (datetime.datetime):
        jid (None | str | Unset): Their address on the chat network; null for the account.
    """

    emoji: str
    at: datetime.datetime
    jid: None | str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        emoji = self.emoji

        at = self.at.isoformat()

        jid: None | str | Unset
        if isinstance(self.jid, Unset):
            jid = UNSET
        else:
            jid = self.jid

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "emoji": emoji,
                "at": at,
            }
        )
        if jid is not UNSET:
            field_dict["jid"] = jid

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        emoji = d.pop("emoji")

        at = datetime.datetime.fromisoformat(d.pop("at"))

        def _parse_jid(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        jid = _parse_jid(d.pop("jid", UNSET))

        message_reaction = cls(
            emoji=emoji,
            at=at,
            jid=jid,
        )

        message_reaction.additional_properties = d
        return message_reaction

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
