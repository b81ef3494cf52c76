"""Deleting all rows of organizations that were removed."""

from datetime import datetime

from heliograph.core.tenants.model import Tenant
from heliograph.core.tenants.rows import tenant_of
from heliograph.platform.database.distribution.placements import DISTRIBUTED
from heliograph.platform.database.pool import Connection

TABLES = tuple(table for table in reversed(DISTRIBUTED) if table != "removed_accounts")
"""Every table with rows of organizations, those first whose foreign keys refer to others."""

LIST_REMOVED = """
SELECT shard, id AS organization_id FROM organizations
WHERE removed_at < $1 ORDER BY removed_at, id
"""


async def list_removed(connection: Connection, before: datetime) -> list[Tenant]:
    return [tenant_of(row) for row in await connection.fetch(LIST_REMOVED, before)]


# Its networks have to forget its accounts first: see `removals`.
HAS_ACCOUNTS = """
SELECT EXISTS (SELECT 1 FROM removed_accounts WHERE shard = $1 AND organization_id = $2)
"""


async def has_accounts(connection: Connection, tenant: Tenant) -> bool:
    return bool(await connection.fetchval(HAS_ACCOUNTS, *tenant))


DELETE_SOME = {
    table: f"""
DELETE FROM {table} WHERE shard = $1 AND organization_id = $2 AND ctid = ANY(ARRAY(
    SELECT ctid FROM {table} WHERE shard = $1 AND organization_id = $2 LIMIT $3
))
"""  # noqa: S608 - our own words
    for table in TABLES
    if table != "audit_entries"
}


# Entries are only added to, but for this: see decision 80.
ERASE_AUDIT_ENTRIES = "SELECT erase_audit_entries($1, $2, $3)"


async def delete_some(connection: Connection, tenant: Tenant, table: str, limit: int) -> int:
    """Delete so many rows of a removed tenant; return how many there were."""
    if table == "audit_entries":
        return int(await connection.fetchval(ERASE_AUDIT_ENTRIES, *tenant, limit))
    done = await connection.execute(DELETE_SOME[table], *tenant, limit)
    return int(done.rpartition(" ")[2])


DELETE_ORGANIZATION = "DELETE FROM organizations WHERE id = $1 AND removed_at IS NOT NULL"


async def delete_organization(connection: Connection, tenant: Tenant) -> None:
    await connection.execute(DELETE_ORGANIZATION, tenant.organization_id)
