"""The removal of an organization: it is marked, and deleted once nothing of it is left."""

from datetime import datetime
from uuid import UUID

from heliograph.core.tenants.model import Tenant
from heliograph.core.tenants.rows import tenant_of
from heliograph.platform.database.pool import Connection

# A rename locks the table first and rows after it: in another order, each of the two could wait for
# the other.
LOCK_TABLE = "LOCK TABLE organizations IN ROW EXCLUSIVE MODE"
# A transaction that adds a device, a key, a webhook or a member waits here, and then finds no
# organization.
LOCK = "SELECT id FROM organizations WHERE id = $1 AND removed_at IS NULL FOR UPDATE"


async def lock_to_remove(connection: Connection, organization_id: UUID) -> None:
    await connection.execute(LOCK_TABLE)
    await connection.execute(LOCK, organization_id)


MARK = "UPDATE organizations SET removed_at = $2, updated_at = $2 WHERE id = $1"


async def mark_locked(connection: Connection, organization_id: UUID, at: datetime) -> None:
    """Mark a locked organization as removed."""
    await connection.execute(MARK, organization_id, at)


LIST_REMOVED = """
SELECT shard, id AS organization_id FROM organizations
WHERE removed_at < $1 ORDER BY removed_at, id
"""


async def list_removed(connection: Connection, before: datetime) -> list[Tenant]:
    return [tenant_of(row) for row in await connection.fetch(LIST_REMOVED, before)]


DELETE_ORGANIZATION = "DELETE FROM organizations WHERE id = $1 AND removed_at IS NOT NULL"


async def delete_organization(connection: Connection, tenant: Tenant) -> None:
    await connection.execute(DELETE_ORGANIZATION, tenant.organization_id)
