from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.group_participant import GroupParticipant


T = TypeVar("T", bound="Group")


@_attrs_define
class Group:
    """A group as the chat network shows it to the account.

    Attributes:
        conversation_id (UUID):
        chat_account_id (UUID):
        group_jid (str):
        subject (str):
        description (str):
        participants (list[GroupParticipant]):
        owner_jid (None | str | Unset):
        created_at (None | str | Unset): ISO 8601; null if the network does not say.
    """

    conversation_id: UUID
    chat_account_id: UUID
    group_jid: str
    subject: str
    description: str
    participants: list[GroupParticipant]
    owner_jid: None | str | Unset = UNSET
    created_at: None | str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        conversation_id = str(self.conversation_id)

        chat_account_id = str(self.chat_account_id)

        group_jid = self.group_jid

        subject = self.subject

        description = self.description

        participants = []
        for participants_item_data in self.participants:
            participants_item = participants_item_data.to_dict()
            participants.append(participants_item)

        owner_jid: None | str | Unset
        if isinstance(self.owner_jid, Unset):
            owner_jid = UNSET
        else:
            owner_jid = self.owner_jid

        created_at: None | str | Unset
        if isinstance(self.created_at, Unset):
            created_at = UNSET
        else:
            created_at = self.created_at

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "conversation_id": conversation_id,
                "chat_account_id": chat_account_id,
                "group_jid": group_jid,
                "subject": subject,
                "description": description,
                "participants": participants,
            }
        )
        if owner_jid is not UNSET:
            field_dict["owner_jid"] = owner_jid
        if created_at is not UNSET:
            field_dict["created_at"] = created_at

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.group_participant import GroupParticipant  # noqa: PLC0415

        d = dict(src_dict)
        conversation_id = UUID(d.pop("conversation_id"))

        chat_account_id = UUID(d.pop("chat_account_id"))

        group_jid = d.pop("group_jid")

        subject = d.pop("subject")

        description = d.pop("description")

        participants = []
        _participants = d.pop("participants")
        for participants_item_data in _participants:
            participants_item = GroupParticipant.from_dict(participants_item_data)

            participants.append(participants_item)

        def _parse_owner_jid(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        owner_jid = _parse_owner_jid(d.pop("owner_jid", UNSET))

        def _parse_created_at(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        created_at = _parse_created_at(d.pop("created_at", UNSET))

        group = cls(
            conversation_id=conversation_id,
            chat_account_id=chat_account_id,
            group_jid=group_jid,
            subject=subject,
            description=description,
            participants=participants,
            owner_jid=owner_jid,
            created_at=created_at,
        )

        group.additional_properties = d
        return group

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
