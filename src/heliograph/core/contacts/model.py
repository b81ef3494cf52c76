"""Contacts: the people an organization talks to, each with one or more network addresses."""

from datetime import datetime
from uuid import UUID

import msgspec

from heliograph.core.tenants.organization import Tenant


class Contact(msgspec.Struct, frozen=True):
    """`name` is the organization's name for the person, `chat_name` the person's own."""

    tenant: Tenant
    id: UUID
    phone_number: str | None
    name: str | None
    chat_name: str | None
    merged_into: UUID | None
    created_at: datetime
    updated_at: datetime

    @property
    def display_name(self) -> str | None:
        return self.name or self.chat_name


class ContactPicture(msgspec.Struct, frozen=True):
    """A profile picture that lies in object storage under `object_key`, re-encoded by us."""

    tenant: Tenant
    contact_id: UUID
    account_id: UUID
    preview: bool
    picture_id: str
    object_key: str
    media_type: str
    checked_at: datetime
