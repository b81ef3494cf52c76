"""What one organization reads leaves connections for what others read, and for all who write."""

import asyncio
from collections.abc import AsyncIterator
from uuid import UUID

import pytest

from databases import CONNECT_TIMEOUT
from each_case import for_each
from heliograph.errors import TooManyReadsError, UnavailableError
from heliograph.platform.database import pool, shares
from heliograph.platform.database.pool import Connection, Database, SlowSearchError
from heliograph.platform.database.shares import (
    Requester,
    Shares,
    bounds_of_reads,
    bounds_of_searches,
    bounds_of_writes,
    find_requester,
    serve,
    serving,
)
from waiting import until

ACME, EVIL, WORSE = UUID(int=1), UUID(int=2), UUID(int=3)
CONNECTIONS = 10


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    opened = await Database.open(
        database_url, pool_size=CONNECTIONS, connect_timeout=CONNECT_TIMEOUT
    )
    yield opened
    await opened.close()


class Crowd:
    """Requests that end when they are told to."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._go_on = asyncio.Event()
        self.under_way: list[UUID | None] = []
        self.tasks: list[asyncio.Task[None]] = []

    async def _wait(self, connection: Connection) -> None:
        await connection.fetchval("SELECT 1")
        requester = find_requester()
        self.under_way.append(requester and requester.organization_id)
        await self._go_on.wait()

    async def _ask(self, organization_id: UUID, kind: str) -> None:
        if kind == "search":
            await self._database.search(organization_id, self._wait)
            return
        with serving(Requester(organization_id, only_reads=kind == "read")):
            await self._database.transact(self._wait)

    def begin(self, organization_id: UUID, times: int, kind: str = "read") -> None:
        for _ in range(times):
            self.tasks.append(asyncio.create_task(self._ask(organization_id, kind)))

    async def until(self, count: int) -> None:
        await until(lambda: len(self.under_way) >= count)

    async def end(self) -> list[BaseException | None]:
        self._go_on.set()
        return await asyncio.gather(*self.tasks, return_exceptions=True)


async def select(connection: Connection) -> int:
    return int(await connection.fetchval("SELECT 1"))


@for_each(
    ("connections", "reads", "searches"),
    [(2, (1, 1), (1, 1)), (4, (2, 1), (1, 1)), (10, (5, 3), (2, 1)), (40, (20, 10), (8, 4))],
)
def test_at_least_half_of_a_pool_is_for_what_is_written(
    connections: int, reads: tuple[int, int], searches: tuple[int, int]
) -> None:
    assert bounds_of_writes(connections).all < max(2, connections - reads[0])
    assert bounds_of_reads(connections) == reads
    assert bounds_of_searches(connections) == searches


async def test_one_that_reads_without_end_leaves_room_for_all_others(database: Database) -> None:
    crowd = Crowd(database)
    crowd.begin(EVIL, 50)
    await crowd.until(3)
    with serving(Requester(ACME, only_reads=True)):
        assert await database.read(select) == 1
    crowd.begin(WORSE, 50)
    await crowd.until(5)
    assert await asyncio.gather(*(database.transact(select) for _ in range(20))) == [1] * 20
    assert sorted(filter(None, crowd.under_way)) == [EVIL] * 3 + [WORSE] * 2
    assert set(await crowd.end()) == {None}


async def test_searches_leave_room_for_other_reads(database: Database) -> None:
    crowd = Crowd(database)
    crowd.begin(EVIL, 20, "search")
    crowd.begin(WORSE, 20, "search")
    await crowd.until(2)
    for organization_id in (EVIL, ACME):
        with serving(Requester(organization_id, only_reads=True)):
            assert await database.read(select) == 1
    assert sorted(filter(None, crowd.under_way)) == [EVIL, WORSE]
    assert set(await crowd.end()) == {None}


async def test_who_gets_no_turn_in_time_is_told_to_come_again(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Database, "request_timeout", 0.5)
    crowd, brief = Crowd(database.within(60)), database.within(0.5)
    crowd.begin(EVIL, 3)
    crowd.begin(EVIL, 1, "search")
    await crowd.until(3)
    with serving(Requester(EVIL, only_reads=True)):
        late = asyncio.create_task(brief.read(select))
    searching = asyncio.create_task(brief.search(EVIL, select))
    assert await database.read(select) == 1  # the database is well
    for task in (late, searching):
        with pytest.raises(TooManyReadsError):
            await task
    assert [each for each in await crowd.end() if each is not None] == []


async def test_where_the_database_answers_nobody_that_is_said(database: Database) -> None:
    crowd, brief = Crowd(database.within(60)), database.within(0.2)
    crowd.begin(EVIL, 3)
    await crowd.until(3)
    with serving(Requester(EVIL, only_reads=True)), pytest.raises(UnavailableError):
        await brief.read(select)
    await crowd.end()


async def test_a_search_that_takes_too_long_is_ended_and_no_other_statement(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "SEARCH_TIMEOUT", 0.05)

    async def sleep(connection: Connection) -> int:
        return int(await connection.fetchval("SELECT 1 FROM pg_sleep(0.3)"))

    with pytest.raises(SlowSearchError):
        await database.search(ACME, sleep)
    assert await database.read(sleep) == 1
    assert await database.search(ACME, select) == 1


async def test_workers_wait_for_no_readers(database: Database) -> None:
    crowd = Crowd(database)
    crowd.begin(EVIL, 50)
    await crowd.until(3)
    with serving(Requester(EVIL, only_reads=True)):
        assert await database.within(None).read(select) == 1
    await crowd.end()


def test_reads_rest_while_the_gateway_works(monkeypatch: pytest.MonkeyPatch) -> None:
    places = Shares(CONNECTIONS)
    assert places.rest_after(0.01) == 0
    places.note_work()
    monkeypatch.setattr(shares, "AT_WORK", 1e9)
    assert places.rest_after(0.01) == shares.RESTS * 0.01
    assert places.rest_after(60) == shares.MAX_REST
    monkeypatch.setattr(shares, "AT_WORK", 0)
    assert places.rest_after(0.01) == 0


@pytest.fixture
def endless_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shares, "RESTS", 1e9)
    monkeypatch.setattr(shares, "MAX_REST", 60)
    monkeypatch.setattr(shares, "AT_WORK", 1e9)


@pytest.mark.usefixtures("endless_rest")
async def test_who_rests_takes_nobody_elses_place(database: Database) -> None:
    await database.transact(select)  # the gateway's own work
    with serving(Requester(EVIL, only_reads=True)):
        assert [await database.read(select) for _ in range(3)] == [1] * 3
        resting = asyncio.create_task(database.read(select))
    crowd = Crowd(database)
    crowd.begin(ACME, 3)
    crowd.begin(WORSE, 2)
    await crowd.until(5)
    assert set(await crowd.end()) == {None}
    assert await asyncio.gather(*(database.transact(select) for _ in range(20))) == [1] * 20
    assert not resting.done()
    resting.cancel()


@pytest.mark.usefixtures("endless_rest")
async def test_requests_are_no_work_of_the_gateways(database: Database) -> None:
    for only_reads in (True, False):
        with serving(Requester(ACME, only_reads=only_reads)):
            assert await database.transact(select) == 1
    with serving(Requester(EVIL, only_reads=True)):
        assert [await database.read(select) for _ in range(9)] == [1] * 9


async def test_who_has_rested_goes_on(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shares, "AT_WORK", 1e9)
    await database.transact(select)
    with serving(Requester(EVIL, only_reads=True)):
        assert [await database.read(select) for _ in range(20)] == [1] * 20


async def test_what_a_request_asks_for_counts_until_another_begins() -> None:
    reading = Requester(ACME, only_reads=True)
    serve(reading)
    assert find_requester() == reading
    with serving(None):
        assert find_requester() is None
    assert find_requester() == reading
    serve(None)
    assert find_requester() is None


async def test_requests_that_wait_for_one_another_leave_room_for_all_others(
    database: Database,
) -> None:
    crowd = Crowd(database)
    crowd.begin(EVIL, 50, "write")
    await crowd.until(2)
    with serving(Requester(ACME, only_reads=False)):
        assert await database.transact(select) == 1
    crowd.begin(WORSE, 50, "write")
    crowd.begin(EVIL, 50, "read")
    crowd.begin(WORSE, 50, "read")
    await crowd.until(9)
    assert await asyncio.gather(*(database.transact(select) for _ in range(20))) == [1] * 20
    assert set(await crowd.end()) == {None}


async def test_a_write_that_gets_no_turn_in_time_is_not_stored(database: Database) -> None:
    crowd, brief = Crowd(database.within(60)), database.within(0.5)
    crowd.begin(EVIL, 2, "write")
    await crowd.until(2)
    with serving(Requester(EVIL, only_reads=False)):
        late = asyncio.create_task(brief.transact(select))
    with pytest.raises(UnavailableError):
        await late
    assert set(await crowd.end()) == {None}
