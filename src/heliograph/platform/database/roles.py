"""The roles of the private PostgreSQL: a superuser that makes the others, the owner of the tables,
and the role of nodes and commands.

The superuser could read files and start programs of the server, so it only makes roles and the
database. `heliograph_owner` migrates, and reads and loads backups: code in an archive runs as
this role, then and later. Nodes and commands connect as `heliograph_node`, which may read
and write the rows of the gateway's tables, and see what every connection does, since some keep
deleted rows on disk. In the schemas of drivers it may also create and alter tables: the drivers'
libraries have tables of their own, and upgrade them.
"""

import asyncpg

from heliograph.platform.database.failover import Hosts
from heliograph.platform.database.pool import Connection

NODE = "heliograph_node"
OWNER = "heliograph_owner"

_TIMEOUT = 10.0  # seconds
_WRITTEN_BY_MIGRATIONS = "alembic_version"
_ONLY_ADDED_TO = "audit_entries"
_ERASE_ENTRIES = "erase_audit_entries(integer, uuid, integer)"
"""The function that erases the entries of a removed organization."""

_MAKE = """
SELECT format('CREATE ROLE %I', $1::text)
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = $1)
"""

# Sets the attributes even if somebody has changed them: the role is the gateway's own.
_SET = """
SELECT format('ALTER ROLE %I LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS '
              'PASSWORD %L', $1::text, $2::text)
"""

# A role that can connect can change its own settings, and so can the contents of an archive.
_LIST_SETTINGS = """
SELECT format('ALTER ROLE %I ', r.rolname)
    || coalesce('IN DATABASE ' || quote_ident(d.datname) || ' ', '') || 'RESET ALL' AS reset
FROM pg_db_role_setting AS s
JOIN pg_roles AS r ON r.oid = s.setrole
LEFT JOIN pg_database AS d ON d.oid = s.setdatabase
WHERE r.rolname = $1
"""

# What the superuser made in this database. The owner of the database has the schema `public`, and
# the owner of a table has its sequences.
_LIST_OF_SUPERUSER = """
WITH schemas AS (
    SELECT oid, nspname, nspowner FROM pg_namespace
    WHERE nspname NOT LIKE 'pg\\_%' AND nspname <> 'information_schema'
)
SELECT format('SCHEMA %I', nspname) AS what FROM schemas WHERE nspowner = current_user::regrole
UNION ALL
SELECT format('%s %I.%I',
              CASE c.relkind WHEN 'v' THEN 'VIEW' WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END,
              n.nspname, c.relname)
FROM pg_class AS c JOIN schemas AS n ON n.oid = c.relnamespace
WHERE c.relowner = current_user::regrole AND c.relkind IN ('r', 'p', 'v', 'S')
  AND NOT EXISTS (SELECT FROM pg_depend AS d
                  WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid
                    AND d.deptype IN ('a', 'i', 'e'))
UNION ALL
SELECT format('ROUTINE %s', p.oid::regprocedure)
FROM pg_proc AS p JOIN schemas AS n ON n.oid = p.pronamespace
WHERE p.proowner = current_user::regrole
UNION ALL
SELECT format('STATISTICS %I.%I', n.nspname, s.stxname)
FROM pg_statistic_ext AS s JOIN schemas AS n ON n.oid = s.stxnamespace
WHERE s.stxowner = current_user::regrole
"""

_FIND_SUPERUSERS_OWNER = """
SELECT quote_ident(pg_get_userbyid(d.datdba))
FROM pg_database AS d JOIN pg_roles AS r ON r.rolname = current_user
WHERE d.datname = current_database() AND r.rolsuper AND d.datdba <> r.oid
"""
"""Finds the owner of the database, if a superuser is connected to another role's database."""

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


async def make_roles(connection: Connection, *, owner_password: str, node_password: str) -> None:
    """Make sure that both roles exist, with these passwords, no settings, and no right except to
    connect.

    The owner is a member of the nodes' role, whose tables it backs up. Run as the superuser.
    """
    for role, password in ((OWNER, owner_password), (NODE, node_password)):
        if (make := await connection.fetchval(_MAKE, role)) is not None:
            await connection.execute(make)
        await connection.execute(await connection.fetchval(_SET, role, password))
        for row in await connection.fetch(_LIST_SETTINGS, role):
            await connection.execute(row["reset"])
    await connection.execute(f"GRANT pg_read_all_stats TO {NODE}")
    await connection.execute(f"GRANT {NODE} TO {OWNER}")


async def hand_to_owner(connection: Connection) -> None:
    """Give the owner the connected database, and everything that the superuser made there. May be
    repeated."""
    database = await connection.fetchval("SELECT quote_ident(current_database())")
    async with connection.transaction():
        await connection.execute(f"ALTER DATABASE {database} OWNER TO {OWNER}")
        await _hand_over(connection, OWNER)


async def hand_to_database_owner(url: str) -> None:
    """Give everything that a superuser made in a database to the role that owns the database; do
    nothing if `url` names no superuser. Raises what asyncpg raises."""
    connection: asyncpg.Connection[asyncpg.Record] = await Hosts(url).connect(timeout=_TIMEOUT)
    try:
        owner = await connection.fetchval(_FIND_SUPERUSERS_OWNER)
        if owner is not None:
            async with connection.transaction():
                await _hand_over(connection, owner)
    finally:
        await connection.close()


async def _hand_over(connection: Connection, owner: str) -> None:
    for row in await connection.fetch(_LIST_OF_SUPERUSER):
        await connection.execute(f"ALTER {row['what']} OWNER TO {owner}")


async def grant_to_nodes(url: str, role: str = NODE) -> None:
    """Give the nodes' role its rights on all existing tables, once they have been migrated.

    Run as the owner, which is a member of it. May be repeated. Raises what asyncpg raises.
    """
    connection: asyncpg.Connection[asyncpg.Record] = await Hosts(url).connect(timeout=_TIMEOUT)
    try:
        async with connection.transaction():
            for row in await connection.fetch(_LIST_SCHEMAS):
                await _grant_schema(connection, row["nspname"], _quote(role))
            for row in await connection.fetch(_LIST_TABLES_OF_DRIVERS, role):
                await connection.execute(f"ALTER TABLE {row[0]} OWNER TO {_quote(role)}")
    finally:
        await connection.close()


async def _grant_schema(connection: Connection, name: str, role: str) -> None:
    schema = _quote(name)
    rights = "USAGE" if name == "public" else "USAGE, CREATE"
    commands = [
        f"GRANT {rights} ON SCHEMA {schema} TO {role}",
        f"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {role}",
        f"GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA {schema} TO {role}",
    ]
    if name == "public":
        commands.append(f"REVOKE INSERT, UPDATE, DELETE ON {_WRITTEN_BY_MIGRATIONS} FROM {role}")
        commands.append(f"REVOKE UPDATE, DELETE ON {_ONLY_ADDED_TO} FROM {role}")
        commands.append(f"REVOKE ALL ON FUNCTION {_ERASE_ENTRIES} FROM PUBLIC")
        commands.append(f"GRANT EXECUTE ON FUNCTION {_ERASE_ENTRIES} TO {role}")
    for command in commands:
        await connection.execute(command)


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
