"""One database that many tests use, one after another: each finds it migrated and without a row.

Making a database takes as long as many a test. So it is emptied instead, by functions of its own,
and what the migrations have put into it comes back. A test that has changed more than rows (a
table, a trigger, a setting) leaves a database that is made anew for the next one.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import asyncpg

from databases import create_database, drop_database, run

_PREPARE = """
CREATE SCHEMA pristine;

CREATE VIEW pristine.tables AS SELECT c.oid, c.oid::regclass AS name FROM pg_class AS c
WHERE c.relkind = 'r' AND c.relnamespace >= 16384 AND c.relnamespace <> 'pristine'::regnamespace
UNION ALL SELECT c.oid, c.oid::regclass FROM pg_class AS c
WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace;

DO $$
DECLARE t record;
BEGIN
    FOR t IN SELECT * FROM pristine.tables LOOP
        EXECUTE format('CREATE TABLE pristine.%I AS TABLE %s', t.oid, t.name);
    END LOOP;
END $$;

CREATE FUNCTION pristine.empty() RETURNS void LANGUAGE plpgsql AS $$
DECLARE t record; s regclass; was_there boolean; is_there boolean;
BEGIN
    SET LOCAL session_replication_role = replica;  -- no trigger and no foreign key
    FOR t IN SELECT * FROM pristine.tables LOOP
        EXECUTE format('SELECT EXISTS (SELECT FROM %s)', t.name) INTO is_there;
        IF is_there THEN
            EXECUTE format('DELETE FROM %s', t.name);
        END IF;
        EXECUTE format('SELECT EXISTS (SELECT FROM pristine.%I)', t.oid) INTO was_there;
        IF was_there THEN
            EXECUTE format(
                'INSERT INTO %s OVERRIDING SYSTEM VALUE TABLE pristine.%I', t.name, t.oid);
        END IF;
    END LOOP;
    FOR s IN SELECT oid FROM pg_class WHERE relkind = 'S' LOOP
        PERFORM setval(s, 1, false);
    END LOOP;
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
    """Databases that are like `template`, of which one is in use."""

    def __init__(self, postgres_url: str, template: str) -> None:
        self._postgres_url = postgres_url
        self._template = template
        self._url: str | None = None
        self._shape = ""

    @contextmanager
    def lend(self) -> Iterator[str]:
        """The URL of the database, empty; it is emptied again at the end."""
        if self._url is None:
            self._url = create_database(self._postgres_url, self._template)
            self._shape = run(_prepare(self._url))
        yield self._url
        if not run(_empty(self._url, self._shape)):
            self.drop()

    def drop(self) -> None:
        if self._url is not None:
            drop_database(self._postgres_url, self._url)
            self._url = None


async def _prepare(url: str) -> str:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(_PREPARE)
        return str(await connection.fetchval("SELECT pristine.shape()"))
    finally:
        await connection.close()


async def _empty(url: str, shape: str) -> bool:
    """Hang up on all others and empty it; False where more than rows was changed."""
    connection = await asyncpg.connect(url)
    try:
        await connection.fetch(_HANG_UP)
        if await connection.fetchval("SELECT pristine.shape()") != shape:
            return False
        await connection.execute("SELECT pristine.empty()")
        return True
    finally:
        await connection.close()
