"""Ends nodes that are known to be dead, so that their leases are free at once instead of when they
expire.

Only two parties know for certain that a node is dead: the supervisor that has reaped its process,
to which the node had reported its ids; and the holder of the data directory's lock, for all nodes
of the private database. A frozen node keeps its leases until they expire.

    python -m heliograph.core.cluster.ended_nodes ID…    HELIOGRAPH_DATABASE_URL says where
"""

import asyncio
import os
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from uuid import UUID

import asyncpg

from heliograph.core.cluster.sql import ACCOUNT_LEASES, WEBHOOK_LEASES
from heliograph.platform.database.failover import CONNECT_FAILURES, Hosts
from heliograph.platform.database.notify import CHANNEL

_WAKE_UP = f"- {ACCOUNT_LEASES.topic} {WEBHOOK_LEASES.topic}"
_RELEASE_TIMEOUT = 10.0  # seconds; after them their leases have nearly run out anyway
_PAUSE = 0.2
_CONNECT_TIMEOUT = 3.0

# ids as one text: asyncpg would look up the type `uuid[]`, which takes seconds on Citus
END = "DELETE FROM nodes WHERE id = ANY(string_to_array($1, ' ')::uuid[])"
END_ALL = "DELETE FROM nodes"


async def end_nodes(url: str, ids: Sequence[UUID]) -> None:
    """End these nodes, and wake all others so that they take the free leases. Raises what asyncpg
    raises."""
    connection = await Hosts(url).connect(
        timeout=_CONNECT_TIMEOUT, command_timeout=_CONNECT_TIMEOUT
    )
    try:
        await connection.execute(END, " ".join(map(str, ids)))
        await connection.execute("SELECT pg_notify($1, $2)", CHANNEL, _WAKE_UP)
    finally:
        connection.terminate()


async def end_all_nodes(url: str) -> None:
    """End all nodes; works in an empty database, too. Raises what asyncpg raises."""
    connection: asyncpg.Connection[asyncpg.Record] = await Hosts(url).connect(
        timeout=_CONNECT_TIMEOUT
    )
    try:
        with suppress(asyncpg.UndefinedTableError):
            await connection.execute(END_ALL)
    finally:
        await connection.close()


async def _insist(url: str, ids: Sequence[UUID]) -> bool:
    """End these nodes, with retries. Returns whether the database allowed it."""
    deadline = time.monotonic() + _RELEASE_TIMEOUT
    while True:
        try:
            await end_nodes(url, ids)
        except CONNECT_FAILURES:
            if time.monotonic() > deadline:
                return False
        else:
            return True
        await asyncio.sleep(_PAUSE)


if __name__ == "__main__":
    dead = [UUID(node_id) for node_id in sys.argv[1:]]
    # the supervisor logs the failure: output printed here would not be a log line
    sys.exit(0 if asyncio.run(_insist(os.environ["HELIOGRAPH_DATABASE_URL"], dead)) else 1)
