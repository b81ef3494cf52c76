"""Sums over `message_counts`, which retention never lowers."""

from dataclasses import dataclass
from datetime import date

from heliograph.core.tenants.organization import Tenant
from heliograph.platform.database.pool import Connection

SUM_COUNTS = """
SELECT direction, status, sum(n)::bigint AS total,
    coalesce(sum(n) FILTER (WHERE day >= $3), 0)::bigint AS last_7_days,
    coalesce(sum(n) FILTER (WHERE day >= $4), 0)::bigint AS last_30_days
FROM message_counts
WHERE shard = $1 AND organization_id = $2
GROUP BY direction, status
HAVING sum(n) <> 0
ORDER BY direction, status
"""

LIST_DAYS = """
SELECT day, direction, status, sum(n)::bigint AS n FROM message_counts
WHERE shard = $1 AND organization_id = $2 AND day >= $3
GROUP BY day, direction, status HAVING sum(n) <> 0 ORDER BY day, direction, status
"""


@dataclass(frozen=True, slots=True)
class CountedState:
    """How many messages of one direction are in one state, in all and of the last days."""

    direction: str
    status: str
    total: int
    last_7_days: int
    last_30_days: int


async def list_counts(
    connection: Connection, tenant: Tenant, *, week_from: date, month_from: date
) -> list[CountedState]:
    """Sums over all days and stripes; `…_from` is the first day of each span, in UTC."""
    rows = await connection.fetch(SUM_COUNTS, *tenant, week_from, month_from)
    return [CountedState(**dict(row)) for row in rows]


async def list_days(
    connection: Connection, tenant: Tenant, since: date
) -> list[tuple[date, str, str, int]]:
    """(day, direction, status, how many) of the messages made on each day since, in UTC."""
    rows = await connection.fetch(LIST_DAYS, *tenant, since)
    return [(row["day"], row["direction"], row["status"], row["n"]) for row in rows]
