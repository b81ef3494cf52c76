"""A contact by its id, or by the id of one that was merged into it; and who may see it."""

from uuid import UUID

from heliograph.core.contacts import book_sql, sql
from heliograph.core.contacts.model import Contact
from heliograph.core.tenants.model import Principal, Tenant
from heliograph.core.tenants.sql import missing_error
from heliograph.errors import AccountNotAllowedError, ContactNotFoundError
from heliograph.platform.database.pool import Connection

_MAX_MERGES = 10


async def get_contact(connection: Connection, tenant: Tenant, contact_id: UUID) -> Contact:
    """Return the contact that was kept. Raises `ContactNotFoundError` and
    `OtherOrganizationError`."""
    current: UUID = contact_id
    for _ in range(_MAX_MERGES):
        contact = await sql.find_contact(connection, tenant, current)
        if contact is None:
            break
        if contact.merged_into is None:
            return contact
        current = contact.merged_into
    not_found = ContactNotFoundError(contact_id)
    raise await missing_error(connection, "contacts", contact_id, not_found)


async def get_visible_contact(
    connection: Connection, principal: Principal, contact_id: UUID
) -> Contact:
    """Return the contact that was kept. Raises what `get_contact` raises, and
    `AccountNotAllowedError` for a caller who is limited to accounts of which none has a
    conversation with the contact."""
    contact = await get_contact(connection, principal.tenant, contact_id)
    accounts = principal.account_filter
    if accounts is not None and not await book_sql.has_conversation(
        connection, principal.tenant, contact.id, accounts
    ):
        raise AccountNotAllowedError
    return contact
