from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="NetworkCapabilities")


@_attrs_define
class NetworkCapabilities:
    """The capabilities of a chat network.

    Attributes:
        content (list[str]): The kinds of messages that can be sent.
        changes (list[str]): The changes that a sent message allows, of `edited`, `deleted` and `reaction`.
        replies (bool): Whether a message can quote another one.
        mentions (bool): Whether a text can mention people.
        create_group (bool):
        join_group (bool):
        manage_groups (bool): Whether groups can be read, changed and left, and people added and removed.
        contacts (bool): Whether an account's contacts can be synchronized.
        number_checks (bool): Whether phone numbers can be looked up on the network.
        pictures (bool): Whether profile pictures can be fetched.
        typing (bool): Whether a typing indicator can be shown.
        read_marks (bool): Whether the network sends read receipts.
        deduplicates_by_id (bool): Whether the network shows a message that was sent twice only once.
        pairing_methods (list[str]): The ways to pair a device with a phone; empty if it connects without pairing.
        simulator (bool): Whether the network is simulated, with virtual people.
    """

    content: list[str]
    changes: list[str]
    replies: bool
    mentions: bool
    create_group: bool
    join_group: bool
    manage_groups: bool
    contacts: bool
    number_checks: bool
    pictures: bool
    typing: bool
    read_marks: bool
    deduplicates_by_id: bool
    pairing_methods: list[str]
    simulator: bool
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        content = self.content

        changes = self.changes

        replies = self.replies

        mentions = self.mentions

        create_group = self.create_group

        join_group = self.join_group

        manage_groups = self.manage_groups

        contacts = self.contacts

        number_checks = self.number_checks

        pictures = self.pictures

        typing = self.typing

        read_marks = self.read_marks

        deduplicates_by_id = self.deduplicates_by_id

        pairing_methods = self.pairing_methods

        simulator = self.simulator

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "content": content,
                "changes": changes,
                "replies": replies,
                "mentions": mentions,
                "create_group": create_group,
                "join_group": join_group,
                "manage_groups": manage_groups,
                "contacts": contacts,
                "number_checks": number_checks,
                "pictures": pictures,
                "typing": typing,
                "read_marks": read_marks,
                "deduplicates_by_id": deduplicates_by_id,
                "pairing_methods": pairing_methods,
                "simulator": simulator,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        content = cast(list[str], d.pop("content"))

        changes = cast(list[str], d.pop("changes"))

        replies = d.pop("replies")

        mentions = d.pop("mentions")

        create_group = d.pop("create_group")

        join_group = d.pop("join_group")

        manage_groups = d.pop("manage_groups")

        contacts = d.pop("contacts")

        number_checks = d.pop("number_checks")

        pictures = d.pop("pictures")

        typing = d.pop("typing")

        read_marks = d.pop("read_marks")

        deduplicates_by_id = d.pop("deduplicates_by_id")

        pairing_methods = cast(list[str], d.pop("pairing_methods"))

        simulator = d.pop("simulator")

        network_capabilities = cls(
            content=content,
            changes=changes,
            replies=replies,
            mentions=mentions,
            create_group=create_group,
            join_group=join_group,
            manage_groups=manage_groups,
            contacts=contacts,
            number_checks=number_checks,
            pictures=pictures,
            typing=typing,
            read_marks=read_marks,
            deduplicates_by_id=deduplicates_by_id,
            pairing_methods=pairing_methods,
            simulator=simulator,
        )

        network_capabilities.additional_properties = d
        return network_capabilities

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
