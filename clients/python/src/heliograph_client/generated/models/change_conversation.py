from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define

from ..models.chosen_status import ChosenStatus, check_chosen_status
from ..types import UNSET, Unset

T = TypeVar("T", bound="ChangeConversation")


@_attrs_define
class ChangeConversation:
    """The fields to change; those not given stay as they are.

    Attributes:
        status (ChosenStatus | Unset): The statuses of a conversation that a client can set and filter by.
        assignee_user_id (None | Unset | UUID): The member it is assigned to; null for nobody.
        agent_paused (bool | Unset): Whether automatic answers are paused.
        pinned (bool | Unset): Whether it is pinned above all others; 50 can be pinned.
        subject (None | str | Unset): A description for colleagues.
        label_ids (list[UUID] | Unset): The complete new list of labels.
        snoozed_until (datetime.datetime | None | Unset): When a snoozed conversation reopens by itself; null: only when
            somebody writes.
    """

    status: ChosenStatus | Unset = UNSET
    assignee_user_id: None | Unset | str | UUID = UNSET
    agent_paused: bool | Unset = UNSET
    pinned: bool | Unset = UNSET
    subject: None | str | Unset = UNSET
    label_ids: list[UUID] | Unset = UNSET
    snoozed_until: datetime.datetime | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        status: str | Unset = UNSET
        if not isinstance(self.status, Unset):
            status = self.status

        assignee_user_id: None | str | Unset
        if isinstance(self.assignee_user_id, Unset):
            assignee_user_id = UNSET
        elif isinstance(self.assignee_user_id, UUID):
            assignee_user_id = str(self.assignee_user_id)
        else:
            assignee_user_id = self.assignee_user_id

        agent_paused = self.agent_paused

        pinned = self.pinned

        subject: None | str | Unset
        if isinstance(self.subject, Unset):
            subject = UNSET
        else:
            subject = self.subject

        label_ids: list[str] | Unset = UNSET
        if not isinstance(self.label_ids, Unset):
            label_ids = []
            for label_ids_item_data in self.label_ids:
                label_ids_item = str(label_ids_item_data)
                label_ids.append(label_ids_item)

        snoozed_until: None | str | Unset
        if isinstance(self.snoozed_until, Unset):
            snoozed_until = UNSET
        elif isinstance(self.snoozed_until, datetime.datetime):
            snoozed_until = self.snoozed_until.isoformat()
        else:
            snoozed_until = self.snoozed_until

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if status is not UNSET:
            field_dict["status"] = status
        if assignee_user_id is not UNSET:
            field_dict["assignee_user_id"] = assignee_user_id
        if agent_paused is not UNSET:
            field_dict["agent_paused"] = agent_paused
        if pinned is not UNSET:
            field_dict["pinned"] = pinned
        if subject is not UNSET:
            field_dict["subject"] = subject
        if label_ids is not UNSET:
            field_dict["label_ids"] = label_ids
        if snoozed_until is not UNSET:
            field_dict["snoozed_until"] = snoozed_until

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        _status = d.pop("status", UNSET)
        status: ChosenStatus | Unset
        if isinstance(_status, Unset):
            status = UNSET
        else:
            status = check_chosen_status(_status)

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

        agent_paused = d.pop("agent_paused", UNSET)

        pinned = d.pop("pinned", UNSET)

        def _parse_subject(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        subject = _parse_subject(d.pop("subject", UNSET))

        _label_ids = d.pop("label_ids", UNSET)
        label_ids: list[UUID] | Unset = UNSET
        if _label_ids is not UNSET:
            label_ids = []
            for label_ids_item_data in _label_ids:
                label_ids_item = UUID(label_ids_item_data)

                label_ids.append(label_ids_item)

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

        change_conversation = cls(
            status=status,
            assignee_user_id=assignee_user_id,
            agent_paused=agent_paused,
            pinned=pinned,
            subject=subject,
            label_ids=label_ids,
            snoozed_until=snoozed_until,
        )

        return change_conversation
