"""Marking an organization as removed, and what has to be gone by then."""

from datetime import datetime

from heliograph.core.keys.sql import delete_api_keys
from heliograph.core.members.sql import delete_all_invitations, delete_all_members
from heliograph.core.organizations.removal_sql import lock_to_remove, mark_locked
from heliograph.core.tenants.model import Tenant
from heliograph.platform.database.pool import Connection

HAS_MORE = """
SELECT EXISTS (SELECT 1 FROM accounts WHERE shard = $1 AND organization_id = $2)
    OR EXISTS (SELECT 1 FROM webhooks WHERE shard = $1 AND organization_id = $2)
"""


async def mark_removed(connection: Connection, tenant: Tenant, at: datetime) -> bool:
    """Mark an organization as removed, without keys and members. Returns whether that was done:
    not while it has a device or a webhook."""
    await lock_to_remove(connection, tenant.organization_id)
    if await connection.fetchval(HAS_MORE, *tenant):
        return False
    await delete_all_members(connection, tenant)
    await delete_all_invitations(connection, tenant)
    await delete_api_keys(connection, tenant.organization_id)
    await mark_locked(connection, tenant.organization_id, at)
    return True
