"""Contacts: find people, read an account's address book, find a profile picture."""

from typing import Annotated
from uuid import UUID

from pydantic import Field

from heliograph.core.contacts.book import MAX_SEARCH
from heliograph.core.contacts.model import ContactFilter
from heliograph.core.pages import MAX_CURSOR
from heliograph.faces.api.schemas.contacts import (
    Contact,
    ContactList,
    ProfilePicture,
    SyncContacts,
    SyncStarted,
)
from heliograph.faces.mcp.tool import (
    READ_ONLY,
    READ_ONLY_OPEN_WORLD,
    WRITE,
    CallContext,
    Input,
    Repeatable,
    ToolSet,
)

tools = ToolSet()


STRANGERS = ("name", "chat_name", "display_name")
"""The first may come from a phone's address book."""


class OneContact(Input):
    contact_id: UUID = Field(description="As messages and conversations name it.")


class PageOfContacts(Input):
    search: str | None = Field(
        default=None,
        max_length=MAX_SEARCH,
        description="Part of a name, in any case, or of the phone number, in any notation.",
    )
    label_id: UUID | None = Field(default=None, description="Only those with this label.")
    phone_number: str | None = Field(
        default=None,
        max_length=50,
        description="Only the one with this number, in any notation.",
    )
    limit: Annotated[int, Field(ge=1, le=100, description="Maximum number of entries.")] = 20
    cursor: str | None = Field(
        default=None, max_length=MAX_CURSOR, description="The `next_cursor` of the previous page."
    )


class SyncContactsCall(SyncContacts, Repeatable):
    pass


class PictureCall(Input):
    contact_id: UUID = Field(description="As messages and conversations name it.")
    chat_account_id: UUID | None = Field(
        default=None, description="The account that looks; default: the primary connected one."
    )
    preview: bool = Field(default=False, description="True for the thumbnail.")


@tools.add(
    READ_ONLY,
    "List contacts",
    "contacts:read",
    output=ContactList,
    untrusted=tuple(f"/contacts/*/{name}" for name in STRANGERS),
)
async def list_contacts(call: CallContext, given: PageOfContacts) -> object:
    """List the organization's contacts, newest first, or find one by name or number. send_message
    takes a contact's id. A page may be short or empty and still have a next_cursor."""
    only = ContactFilter(
        text=given.search, label_id=given.label_id, phone_number=given.phone_number
    )
    page = await call.services.contact_book.list(call.principal, only, given.cursor, given.limit)
    return {"contacts": page.records, "next_cursor": page.next_cursor}


@tools.add(
    READ_ONLY,
    "Read a contact",
    "contacts:read",
    output=Contact,
    untrusted=tuple(f"/{name}" for name in STRANGERS),
)
async def get_contact(call: CallContext, given: OneContact) -> object:
    """Read a contact: its names, addresses, labels and attributes."""
    return await call.services.contact_book.get(call.principal, given.contact_id)


@tools.add(WRITE, "Synchronise contacts", "contacts:write", output=SyncStarted)
async def sync_contacts(call: CallContext, given: SyncContactsCall) -> object:
    """Start fetching an account's contacts from the chat network. While that runs, another call
    gets the same job; list_devices shows when it has ended."""
    return await call.services.contacts.sync(
        call.principal, given.chat_account_id, given.make_key(call.principal, "sync contacts")
    )


@tools.add(READ_ONLY_OPEN_WORLD, "Find a profile picture", "contacts:read", output=ProfilePicture)
async def get_contact_profile_picture(call: CallContext, given: PictureCall) -> object:
    """Find a contact's profile picture, and get a link to it that works for one hour."""
    return await call.services.contacts.picture(
        call.principal, given.contact_id, given.chat_account_id, preview=given.preview
    )
