"""The disk space that tables and indexes use, and estimates of how much they need."""

from collections.abc import Sequence

import msgspec

from heliograph.platform.database.pool import Connection
from heliograph.platform.database.rows import reads


class Relation(msgspec.Struct, frozen=True):
    """An index or a table. A table includes its indexes, and long values that are stored apart.
    Sizes are in bytes; `needed` is an estimate of the size once it is rewritten.
    """

    name: str
    table: str
    is_index: bool
    size: int
    needed: int

    @property
    def spare(self) -> int:
        """Roughly how many bytes could be given back."""
        return max(0, self.size - self.needed)


# A row has a head of 24 bytes and a pointer of 4, an entry of an index 8 and 4; both are aligned to
# 8. Pages have 8,192 bytes; an index fills nine tenths of one. Long values are stored apart in
# chunks of 2,000 bytes. What has no statistics, or is not a B-tree, is assumed to need its size.
LIST_PARTS = """
WITH tables AS (
    SELECT c.oid, n.nspname, c.relname, c.reltuples, c.reltoastrelid AS toast, (
        SELECT sum((1 - s.null_frac) * s.avg_width) FROM pg_stats AS s
        WHERE s.schemaname = n.nspname AND s.tablename = c.relname
    ) AS width, coalesce((
        SELECT o.option_value::float8 FROM pg_options_to_table(c.reloptions) AS o
        WHERE o.option_name = 'fillfactor'
    ), 100) / 100 AS filled
    FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
    WHERE c.relkind = 'r' AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'
), entries AS (
    SELECT i.indrelid, i.indexrelid, c.relname, c.reltuples, am.amname,
        pg_relation_size(i.indexrelid) AS size, (
            SELECT sum(s.avg_width) FROM pg_attribute AS a
            LEFT JOIN pg_attribute AS b ON b.attrelid = i.indrelid
                AND b.attnum = (i.indkey::int2[])[a.attnum - 1] AND b.attnum > 0
            JOIN pg_stats AS s ON s.schemaname = t.nspname
                AND (s.tablename, s.attname) IN ((t.relname, b.attname), (c.relname, a.attname))
            WHERE a.attrelid = i.indexrelid
        ) AS width
    FROM pg_index AS i JOIN tables AS t ON t.oid = i.indrelid
    JOIN pg_class AS c ON c.oid = i.indexrelid JOIN pg_am AS am ON am.oid = c.relam
    WHERE i.indisvalid
), indexes AS (
    SELECT e.*, least(size, CASE
        WHEN amname = 'btree' AND width IS NOT NULL AND reltuples >= 0
        THEN (reltuples * (20 + width) / 8152 / 0.9 + 2) * 8192 ELSE size
    END)::bigint AS needed
    FROM entries AS e
), heaps AS (
    SELECT t.*, pg_relation_size(t.oid) AS heap,
        CASE WHEN t.toast = 0 THEN 0 ELSE pg_relation_size(t.toast) END AS apart,
        coalesce(greatest(x.reltuples, 0), 0) AS pieces
    FROM tables AS t LEFT JOIN pg_class AS x ON x.oid = t.toast
)
SELECT format('%I.%I', h.nspname, h.relname) AS name,
    format('%I.%I', h.nspname, h.relname) AS "table", false AS is_index,
    pg_total_relation_size(h.oid) AS size,
    (least(h.heap, CASE
        WHEN h.width IS NOT NULL AND h.reltuples >= 0
        THEN (h.reltuples * (32 + h.width) / 8168 / h.filled + 1) * 8192 ELSE h.heap
    END) + least(h.apart, h.pieces * 2100 + 8192) + coalesce(i.needed, 0))::bigint AS needed
FROM heaps AS h LEFT JOIN (
    SELECT indrelid, sum(size) AS size, sum(needed) AS needed FROM indexes GROUP BY indrelid
) AS i ON i.indrelid = h.oid
UNION ALL
SELECT format('%I.%I', t.nspname, i.relname), format('%I.%I', t.nspname, t.relname), true,
    i.size, i.needed
FROM indexes AS i JOIN tables AS t ON t.oid = i.indrelid
ORDER BY needed, name
"""

_part_of = reads(Relation)


async def list_parts(connection: Connection) -> list[Relation]:
    """List all tables and indexes, those that need least first, according to the statistics."""
    return [_part_of(row) for row in await connection.fetch(LIST_PARTS)]


LIST_HALF_BUILT = """
SELECT format('%I.%I', n.nspname, c.relname) AS name
FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid
JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE NOT i.indisvalid AND c.relname ~ '_cc(new|old)[0-9]*$' AND n.nspname NOT LIKE 'pg\\_%'
"""


async def list_half_built(connection: Connection) -> Sequence[str]:
    """List the indexes whose rebuilding was interrupted."""
    return [row["name"] for row in await connection.fetch(LIST_HALF_BUILT)]


READ_PROGRESS = """
SELECT coalesce(max(done), 0) FROM (
    SELECT heap_blks_scanned::float8 / nullif(heap_blks_total, 0) AS done
    FROM pg_stat_progress_cluster WHERE pid = $1
    UNION ALL
    SELECT blocks_done::float8 / nullif(blocks_total, 0)
    FROM pg_stat_progress_create_index WHERE pid = $1
) AS found
"""


async def read_progress(connection: Connection, process: int) -> float:
    """Return what fraction of a table has been read by the server process that rewrites it."""
    return float(await connection.fetchval(READ_PROGRESS, process))
