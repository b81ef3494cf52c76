from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.change_contact_attributes import ChangeContactAttributes


T = TypeVar("T", bound="ChangeContact")


@_attrs_define
class ChangeContact:
    """The fields to change; those not given stay as they are.

    Attributes:
        name (None | str | Unset): Your name for the contact, which a phone's address book does not replace; null goes
            back to the address book's.
        attributes (ChangeContactAttributes | Unset): Your own data about the contact, which replaces what was there:
            texts of at most 500 characters, numbers, true, false and null.
        label_ids (list[UUID] | Unset): The complete new list of labels.
    """

    name: None | str | Unset = UNSET
    attributes: ChangeContactAttributes | Unset = UNSET
    label_ids: list[UUID] | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        name: None | str | Unset
        if isinstance(self.name, Unset):
            name = UNSET
        else:
            name = self.name

        attributes: dict[str, Any] | Unset = UNSET
        if not isinstance(self.attributes, Unset):
            attributes = self.attributes.to_dict()

        label_ids: list[str] | Unset = UNSET
        if not isinstance(self.label_ids, Unset):
            label_ids = []
            for label_ids_item_data in self.label_ids:
                label_ids_item = str(label_ids_item_data)
                label_ids.append(label_ids_item)

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if name is not UNSET:
            field_dict["name"] = name
        if attributes is not UNSET:
            field_dict["attributes"] = attributes
        if label_ids is not UNSET:
            field_dict["label_ids"] = label_ids

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.change_contact_attributes import ChangeContactAttributes  # noqa: PLC0415

        d = dict(src_dict)

        def _parse_name(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        name = _parse_name(d.pop("name", UNSET))

        _attributes = d.pop("attributes", UNSET)
        attributes: ChangeContactAttributes | Unset
        if isinstance(_attributes, Unset):
            attributes = UNSET
        else:
            attributes = ChangeContactAttributes.from_dict(_attributes)

        _label_ids = d.pop("label_ids", UNSET)
        label_ids: list[UUID] | Unset = UNSET
        if _label_ids is not UNSET:
            label_ids = []
            for label_ids_item_data in _label_ids:
                label_ids_item = UUID(label_ids_item_data)

                label_ids.append(label_ids_item)

        change_contact = cls(
            name=name,
            attributes=attributes,
            label_ids=label_ids,
        )

        return change_contact
