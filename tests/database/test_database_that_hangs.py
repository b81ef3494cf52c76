"""A server that takes what it is sent and says nothing more: whoever has a deadline keeps it."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from database_proxy import DatabaseProxy, proxied
from heliograph.errors import UnavailableError
from heliograph.platform.database.pool import Connection, Database

pytestmark = pytest.mark.usefixtures("hasty_requests")
Scene = tuple[Database, DatabaseProxy]


@pytest.fixture
async def scene(database_url: str) -> AsyncIterator[Scene]:
    async with proxied(database_url) as proxy:
        database = await Database.open(
            proxy.url, pool_size=2, connect_timeout=1, statement_timeout=0.25
        )
        yield database, proxy
        proxy.thaw()
        await database.close()


async def ask(connection: Connection) -> int:
    return int(await connection.fetchval("SELECT 1"))


async def test_who_has_a_deadline_hears_in_time(scene: Scene) -> None:
    database, proxy = scene
    proxy.freeze()
    patient = database.within(0.3)
    for method in (patient.read, patient.transact):
        async with asyncio.timeout(database.request_timeout - 1):
            with pytest.raises(UnavailableError):
                await method(ask)
    proxy.thaw()
    assert await database.transact(ask) == 1


async def test_who_has_none_goes_on_once_the_server_does(scene: Scene) -> None:
    database, proxy = scene
    proxy.freeze()
    tasks = [asyncio.create_task(database.within(None).transact(ask)) for _ in range(5)]
    await asyncio.sleep(2)  # longer than a statement and a connection may take
    proxy.thaw()
    assert await asyncio.wait_for(asyncio.gather(*tasks), 60) == [1] * 5


async def test_a_caller_that_leaves_waits_for_nothing(scene: Scene) -> None:
    database, proxy = scene
    proxy.freeze()
    task = asyncio.create_task(database.within(None).transact(ask))
    await asyncio.sleep(0.1)
    task.cancel()
    done, _ = await asyncio.wait({task}, timeout=30)
    assert done


async def test_a_commit_that_is_not_answered_may_have_stored(scene: Scene) -> None:
    database, proxy = scene

    async def freeze_before_the_commit(connection: Connection) -> None:
        await ask(connection)
        proxy.freeze()

    with pytest.raises(UnavailableError) as caught:
        await database.within(2).transact(freeze_before_the_commit)
    assert caught.value.body()["maybe_stored"] is True
