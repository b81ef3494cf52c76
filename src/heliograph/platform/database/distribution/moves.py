"""The steps of distributing: each is one transaction, and does nothing if it is done already."""

from collections.abc import Sequence
from itertools import cycle, islice

from heliograph.platform.database.distribution.cluster import Worker
from heliograph.platform.database.distribution.placements import COLUMN, Placement
from heliograph.platform.database.distribution.tables import Table
from heliograph.platform.database.pool import Connection

BEGIN_GROUP = """
SELECT create_distributed_table(
    $1::text::regclass, $2::text, colocate_with => 'none', shard_count => 1
)
"""
JOIN_GROUP = """
SELECT create_distributed_table($1::text::regclass, $2::text, colocate_with => $3::text)
"""
COPY_TO_ALL = "SELECT create_reference_table($1::text::regclass)"
TAKE_BACK = "SELECT undistribute_table($1::text::regclass, cascade_via_foreign_keys => true)"
REMOVE_LEFT_BEHIND = "SELECT truncate_local_data_after_distributing_table($1::text::regclass)"

LIST_SHARD_IDS = "SELECT shardid AS id FROM pg_dist_shard WHERE logicalrelid = $1::text::regclass"

# The ends of the hash ranges: each range except the last ends at the hash of one shard.
LIST_SPLIT_POINTS = """
SELECT worker_hash(n.shard)::text AS point FROM generate_series(0, $1::integer - 1) AS n (shard)
ORDER BY worker_hash(n.shard) LIMIT $1 - 1
"""
# Lists are sent as text: asyncpg would first query the array types, which takes Citus a second.
SPLIT = """
SELECT citus_split_shard_by_split_points(
    $1, string_to_array($2::text, ','), string_to_array($3::text, ',')::integer[], 'block_writes'
)
"""


async def begin_group(
    connection: Connection, table: Table, shards: int, workers: Sequence[Worker]
) -> None:
    """Distribute the first table so that each of the tenants' shards can be moved by itself, and
    all of them are divided evenly among the workers.

    By default, Citus divides the hashes into ranges of equal length: some would hold no shard,
    and others up to five.
    """
    if table.found.placement is not Placement.DISTRIBUTED:
        await connection.fetch(BEGIN_GROUP, table.full_name, COLUMN)
    found = await connection.fetch(LIST_SHARD_IDS, table.full_name)
    if len(found) > 1 or shards == 1:
        return
    points = [row["point"] for row in await connection.fetch(LIST_SPLIT_POINTS, shards)]
    places = [str(worker.id) for worker in islice(cycle(workers), shards)]
    await connection.fetch(SPLIT, found[0]["id"], ",".join(points), ",".join(places))


async def join_group(connection: Connection, table: Table, first: Table) -> None:
    """Distribute a table in the same way as the first. Its rows are moved while writers wait."""
    await connection.fetch(JOIN_GROUP, table.full_name, COLUMN, first.full_name)


async def copy_to_all(connection: Connection, table: Table) -> None:
    """Copy all rows of a table to every server, and keep them there."""
    await connection.fetch(COPY_TO_ALL, table.full_name)


async def take_back(connection: Connection, table: Table) -> None:
    """Move a table back to the coordinator."""
    await connection.fetch(TAKE_BACK, table.full_name)


async def remove_left_behind(connection: Connection, table: Table) -> None:
    """Remove the hidden rows that a table left on the coordinator when it was distributed."""
    await connection.fetch(REMOVE_LEFT_BEHIND, table.full_name)
