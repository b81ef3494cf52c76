"""Deleting all rows of organizations that were removed.

Elsewhere a table is written by its own subject. Here one list has all of them, so that no table is
forgotten.
"""

from heliograph.core.tenants.model import Tenant
from heliograph.platform.database.distribution.placements import DISTRIBUTED
from heliograph.platform.database.pool import Connection

TABLES = tuple(table for table in reversed(DISTRIBUTED) if table != "removed_accounts")
"""Every table with rows of organizations, those first whose foreign keys refer to others."""

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
    """Delete at most this many rows of a removed tenant; return how many were deleted."""
    if table == "audit_entries":
        return int(await connection.fetchval(ERASE_AUDIT_ENTRIES, *tenant, limit))
    done = await connection.execute(DELETE_SOME[table], *tenant, limit)
    return int(done.rpartition(" ")[2])
