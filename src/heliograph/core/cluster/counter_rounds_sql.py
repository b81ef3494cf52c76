"""Counters go on in new rows while old versions of their rows can't be removed.

A counter's row is updated all the time. As long as a transaction stays open that has read
something, all versions are kept, and each update walks over those before it. So while one lags
behind, the counters' stripes begin anew three times a minute, in the next *round*: in as many
more rows of each counter. Readers add up all rows as ever. Once it is over, the rounds are folded
into the first stripes. See docs/decisions/0062.
"""

from datetime import datetime, timedelta

from heliograph.platform.database.pool import Connection

STRIPES = 16
"""Rows of a counter in one round, so that writers seldom wait for each other."""
ROUNDS = 2_000
"""After so many, the first begins again: more would not fit into the column."""
LAGGING = 5_000
"""Transactions that a snapshot is behind, from which on it matters."""
LASTS = timedelta(seconds=15)
"""A round lasts this long at least, on whichever nodes the janitors look."""

ASK_ROUND = "SELECT coalesce(max(round), 0) FROM counter_rounds"
"""Asks for the number of the round in which a statement counts; 0 is the first. Sixteen times that
is what it adds to a stripe's number."""

# The asker's own snapshot is among them. It is as old as the oldest transaction that has written,
# or was prepared, and has not ended: that keeps old versions, too.
FIND_LAG = """
SELECT coalesce(max(age(xmin)), 0) FROM (
    SELECT backend_xmin AS xmin FROM pg_stat_activity
    WHERE datname = current_database() OR datname IS NULL
    UNION ALL
    SELECT xmin FROM pg_replication_slots
) AS kept
"""


async def find_lag(connection: Connection) -> int:
    """Return how many transactions have begun since the oldest that keeps old versions."""
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
