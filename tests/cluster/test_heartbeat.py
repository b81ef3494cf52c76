"""A node's lease on its life, when the database has other things to do."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from core_scene import register
from databases import CONNECT_TIMEOUT, SCHEMA_REVISION
from heliograph.core.cluster import sql as nodes
from heliograph.core.cluster.heartbeat import Heartbeat
from heliograph.platform.database.failover import CONNECT_FAILURES
from heliograph.platform.database.pool import Connection, Database

PATIENCE = 4.0
"""Seconds: less than a connection may stand still in a transaction."""


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    opened = await Database.open(database_url, pool_size=2, connect_timeout=CONNECT_TIMEOUT)
    yield opened
    await opened.close()


async def renewed_at(database: Database) -> object:
    return await database.pool.fetchval("SELECT max(lease_expires_at) FROM nodes")


async def test_it_is_renewed_while_every_connection_of_the_pool_waits(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("heliograph.core.cluster.heartbeat.RENEWALS", 75)
    heartbeat = Heartbeat(
        database, name="a", roles=[], version="0", schema_revision=SCHEMA_REVISION
    )
    await heartbeat.start()
    looking = await database.open_apart()
    all_wait, is_over = asyncio.Semaphore(0), asyncio.Event()

    async def wait(_: Connection) -> None:
        all_wait.release()
        await is_over.wait()

    busy = [asyncio.create_task(database.within(None).transact(wait)) for _ in range(4)]
    for _ in range(database.pool.get_max_size()):
        await all_wait.acquire()
    before = await renewed_at(looking)
    async with asyncio.timeout(PATIENCE):
        while await renewed_at(looking) == before:  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.02)
    assert not any(task.done() for task in busy)
    is_over.set()
    await asyncio.gather(*busy)
    await looking.close()
    await heartbeat.stop()


async def test_a_node_whose_first_commit_was_in_doubt_is_registered_once(
    database: Database,
) -> None:
    node_id = database.clock.new_id()

    for _ in range(2):
        await register(database, node_id)
    assert [node.id for node in await database.read(nodes.list_alive_nodes)] == [node_id]


async def test_the_rows_of_a_process_that_stopped_in_the_middle_of_a_statement_are_freed(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("heliograph.core.cluster.heartbeat.RENEWALS", 75)
    stopped = await Database.open(
        database_url, statement_timeout=0.5, connect_timeout=CONNECT_TIMEOUT
    )
    database = await Database.open(
        database_url, statement_timeout=0.5, connect_timeout=CONNECT_TIMEOUT
    )
    row = await register(database, database.clock.new_id())
    heartbeat = Heartbeat(
        database, name="a", roles=[], version="0", schema_revision=SCHEMA_REVISION
    )
    connection = await stopped.pool.acquire()
    await connection.execute("BEGIN")
    await connection.execute("UPDATE nodes SET version = '1' WHERE id = $1", row)
    await connection.prepare("SELECT 1")  # described and not run: the server waits for more

    await heartbeat.start()
    await database.transact(nodes.delete_node, row)
    with pytest.raises(CONNECT_FAILURES):
        await connection.fetch("SELECT 1")

    await heartbeat.stop()
    stopped.pool.terminate()
    await database.close()
