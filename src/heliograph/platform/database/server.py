"""The database server itself: its state, and the termination of stalled connections."""

import time
from dataclasses import dataclass

from heliograph.platform.database.pool import Connection

# Every role sees how many servers receive the log; their names, and whether commits wait for them,
# are NULL without the rights of pg_monitor. A reader of a logical slot can't be failed over to.
READ_STATE = """
SELECT current_user AS role, current_setting('is_superuser') = 'on' AS is_superuser,
    current_setting('transaction_read_only') = 'on' AS is_read_only,
    current_setting('synchronous_standby_names') AS names,
    current_setting('synchronous_commit') AS commits,
    current_setting('server_encoding') AS encoding, lower('Ä') = 'ä' AS folds_letters,
    r.standbys, r.synchronous, r.unknown,
    extract(epoch FROM clock_timestamp())::float8 AS now
FROM (
    SELECT count(*)::int AS standbys,
        (count(*) FILTER (WHERE s.sync_state IN ('sync', 'quorum')))::int AS synchronous,
        (count(*) FILTER (WHERE s.state IS NULL))::int AS unknown
    FROM pg_stat_replication AS s
    WHERE s.state IS DISTINCT FROM 'backup' AND NOT EXISTS (
        SELECT FROM pg_replication_slots AS l WHERE l.active_pid = s.pid AND l.slot_type = 'logical'
    )
) AS r
"""


@dataclass(frozen=True, slots=True)
class Replication:
    """What a commit waits for. `names` is `synchronous_standby_names`, `commits` is
    `synchronous_commit`. Of the connected `standbys`, `synchronous` is how many are, and `unknown`
    how many may be: without the rights of `pg_monitor`, the role can't tell."""

    names: str
    commits: str
    standbys: int
    synchronous: int
    unknown: int


@dataclass(frozen=True, slots=True)
class ServerState:
    """`role` is the connected role, `is_read_only` means that the server takes no writes, like a
    standby, `folds_letters` that the database knows the case of letters other than A to Z, and
    `clock_offset` is how many seconds its clock is ahead of this machine's."""

    version: tuple[int, int]
    role: str
    is_superuser: bool
    is_read_only: bool
    encoding: str
    folds_letters: bool
    replication: Replication
    clock_offset: float


async def read_server_state(connection: Connection) -> ServerState:
    """Ask the server for its state. Raises what asyncpg raises."""
    before = time.time()
    row = await connection.fetchrow(READ_STATE)
    middle = (before + time.time()) / 2
    assert row is not None  # noqa: S101 - an aggregate without GROUP BY has one row
    version = connection.get_server_version()
    return ServerState(
        (version.major, version.micro),  # asyncpg puts PostgreSQL's minor number there
        row["role"],
        row["is_superuser"],
        row["is_read_only"],
        row["encoding"],
        row["folds_letters"],
        Replication(
            row["names"], row["commits"], row["standbys"], row["synchronous"], row["unknown"]
        ),
        row["now"] - middle,
    )


# PostgreSQL ends an idle transaction, but not one whose client stopped between two messages of one
# statement, or while reading an answer. In that case the server waits for as long as the client's
# kernel keeps the connection open, and the transaction keeps its rows locked.
END_STALLED = """
SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
WHERE datname = current_database() AND usename = current_user
  AND application_name = current_setting('application_name')
  AND state = 'active' AND wait_event_type = 'Client'
  AND state_change < clock_timestamp()
      - nullif(current_setting('idle_in_transaction_session_timeout'), '0')::interval
"""


async def end_stalled_connections(connection: Connection) -> int:
    """Terminate the gateway's stalled connections to this database. Returns how many.

    They have waited for their client, in the middle of a statement, for as long as a transaction
    may be idle.
    """
    return int(await connection.fetchval(END_STALLED))


READ_SIZE = "SELECT pg_database_size(current_database())"


async def read_size(connection: Connection) -> int:
    """Return how many bytes the database takes up on the connected server."""
    return int(await connection.fetchval(READ_SIZE))
