"""The table `plans`: few rows, of no tenant."""

from datetime import datetime
from uuid import UUID

from heliograph.core.tenants.model import PLAN_LIMITS, Plan
from heliograph.platform.database.pool import Connection, Row

PUT = """
INSERT INTO plans (
    name, requests_per_minute, key_requests_per_minute, messages_per_day, messages_per_month,
    accounts, webhooks, api_keys, retention_days, created_at, updated_at
)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10)
ON CONFLICT (name) DO UPDATE
SET requests_per_minute = excluded.requests_per_minute,
    key_requests_per_minute = excluded.key_requests_per_minute,
    messages_per_day = excluded.messages_per_day,
    messages_per_month = excluded.messages_per_month,
    accounts = excluded.accounts, webhooks = excluded.webhooks, api_keys = excluded.api_keys,
    retention_days = excluded.retention_days, updated_at = excluded.updated_at
"""

FIND = "SELECT * FROM plans WHERE name = $1"

LIST = "SELECT * FROM plans ORDER BY created_at, requests_per_minute NULLS LAST, name"

DELETE = "DELETE FROM plans WHERE name = $1"

LOCK_OF_ORGANIZATION = """
SELECT p.* FROM organizations AS o JOIN plans AS p ON p.name = o.plan
WHERE o.id = $1 FOR NO KEY UPDATE OF o
"""


async def put_plan(connection: Connection, plan: Plan, at: datetime) -> None:
    """Make the plan, or give it these limits."""
    await connection.execute(PUT, plan.name, *(getattr(plan, name) for name in PLAN_LIMITS), at)


async def find_plan(connection: Connection, name: str) -> Plan | None:
    row = await connection.fetchrow(FIND, name)
    return None if row is None else read_plan(row)


async def list_plans(connection: Connection) -> list[Plan]:
    return [read_plan(row) for row in await connection.fetch(LIST)]


async def delete_plan(connection: Connection, name: str) -> bool:
    """Whether there was one. Raises asyncpg's `ForeignKeyViolationError` while somebody has it."""
    return bool(await connection.execute(DELETE, name) == "DELETE 1")


async def lock_plan_of(connection: Connection, organization_id: UUID) -> Plan | None:
    """The plan of an organization, whose other callers wait until this transaction has ended: what
    is counted now stays true."""
    row = await connection.fetchrow(LOCK_OF_ORGANIZATION, organization_id)
    return None if row is None else read_plan(row)


def read_plan(row: Row, name: str = "name") -> Plan:
    """The plan of a row that has all limits, and the plan's name in the column `name`."""
    return Plan(row[name], *(row[limit] for limit in PLAN_LIMITS))
