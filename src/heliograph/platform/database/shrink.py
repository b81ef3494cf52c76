"""Returns unused space of tables and indexes to the system.

PostgreSQL keeps the space of deleted rows for new ones. Whatever is far larger than its rows is
rewritten, those that need least first, so that the space each one frees helps the next:

    nothing runs  each table together with its indexes (VACUUM FULL): nobody may use it meanwhile
    nodes run     indexes, while in use (REINDEX CONCURRENTLY), and tables that are small once
                  rewritten, for which requests wait a moment; others are left alone

However it ends, each table is either unchanged or done. See docs/decisions/0081.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any

import asyncpg
import msgspec

from heliograph.errors import ConfigurationError
from heliograph.platform.database import shrink_sql
from heliograph.platform.database.distribution.cluster import find_citus
from heliograph.platform.database.distribution.refusals import keeping_nodes_out, list_alive
from heliograph.platform.database.failover import Hosts
from heliograph.platform.database.migration_lock import CONNECT_TIMEOUT, holding_migration_lock
from heliograph.platform.database.pool import Connection
from heliograph.platform.database.shrink_sql import Relation

_MIB = 1024**2
MIN_GAIN = _MIB
"""Bytes: a part is left alone if it has less to give back, or less than `MIN_SHARE` of its size."""
MIN_SHARE = 0.2
BRIEF = 32 * _MIB
"""Bytes: a table that needs no more than this is rewritten in about a second."""
LOCK_TIMEOUT = 2.0
"""The most seconds that others are held up while this waits for a table: a second longer than an
autovacuum takes to give way."""
TRIES, PAUSE = 15, 2.0
_LOCK = 0x48454C494F + 1
_LOOK_INTERVAL = 1.0

NODES_RUN = "takes the gateway to be stopped"

Show = Callable[[str, int, int | None], None]
"""A callback that receives what is being rewritten, how many bytes are done, and the total."""
FreeSpace = Callable[[], int | None]
"""Returns how many bytes are free on the database's disk, or None if unknown."""


class ShrinkError(ConfigurationError):
    """The database can't be made smaller."""


class Shrunk(msgspec.Struct, frozen=True):
    """The outcome for a table or an index; `left` says why it was left unchanged."""

    name: str
    before: int
    after: int
    left: str | None = None


class Estimate(msgspec.Struct, frozen=True):
    """How many bytes could be given back; `left` says why not now."""

    name: str
    size: int
    spare: int
    left: str | None = None


async def estimate(url: str) -> list[Estimate]:
    """Estimate what `shrink` would give back. Raises what it raises."""
    connection = await _connect(url)
    try:
        await _check(connection)
        are_alive = bool(await list_alive(connection))
        parts = await _list_worthwhile(connection, beside_nodes=are_alive)
        return [
            Estimate(part.name, part.size, part.spare, _left(part, are_alive)) for part in parts
        ]
    finally:
        await connection.close()


async def shrink(url: str, show: Show, free_space: FreeSpace) -> list[Shrunk]:
    """Give back unused space, as the owner of the tables; return the outcome for each part that was
    worth it.

    Raises `ShrinkError`, and what asyncpg raises.
    """
    async with AsyncExitStack() as stack:
        connection = await _connect(url)
        stack.callback(connection.terminate)  # which also ends a running statement
        watching = await _connect(url)
        stack.push_async_callback(watching.close)
        await _check(connection)
        await _lock(connection)
        are_alive = bool(await list_alive(connection))
        if not are_alive:
            await stack.enter_async_context(holding_migration_lock(url))
            await stack.enter_async_context(keeping_nodes_out(url))
        for name in await shrink_sql.list_half_built(connection):
            await connection.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")
        work = _Work(connection, watching, show, free_space, beside_nodes=are_alive)
        return await work.run()


