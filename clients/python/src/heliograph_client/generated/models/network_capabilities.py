from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="NetworkCapabilities")


@_attrs_define
class NetworkCapabilities:
    """What a network can do.

    Attributes:
        content (list[str]): The kinds of messages that can be sent.
        create_group (bool):
        join_group (bool):
        contacts (bool): Whether an account's contacts can be synchronised.
        pictures (bool): Whether profile pictures can be fetched.
        deduplicates_by_id (bool): Whether the network shows a message that it was sent twice once.
        pairing_methods (list[str]): How a device is paired with a phone; none where it just connects.
        simulator (bool): Whether its people are virtual, to try things on.
    """

    content: list[str]
    create_group: bool
    join_group: bool
    contacts: bool
    pictures: bool
    deduplicates_by_id: bool
    pairing_methods: list[str]
    simulator: bool
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        content = self.content

        create_group = self.create_group

        join_group = self.join_group

        contacts = self.contacts

        pictures = self.pictures

        deduplicates_by_id = self.deduplicates_by_id

        pairing_methods = self.pairing_methods

        simulator = self.simulator

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "content": content,
                "create_group": create_group,
                "join_group": join_group,
                "contacts": contacts,
                "pictures": pictures,
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

        create_group = d.pop("create_group")

        join_group = d.pop("join_group")

        contacts = d.pop("contacts")

        pictures = d.pop("pictures")

        deduplicates_by_id = d.pop("deduplicates_by_id")

        pairing_methods = cast(list[str], d.pop("pairing_methods"))

        simulator = d.pop("simulator")

        network_capabilities = cls(
            content=content,
            create_group=create_group,
            join_group=join_group,
            contacts=contacts,
            pictures=pictures,
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
