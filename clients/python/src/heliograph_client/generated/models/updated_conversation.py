from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.author import Author
    from ..models.label import Label


T = TypeVar("T", bound="UpdatedConversation")


@_attrs_define
class UpdatedConversation:
    """A changed conversation, as it is now. `last_message_preview` and
    `contact_profile_picture_url` are null here.

        Attributes:
            id (UUID):
            chat_account_id (UUID): The connected account that owns the conversation.
            remote_jid (str): The network's identifier of the person or group.
            status (str): The status of a conversation. Known values: `open`, `pending`, `snoozed`, `closed`. More may be
                added.
            unread_count (int):
            created_at (datetime.datetime):
            updated_at (datetime.datetime):
            changed (list[str]): The names of the fields that have another value now.
            contact_id (None | Unset | UUID):
            phone_number (None | str | Unset):
            is_group (bool | None | Unset):  Default: False.
            group_subject (None | str | Unset):
            assignee_user_id (None | Unset | UUID):
            agent_paused (bool | None | Unset):  Default: False.
            subject (None | str | Unset):
            last_message_preview (None | str | Unset):
            last_message_at (datetime.datetime | None | Unset):
            last_inbound_at (datetime.datetime | None | Unset):
            last_outbound_at (datetime.datetime | None | Unset):
            contact_name (None | str | Unset):
            contact_chat_name (None | str | Unset): The name the contact uses on the chat network.
            contact_profile_picture_url (None | str | Unset):
            display_name (None | str | Unset): The best name for people: the contact's name, else the one on the chat
                network.
            pinned (bool | None | Unset):  Default: False.
            chat_group_id (None | Unset | UUID):
            snoozed_until (datetime.datetime | None | Unset): When a snoozed conversation reopens by itself; null: only when
                somebody writes.
            labels (list[Label] | None | Unset):
            changed_by (Author | None | Unset): Who changed it; null when the network did, its snooze has ended by itself,
                or the account's owner has read it on another device.
    """

    id: UUID
    chat_account_id: UUID
    remote_jid: str
    status: str
    unread_count: int
    created_at: datetime.datetime
    updated_at: datetime.datetime
    changed: list[str]
    contact_id: None | Unset | UUID = UNSET
    phone_number: None | str | Unset = UNSET
    is_group: bool | None | Unset = False
    group_subject: None | str | Unset = UNSET
    assignee_user_id: None | Unset | UUID = UNSET
    agent_paused: bool | None | Unset = False
    subject: None | str | Unset = UNSET
    last_message_preview: None | str | Unset = UNSET
    last_message_at: datetime.datetime | None | Unset = UNSET
    last_inbound_at: datetime.datetime | None | Unset = UNSET
    last_outbound_at: datetime.datetime | None | Unset = UNSET
    contact_name: None | str | Unset = UNSET
    contact_chat_name: None | str | Unset = UNSET
    contact_profile_picture_url: None | str | Unset = UNSET
    display_name: None | str | Unset = UNSET
    pinned: bool | None | Unset = False
    chat_group_id: None | Unset | UUID = UNSET
    snoozed_until: datetime.datetime | None | Unset = UNSET
    labels: list[Label] | None | Unset = UNSET
    changed_by: Author | None | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.author import Author  # noqa: PLC0415

        id = str(self.id)

        chat_account_id = str(self.chat_account_id)

        remote_jid = self.remote_jid

        status = self.status

        unread_count = self.unread_count

        created_at = self.created_at.isoformat()

        updated_at = self.updated_at.isoformat()

        changed = self.changed

        contact_id: None | str | Unset
        if isinstance(self.contact_id, Unset):
            contact_id = UNSET
        elif isinstance(self.contact_id, UUID):
            contact_id = str(self.contact_id)
        else:
            contact_id = self.contact_id

        phone_number: None | str | Unset
        if isinstance(self.phone_number, Unset):
            phone_number = UNSET
        else:
            phone_number = self.phone_number

        is_group: bool | None | Unset
        if isinstance(self.is_group, Unset):
            is_group = UNSET
        else:
            is_group = self.is_group

        group_subject: None | str | Unset
        if isinstance(self.group_subject, Unset):
            group_subject = UNSET
        else:
            group_subject = self.group_subject

        assignee_user_id: None | str | Unset
        if isinstance(self.assignee_user_id, Unset):
            assignee_user_id = UNSET
        elif isinstance(self.assignee_user_id, UUID):
            assignee_user_id = str(self.assignee_user_id)
        else:
            assignee_user_id = self.assignee_user_id

        agent_paused: bool | None | Unset
        if isinstance(self.agent_paused, Unset):
            agent_paused = UNSET
        else:
            agent_paused = self.agent_paused

        subject: None | str | Unset
        if isinstance(self.subject, Unset):
            subject = UNSET
        else:
            subject = self.subject

        last_message_preview: None | str | Unset
        if isinstance(self.last_message_preview, Unset):
            last_message_preview = UNSET
        else:
            last_message_preview = self.last_message_preview

        last_message_at: None | str | Unset
        if isinstance(self.last_message_at, Unset):
            last_message_at = UNSET
        elif isinstance(self.last_message_at, datetime.datetime):
            last_message_at = self.last_message_at.isoformat()
        else:
            last_message_at = self.last_message_at

        last_inbound_at: None | str | Unset
        if isinstance(self.last_inbound_at, Unset):
            last_inbound_at = UNSET
        elif isinstance(self.last_inbound_at, datetime.datetime):
            last_inbound_at = self.last_inbound_at.isoformat()
        else:
            last_inbound_at = self.last_inbound_at

        last_outbound_at: None | str | Unset
        if isinstance(self.last_outbound_at, Unset):
            last_outbound_at = UNSET
        elif isinstance(self.last_outbound_at, datetime.datetime):
            last_outbound_at = self.last_outbound_at.isoformat()
        else:
            last_outbound_at = self.last_outbound_at

        contact_name: None | str | Unset
        if isinstance(self.contact_name, Unset):
            contact_name = UNSET
        else:
            contact_name = self.contact_name

        contact_chat_name: None | str | Unset
        if isinstance(self.contact_chat_name, Unset):
            contact_chat_name = UNSET
        else:
            contact_chat_name = self.contact_chat_name

        contact_profile_picture_url: None | str | Unset
        if isinstance(self.contact_profile_picture_url, Unset):
            contact_profile_picture_url = UNSET
        else:
            contact_profile_picture_url = self.contact_profile_picture_url

        display_name: None | str | Unset
        if isinstance(self.display_name, Unset):
            display_name = UNSET
        else:
            display_name = self.display_name

        pinned: bool | None | Unset
        if isinstance(self.pinned, Unset):
            pinned = UNSET
        else:
            pinned = self.pinned

        chat_group_id: None | str | Unset
        if isinstance(self.chat_group_id, Unset):
            chat_group_id = UNSET
        elif isinstance(self.chat_group_id, UUID):
            chat_group_id = str(self.chat_group_id)
        else:
            chat_group_id = self.chat_group_id

        snoozed_until: None | str | Unset
        if isinstance(self.snoozed_until, Unset):
            snoozed_until = UNSET
        elif isinstance(self.snoozed_until, datetime.datetime):
            snoozed_until = self.snoozed_until.isoformat()
        else:
            snoozed_until = self.snoozed_until

        labels: list[dict[str, Any]] | None | Unset
        if isinstance(self.labels, Unset):
            labels = UNSET
        elif isinstance(self.labels, list):
            labels = []
            for labels_type_0_item_data in self.labels:
                labels_type_0_item = labels_type_0_item_data.to_dict()
                labels.append(labels_type_0_item)

        else:
            labels = self.labels

        changed_by: dict[str, Any] | None | Unset
        if isinstance(self.changed_by, Unset):
            changed_by = UNSET
        elif isinstance(self.changed_by, Author):
            changed_by = self.changed_by.to_dict()
        else:
            changed_by = self.changed_by

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "chat_account_id": chat_account_id,
                "remote_jid": remote_jid,
                "status": status,
                "unread_count": unread_count,
                "created_at": created_at,
                "updated_at": updated_at,
                "changed": changed,
            }
        )
        if contact_id is not UNSET:
            field_dict["contact_id"] = contact_id
        if phone_number is not UNSET:
            field_dict["phone_number"] = phone_number
        if is_group is not UNSET:
            field_dict["is_group"] = is_group
        if group_subject is not UNSET:
            field_dict["group_subject"] = group_subject
        if assignee_user_id is not UNSET:
            field_dict["assignee_user_id"] = assignee_user_id
        if agent_paused is not UNSET:
            field_dict["agent_paused"] = agent_paused
        if subject is not UNSET:
            field_dict["subject"] = subject
        if last_message_preview is not UNSET:
            field_dict["last_message_preview"] = last_message_preview
        if last_message_at is not UNSET:
            field_dict["last_message_at"] = last_message_at
        if last_inbound_at is not UNSET:
            field_dict["last_inbound_at"] = last_inbound_at
        if last_outbound_at is not UNSET:
            field_dict["last_outbound_at"] = last_outbound_at
        if contact_name is not UNSET:
            field_dict["contact_name"] = contact_name
        if contact_chat_name is not UNSET:
            field_dict["contact_chat_name"] = contact_chat_name
        if contact_profile_picture_url is not UNSET:
            field_dict["contact_profile_picture_url"] = contact_profile_picture_url
        if display_name is not UNSET:
            field_dict["display_name"] = display_name
        if pinned is not UNSET:
            field_dict["pinned"] = pinned
        if chat_group_id is not UNSET:
            field_dict["chat_group_id"] = chat_group_id
        if snoozed_until is not UNSET:
            field_dict["snoozed_until"] = snoozed_until
        if labels is not UNSET:
            field_dict["labels"] = labels
        if changed_by is not UNSET:
            field_dict["changed_by"] = changed_by

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.author import Author  # noqa: PLC0415
        from ..models.label import Label  # noqa: PLC0415

        d = dict(src_dict)
        id = UUID(d.pop("id"))

        chat_account_id = UUID(d.pop("chat_account_id"))

        remote_jid = d.pop("remote_jid")

        status = d.pop("status")

        unread_count = d.pop("unread_count")

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        updated_at = datetime.datetime.fromisoformat(d.pop("updated_at"))

        changed = cast(list[str], d.pop("changed"))

        def _parse_contact_id(data: object) -> None | Unset | UUID:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                contact_id_type_0 = UUID(data)

                return contact_id_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Unset | UUID, data)

        contact_id = _parse_contact_id(d.pop("contact_id", UNSET))

        def _parse_phone_number(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        phone_number = _parse_phone_number(d.pop("phone_number", UNSET))

        def _parse_is_group(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        is_group = _parse_is_group(d.pop("is_group", UNSET))

        def _parse_group_subject(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        group_subject = _parse_group_subject(d.pop("group_subject", UNSET))

        def _parse_assignee_user_id(data: object) -> None | Unset | UUID:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                assignee_user_id_type_0 = UUID(data)

                return assignee_user_id_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Unset | UUID, data)

        assignee_user_id = _parse_assignee_user_id(d.pop("assignee_user_id", UNSET))

        def _parse_agent_paused(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        agent_paused = _parse_agent_paused(d.pop("agent_paused", UNSET))

        def _parse_subject(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        subject = _parse_subject(d.pop("subject", UNSET))

        def _parse_last_message_preview(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        last_message_preview = _parse_last_message_preview(d.pop("last_message_preview", UNSET))

        def _parse_last_message_at(data: object) -> datetime.datetime | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                last_message_at_type_0 = datetime.datetime.fromisoformat(data)

                return last_message_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None | Unset, data)

        last_message_at = _parse_last_message_at(d.pop("last_message_at", UNSET))

        def _parse_last_inbound_at(data: object) -> datetime.datetime | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                last_inbound_at_type_0 = datetime.datetime.fromisoformat(data)

                return last_inbound_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None | Unset, data)

        last_inbound_at = _parse_last_inbound_at(d.pop("last_inbound_at", UNSET))

        def _parse_last_outbound_at(data: object) -> datetime.datetime | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                last_outbound_at_type_0 = datetime.datetime.fromisoformat(data)

                return last_outbound_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None | Unset, data)

        last_outbound_at = _parse_last_outbound_at(d.pop("last_outbound_at", UNSET))

        def _parse_contact_name(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        contact_name = _parse_contact_name(d.pop("contact_name", UNSET))

        def _parse_contact_chat_name(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        contact_chat_name = _parse_contact_chat_name(d.pop("contact_chat_name", UNSET))

        def _parse_contact_profile_picture_url(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        contact_profile_picture_url = _parse_contact_profile_picture_url(
            d.pop("contact_profile_picture_url", UNSET)
        )

        def _parse_display_name(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        display_name = _parse_display_name(d.pop("display_name", UNSET))

        def _parse_pinned(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        pinned = _parse_pinned(d.pop("pinned", UNSET))

        def _parse_chat_group_id(data: object) -> None | Unset | UUID:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                chat_group_id_type_0 = UUID(data)

                return chat_group_id_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Unset | UUID, data)

        chat_group_id = _parse_chat_group_id(d.pop("chat_group_id", UNSET))

        def _parse_snoozed_until(data: object) -> datetime.datetime | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                snoozed_until_type_0 = datetime.datetime.fromisoformat(data)

                return snoozed_until_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None | Unset, data)

        snoozed_until = _parse_snoozed_until(d.pop("snoozed_until", UNSET))

        def _parse_labels(data: object) -> list[Label] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                labels_type_0 = []
                _labels_type_0 = data
                for labels_type_0_item_data in _labels_type_0:
                    labels_type_0_item = Label.from_dict(labels_type_0_item_data)

                    labels_type_0.append(labels_type_0_item)

                return labels_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[Label] | None | Unset, data)

        labels = _parse_labels(d.pop("labels", UNSET))

        def _parse_changed_by(data: object) -> Author | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                changed_by_type_0 = Author.from_dict(data)

                return changed_by_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(Author | None | Unset, data)

        changed_by = _parse_changed_by(d.pop("changed_by", UNSET))

        updated_conversation = cls(
            id=id,
            chat_account_id=chat_account_id,
            remote_jid=remote_jid,
            status=status,
            unread_count=unread_count,
            created_at=created_at,
            updated_at=updated_at,
            changed=changed,
            contact_id=contact_id,
            phone_number=phone_number,
            is_group=is_group,
            group_subject=group_subject,
            assignee_user_id=assignee_user_id,
            agent_paused=agent_paused,
            subject=subject,
            last_message_preview=last_message_preview,
            last_message_at=last_message_at,
            last_inbound_at=last_inbound_at,
            last_outbound_at=last_outbound_at,
            contact_name=contact_name,
            contact_chat_name=contact_chat_name,
            contact_profile_picture_url=contact_profile_picture_url,
            display_name=display_name,
            pinned=pinned,
            chat_group_id=chat_group_id,
            snoozed_until=snoozed_until,
            labels=labels,
            changed_by=changed_by,
        )

        updated_conversation.additional_properties = d
        return updated_conversation

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
