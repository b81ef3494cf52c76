"""Which organization has a row that a caller asked for, to tell 403 from 404."""

from uuid import UUID

from heliograph.core.tenants.model import Tenant
from heliograph.errors import OtherOrganizationError
from heliograph.platform.database.pool import Connection

_TABLES = (
    *("accounts", "api_keys", "contacts", "conversations", "jobs", "labels", "media", "webhooks"),
)
# The one question that names no tenant.
FIND_ORGANIZATION = {
    table: f"SELECT organization_id FROM {table} WHERE id = $1"  # noqa: S608 - our own words
    for table in _TABLES
}


async def refuse_others(connection: Connection, tenant: Tenant, table: str, id_: UUID) -> None:
    """Raise `OtherOrganizationError` if another organization than the caller's has this row."""
    owner = await connection.fetchval(FIND_ORGANIZATION[table], id_)
    if owner not in (None, tenant.organization_id):
        raise OtherOrganizationError


async def missing_error(
    connection: Connection, table: str, id_: UUID, not_found: Exception
) -> Exception:
    """Return `OtherOrganizationError` if any organization has this row, else `not_found`."""
    owner = await connection.fetchval(FIND_ORGANIZATION[table], id_)
    return not_found if owner is None else OtherOrganizationError()
