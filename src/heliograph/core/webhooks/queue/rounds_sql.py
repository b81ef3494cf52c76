"""Folding the rounds of `delivery_counts` once they are over."""

from heliograph.core.tenants.model import Tenant
from heliograph.platform.database.pool import Connection

FOLD_DELIVERY_ROUNDS = """
WITH old AS MATERIALIZED (
    SELECT stripe, n, deleted FROM delivery_counts
    WHERE shard = $1 AND organization_id = $2 AND stripe >= 16
    ORDER BY stripe LIMIT $3 FOR UPDATE
), gone AS (
    DELETE FROM delivery_counts AS c USING old
    WHERE c.shard = $1 AND c.organization_id = $2 AND c.stripe = old.stripe
), first AS (
    INSERT INTO delivery_counts AS c (shard, organization_id, stripe, n, deleted)
    SELECT $1, $2, stripe % 16, sum(n), sum(deleted) FROM old
    GROUP BY stripe % 16 ORDER BY stripe % 16
    ON CONFLICT (shard, organization_id, stripe)
    DO UPDATE SET n = c.n + excluded.n, deleted = c.deleted + excluded.deleted
)
SELECT count(*) FROM old
"""


async def fold_delivery_rounds(connection: Connection, tenant: Tenant, limit: int) -> int:
    """Add the counts of further rounds to those of the first; return how many rows that took."""
    return int(await connection.fetchval(FOLD_DELIVERY_ROUNDS, *tenant, limit))
