"""The tables `organizations` and `plans`, which belong to no tenant."""

from datetime import datetime
from uuid import UUID

from heliograph.core.tenants.model import Organization, Tenant
from heliograph.core.tenants.plans import PLAN_LIMITS, Plan
from heliograph.errors import NotFoundError
from heliograph.platform.database.pool import Connection, Row
from heliograph.platform.database.rows import Columns, reads
from heliograph.platform.folding import sql_of_fold

# --- organizations -------------------------------------------------------------------------------

organization_of = reads(Organization)

_ORGANIZATION = Columns(
    "id uuid, shard integer, name text, plan text, created_at timestamptz, updated_at timestamptz",
    first=1,
    updated_at="created_at",
)
INSERT = _ORGANIZATION.fill("""
INSERT INTO organizations ({names}) SELECT {values} FROM {rows} ON CONFLICT (id) DO NOTHING
""")


async def insert_organization(connection: Connection, organization: Organization) -> None:
    await connection.execute(INSERT, *_ORGANIZATION.of([organization]))


# Others who make or rename one wait until the transaction has ended.
LOCK_NAMES = "LOCK TABLE organizations IN SHARE ROW EXCLUSIVE MODE"
FIND_SAME_NAME = """
SELECT name FROM organizations
WHERE removed_at IS NULL AND {name} = {wanted} AND id <> $2
LIMIT 1
""".replace("{name}", sql_of_fold("name")).replace("{wanted}", sql_of_fold("$1::text"))


async def lock_name(connection: Connection, name: str, organization_id: UUID) -> str | None:
    """Return the name as another organization has it, or one that looks alike; None if there is
    none, and then none can be made until the transaction has ended."""
    await connection.execute(LOCK_NAMES)
    found: str | None = await connection.fetchval(FIND_SAME_NAME, name, organization_id)
    return found


UPDATE_NAME = "UPDATE organizations SET name = $2, updated_at = $3 WHERE id = $1"


async def update_name(
    connection: Connection, organization_id: UUID, name: str, at: datetime
) -> None:
    await connection.execute(UPDATE_NAME, organization_id, name, at)


UPDATE_PLAN = "UPDATE organizations SET plan = $2, updated_at = $3 WHERE id = $1"


async def update_plan(
    connection: Connection, organization_id: UUID, plan: str, at: datetime
) -> None:
    """Give an organization another plan.

    Raises asyncpg's `ForeignKeyViolationError` for a plan that does not exist.
    """
    await connection.execute(UPDATE_PLAN, organization_id, plan, at)


_SELECT = """
SELECT id, shard, name, plan, created_at FROM organizations WHERE removed_at IS NULL
"""

FIND = _SELECT + "AND id = $1"


async def find_organization(connection: Connection, organization_id: UUID) -> Organization | None:
    row = await connection.fetchrow(FIND, organization_id)
    return organization_of(row) if row else None


FIND_ONLY = _SELECT + "LIMIT 2"


async def find_only_organization(connection: Connection) -> Organization | None:
    """Find the only organization there is; None where there are several, or none."""
    rows = await connection.fetch(FIND_ONLY)
    return organization_of(rows[0]) if len(rows) == 1 else None


LIST = _SELECT + "ORDER BY created_at, id"


async def list_organizations(connection: Connection) -> list[Organization]:
    return [organization_of(row) for row in await connection.fetch(LIST)]


FIND_BY_NAME = _SELECT + "AND lower(name) = lower($1)"


async def find_organization_named(connection: Connection, name: str) -> Organization | None:
    """Find the organization of this name, in any case."""
    row = await connection.fetchrow(FIND_BY_NAME, name)
    return organization_of(row) if row else None


LIST_RETENTION = """
SELECT o.shard, o.id, p.retention_days
FROM organizations AS o JOIN plans AS p ON p.name = o.plan
WHERE o.removed_at IS NULL ORDER BY o.shard, o.id
"""


async def list_retention(connection: Connection) -> list[tuple[Tenant, int | None]]:
    """List every tenant, and for how many days its plan keeps messages; None is forever."""
    rows = await connection.fetch(LIST_RETENTION)
    return [(Tenant(row["shard"], row["id"]), row["retention_days"]) for row in rows]


# --- plans ---------------------------------------------------------------------------------------

PLAN_COLUMNS = ", ".join(f"p.{limit}" for limit in PLAN_LIMITS)
"""The limits of a plan, for a statement that joins `plans AS p`."""


def read_plan(row: Row, name: str = "name") -> Plan:
    """Read the plan of a row that has all limits, and the plan's name in the column `name`."""
    return Plan(row[name], *(row[limit] for limit in PLAN_LIMITS))


# Their alias is `excluded`, so that `{changes}` fits ON CONFLICT.
_PLAN = Columns(
    ", ".join(["name text", *(f"{limit} bigint" for limit in PLAN_LIMITS)]),
    alias="excluded",
    keys=1,
)
PUT_PLAN = _PLAN.fill("""
INSERT INTO plans (created_at, updated_at, {names})
SELECT $1::timestamptz, $1::timestamptz, {values} FROM {excluded}
ON CONFLICT (name) DO UPDATE SET updated_at = excluded.updated_at, {changes}
""")


async def put_plan(connection: Connection, plan: Plan, at: datetime) -> None:
    """Insert the plan, or give it these limits."""
    await connection.execute(PUT_PLAN, at, *_PLAN.of([plan]))


FIND_PLAN = "SELECT * FROM plans WHERE name = $1"


async def find_plan(connection: Connection, name: str) -> Plan | None:
    row = await connection.fetchrow(FIND_PLAN, name)
    return read_plan(row) if row else None


LIST_PLANS = "SELECT * FROM plans ORDER BY created_at, requests_per_minute NULLS LAST, name"


async def list_plans(connection: Connection) -> list[Plan]:
    return [read_plan(row) for row in await connection.fetch(LIST_PLANS)]


DELETE_PLAN = "DELETE FROM plans WHERE name = $1"


async def delete_plan(connection: Connection, name: str) -> bool:
    """Delete a plan. Returns whether there was one.

    Raises asyncpg's `ForeignKeyViolationError` while an organization has it.
    """
    return bool(await connection.execute(DELETE_PLAN, name) == "DELETE 1")


LOCK_PLAN_OF = """
SELECT p.*, o.removed_at FROM organizations AS o JOIN plans AS p ON p.name = o.plan
WHERE o.id = $1 FOR NO KEY UPDATE OF o
"""


async def lock_plan_of(connection: Connection, organization_id: UUID) -> Plan | None:
    """Find an organization's plan, and have other callers wait until the transaction has ended:
    what is counted now stays true. Raises `NotFoundError` when the organization was removed."""
    row = await connection.fetchrow(LOCK_PLAN_OF, organization_id)
    if row is not None and row["removed_at"] is not None:
        raise NotFoundError("This organization was removed.")
    return read_plan(row) if row else None
