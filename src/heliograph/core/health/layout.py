"""Where an installation's tables are: on one server, or distributed over workers."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from heliograph.core.health.sql import count_organizations_by_shard
from heliograph.platform.database.distribution.cluster import find_citus, list_workers
from heliograph.platform.database.distribution.placements import DISTRIBUTED, Placement
from heliograph.platform.database.distribution.spread import Spread, list_spreads
from heliograph.platform.database.distribution.tables import Table, is_divided, list_tables
from heliograph.platform.database.failover import Hosts
from heliograph.platform.database.migration_lock import CONNECT_TIMEOUT
from heliograph.platform.database.pool import Connection
from heliograph.platform.database.revisions import Revisions
from heliograph.platform.database.server import read_size


class WorkerLayout(msgspec.Struct, frozen=True):
    """A worker: which `shards` it has, and of how many organizations.

    `rows` and `bytes` are None where the worker can't be reached; `problem` says why.
    """

    name: str
    shards: Sequence[int]
    organizations: int
    rows: int | None
    bytes: int | None
    problem: str | None


class TableLayout(msgspec.Struct, frozen=True):
    """A table: where it is, and where it belongs if that is elsewhere.

    `rows` is an estimate. Rows and bytes are of those servers that could be reached.
    """

    name: str
    placement: Placement
    belongs: Placement | None
    rows: int
    bytes: int


class Layout(msgspec.Struct, frozen=True):
    """`postgresql` and `citus` are versions; `shards` are those that have organizations, each with
    how many."""

    postgresql: str
    citus: str | None
    is_distributed: bool
    revisions: Sequence[str]
    schema: str
    bytes: int
    shards: Mapping[int, int]
    workers: Sequence[WorkerLayout]
    tables: Sequence[TableLayout]

    @property
    def misplaced(self) -> list[TableLayout]:
        """The tables that are not where they belong; none where nothing is distributed."""
        return [each for each in self.tables if self.is_distributed and each.belongs is not None]


async def read_layout(
    url: str, revisions: Revisions, shards: int, *, measure: bool = True
) -> Layout:
    """Read where the tables of the database behind `url` are, over a connection of its own.

    `shards` is the number of shards over which organizations are spread. Without `measure`, workers
    are not asked for sizes. Raises what asyncpg raises.
    """
    connection = await Hosts(url).connect(timeout=CONNECT_TIMEOUT)
    try:
        return await _read(connection, revisions, shards, measure=measure)
    finally:
        await connection.close()


async def _read(
    connection: Connection, revisions: Revisions, shards: int, *, measure: bool
) -> Layout:
    version = connection.get_server_version()
    citus = await find_citus(connection)
    status = await revisions.status(connection)
    tables = await list_tables(connection, has_citus=citus is not None)
    organizations = await count_organizations_by_shard(connection) if status.current else {}
    spreads = []
    if citus is not None:
        spreads = await list_spreads(
            connection,
            await list_workers(connection),
            DISTRIBUTED[0] if is_divided(tables) else None,
            max([shards, *(shard + 1 for shard in organizations)]),
            measure=measure,
        )
    return Layout(
        postgresql=f"{version.major}.{version.micro}",
        citus=citus,
        is_distributed=is_divided(tables),
        revisions=sorted(status.current),
        schema=status.state,
        bytes=await read_size(connection) + sum(_bytes(spread) for spread in spreads),
        shards=organizations,
        workers=[_worker(spread, organizations) for spread in spreads],
        tables=[_table(table, spreads, can_move=citus is not None) for table in tables],
    )


def _bytes(spread: Spread) -> int:
    return sum(share.bytes for share in spread.tables.values())


def _worker(spread: Spread, organizations: Mapping[int, int]) -> WorkerLayout:
    is_known = spread.problem is None
    return WorkerLayout(
        name=spread.worker.name,
        shards=spread.shards,
        organizations=sum(organizations.get(shard, 0) for shard in spread.shards),
        rows=sum(share.rows for share in spread.tables.values()) if is_known else None,
        bytes=_bytes(spread) if is_known else None,
        problem=spread.problem,
    )


def _table(table: Table, spreads: Iterable[Spread], *, can_move: bool) -> TableLayout:
    is_spread = table.found.placement is not Placement.LOCAL
    shares = [
        spread.tables[table.name] for spread in spreads if is_spread and table.name in spread.tables
    ]
    return TableLayout(
        name=table.full_name,
        placement=table.found.placement,
        belongs=table.belongs if can_move and table.is_misplaced else None,
        rows=table.rows + sum(share.rows for share in shares),
        bytes=table.bytes + sum(share.bytes for share in shares),
    )
