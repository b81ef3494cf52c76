"""One database that many tests use, one after another: each finds it migrated and without a row.

Making a database takes as long as many a test. So it is emptied instead, by functions of its own,
and what the migrations have put into it comes back. A test that has changed more than rows (a
table, a trigger, a setting) leaves a database that is made anew for the next one.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

import asyncpg

from databases import create_database, drop_database

_PREPARE = """
CREATE SCHEMA pristine;

CREATE VIEW pristine.tables AS SELECT c.oid, c.oid::regclass AS name FROM pg_class AS c
WHERE c.relkind = 'r' AND c.relnamespace <> 'pristine'::regnamespace
  AND (c.relnamespace >= 16384 OR c.relnamespace = 'public'::regnamespace)
  AND NOT EXISTS (SELECT 1 FROM pg_depend AS d WHERE d.objid = c.oid AND d.deptype = 'e');

-- The statements that empty the tables are written down with their names: the server then plans
-- them once for a connection.
DO $$
DECLARE t record; s regclass; has_rows boolean;
    body text := 'SET LOCAL session_replication_role = replica;'; -- no trigger and no foreign key
BEGIN
    FOR t IN SELECT * FROM pristine.tables LOOP
        EXECUTE format('CREATE TABLE pristine.%I AS TABLE %s', t.oid, t.name);
        EXECUTE format('SELECT EXISTS (SELECT 1 FROM %s)', t.name) INTO has_rows;
        body := body || format(
            'IF EXISTS (SELECT 1 FROM %1$s) THEN DELETE FROM %1$s; END IF;', t.name);
        IF has_rows THEN
            body := body || format(
                'INSERT INTO %s OVERRIDING SYSTEM VALUE TABLE pristine.%I;', t.name, t.oid);
        END IF;
    END LOOP;
    FOR s IN SELECT oid FROM pg_class AS c WHERE c.relkind = 'S' AND NOT EXISTS (
        SELECT 1 FROM pg_depend AS d WHERE d.objid = c.oid AND d.deptype = 'e') LOOP
        body := body || format('PERFORM setval(%L, 1, false);', s);
    END LOOP;
    EXECUTE format(
        'CREATE FUNCTION pristine.empty() RETURNS void LANGUAGE plpgsql AS %L',
        'BEGIN ' || body || ' END');
END $$;

CREATE FUNCTION pristine.shape() RETURNS text LANGUAGE sql AS $$
SELECT md5(string_agg(part, ' ' ORDER BY part)) FROM (
    SELECT concat('class ', c.oid, c.relname, c.reloptions, c.relpersistence) AS part
    FROM pg_class AS c WHERE c.oid >= 16384 AND c.relkind IN ('r', 'i', 'v', 'S')
    UNION ALL SELECT concat('column ', attrelid, attname, atttypid, attnotnull)
    FROM pg_attribute WHERE attrelid >= 16384 AND attnum > 0
    UNION ALL SELECT concat('trigger ', oid, tgenabled) FROM pg_trigger
    UNION ALL SELECT concat('function ', oid, prosrc) FROM pg_proc WHERE oid >= 16384
    UNION ALL SELECT concat('constraint ', oid) FROM pg_constraint WHERE oid >= 16384
    UNION ALL SELECT concat('setting ', setconfig) FROM pg_db_role_setting AS s
    JOIN pg_database AS d ON d.oid = s.setdatabase WHERE d.datname = current_database()
) AS parts
$$;
"""
_HANG_UP = """
SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
"""


class EmptiedDatabase:
    """Databases that are like `template`, of which one is in use.

    The connection that empties it stays open between tests: a new one would plan all statements
    again, which costs more than what they do.
    """

    def __init__(self, postgres_url: str, template: str) -> None:
        self._postgres_url = postgres_url
        self._template = template
        self._url: str | None = None
        self._shape = ""
        self._runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
        self._connection: asyncpg.Connection[asyncpg.Record] | None = None

    @contextmanager
    def lend(self) -> Iterator[str]:
        """The URL of the database, empty; it is emptied again at the end."""
        if self._url is None:
            self._url = create_database(self._postgres_url, self._template)
            self._shape = self._runner.run(self._prepare())
        yield self._url
        if not self._runner.run(self._empty()):
            self._drop()

    def close(self) -> None:
        self._drop()
        self._runner.close()

    def _drop(self) -> None:
        if self._url is not None:
            self._runner.run(self._disconnect())
            drop_database(self._postgres_url, self._url)
            self._url = None

    async def _prepare(self) -> str:
        connection = await self._connect()
        await connection.execute(_PREPARE)
        return str(await connection.fetchval("SELECT pristine.shape()"))

    async def _empty(self) -> bool:
        """Hang up on all others and empty it; False where more than rows was changed."""
        try:
            connection = await self._connect()
            await connection.fetch(_HANG_UP)
        except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError):
            # a test may have ended every connection to the database, this one too
            self._connection = None
            connection = await self._connect()
            await connection.fetch(_HANG_UP)
        if await connection.fetchval("SELECT pristine.shape()") != self._shape:
            return False
        await connection.execute("SELECT pristine.empty()")
        return True

    async def _connect(self) -> "asyncpg.Connection[asyncpg.Record]":
        if self._connection is None or self._connection.is_closed():
            self._connection = await asyncpg.connect(self._url)
        return self._connection

    async def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.terminate()
