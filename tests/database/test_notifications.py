"""Wake-ups between two processes: everybody's topics, and those that one owner waits for."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest

from heliograph.platform.database.notify import Notifications

Processes = tuple[Notifications, Notifications]


class Waiter:
    """Counts the wake-ups of a topic at one process."""

    def __init__(self, process: Notifications, topic: str) -> None:
        self.count = 0
        self.woken = asyncio.Event()
        process.subscribe(topic, self._wake)

    def _wake(self) -> None:
        self.count += 1
        self.woken.set()


@pytest.fixture
async def processes(database_url: str) -> AsyncIterator[Processes]:
    here, there = Notifications(database_url), Notifications(database_url)
    await here.start()
    await there.start()
    yield here, there
    await here.stop()
    await there.stop()


async def test_everybody_who_waits_is_woken(processes: Processes) -> None:
    here, there = processes
    mine, theirs = Waiter(here, "keys"), Waiter(there, "keys")
    here.notify("keys")
    assert mine.count == 1
    await asyncio.wait_for(theirs.woken.wait(), 60)


async def test_who_stops_has_told_the_others(
    processes: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the server takes its time, and what is being sent with what waits behind it."""
    here, there = processes
    first, last = Waiter(there, "keys"), Waiter(there, "accounts")
    execute = asyncpg.Connection.execute

    async def execute_slowly(*args: Any) -> Any:
        await asyncio.sleep(0.2)
        return await execute(*args)

    monkeypatch.setattr(asyncpg.Connection, "execute", execute_slowly)
    here.notify("keys")
    await asyncio.sleep(0.1)
    here.notify("accounts")
    await here.stop()
    await asyncio.wait_for(first.woken.wait(), 60)
    await asyncio.wait_for(last.woken.wait(), 60)


async def test_an_owner_elsewhere_is_woken(processes: Processes) -> None:
    here, there = processes
    theirs = Waiter(there, "messages:1")
    here.notify_owner("messages:1")
    await asyncio.wait_for(theirs.woken.wait(), 60)


async def test_an_owner_here_is_woken_and_nobody_else_is_asked(processes: Processes) -> None:
    here, there = processes
    mine, theirs = Waiter(here, "messages:1"), Waiter(there, "messages:1")
    last = Waiter(there, "messages:2")
    here.notify_owner("messages:1")
    here.notify_owner("messages:2")  # what comes after it has come: so would the first have
    await asyncio.wait_for(last.woken.wait(), 60)
    assert (mine.count, theirs.count) == (1, 0)
