"""Contacts: the people an organization talks to, each with one or more network addresses."""

from datetime import datetime
from typing import TypeAlias
from uuid import UUID

import msgspec
from msgspec import UNSET, UnsetType

from heliograph.core.labels.model import Label
from heliograph.core.tenants.model import Tenant
from heliograph.networks.phone_numbers import searched_digits
from heliograph.platform.folding import fold


class Contact(msgspec.Struct, frozen=True):
    """`name` is the organization's name for the person, `chat_name` the person's own.

    With `has_own_name`, the organization has set the name itself, and a phone's address book does
    not replace it.
    """

    tenant: Tenant
    id: UUID
    phone_number: str | None
    name: str | None
    chat_name: str | None
    merged_into: UUID | None
    created_at: datetime
    updated_at: datetime
    has_own_name: bool = False

    @property
    def display_name(self) -> str | None:
        return self.name or self.chat_name

    @property
    def searched(self) -> str:
        """The folded text for searches: a line for each name, and one for the number."""
        return "\n".join(
            fold(text) for text in (self.name, self.chat_name, self.phone_number) if text
        )


Attributes: TypeAlias = dict[str, str | int | float | bool | None]


class ContactAddress(msgspec.Struct, frozen=True):
    """How a network identifies the person."""

    network: str
    remote_jid: str


class ContactEntry(msgspec.Struct, frozen=True):
    """A contact with all that is shown of it. `picture_key` is where a picture is stored."""

    contact: Contact
    attributes: Attributes
    labels: tuple[Label, ...] = ()
    addresses: tuple[ContactAddress, ...] = ()
    picture_key: str | None = None


class ContactFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Which contacts to list; None means any.

    `text`, which is folded, is part of one of the names or of the phone number. `account_ids` are
    the only accounts that the caller may see: a contact is theirs if one of them has a conversation
    with it.
    """

    text: str | None = None
    label_id: UUID | None = None
    phone_number: str | None = None
    account_ids: tuple[UUID, ...] | None = None

    @property
    def digits(self) -> str | None:
        """The digits of `text` if it can be part of a phone number, else None."""
        return None if self.text is None else searched_digits(self.text)

    @property
    def can_be_looked_up(self) -> bool:
        """Whether the text is long enough for the index, which has three characters at a time."""
        return self.text is not None and len(self.text) >= _INDEXED


_INDEXED = 3


class ContactCursor(msgspec.Struct, frozen=True):
    """The contact behind which the next page begins."""

    contact_id: UUID


class ContactChange(msgspec.Struct, frozen=True, kw_only=True):
    """A client's change of a contact; unset fields stay as they are."""

    name: str | UnsetType | None = UNSET
    attributes: Attributes | UnsetType = UNSET
    label_ids: tuple[UUID, ...] | UnsetType = UNSET


class ContactPicture(msgspec.Struct, frozen=True):
    """A profile picture, kept in object storage under `object_key`, re-encoded by us."""

    tenant: Tenant
    contact_id: UUID
    account_id: UUID
    preview: bool
    picture_id: str
    object_key: str
    media_type: str
    checked_at: datetime
