"""Folding the rounds of counters (`cluster.counter_rounds_sql`) once they are over.

The first round has the stripes below 16, as the indexes of the others know.
"""

from heliograph.core.accounts.totals_sql import SENT_THAT_DAY
from heliograph.core.tenants.model import Tenant
from heliograph.core.tenants.rows import tenant_of
from heliograph.platform.database.pool import Connection

LIST_TENANTS_WITH_ROUNDS = """
SELECT shard, organization_id FROM message_counts WHERE stripe >= 16
UNION
SELECT shard, organization_id FROM account_message_counts WHERE stripe >= 16
UNION
SELECT shard, organization_id FROM delivery_counts WHERE stripe >= 16
UNION
SELECT shard, organization_id FROM account_totals WHERE round > 0
"""


async def list_tenants_with_rounds(connection: Connection) -> list[Tenant]:
    """List the tenants whose counters have rows of further rounds."""
    return [tenant_of(row) for row in await connection.fetch(LIST_TENANTS_WITH_ROUNDS)]


# Rows are locked in the order of their keys, as by those who count.
FOLD_ROUNDS = """
WITH old AS MATERIALIZED (
    SELECT day, direction, status, stripe, n FROM message_counts
    WHERE shard = $1 AND organization_id = $2 AND stripe >= 16
    ORDER BY day, direction, status, stripe LIMIT $3 FOR UPDATE
), gone AS (
    DELETE FROM message_counts AS c USING old
    WHERE c.shard = $1 AND c.organization_id = $2 AND c.day = old.day
      AND c.direction = old.direction AND c.status = old.status AND c.stripe = old.stripe
), first AS (
    INSERT INTO message_counts AS c (shard, organization_id, day, direction, status, stripe, n)
    SELECT $1, $2, day, direction, status, stripe % 16, sum(n) FROM old
    GROUP BY day, direction, status, stripe % 16 ORDER BY day, direction, status, stripe % 16
    ON CONFLICT (shard, organization_id, day, direction, status, stripe)
    DO UPDATE SET n = c.n + excluded.n
)
SELECT count(*) FROM old
"""
FOLD_ACCOUNT_ROUNDS = """
WITH old AS MATERIALIZED (
    SELECT account_id, day, direction, status, stripe, n FROM account_message_counts
    WHERE shard = $1 AND organization_id = $2 AND stripe >= 16
    ORDER BY account_id, day, direction, status, stripe LIMIT $3 FOR UPDATE
), gone AS (
    DELETE FROM account_message_counts AS c USING old
    WHERE c.shard = $1 AND c.organization_id = $2 AND c.account_id = old.account_id
      AND c.day = old.day AND c.direction = old.direction AND c.status = old.status
      AND c.stripe = old.stripe
), first AS (
    INSERT INTO account_message_counts AS c (
        shard, organization_id, account_id, day, direction, status, stripe, n
    )
    SELECT $1, $2, account_id, day, direction, status, stripe % 16, sum(n) FROM old
    GROUP BY account_id, day, direction, status, stripe % 16
    ORDER BY account_id, day, direction, status, stripe % 16
    ON CONFLICT (shard, organization_id, account_id, day, direction, status, stripe)
    DO UPDATE SET n = c.n + excluded.n
)
SELECT count(*) FROM old
"""
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
# What was sent on the latest day is in one row or in several; of earlier days none is kept.
FOLD_TOTALS_ROUNDS = """
WITH old AS MATERIALIZED (
    SELECT account_id, round, sent, received, sent_on, sent_that_day FROM account_totals
    WHERE shard = $1 AND organization_id = $2 AND round > 0
    ORDER BY account_id, round LIMIT $3 FOR UPDATE
), gone AS (
    DELETE FROM account_totals AS t USING old
    WHERE t.shard = $1 AND t.organization_id = $2 AND t.account_id = old.account_id
      AND t.round = old.round
), latest AS (
    SELECT *, max(sent_on) OVER (PARTITION BY account_id) AS last_day FROM old
), first AS (
    INSERT INTO account_totals AS t (
        shard, organization_id, account_id, round, sent, received, sent_on, sent_that_day
    )
    SELECT $1, $2, account_id, 0, sum(sent), sum(received), last_day,
        coalesce(sum(sent_that_day) FILTER (WHERE sent_on = last_day), 0)
    FROM latest GROUP BY account_id, last_day ORDER BY account_id
    ON CONFLICT (shard, organization_id, account_id, round) DO UPDATE
    SET sent = t.sent + excluded.sent, received = t.received + excluded.received,
        sent_on = greatest(t.sent_on, excluded.sent_on), sent_that_day = {sent_that_day}
)
SELECT count(*) FROM old
""".replace("{sent_that_day}", SENT_THAT_DAY)


FOLDS = (FOLD_ACCOUNT_ROUNDS, FOLD_ROUNDS, FOLD_DELIVERY_ROUNDS, FOLD_TOTALS_ROUNDS)
"""Each for a transaction of its own: writers take these tables in another order."""


async def fold_rounds(connection: Connection, fold: str, tenant: Tenant, limit: int) -> int:
    """Add the counts of further rounds to those of the first, by one of `FOLDS`.

    The sums stay what they were. Returns the number of rows that it took.
    """
    taken: int = await connection.fetchval(fold, *tenant, limit)
    return taken
