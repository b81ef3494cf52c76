"""What a transaction survives: a schema that changes under it, a process that was stopped, an
outage of days, a clock that is set to another hour."""

import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import asyncpg
import pytest

from connections import connected
from databases import CONNECT_TIMEOUT
from each_case import for_each
from heliograph.platform.database.pool import (
    Connection,
    Database,
    is_connection_failure,
    pause_after,
)


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    opened = await Database.open(database_url, pool_size=1, connect_timeout=CONNECT_TIMEOUT)
    yield opened
    await opened.close()


async def test_a_migration_beside_it_changes_what_a_known_statement_returns(
    database: Database, database_url: str
) -> None:
    async def work(connection: Connection) -> int:
        row = await connection.fetchrow("SELECT n.* FROM (SELECT 1) o LEFT JOIN nodes n ON true")
        return len(row or ())

    before = await database.transact(work)
    async with connected(database_url) as migration:
        await migration.execute("ALTER TABLE nodes ADD COLUMN later integer")
    assert await database.transact(work) == before + 1


async def test_a_process_that_was_stopped_for_long_begins_its_transaction_again(
    database_url: str,
) -> None:
    database = await Database.open(
        database_url, pool_size=1, statement_timeout=0.25, connect_timeout=CONNECT_TIMEOUT
    )
    naps = [1.0]  # longer than a transaction may idle

    async def work(connection: Connection) -> int:
        await connection.fetchval("SELECT 1")
        time.sleep(naps.pop() if naps else 0)  # noqa: ASYNC251 - as SIGSTOP does
        return int(await connection.fetchval("SELECT 2"))

    assert await database.transact(work) == 2
    assert not naps
    await database.close()


@for_each(
    ("message", "is_failure"),
    [
        ("failure on connection marked as essential: worker-1.example:5432", True),
        ("could not commit transaction for shard 102009 on at least one active node", True),
        ("SSL SYSCALL error: EOF detected", True),
        ("unrecognized node type: 3", False),
    ],
)
def test_what_citus_says_of_a_lost_worker_is_no_fault_of_the_statement(
    message: str, is_failure: bool
) -> None:
    assert is_connection_failure(asyncpg.InternalServerError(message)) is is_failure


async def test_a_connection_to_a_server_that_has_lost_its_role_is_not_kept(
    database: Database,
) -> None:
    async def become_a_standby(connection: Connection) -> None:
        await connection.execute("SET default_transaction_read_only = on")

    async def write(connection: Connection) -> None:
        await connection.execute("DELETE FROM nodes")

    await database.read(become_a_standby)
    await database.transact(write)


def test_an_outage_of_days_is_waited_for_as_one_of_seconds() -> None:
    assert [round(pause_after(attempts), 2) for attempts in (1, 2, 7, 100_000)] == [
        0.02,
        0.04,
        1.0,
        1.0,
    ]


async def test_database_time_goes_on_when_the_machine_s_clock_is_set(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    ten_minutes_off = time.time() + 600
    monkeypatch.setattr(time, "time", lambda: ten_minutes_off)
    made_at = datetime.fromtimestamp((database.clock.new_id().int >> 80) / 1000, UTC)
    before = database.clock.now()
    theirs = await database.pool.fetchval("SELECT clock_timestamp()")
    second = timedelta(seconds=1)
    assert max(made_at, before) - second < theirs < database.clock.now() + second
