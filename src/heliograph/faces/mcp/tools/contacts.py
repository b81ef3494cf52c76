"""Contacts: read an account's address book, find a profile picture."""

from uuid import UUID

from pydantic import Field

from heliograph.faces.api.schemas.contacts import ProfilePicture, SyncContacts, SyncStarted
from heliograph.faces.mcp.tool import (
    READ_ONLY_OPEN_WORLD,
    WRITE,
    CallContext,
    Input,
    Repeatable,
    ToolSet,
)

tools = ToolSet()


class SyncContactsCall(SyncContacts, Repeatable):
    pass


class PictureCall(Input):
    contact_id: UUID = Field(description="As messages and conversations name it.")
    chat_account_id: UUID | None = Field(
        default=None, description="The account to look with; default: the primary connected one."
    )
    preview: bool = Field(default=False, description="True for the thumbnail.")


@tools.add(WRITE, "Synchronise contacts", "contacts:write", output=SyncStarted)
async def sync_contacts(call: CallContext, given: SyncContactsCall) -> object:
    """Start reading the contacts of an account from the chat network. While that runs, another call
    gets the same job; list_devices tells when it has ended."""
    return await call.services.contacts.sync(
        call.principal, given.chat_account_id, given.make_key("sync contacts")
    )


@tools.add(READ_ONLY_OPEN_WORLD, "Find a profile picture", "contacts:read", output=ProfilePicture)
async def get_contact_profile_picture(call: CallContext, given: PictureCall) -> object:
    """Find a contact's profile picture, and get a link to it that works for one hour."""
    return await call.services.contacts.picture(
        call.principal, given.contact_id, given.chat_account_id, preview=given.preview
    )
