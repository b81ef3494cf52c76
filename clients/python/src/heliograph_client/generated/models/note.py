from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import UUID

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.author import Author


T = TypeVar("T", bound="Note")


@_attrs_define
class Note:
    """A note for colleagues about a conversation; its contact never sees it.

    Attributes:
        id (UUID):
        conversation_id (UUID):
        body (str):
        author (Author): The author of a note or a change.
        created_at (datetime.datetime):
    """

    id: UUID
    conversation_id: UUID
    body: str
    author: Author
    created_at: datetime.datetime
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = str(self.id)

        conversation_id = str(self.conversation_id)

        body = self.body

        author = self.author.to_dict()

        created_at = self.created_at.isoformat()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "conversation_id": conversation_id,
                "body": body,
                "author": author,
                "created_at": created_at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.author import Author  # noqa: PLC0415

        d = dict(src_dict)
        id = UUID(d.pop("id"))

        conversation_id = UUID(d.pop("conversation_id"))

        body = d.pop("body")

        author = Author.from_dict(d.pop("author"))

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        note = cls(
            id=id,
            conversation_id=conversation_id,
            body=body,
            author=author,
            created_at=created_at,
        )

        note.additional_properties = d
        return note

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
