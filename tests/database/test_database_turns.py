"""Who asks for a connection gets one in turn, however busy the pool is."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator

import pytest

from databases import CONNECT_TIMEOUT
from heliograph.platform.database.pool import Connection, Database

ASKERS, TIMES, CONNECTIONS = 40, 10, 2


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    opened = await Database.open(
        database_url, pool_size=CONNECTIONS, connect_timeout=CONNECT_TIMEOUT
    )
    yield opened
    await opened.close()


async def test_nobody_is_overtaken_again_and_again(database: Database) -> None:
    """Each asks again as soon as it was served, or a few turns of the loop later, and comes behind
    all who wait."""
    waiting: list[int] = []
    overtaken: Counter[int] = Counter()

    async def note(connection: Connection, asker: int) -> None:
        before = waiting[: waiting.index(asker)]
        overtaken.update(before)
        waiting.remove(asker)
        await connection.fetchval("SELECT 1")

    async def ask(asker: int) -> None:
        for number in range(TIMES):
            for _ in range((asker + number) % 7):
                await asyncio.sleep(0)
            waiting.append(asker)
            overtaken[asker] = 0
            await database.read(note, asker)
            most.append(overtaken[asker])

    most: list[int] = []
    await asyncio.gather(*map(ask, range(ASKERS)))
    assert len(most) == ASKERS * TIMES
    assert max(most) <= CONNECTIONS


async def test_who_gives_up_leaves_the_turn_to_the_next(database: Database) -> None:
    """Also who is cancelled in the moment in which it gets a connection."""

    async def hold(connection: Connection) -> None:
        await connection.fetchval("SELECT pg_sleep(0.01)")

    for _ in range(20):
        asking = [asyncio.create_task(database.read(hold)) for _ in range(4 * CONNECTIONS)]
        await asyncio.wait(asking, return_when=asyncio.FIRST_COMPLETED)
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)
    async with asyncio.timeout(60):
        await asyncio.gather(*[database.read(hold) for _ in range(4 * CONNECTIONS)])
