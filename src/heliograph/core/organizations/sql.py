"""The table `organizations`."""

from datetime import datetime
from uuid import UUID

from heliograph.core.tenants.model import Organization, Tenant
from heliograph.platform.database.pool import Connection, Row

INSERT = """
INSERT INTO organizations (id, shard, name, plan, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $5)
ON CONFLICT (id) DO NOTHING
"""

FIND = "SELECT id, shard, name, plan, created_at FROM organizations WHERE id = $1"

LIST = "SELECT id, shard, name, plan, created_at FROM organizations ORDER BY created_at, id"

LIST_RETENTION = """
SELECT o.shard, o.id, p.retention_days
FROM organizations AS o JOIN plans AS p ON p.name = o.plan ORDER BY o.shard, o.id
"""

LIST_BY_NAME = """
SELECT id, shard, name, plan, created_at FROM organizations WHERE name = $1
ORDER BY created_at, id
"""


UPDATE_PLAN = "UPDATE organizations SET plan = $2, updated_at = $3 WHERE id = $1"


async def insert_organization(connection: Connection, organization: Organization) -> None:
    await connection.execute(
        INSERT,
        organization.id,
        organization.shard,
        organization.name,
        organization.plan,
        organization.created_at,
    )


async def update_plan(
    connection: Connection, organization_id: UUID, plan: str, at: datetime
) -> None:
    """Raises asyncpg's `ForeignKeyViolationError` for a plan that there is not."""
    await connection.execute(UPDATE_PLAN, organization_id, plan, at)


async def find_organization(connection: Connection, organization_id: UUID) -> Organization | None:
    row = await connection.fetchrow(FIND, organization_id)
    return None if row is None else _organization(row)


async def list_organizations(connection: Connection) -> list[Organization]:
    return [_organization(row) for row in await connection.fetch(LIST)]


async def list_retention(connection: Connection) -> list[tuple[Tenant, int | None]]:
    """Every tenant, and for how many days its plan keeps messages; None is for ever."""
    rows = await connection.fetch(LIST_RETENTION)
    return [(Tenant(row["shard"], row["id"]), row["retention_days"]) for row in rows]


async def list_organizations_named(connection: Connection, name: str) -> list[Organization]:
    """Names need not be unique."""
    return [_organization(row) for row in await connection.fetch(LIST_BY_NAME, name)]


def _organization(row: Row) -> Organization:
    return Organization(**dict(row))
