"""Reads what each worker holds: tenants' shards, rows, and bytes."""

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from heliograph.platform.database.distribution.cluster import Worker, ask_workers
from heliograph.platform.database.pool import Connection

# Run on a worker, which knows its own part of each table.
MEASURE = """
SELECT coalesce(json_object_agg(name, json_build_array(rows, bytes)), '{}') FROM (
    SELECT c.relname AS name, sum(pg_stat_get_live_tuples(t.oid))::bigint AS rows,
        sum(pg_total_relation_size(t.oid))::bigint AS bytes
    FROM pg_dist_shard AS s JOIN pg_dist_placement AS p ON p.shardid = s.shardid
    JOIN pg_dist_local_group AS g ON g.groupid = p.groupid
    JOIN pg_class AS c ON c.oid = s.logicalrelid
    CROSS JOIN LATERAL to_regclass(shard_name(s.logicalrelid, s.shardid)) AS t (oid)
    WHERE t.oid IS NOT NULL
    GROUP BY c.relname
) AS measured
"""

# An empty answer, for when it only matters whether the worker answers.
MEASURE_NOTHING = "SELECT '{}'"

# Citus finds a row by a hash of its shard. OFFSET: hash once per shard, not once per pair.
LIST_PLACES = """
SELECT p.groupid AS group_id, n.shard
FROM (
    SELECT shard, get_shard_id_for_distribution_column($1::text::regclass, shard) AS shard_id
    FROM generate_series(0, $2::integer - 1) AS numbers (shard) OFFSET 0
) AS n
JOIN pg_dist_placement AS p ON p.shardid = n.shard_id
ORDER BY n.shard
"""


@dataclass(frozen=True, slots=True)
class Share:
    """A worker's part of one table; `rows` is an estimate from the statistics."""

    rows: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Spread:
    """What a worker holds; if it can't be reached, `problem` says why, and no tables are listed."""

    worker: Worker
    shards: Sequence[int]
    problem: str | None
    tables: dict[str, Share] = field(default_factory=dict)


async def list_spreads(
    connection: Connection,
    workers: Sequence[Worker],
    example: str | None,
    shards: int,
    *,
    measure: bool,
) -> list[Spread]:
    """Ask each worker what it holds. Use a new connection, as for `ask_workers`.

    `example` is any distributed table: all are divided alike. `shards` is the number of tenants'
    shards. If nothing is to be measured, tables are left out.
    """
    places: defaultdict[int, list[int]] = defaultdict(list)
    if example is not None:
        for row in await connection.fetch(LIST_PLACES, example, shards):
            places[row["group_id"]].append(row["shard"])
    answers = await ask_workers(connection, workers, MEASURE if measure else MEASURE_NOTHING)
    return [
        Spread(worker, places[worker.group_id], answer.problem, _read(answer.text))
        for worker, answer in answers.items()
    ]


def _read(text: str | None) -> dict[str, Share]:
    measured = {} if text is None else json.loads(text)
    return {name: Share(*share) for name, share in measured.items()}
