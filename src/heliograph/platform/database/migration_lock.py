"""The advisory lock for schema changes: one process at a time holds it, and others wait."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg

from heliograph.platform.database.failover import Hosts

CONNECT_TIMEOUT = 10.0
"""Seconds for each host; a node that starts can wait longer than a request."""

_LOCK = 0x48454C494F  # "HELIO": an arbitrary number that nothing else uses as a lock
_TRY_INTERVAL = 0.2


@asynccontextmanager
async def holding_migration_lock(url: str) -> "AsyncIterator[asyncpg.Connection[Any]]":
    """Wait for the lock, and yield the connection that holds it.

    A running statement on that connection keeps the lock, even if its client is gone. Raises what
    asyncpg raises.
    """
    connection = await Hosts(url).connect(timeout=CONNECT_TIMEOUT)
    try:
        # waiting inside a statement would block concurrent index builds
        while not await connection.fetchval("SELECT pg_try_advisory_lock($1)", _LOCK):  # noqa: ASYNC110 - a database has no event to wait for
            await asyncio.sleep(_TRY_INTERVAL)
        yield connection
    finally:
        await connection.close()  # which releases the lock
