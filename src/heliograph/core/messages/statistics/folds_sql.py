"""Folding the counts of messages: those of further rounds (`cluster.counter_rounds_sql`) into the
first round's, once the rounds have ended, and those of old days into the day `PAST`.

The sums stay what they were. Each function returns how many rows it took. Rows are locked in the
order of their keys, as by those who count.
"""

from datetime import date

from heliograph.core.messages.statistics.sql import PAST
from heliograph.core.tenants.model import Tenant
from heliograph.platform.database.pool import Connection

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


async def fold_rounds(connection: Connection, tenant: Tenant, limit: int) -> int:
    """Add the counts of further rounds to those of the first."""
    return int(await connection.fetchval(FOLD_ROUNDS, *tenant, limit))


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


async def fold_account_rounds(connection: Connection, tenant: Tenant, limit: int) -> int:
    """Do the same with the counts of accounts."""
    return int(await connection.fetchval(FOLD_ACCOUNT_ROUNDS, *tenant, limit))


FOLD_COUNTS = """
WITH old AS MATERIALIZED (
    SELECT day, direction, status, stripe, n FROM message_counts
    WHERE shard = $1 AND organization_id = $2 AND day > $3 AND day < $4
    ORDER BY day, direction, status, stripe LIMIT $5 FOR UPDATE
), gone AS (
    DELETE FROM message_counts AS c USING old
    WHERE c.shard = $1 AND c.organization_id = $2 AND c.day = old.day
      AND c.direction = old.direction AND c.status = old.status AND c.stripe = old.stripe
), past AS (
    INSERT INTO message_counts AS c (shard, organization_id, day, direction, status, stripe, n)
    SELECT $1, $2, $3, direction, status, 0, sum(n) FROM old
    GROUP BY direction, status ORDER BY direction, status
    ON CONFLICT (shard, organization_id, day, direction, status, stripe)
    DO UPDATE SET n = c.n + excluded.n
)
SELECT count(*) FROM old
"""


async def fold_counts(connection: Connection, tenant: Tenant, before: date, limit: int) -> int:
    """Add the counts of days before this one to the past, which has one row for each status."""
    return int(await connection.fetchval(FOLD_COUNTS, *tenant, PAST, before, limit))


FOLD_ACCOUNT_COUNTS = """
WITH old AS MATERIALIZED (
    SELECT account_id, day, direction, status, stripe, n FROM account_message_counts
    WHERE shard = $1 AND organization_id = $2 AND day > $3 AND day < $4
    ORDER BY account_id, day, direction, status, stripe LIMIT $5 FOR UPDATE
), gone AS (
    DELETE FROM account_message_counts AS c USING old
    WHERE c.shard = $1 AND c.organization_id = $2 AND c.account_id = old.account_id
      AND c.day = old.day AND c.direction = old.direction AND c.status = old.status
      AND c.stripe = old.stripe
), past AS (
    INSERT INTO account_message_counts AS c (
        shard, organization_id, account_id, day, direction, status, stripe, n
    )
    SELECT $1, $2, account_id, $3, direction, status, 0, sum(n) FROM old
    GROUP BY account_id, direction, status ORDER BY account_id, direction, status
    ON CONFLICT (shard, organization_id, account_id, day, direction, status, stripe)
    DO UPDATE SET n = c.n + excluded.n
)
SELECT count(*) FROM old
"""


async def fold_account_counts(
    connection: Connection, tenant: Tenant, before: date, limit: int
) -> int:
    """Do the same with the counts of accounts."""
    return int(await connection.fetchval(FOLD_ACCOUNT_COUNTS, *tenant, PAST, before, limit))
