"""What is asked of the database's server rather than of our tables."""

import time
from dataclasses import dataclass

from heliograph.platform.database.pool import Connection

READ_STATE = """
SELECT current_user AS role, current_setting('is_superuser') = 'on' AS is_superuser,
       current_setting('synchronous_standby_names') AS standbys,
       extract(epoch FROM clock_timestamp())::float8 AS now
"""


@dataclass(frozen=True, slots=True)
class ServerState:
    """`role` is ours, `standbys` is empty when commits wait for no standby, and `clock_offset` is
    how many seconds the server's clock is ahead of this machine's."""

    version: tuple[int, int]
    role: str
    is_superuser: bool
    standbys: str
    clock_offset: float


async def read_server_state(connection: Connection) -> ServerState:
    """Raise what asyncpg raises."""
    before = time.time()
    row = await connection.fetchrow(READ_STATE)
    middle = (before + time.time()) / 2
    assert row is not None  # noqa: S101 - a SELECT without FROM has one row
    version = connection.get_server_version()
    return ServerState(
        (version.major, version.micro),  # asyncpg puts PostgreSQL's minor number there
        row["role"],
        row["is_superuser"],
        row["standbys"],
        row["now"] - middle,
    )
