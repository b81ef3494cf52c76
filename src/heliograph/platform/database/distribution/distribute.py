"""Distributes the tables of an installation, as `placements` says.

Each table is moved in a transaction of its own, and Citus's catalog shows which ones have been
moved: after an interruption at any point, a new run continues from there.
"""

from collections.abc import Callable, Sequence

import asyncpg
import structlog

from heliograph.platform.database.distribution.cluster import find_citus, list_workers
from heliograph.platform.database.distribution.moves import (
    begin_group,
    copy_to_all,
    join_group,
    remove_left_behind,
    take_back,
)
from heliograph.platform.database.distribution.placements import DISTRIBUTED, Placement
from heliograph.platform.database.distribution.refusals import (
    NODES,
    DistributionError,
    check_tables,
    keeping_nodes_out,
)
from heliograph.platform.database.distribution.tables import (
    Table,
    find_first,
    is_divided,
    list_tables,
)
from heliograph.platform.database.migration_lock import holding_migration_lock
from heliograph.platform.database.pool import Connection

log = structlog.get_logger()

Show = Callable[[int, int], None]
"""A callback that receives how many tables are done, and how many there are."""


async def distribute(url: str, shards: int, show: Show) -> list[str]:
    """Distribute the tables of the migrated database at `url`, which `check_server` allows.

    `shards` is the number of shards that organizations are spread over. Returns the tables that
    were moved: none if all are where they belong. Raises `DistributionError` if something prevents
    it, and what asyncpg raises.
    """
    async with holding_migration_lock(url) as connection:
        tables = await list_tables(connection, has_citus=True)
        check_tables(tables)
        if moved := await _take_nodes_back(connection, tables):
            tables = await list_tables(connection, has_citus=True)
        async with keeping_nodes_out(url):
            try:
                if not is_divided(tables):
                    workers = await list_workers(connection)
                    await begin_group(connection, find_first(tables), shards, workers)
                return [*moved, *await _place(connection, tables, show)]
            except asyncpg.InsufficientPrivilegeError as error:
                raise DistributionError(
                    f"The role may not do that: {error}.",
                    remedy="Run this as the role that owns the gateway's tables; it needs the same "
                    "rights on each worker.",
                    setting="HELIOGRAPH_DATABASE_URL",
                ) from error


async def keep_distributed(url: str) -> None:
    """Distribute the tables that a migration has just made, if the others are distributed, and
    log where tables lie if the database has Citus.

    Nodes may be running: they don't know these tables yet. Raises what asyncpg raises.
    """
    async with holding_migration_lock(url) as connection:
        citus = await find_citus(connection)
        if citus is None:
            return
        tables = await list_tables(connection, has_citus=True)
        if not is_divided(tables):
            log.warning(
                "the database has Citus, but all tables lie on the coordinator: stop the gateway "
                "and run `heliograph database distribute`"
            )
            return
        if moved := await _place(connection, tables, lambda _done, _total: None):
            log.info("new tables were distributed", tables=moved)
        workers = [worker.name for worker in await list_workers(connection)]
        log.info("the tables are spread over workers", citus=citus, workers=workers)


async def _take_nodes_back(connection: Connection, tables: Sequence[Table]) -> list[str]:
    """Move the table that keeps nodes out back to the coordinator if necessary, to lock it."""
    [nodes] = (table for table in tables if table.full_name == NODES)
    if not nodes.is_misplaced:
        return []
    await take_back(connection, nodes)
    return [NODES]


async def _place(connection: Connection, tables: Sequence[Table], show: Show) -> list[str]:
    """Move each table to where it belongs, after the tables that it refers to."""
    first = find_first(tables)
    core = sorted((table for table in tables if table.belongs is not None), key=_turn)
    for done, table in enumerate(core):
        show(done, len(core))
        if table.is_misplaced:
            await _move(connection, table, first)
    for table in await list_tables(connection, has_citus=True):
        if table.leaves_rows_behind:
            await remove_left_behind(connection, table)
    show(len(core), len(core))
    return [table.full_name for table in core if table.is_misplaced]


def _turn(table: Table) -> int:
    is_distributed = table.belongs is Placement.DISTRIBUTED
    return DISTRIBUTED.index(table.name) if is_distributed else len(DISTRIBUTED)


async def _move(connection: Connection, table: Table, first: Table) -> None:
    match table.belongs:
        case Placement.DISTRIBUTED if table is not first:
            await join_group(connection, table, first)
        case Placement.REFERENCE:
            await copy_to_all(connection, table)
        case Placement.LOCAL:
            await take_back(connection, table)
