"""The checks of a database on Citus: that its workers can be reached, and that tables are where
they belong.

There are none of them on any other PostgreSQL.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress

from cachetools import TTLCache

from heliograph.core.health.layout import Layout, WorkerLayout, read_layout
from heliograph.core.health.model import Check, failed, ok, warning
from heliograph.errors import UnavailableError
from heliograph.platform.aio.cache import CachedValue
from heliograph.platform.boot_time import boot_time
from heliograph.platform.database.failover import CONNECT_FAILURES
from heliograph.platform.database.revisions import Revisions

WORKERS, TABLES = "workers", "tables"

TTL = 10.0
"""Seconds for which a node reuses what it found: each check opens a new connection."""
CHECK_TIMEOUT = 2.0
MAX_AGE = 30.0
"""Seconds for which it still reuses that if a check takes longer than a probe waits."""


def check_distribution(layout: Layout, *, is_running: bool) -> list[Check]:
    """Make the checks of a database on Citus; there are none on any other.

    A lost worker is a failure of the installation. It does not make a node that `is_running`
    unready: all nodes would become unready at once, and nobody would serve the other workers'
    organizations.
    """
    if layout.citus is None:
        return []
    return [_check_workers(layout, warning if is_running else failed), _check_tables(layout)]


def _check_workers(layout: Layout, say: Callable[[str, str, str], Check]) -> Check:
    lost = [worker for worker in layout.workers if worker.problem is not None]
    if not layout.workers:
        return ok(WORKERS, f"The database has Citus {layout.citus}, and no worker yet.")
    if not lost:
        detail = f"Citus {layout.citus} spreads the tables over {_name(layout.workers)}."
        return ok(WORKERS, detail if layout.is_distributed else f"{_name(layout.workers)} answer.")
    shards = sum(len(worker.shards) for worker in lost)
    organizations = sum(worker.organizations for worker in lost)
    return say(
        WORKERS,
        f"The coordinator can't reach {_name(lost)}, where {shards} shards with {organizations} "
        "organizations are. Their requests are answered 503, and nothing is sent for them.",
        "Start it, or let its standby take its place (`SELECT citus_update_node(…)`). What was "
        "accepted then goes on by itself.",
    )


def _name(workers: Sequence[WorkerLayout]) -> str:
    return ", ".join(worker.name for worker in workers)


def _check_tables(layout: Layout) -> Check:
    if not layout.is_distributed:
        return warning(
            TABLES,
            "The database has Citus, but all tables are on the coordinator.",
            "Stop the gateway and run `heliograph database distribute`.",
        )
    if layout.misplaced:
        names = ", ".join(table.name for table in layout.misplaced)
        return warning(
            TABLES,
            f"Tables are not where they belong: {names}.",
            "Stop the gateway and run `heliograph database distribute`.",
        )
    return ok(TABLES, "Every table is where it belongs.")


class WorkersService:
    """Checks a node's database on Citus, at most every `TTL` seconds."""

    def __init__(self, url: str, revisions: Revisions, shards: int) -> None:
        self._url, self._revisions, self._shards = url, revisions, shards
        self._cache = CachedValue(self._read, ttl=TTL, timeout=CHECK_TIMEOUT)
        self._last: TTLCache[None, Layout] = TTLCache(1, MAX_AGE, boot_time)

    async def check(self) -> list[Check]:
        """Make the checks, or return the last results if they take too long."""
        with suppress(UnavailableError, *CONNECT_FAILURES):
            await self._cache.get()
        if (last := self._last.get(None)) is not None:
            return check_distribution(last, is_running=True)
        detail = "The coordinator has not said yet which workers it reaches."
        return [warning(WORKERS, detail, "Ask again; `heliograph doctor` waits for its answer.")]

    async def _read(self) -> Layout:
        layout = await read_layout(self._url, self._revisions, self._shards, measure=False)
        self._last[None] = layout
        return layout