class _Work:
    def __init__(
        self,
        connection: Connection,
        watching: Connection,
        show: Show,
        free_space: FreeSpace,
        *,
        beside_nodes: bool,
    ) -> None:
        self._connection = connection
        self._watching = watching
        self._show = show
        self._free_space = free_space
        self._beside_nodes = beside_nodes
        self._done = self._total = 0

    async def run(self) -> list[Shrunk]:
        parts = await _list_worthwhile(self._connection, beside_nodes=self._beside_nodes)
        self._total = sum(part.size for part in parts)
        found = []
        for part in parts:
            self._show(part.name, self._done, self._total)
            found.append(await self._shrink(part))
            self._done += part.size
        return found

    async def _shrink(self, part: Relation) -> Shrunk:
        left = _left(part, self._beside_nodes) or self._lacks_room(part)
        if left is None:
            async with self._shown(part):
                left = await self._write_anew(part)
        size = await self._connection.fetchval(_SIZE, part.name)
        return Shrunk(part.name, part.size, size, left)

    def _lacks_room(self, part: Relation) -> str | None:
        """Say what is lacking: while a part is rewritten, it exists twice, and also in the log."""
        free, wanted = self._free_space(), 2 * part.needed
        if free is None or free >= wanted:
            return None
        return f"takes {wanted // _MIB:,} MiB of free space, and there are {free // _MIB:,}"

    async def _write_anew(self, part: Relation) -> str | None:
        """Rewrite a part. Returns the reason if that was not possible."""
        for _ in range(TRIES):
            try:
                if part.is_index:
                    await self._connection.execute(f"REINDEX INDEX CONCURRENTLY {part.name}")
                else:
                    await self._connection.execute(f"VACUUM (FULL) {part.name}")
                    # rebuild the visibility map, which index-only scans need
                    await self._connection.execute(f"VACUUM (ANALYZE) {part.name}")
            except (asyncpg.LockNotAvailableError, asyncpg.DeadlockDetectedError):
                await asyncio.sleep(PAUSE)
            except asyncpg.DiskFullError:
                return "takes more free space than the disk has"
            else:
                return None
        return "others were using it all the time"

    @asynccontextmanager
    async def _shown(self, part: Relation) -> AsyncIterator[None]:
        showing = asyncio.create_task(self._show_progress(part))
        try:
            yield
        finally:
            showing.cancel()
            with suppress(asyncio.CancelledError):
                await showing

    async def _show_progress(self, part: Relation) -> None:
        process = self._connection.get_server_pid()
        while True:
            await asyncio.sleep(_LOOK_INTERVAL)
            share = await shrink_sql.read_progress(self._watching, process)
            self._show(part.name, self._done + int(share * part.size), self._total)


_FIND_STRANGER = """
SELECT current_user FROM pg_class
WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND NOT pg_has_role(relowner, 'USAGE')
LIMIT 1
"""
_SIZE = """
SELECT CASE relkind WHEN 'r' THEN pg_total_relation_size(oid) ELSE pg_relation_size(oid) END
FROM pg_class WHERE oid = $1::text::regclass
"""


def _left(part: Relation, beside_nodes: bool) -> str | None:
    """Say why a part has to wait; None if it doesn't."""
    has_to_wait = beside_nodes and not part.is_index and part.needed > BRIEF
    return NODES_RUN if has_to_wait else None


async def _list_worthwhile(connection: Connection, *, beside_nodes: bool) -> list[Relation]:
    """List the parts with enough to give back. Rewriting a table includes its indexes."""
    await connection.execute("ANALYZE (SKIP_LOCKED)")
    parts = [part for part in await shrink_sql.list_parts(connection) if part.name != _NODES]
    worthwhile = [part for part in parts if part.spare >= max(MIN_GAIN, int(MIN_SHARE * part.size))]
    anew = {part.name for part in worthwhile if not part.is_index and not _left(part, beside_nodes)}
    return [part for part in worthwhile if not (part.is_index and part.table in anew)]


_NODES = "public.nodes"
"""Left out: it is small, and locked while nodes are kept out."""


async def _connect(url: str) -> "asyncpg.Connection[Any]":
    settings = {
        "lock_timeout": str(int(LOCK_TIMEOUT * 1000)),
        "client_connection_check_interval": "1000",
        "application_name": "heliograph database shrink",
    }
    return await Hosts(url).connect(timeout=CONNECT_TIMEOUT, server_settings=settings)


async def _check(connection: Connection) -> None:
    if await find_citus(connection) is not None:
        raise ShrinkError(
            "The tables lie on the workers of Citus.",
            remedy="Run VACUUM FULL on each table in a window without the gateway; Citus passes it "
            "on to the workers.",
        )
    if not await connection.fetchval("SELECT to_regclass('public.nodes') IS NOT NULL"):
        raise ShrinkError(
            "The database has no schema yet, so there is nothing to give back.",
            remedy="Does HELIOGRAPH_DATABASE_URL lead to the gateway's database?",
        )
    if (role := await connection.fetchval(_FIND_STRANGER)) is not None:
        raise ShrinkError(
            f"The role {role} does not own the gateway's tables, and only their owner can write "
            "them anew.",
            remedy="Run this as their owner.",
            setting="HELIOGRAPH_DATABASE_URL",
        )


async def _lock(connection: Connection) -> None:
    if not await connection.fetchval("SELECT pg_try_advisory_lock($1)", _LOCK):
        raise ShrinkError(
            "Another process is shrinking this database.", remedy="Wait until it is done."
        )


def sum_up(parts: Sequence[Shrunk]) -> int:
    """Return how many bytes were given back in total."""
    return sum(part.before - part.after for part in parts)
