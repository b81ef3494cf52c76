"""A request that waited behind others for the database does not wait as long again for itself."""

import asyncio
import time

import asyncpg
import pytest

from core_scene import Scene, playing
from heliograph.core.tenants.commit import APART
from heliograph.errors import UnavailableError
from waiting import seen_until

LOCK = "LOCK TABLE messages IN SHARE ROW EXCLUSIVE MODE"
FLUSHES = 1  # of a tenant that goes apart


WAITING = "SELECT count(*) FROM pg_locks WHERE relation = 'messages'::regclass AND NOT granted"


async def in_line(scene: Scene, wanted: int) -> None:
    """Until so many wait for the table."""
    await seen_until(lambda: scene.rows(WAITING), lambda rows: rows[0]["count"] >= wanted)


@pytest.mark.usefixtures("hasty_requests")
async def test_what_waits_behind_a_batch_counts_as_waiting(database_url: str) -> None:
    first, second = await asyncpg.connect(database_url), await asyncpg.connect(database_url)
    async with playing(database_url) as scene:
        held = first.transaction()
        await held.start()
        await first.execute(LOCK)
        before = []
        for number in range(FLUSHES):
            before.append(asyncio.create_task(scene.accept(f"{number}")))
            # what is written together with other tenants' messages gives up soon, and goes apart
            await scene.until(lambda: scene.messages._accept._apart._value < APART)
            await in_line(scene, number + 1)
        began = time.monotonic()
        behind = asyncio.create_task(scene.accept("behind"))
        await second.execute("BEGIN")
        locking = asyncio.create_task(second.execute(LOCK))
        await in_line(scene, FLUSHES + 1)
        await asyncio.sleep(scene.database.request_timeout * 0.55)
        await held.rollback()
        await asyncio.gather(*before)
        await locking

        with pytest.raises(UnavailableError):
            await behind
        assert time.monotonic() - began < scene.database.request_timeout * 1.5
    await asyncio.gather(first.close(), second.close())
