"""Who wrote which row when, told by the database: triggers of the test's own note each one.

A machine's connections bear its name, which the URL of its database gives them. A trap holds a
machine's next report or claim in the middle of its transaction, or in its commit.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec

from chaos.postgres import Queried
from chaos.world import wait_until
from connections import connected

UNTRACED = ("nodes", "api_keys", "alembic_version", "secret_canaries")
"""A node's row is its own affair, and a key's last use is no part of a lease."""

NOTE = """
CREATE FUNCTION chaos.note() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    machine text := current_setting('chaos.machine', true);
    before jsonb := CASE WHEN TG_OP = 'UPDATE' THEN to_jsonb(OLD) END;
    after jsonb := to_jsonb(CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END);
BEGIN
    INSERT INTO chaos.writes VALUES (clock_timestamp(), machine, TG_TABLE_NAME, TG_OP, (
        SELECT jsonb_object_agg(key, value) FROM jsonb_each(after - 'content' - 'payload')
        WHERE TG_OP <> 'UPDATE' OR value IS DISTINCT FROM before -> key
            OR key IN ('account_id', 'webhook_id', 'status', 'claim_epoch')
    ));
    IF TG_TABLE_NAME = 'messages' AND EXISTS (
        SELECT FROM chaos.traps AS t WHERE t.machine = current_setting('chaos.machine', true)
            AND NOT t.at_commit
    ) THEN
        PERFORM pg_sleep(2);
    END IF;
    RETURN NULL;
END $$
"""

DWELL = """
CREATE FUNCTION chaos.dwell() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM chaos.traps AS t WHERE t.machine = current_setting('chaos.machine', true)
            AND t.at_commit
    ) THEN
        PERFORM pg_sleep(2);
    END IF;
    RETURN NULL;
END $$
"""

INSTALL = (
    "CREATE SCHEMA chaos",
    "CREATE TABLE chaos.traps (machine text, at_commit boolean)",
    "CREATE TABLE chaos.writes (at timestamptz, machine text, place text, kind text, row jsonb)",
    NOTE,
    DWELL,
    """
    CREATE CONSTRAINT TRIGGER dwell AFTER UPDATE ON messages DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION chaos.dwell()
    """,
)

TRACE = """
DO $$
DECLARE each regclass;
BEGIN
    FOR each IN
        SELECT c.oid FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
        WHERE c.relkind = 'r' AND n.nspname IN ('public', 'sandbox') AND c.relname NOT IN (%s)
    LOOP
        EXECUTE format('CREATE TRIGGER note AFTER INSERT OR UPDATE OR DELETE ON %%s '
                       'FOR EACH ROW EXECUTE FUNCTION chaos.note()', each);
    END LOOP;
END $$
"""

SLEEPING = "SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep'"

HOLDING_IN_MID_STATEMENT = """
SELECT FROM pg_locks AS l JOIN pg_stat_activity AS a USING (pid)
WHERE l.relation = 'account_leases'::regclass AND l.mode = 'RowShareLock'
  AND a.state = 'active' AND a.wait_event = 'ClientRead'
  AND a.state_change < clock_timestamp() - interval '90 ms'
"""

END_ALL_OTHERS = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
"""


@dataclass(frozen=True, slots=True)
class Write:
    """One row that was inserted, updated or deleted, as it was then; what it says stays out, and of
    an update what did not change, but for whose it is and under which status and epoch."""

    at: datetime
    machine: str | None
    table: str
    kind: str
    row: dict[str, Any]

    @property
    def resource_id(self) -> UUID | None:
        """The account, else the webhook, that the row belongs to."""
        found = self.row.get("account_id") or self.row.get("webhook_id")
        return UUID(found) if found else None


class Trace:
    """Of one database, from `install` on."""

    def __init__(self, database: Queried) -> None:
        self._database = database

    async def install(self) -> None:
        untraced = ", ".join(f"'{name}'" for name in UNTRACED)
        for statement in (*INSTALL, TRACE % untraced):
            await self._database.fetch(statement)

    def url(self, machine: str) -> str:
        """The database's URL for the machine of this name."""
        url = self._database.url
        return f"{url}{'&' if '?' in url else '?'}chaos.machine={machine}"

    async def now(self) -> datetime:
        found: datetime = (await self._database.fetch("SELECT clock_timestamp()"))[0][0]
        return found

    async def trap(self, machine: str, *, at_commit: bool) -> None:
        """Return while a transaction of the machine is held, for 2 seconds, after it has changed a
        message, or in its commit."""
        await self._database.fetch("INSERT INTO chaos.traps VALUES ($1, $2)", machine, at_commit)
        await wait_until(self._is_held, 60)

    async def _is_held(self) -> bool:
        return bool(await self._database.fetch(SLEEPING))

    async def holds_in_mid_statement(self) -> bool:
        """Whether a transaction that holds a lease has waited for the rest of a statement, for
        longer than a node that runs would let it."""
        return bool(await self._database.fetch(HOLDING_IN_MID_STATEMENT))

    async def end_connections(self) -> None:
        """Every connection: on the next ones each statement is described before it is run."""
        await self._database.fetch(END_ALL_OTHERS)

    async def open_trap(self) -> None:
        await self._database.fetch("DELETE FROM chaos.traps")
        await wait_until(self._is_released, 60)

    async def _is_released(self) -> bool:
        return not await self._is_held()

    @asynccontextmanager
    async def births_held(self) -> AsyncIterator[None]:
        """No node begins meanwhile, nor reports that it lives."""
        async with connected(self._database.url) as connection, connection.transaction():
            await connection.execute("LOCK TABLE nodes IN SHARE MODE")
            yield

    async def writes(self) -> list[Write]:
        """Every write that was committed, in order."""
        rows = await self._database.fetch(
            "SELECT at, machine, place, kind, row::text AS row FROM chaos.writes ORDER BY at"
        )
        return [
            Write(
                row["at"],
                row["machine"],
                row["place"],
                row["kind"],
                msgspec.json.decode(row["row"]),
            )
            for row in rows
        ]
