"""Counters continue in new rows while old versions of their rows can't be vacuumed.

A counter's row is updated constantly. While an open transaction holds a snapshot, all versions are
kept, and each update scans the earlier ones. So while a snapshot lags behind, the counters begin a
new *round* three times a minute: another set of rows for each counter. Readers add up all rows as
usual. Once the snapshot is gone, the rounds are folded into the first stripes. See
docs/decisions/0062.
"""

from datetime import datetime, timedelta

from heliograph.platform.database.pool import Connection

STRIPES = 16
"""Rows (stripes) of a counter in one round, so that writers seldom wait for each other."""
ROUNDS = 2_000
"""After this many rounds the numbers start over: more would not fit into the column."""
LAGGING = 5_000
"""A snapshot lags if it is at least this many transactions behind."""
LASTS = timedelta(seconds=15)
"""The minimum length of a round, whichever nodes' janitors check."""

ASK_ROUND = "SELECT coalesce(max(round), 0) FROM counter_rounds"
"""An SQL expression for the current round, 0 being the first. A statement adds sixteen times that
to its stripe's number."""

# This connection's own snapshot is included. It is as old as the oldest open or prepared
# transaction that has written, which keeps old versions, too.
FIND_LAG = """
SELECT coalesce(max(age(xmin)), 0) FROM (
    SELECT backend_xmin AS xmin FROM pg_stat_activity
    WHERE datname = current_database() OR datname IS NULL
    UNION ALL
    SELECT xmin FROM pg_replication_slots
) AS kept
"""


async def find_lag(connection: Connection) -> int:
    """Return how many transactions have begun since the oldest one that keeps old versions."""
    lag: int = await connection.fetchval(FIND_LAG)
    return lag


BEGIN_ROUND = """
INSERT INTO counter_rounds AS r (round, began_at) VALUES (1, $1)
ON CONFLICT (is_one) DO UPDATE SET round = r.round % $2 + 1, began_at = excluded.began_at
WHERE r.began_at < $3
"""


async def begin_round(connection: Connection, now: datetime) -> None:
    """Begin the next round, unless one has just begun."""
    await connection.execute(BEGIN_ROUND, now, ROUNDS, now - LASTS)


END_ROUNDS = "DELETE FROM counter_rounds WHERE began_at < $1"


async def end_rounds(connection: Connection, now: datetime) -> None:
    """Count in the first stripes again, unless a round has just begun."""
    await connection.execute(END_ROUNDS, now - LASTS)


FIND_ROUND = "SELECT round FROM counter_rounds"


async def find_round(connection: Connection) -> int | None:
    round_: int | None = await connection.fetchval(FIND_ROUND)
    return round_
