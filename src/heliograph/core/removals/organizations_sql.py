"""Marking an organization as removed, and what has to be gone by then."""

from datetime import datetime

from heliograph.core.tenants.model import Tenant
from heliograph.platform.database.pool import Connection

# Who renames an organization locks the table first and rows then: in another order, each of the two
# could wait for the other.
LOCK_TABLE = "LOCK TABLE organizations IN ROW EXCLUSIVE MODE"
# Whoever adds a device, a key, a webhook or a member waits here, and finds no organization then.
LOCK = "SELECT id FROM organizations WHERE id = $1 AND removed_at IS NULL FOR UPDATE"
HAS_MORE = """
SELECT EXISTS (SELECT 1 FROM accounts WHERE shard = $1 AND organization_id = $2)
    OR EXISTS (SELECT 1 FROM webhooks WHERE shard = $1 AND organization_id = $2)
"""
DELETE_MEMBERS = "DELETE FROM members WHERE shard = $1 AND organization_id = $2"
DELETE_INVITATIONS = "DELETE FROM invitations WHERE shard = $1 AND organization_id = $2"
DELETE_KEYS = "DELETE FROM api_keys WHERE organization_id = $1"
MARK = "UPDATE organizations SET removed_at = $2, updated_at = $2 WHERE id = $1"


async def mark_removed(connection: Connection, tenant: Tenant, at: datetime) -> bool:
    """Mark an organization as removed, without keys and members. Returns whether that was done:
    not while it has a device or a webhook."""
    await connection.execute(LOCK_TABLE)
    await connection.execute(LOCK, tenant.organization_id)
    if await connection.fetchval(HAS_MORE, *tenant):
        return False
    await connection.execute(DELETE_MEMBERS, *tenant)
    await connection.execute(DELETE_INVITATIONS, *tenant)
    await connection.execute(DELETE_KEYS, tenant.organization_id)
    await connection.execute(MARK, tenant.organization_id, at)
    return True
