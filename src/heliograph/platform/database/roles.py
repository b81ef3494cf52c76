"""Who is who in the private PostgreSQL: an owner that migrates, and the role of all others.

The owner is the server's superuser, who could read files and start programs there. Nodes and
commands connect as `heliograph_node`, which may read and write the rows of the gateway's tables. In
the schemas of drivers it may make tables as well and change those that are there: their libraries
bring some of their own, and bring them up to date.
"""

import asyncpg

from heliograph.platform.database.failover import Hosts
from heliograph.platform.database.pool import Connection

NODE = "heliograph_node"

_TIMEOUT = 10.0  # seconds
_WRITTEN_BY_MIGRATIONS = "alembic_version"
_ONLY_ADDED_TO = "audit_entries"

_MAKE = f"""
DO $$ BEGIN
    CREATE ROLE {NODE} LOGIN;
EXCEPTION WHEN duplicate_object THEN
    NULL;
END $$
"""

# Attributes as they are to be, whoever changed them: the name is ours.
_SET = """
SELECT format('ALTER ROLE %I LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS '
              'PASSWORD %L', $1::text, $2::text)
"""

_LIST_SCHEMAS = """
SELECT nspname FROM pg_namespace
WHERE nspname NOT LIKE 'pg\\_%' AND nspname <> 'information_schema'
"""

_LIST_TABLES_OF_DRIVERS = """
SELECT format('%I.%I', n.nspname, c.relname) FROM pg_class AS c
JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p') AND pg_get_userbyid(c.relowner) <> $1
  AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname NOT IN ('information_schema', 'public')
"""


async def make_node_role(connection: Connection, password: str) -> None:
    """Make sure that the role exists, with this password and no right but to connect."""
    await connection.execute(_MAKE)
    await connection.execute(await connection.fetchval(_SET, NODE, password))


async def grant_to_nodes(url: str) -> None:
    """Give the role its rights on all tables that there are, once they have been migrated.

    May be repeated. Raises what asyncpg raises.
    """
    connection: asyncpg.Connection[asyncpg.Record] = await Hosts(url).connect(timeout=_TIMEOUT)
    try:
        async with connection.transaction():
            for row in await connection.fetch(_LIST_SCHEMAS):
                await _grant_schema(connection, row["nspname"])
            for row in await connection.fetch(_LIST_TABLES_OF_DRIVERS, NODE):
                await connection.execute(f"ALTER TABLE {row[0]} OWNER TO {NODE}")
    finally:
        await connection.close()


async def _grant_schema(connection: Connection, name: str) -> None:
    schema = '"' + name.replace('"', '""') + '"'
    rights = "USAGE" if name == "public" else "USAGE, CREATE"
    commands = [
        f"GRANT {rights} ON SCHEMA {schema} TO {NODE}",
        f"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {NODE}",
        f"GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA {schema} TO {NODE}",
    ]
    if name == "public":
        commands.append(f"REVOKE INSERT, UPDATE, DELETE ON {_WRITTEN_BY_MIGRATIONS} FROM {NODE}")
        commands.append(f"REVOKE UPDATE, DELETE ON {_ONLY_ADDED_TO} FROM {NODE}")
    for command in commands:
        await connection.execute(command)
