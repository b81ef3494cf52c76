"""Checks what prevents an installation's tables from being distributed, and says what to do."""

from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager

from heliograph.errors import ConfigurationError
from heliograph.platform.database.distribution.cluster import (
    ask_workers,
    find_citus,
    is_citus_available,
    is_coordinator,
    list_workers,
)
from heliograph.platform.database.distribution.placements import COLUMN, Placement
from heliograph.platform.database.distribution.tables import Table
from heliograph.platform.database.failover import Hosts
from heliograph.platform.database.migration_lock import CONNECT_TIMEOUT
from heliograph.platform.database.pool import Connection

NODES = "nodes"
LIST_ALIVE = "SELECT name FROM nodes WHERE lease_expires_at > now() ORDER BY name"
# No node can register or renew its lease meanwhile: one that waits was seen, or starts over.
KEEP_OUT = "LOCK TABLE nodes IN SHARE MODE"


class DistributionError(ConfigurationError):
    """The tables can't be distributed."""


async def check_server(url: str, shards: int) -> None:
    """Raise `DistributionError` if the server or the settings don't allow distribution. Also
    raises what asyncpg raises."""
    connection = await Hosts(url).connect(timeout=CONNECT_TIMEOUT)
    try:
        await _check_server(connection, shards)
    finally:
        await connection.close()


async def _check_server(connection: Connection, shards: int) -> None:
    if await find_citus(connection) is None:
        raise _without_citus(is_available=await is_citus_available(connection))
    if not await is_coordinator(connection):
        raise DistributionError(
            "This database is a worker of Citus.",
            remedy="Name the coordinator instead.",
            setting="HELIOGRAPH_DATABASE_URL",
        )
    if shards == 1:
        raise DistributionError(
            "HELIOGRAPH_SHARDS is 1, so all rows would lie on one worker.",
            remedy="Set it to 64 on every machine. Organizations that are there stay on the shard "
            "that they have.",
            setting="HELIOGRAPH_SHARDS",
        )
    await _check_workers(connection)


def _without_citus(*, is_available: bool) -> DistributionError:
    if is_available:
        return DistributionError(
            "Citus is installed on this server, but not in this database.",
            remedy="As a superuser, run CREATE EXTENSION citus in the database of this name on the "
            "coordinator and on each worker.",
        )
    return DistributionError(
        "This PostgreSQL has no Citus: it is one server, and its tables stay where they are.",
        remedy="Install Citus on a coordinator and on workers, and name the coordinator.",
        setting="HELIOGRAPH_DATABASE_URL",
    )


async def _check_workers(connection: Connection) -> None:
    workers = await list_workers(connection)
    if not workers:
        raise DistributionError(
            "The coordinator has no worker that may have shards.",
            remedy="Add each, as a superuser: SELECT citus_add_node('worker-1', 5432).",
        )
    answers = await ask_workers(connection, workers, "SELECT 1")
    lost = [
        f"{worker.name} ({answer.problem})" for worker, answer in answers.items() if answer.problem
    ]
    if lost:
        raise DistributionError(
            f"The coordinator can't reach {', '.join(lost)}.",
            remedy="Start it, or see that the coordinator may connect to it as this role.",
        )


def check_tables(tables: Sequence[Table]) -> None:
    """Raise `DistributionError` for tables that are distributed in a different way, or that belong
    to another role."""
    core = [table for table in tables if table.belongs is not None]
    if foreign := [table.full_name for table in core if not table.is_ours]:
        raise DistributionError(
            f"Tables belong to another role: {', '.join(foreign)}.",
            remedy="Run this as their owner.",
            setting="HELIOGRAPH_DATABASE_URL",
        )
    distributed = [table for table in core if table.found.placement is Placement.DISTRIBUTED]
    if odd := [table.full_name for table in distributed if table.found.column != COLUMN]:
        raise _distributed_otherwise(odd, f"by another column than '{COLUMN}'")
    if len({table.found.colocation for table in distributed}) > 1:
        names = [f"{table.full_name} in {table.found.colocation}" for table in distributed]
        raise _distributed_otherwise(names, "in more than one colocation group")


def _distributed_otherwise(names: Iterable[str], how: str) -> DistributionError:
    return DistributionError(
        f"Tables are distributed {how}: {', '.join(names)}.",
        remedy="Move them back first, with SELECT undistribute_table('…'). It refuses those that "
        "number their rows: restore a dump into a new database then.",
    )


async def list_alive(connection: Connection) -> list[str]:
    """List the names of the running nodes."""
    return [row["name"] for row in await connection.fetch(LIST_ALIVE)]


@asynccontextmanager
async def keeping_nodes_out(url: str) -> AsyncIterator[None]:
    """Let no node start or continue while the block runs: half of its tables might have moved.

    Raises `DistributionError` when nodes are alive, by the database's clock.
    """
    connection = await Hosts(url).connect(
        timeout=CONNECT_TIMEOUT,
        server_settings={"idle_in_transaction_session_timeout": "0", "lock_timeout": "10000"},
    )
    try:
        async with connection.transaction():
            await connection.execute(KEEP_OUT)
            if names := await list_alive(connection):
                raise DistributionError(
                    f"Nodes are running: {', '.join(names)}.",
                    remedy="Stop the gateway on every machine first; one that was killed counts "
                    "for 15 seconds.",
                )
            yield
    finally:
        await connection.close()
