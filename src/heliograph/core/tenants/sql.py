"""The organization that has a row, to tell 403 from 404, and the lock on an organization."""

from uuid import UUID

from heliograph.core.tenants.model import Tenant
from heliograph.errors import OtherOrganizationError
from heliograph.platform.database.pool import Connection

_TABLES = (
    "accounts",
    "api_keys",
    "contacts",
    "conversations",
    "jobs",
    "labels",
    "media",
    "webhooks",
)
_OF_MANY_ROWS = ("deliveries", "delivery_queue")
# The one query that names no tenant. For tables that gain thousands of rows a second, an index by
# id alone would cost more than looking in each organization.
FIND_ORGANIZATION = {
    table: f"SELECT organization_id FROM {table} WHERE id = $1"  # noqa: S608 - our own words
    for table in _TABLES
} | {
    table: f"""
    SELECT o.id FROM organizations AS o
    WHERE EXISTS (
        SELECT 1 FROM {table} AS t
        WHERE t.shard = o.shard AND t.organization_id = o.id AND t.id = $1
        OFFSET 0
    )
    """  # noqa: S608 - the same
    for table in _OF_MANY_ROWS
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


LOCK_ORGANIZATION = "SELECT id FROM organizations WHERE id = $1 FOR NO KEY UPDATE"


async def lock_organization(connection: Connection, organization_id: UUID) -> None:
    """Make others who call this wait until the transaction ends: what it has read about the
    organization's rows stays true until then."""
    await connection.execute(LOCK_ORGANIZATION, organization_id)
