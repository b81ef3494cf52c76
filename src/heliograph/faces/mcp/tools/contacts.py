"""Contacts: find people, read an account's address book, find a profile picture."""

from heliograph.faces.api.routers import contacts as api
from heliograph.faces.mcp.operations import add_operation
from heliograph.faces.mcp.tool import READ_ONLY, READ_ONLY_OPEN_WORLD, WRITE, ToolSet

tools = ToolSet()

add_operation(
    tools,
    READ_ONLY,
    "List contacts",
    api.list_contacts,
    "List the organization's contacts, newest first, or find one by name or number. send_message "
    "takes a contact's id. A page may be short or empty and still have a next_cursor.",
)
add_operation(
    tools,
    READ_ONLY,
    "Read a contact",
    api.get_contact,
    "Read a contact: its names, addresses, labels and attributes.",
)
add_operation(
    tools,
    WRITE,
    "Synchronize contacts",
    api.sync_contacts,
    "Start fetching an account's contacts from the chat network. While that runs, another call "
    "gets the same job; list_devices shows when it has ended.",
)
add_operation(
    tools,
    READ_ONLY_OPEN_WORLD,
    "Find a profile picture",
    api.get_contact_profile_picture,
    "Find a contact's profile picture, and get a link to it that works for one hour.",
)
