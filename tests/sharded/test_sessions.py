"""What a session of the gateway does to the workers."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from asyncpg import PostgresLogMessage

from citus import fetch
from heliograph.platform.database.pool import Connection, Database, is_on_citus
from sharded.conftest import Installation

TOUCH = "SELECT FROM accounts WHERE shard = 1 FOR UPDATE"
ASK_ALL = "SELECT count(*) FROM accounts"
COUNT_SESSIONS = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND application_name = 'citus_internal gpid=' || $1
"""


@asynccontextmanager
async def opened(installation: Installation) -> AsyncIterator[Database]:
    database = await Database.open(installation.url)
    try:
        yield database
    finally:
        await database.close()


async def test_a_transaction_that_waits_for_no_lock_is_begun_on_a_worker_without_a_warning(
    distributed: Installation,
) -> None:
    said: list[PostgresLogMessage] = []

    def collect(_: object, message: PostgresLogMessage) -> None:
        said.append(message)

    async def touch(connection: Connection) -> None:
        connection.add_log_listener(collect)
        await connection.execute(TOUCH)
        connection.remove_log_listener(collect)

    async with opened(distributed) as database:
        await database.impatient(0.02).transact(touch)

    assert [str(message) for message in said] == []


async def test_a_question_to_all_shards_takes_one_connection_to_each_worker(
    distributed: Installation,
) -> None:
    async def ask(connection: Connection) -> list[int]:
        await connection.execute("SET LOCAL citus.executor_slow_start_interval TO 0")
        await connection.execute(ASK_ALL)
        process = str(await connection.fetchval("SELECT citus_backend_gpid()"))
        rows = [await fetch(worker, COUNT_SESSIONS, process) for worker in distributed.workers]
        return [row["count"] for [row] in rows]

    async with opened(distributed) as database:
        assert await database.transact(ask) == [1] * len(distributed.workers)


async def test_each_connection_knows_that_it_is_on_citus(distributed: Installation) -> None:
    async with opened(distributed) as database, database.pool.acquire() as connection:
        assert is_on_citus(connection)
