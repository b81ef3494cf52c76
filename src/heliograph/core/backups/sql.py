"""What a backup reads of the whole installation, and what a restore looks for in an empty one."""

from datetime import datetime
from typing import NamedTuple

from heliograph.platform.database.pool import Connection


class Snapshot(NamedTuple):
    """`id` names it to other connections for as long as this transaction is open."""

    id: str
    taken_at: datetime
    postgres: int
    database_bytes: int


EXPORT_SNAPSHOT = """
SELECT pg_export_snapshot() AS id, now() AS taken_at,
       current_setting('server_version_num')::integer / 10000 AS postgres,
       pg_database_size(current_database()) AS database_bytes
"""


async def export_snapshot(connection: Connection) -> Snapshot:
    """Name the snapshot of this transaction, which is REPEATABLE READ."""
    row = await connection.fetchrow(EXPORT_SNAPSHOT)
    assert row is not None  # noqa: S101 - a SELECT without FROM has one row
    return Snapshot(*row)


# tables of an extension belong to the server; PostgreSQL quotes the names
LIST_TABLES = """
SELECT format('%I.%I', n.nspname, c.relname) AS name,
       format('SELECT count(*) FROM %I.%I', n.nspname, c.relname) AS count
FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition
  AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'
  AND NOT EXISTS (SELECT 1 FROM pg_depend AS d WHERE d.objid = c.oid AND d.deptype = 'e')
ORDER BY 1
"""


NODES = "public.nodes"
"""The table of live nodes, which no archive has."""


async def list_tables(connection: Connection) -> list[str]:
    """List all tables by their quoted names."""
    return [row["name"] for row in await connection.fetch(LIST_TABLES)]


async def count_rows(connection: Connection) -> dict[str, int]:
    """Count the rows of all tables but `NODES`."""
    return {
        row["name"]: await connection.fetchval(row["count"])
        for row in await connection.fetch(LIST_TABLES)
        if row["name"] != NODES
    }


LIST_REVISIONS = "SELECT version_num FROM alembic_version ORDER BY 1"


async def list_revisions(connection: Connection) -> list[str]:
    return [row["version_num"] for row in await connection.fetch(LIST_REVISIONS)]


LIST_KEY_IDS = "SELECT key_id FROM secret_canaries ORDER BY created_at DESC, key_id"


async def list_key_ids(connection: Connection) -> list[str]:
    return [row["key_id"] for row in await connection.fetch(LIST_KEY_IDS)]


SUM_FILES = "SELECT coalesce(sum(size), 0)::bigint FROM media WHERE stored_at IS NOT NULL"


async def sum_files(connection: Connection) -> int:
    """Return the bytes of all organizations' files."""
    return int(await connection.fetchval(SUM_FILES))


LIST_OBJECTS = """
SELECT object_key, sha256 FROM media WHERE stored_at IS NOT NULL
UNION SELECT object_key, NULL FROM contact_pictures WHERE object_key IS NOT NULL
ORDER BY object_key
"""


async def list_objects(connection: Connection) -> dict[str, bytes | None]:
    """Return the keys of the objects that rows name, of all organizations, each with its SHA-256
    if that is known."""
    rows = await connection.fetch(LIST_OBJECTS)
    return {row["object_key"]: row["sha256"] for row in rows}
