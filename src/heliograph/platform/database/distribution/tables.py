"""The tables of a database, and where each of them lies.

A table that Citus distributes is empty on the coordinator; its rows are in the workers' tables.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from heliograph.platform.database.distribution.placements import (
    CORE_SCHEMA,
    DISTRIBUTED,
    Placement,
    find_placement,
)
from heliograph.platform.database.pool import Connection

# Leaves out the server's own tables and those of extensions.
LIST_TABLES = """
SELECT n.nspname AS schema, c.relname AS name, pg_stat_get_live_tuples(c.oid) AS rows,
    pg_total_relation_size(c.oid) AS bytes, pg_relation_size(c.oid) AS heap_bytes,
    pg_has_role(c.relowner, 'USAGE') AS is_ours
FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p') AND c.relpersistence = 'p'
  AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'
  AND NOT EXISTS (
      SELECT 1 FROM pg_depend AS d
      WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'
  )
ORDER BY n.nspname, c.relname
"""

# Citus's letters: h is distributed by hash; n and t together are a reference table.
LIST_KNOWN_TO_CITUS = """
SELECT n.nspname AS schema, c.relname AS name, p.partmethod::text AS method,
    p.repmodel::text AS replication, p.colocationid AS colocation,
    column_to_column_name(p.logicalrelid, p.partkey) AS column
FROM pg_dist_partition AS p JOIN pg_class AS c ON c.oid = p.logicalrelid
JOIN pg_namespace AS n ON n.oid = c.relnamespace
"""

# If the coordinator is also a worker, or has a copy of a reference table.
LIST_SHARD_TABLES = "SELECT shard_name(logicalrelid, shardid) AS name FROM pg_dist_shard"


@dataclass(frozen=True, slots=True)
class Found:
    """How Citus stores a table; `column` and `colocation` apply to a distributed one."""

    placement: Placement
    column: str | None = None
    colocation: int | None = None


_ON_COORDINATOR = Found(Placement.LOCAL)


@dataclass(frozen=True, slots=True)
class Table:
    """A table: where it belongs, where it is, and how much of it is on the coordinator itself.

    `belongs` is None if it is not the gateway's. `rows` is an estimate from the statistics.
    """

    schema: str
    name: str
    belongs: Placement | None
    found: Found
    rows: int
    bytes: int
    heap_bytes: int
    is_ours: bool

    @property
    def full_name(self) -> str:
        return self.name if self.schema == CORE_SCHEMA else f"{self.schema}.{self.name}"

    @property
    def is_misplaced(self) -> bool:
        return self.belongs is not None and self.found.placement is not self.belongs

    @property
    def leaves_rows_behind(self) -> bool:
        """Whether the coordinator still has rows from before the table was distributed."""
        return self.found.placement is not Placement.LOCAL and self.heap_bytes > 0


async def list_tables(connection: Connection, *, has_citus: bool) -> list[Table]:
    """List all tables except the server's and those of extensions, by schema and name."""
    found = await _list_known(connection) if has_citus else {}
    hidden = await _list_shard_tables(connection) if has_citus else set()
    return [
        Table(
            **row,
            belongs=find_placement(row["schema"], row["name"]),
            found=found.get((row["schema"], row["name"]), _ON_COORDINATOR),
        )
        for row in await connection.fetch(LIST_TABLES)
        if row["name"] not in hidden
    ]


async def _list_known(connection: Connection) -> dict[tuple[str, str], Found]:
    return {
        (row["schema"], row["name"]): _found(
            row["method"], row["replication"], row["column"], row["colocation"]
        )
        for row in await connection.fetch(LIST_KNOWN_TO_CITUS)
    }


def _found(method: str, replication: str, column: str | None, colocation: int) -> Found:
    if column is not None:
        return Found(Placement.DISTRIBUTED, column, colocation)
    is_reference = (method, replication) == ("n", "t")
    return Found(Placement.REFERENCE) if is_reference else _ON_COORDINATOR


async def _list_shard_tables(connection: Connection) -> set[str]:
    return {row["name"] for row in await connection.fetch(LIST_SHARD_TABLES)}


def find_first(tables: Sequence[Table]) -> Table:
    """Return the table that determines how the others are divided."""
    return next(table for table in tables if table.full_name == DISTRIBUTED[0])


def is_divided(tables: Sequence[Table]) -> bool:
    """Return whether the division of tables is fixed: one besides the first is distributed."""
    return any(
        table.found.placement is Placement.DISTRIBUTED and table.full_name in DISTRIBUTED[1:]
        for table in tables
    )
