"""The log of events: nothing is skipped and nothing comes twice, whoever else is writing."""

import asyncio
import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from api_scene import Scene, open_node
from api_scene import scene as scene
from event_writers import ids_of, make_event, open_writers, read_all, read_from, read_until, store
from heliograph.core.events import horizon as horizon_module
from heliograph.core.events import tail as tail_module
from heliograph.core.events.horizon import EventHorizon
from heliograph.core.events.log import EventLogService, Start
from heliograph.core.events.model import Event, EventPosition
from heliograph.core.tenants.old_rows import NIL
from heliograph.core.upkeep.events import delete_events
from heliograph.errors import AccountNotAllowedError, CursorExpiredError

LATER = datetime(2100, 1, 1, tzinfo=UTC)
PATIENCE = 60.0


@pytest.fixture
def log(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> EventLogService:
    monkeypatch.setattr(horizon_module, "SETTLE_TIMEOUT", 0.02)
    return scene.services.event_log


def events_of(scene: Scene, count: int, **more: object) -> list[Event]:
    tenant = scene.acme.organization.tenant
    return [make_event(tenant, f"No. {n}", **more) for n in range(count)]  # type: ignore[arg-type]  # passed through


async def test_nobody_reads_past_an_event_that_is_still_to_be_committed(
    scene: Scene, log: EventLogService, database_url: str
) -> None:
    first, second, third = events_of(scene, 3)
    async with (
        open_writers(database_url, 2) as [slow, quick],
        log.open(scene.acme.principal, Start.NOW) as reader,
    ):
        await slow.insert(first)
        await quick.insert(second)
        await quick.end()
        assert await reader.read(10) == []

        await slow.insert(third)
        await slow.end()
        assert await read_all(reader) == ids_of([first, second, third])


async def test_another_process_does_not_read_past_it_either(
    scene: Scene, log: EventLogService, database_url: str, tmp_path: Path
) -> None:
    first, second = events_of(scene, 2)
    async with (
        open_writers(database_url, 2) as [slow, quick],
        log.open(scene.acme.principal, Start.NOW) as reader,
        open_node(database_url, tmp_path) as other,
    ):
        await slow.insert(first)
        await quick.insert(second)
        await quick.end()
        assert await read_from(other.services.event_log, scene.acme, reader) == []
        await slow.end()
        assert await read_from(other.services.event_log, scene.acme, reader) == ids_of(
            [first, second]
        )


async def test_what_was_rolled_back_holds_nobody_up(
    scene: Scene, log: EventLogService, database_url: str
) -> None:
    lost, kept = events_of(scene, 2)
    async with (
        open_writers(database_url, 2) as [slow, quick],
        log.open(scene.acme.principal, Start.NOW) as reader,
    ):
        await slow.insert(lost)
        await quick.insert(kept)
        await quick.end()
        assert await reader.read(10) == []
        await slow.end(commits=False)
        assert await read_all(reader) == [kept.id]


@pytest.mark.parametrize("seed", range(12))
async def test_every_event_comes_once_and_in_order_whatever_the_order_of_commits(
    scene: Scene, log: EventLogService, database_url: str, seed: int
) -> None:
    """Four transactions at a time; readers who stay, who begin anew each time, and who wait."""
    dice = random.Random(seed)  # noqa: S311 - no secret
    tenant, found, resumed = scene.acme.organization.tenant, list[UUID](), list[UUID]()
    position: EventPosition | Start = Start.OLDEST
    async with (
        open_writers(database_url, 4) as writers,
        log.open(scene.acme.principal, Start.OLDEST) as reader,
    ):
        for step in range(120):
            writer = dice.choice(writers)
            if writer.has_begun and dice.random() < 0.4:
                await writer.end(commits=dice.random() < 0.8)
            else:
                await writer.insert(make_event(tenant, str(step)))
            if dice.random() < 0.3:
                found += ids_of(await reader.read(dice.randint(1, 5)))
            if dice.random() < 0.1:
                await reader.wait(0.03)  # from now on it also reads from memory
            if dice.random() < 0.2:
                async with log.open(scene.acme.principal, position) as anew:
                    resumed += ids_of(await anew.read(dice.randint(1, 5)))
                    position = anew.position
        for writer in writers:
            if writer.has_begun:
                await writer.end()
        rows = await scene.database.pool.fetch(
            "SELECT id FROM events WHERE shard = $1 AND organization_id = $2 ORDER BY seq", *tenant
        )
        found += await read_until(reader, len(rows) - len(found))
        async with log.open(scene.acme.principal, position) as anew:
            resumed += await read_all(anew)
    assert found == resumed == [row["id"] for row in rows]


async def test_who_waits_is_woken_and_reads_from_memory(
    scene: Scene, log: EventLogService, database_url: str
) -> None:
    events = events_of(scene, 30)
    async with log.open(scene.acme.principal, Start.NOW) as reader:
        assert await reader.read(10) == []
        waiting = asyncio.create_task(reader.wait(PATIENCE))
        await store(database_url, *events)
        await asyncio.wait_for(waiting, PATIENCE / 2)
        assert await read_until(reader, 30) == ids_of(events)


async def test_who_falls_behind_what_is_kept_in_memory_misses_nothing(
    scene: Scene, log: EventLogService, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tail_module, "KEPT_BYTES", 1)
    monkeypatch.setattr(tail_module, "MIN_KEPT_BYTES", 500)
    events = events_of(scene, 60)
    async with (
        log.open(scene.acme.principal, Start.NOW) as slow,
        log.open(scene.acme.principal, Start.NOW) as quick,
    ):
        for reader in (slow, quick):
            await reader.read(10)
            await reader.wait(0.0)
        found: list[UUID] = []
        for start in range(0, 60, 20):
            await store(database_url, *events[start : start + 20])
            found += await read_until(quick, 20)
        assert found == ids_of(events)
        assert await read_all(slow) == ids_of(events)


async def test_a_position_whose_events_were_deleted_has_expired(
    scene: Scene, log: EventLogService, database_url: str
) -> None:
    events = events_of(scene, 3)
    async with log.open(scene.acme.principal, Start.NOW) as reader:
        await store(database_url, *events)
        await delete_all(scene)
        with pytest.raises(CursorExpiredError):
            await reader.read(10)
    async with log.open(scene.acme.principal, Start.OLDEST) as reader:
        assert await reader.read(10) == []  # the oldest that is kept is nothing now


async def test_a_position_after_which_nothing_came_does_not_expire(
    scene: Scene, log: EventLogService, database_url: str
) -> None:
    events = events_of(scene, 3)
    await store(database_url, *events)
    async with log.open(scene.acme.principal, Start.OLDEST) as reader:
        await read_all(reader)
        await delete_all(scene)
        assert await read_from(log, scene.acme, reader) == []
        [newer] = events_of(scene, 1)
        await store(database_url, newer)
        assert await read_from(log, scene.acme, reader) == [newer.id]


async def test_an_event_deleted_behind_one_that_was_kept_is_missed_and_told(
    scene: Scene, log: EventLogService, database_url: str
) -> None:
    """Events that deliveries wait for are kept longer than those that come after them."""
    [kept] = events_of(scene, 1)
    async with log.open(scene.acme.principal, Start.NOW) as reader:
        await store(database_url, kept)
        assert await read_all(reader) == [kept.id]
        await asyncio.sleep(0.01)  # else its id might be the lower one
        await store(database_url, *events_of(scene, 1))
        await scene.database.transact(
            delete_events, scene.acme.organization.tenant, kept.id, LATER, 10
        )
        with pytest.raises(CursorExpiredError):
            await read_from(log, scene.acme, reader)


async def test_a_position_that_the_database_does_not_know_has_expired(
    scene: Scene, log: EventLogService, database_url: str
) -> None:
    """A standby that took over without the newest events gives their `seq` to others."""
    await store(database_url, *events_of(scene, 3))
    async with log.open(scene.acme.principal, Start.OLDEST) as reader:
        await reader.read(2)
        for lost in (
            EventPosition(reader.position.seq, uuid4()),
            EventPosition(reader.position.seq + 1000, uuid4()),
        ):
            with pytest.raises(CursorExpiredError):
                async with log.open(scene.acme.principal, lost) as other:
                    await other.read(10)


async def test_readers_begin_anew_when_another_server_answers(
    scene: Scene, database_url: str
) -> None:
    events = events_of(scene, 2)
    log = EventLogService(scene.database, scene.notifications)
    async with log.open(scene.acme.principal, Start.NOW) as reader:
        await reader.read(10)
        await reader.wait(0.0)
        log._horizon.server = datetime.now(UTC) - timedelta(days=1)  # as if it had been that one's
        log._tails._server = log._horizon.server
        log._horizon.seq += 1_000_000
        await store(database_url, *events)
        assert await read_until(reader, 2) == ids_of(events)


async def test_a_transaction_that_was_prepared_is_still_under_way(scene: Scene) -> None:
    horizon = EventHorizon(scene.database)
    horizon._apply(10, {"3/7"})
    horizon._apply(12, {"-1/815"})
    assert horizon.seq == 0
    horizon._apply(12, set())
    assert horizon.seq == 12


async def test_the_sequence_gives_numbers_one_by_one(scene: Scene) -> None:
    """A session that took several in advance would use one below the horizon later."""
    cached = await scene.database.pool.fetchval(
        "SELECT seqcache FROM pg_sequence WHERE seqrelid = 'events_seq_seq'::regclass"
    )
    assert cached == 1


async def test_who_is_limited_to_some_accounts_gets_their_events_alone(
    scene: Scene, log: EventLogService, database_url: str
) -> None:
    mine = scene.acme.account.id
    [wanted] = events_of(scene, 1, account_id=mine)
    await store(
        database_url, *events_of(scene, 1, account_id=uuid4()), wanted, *events_of(scene, 1)
    )
    limited = replace(scene.acme.principal, account_ids=frozenset((mine,)))
    async with log.open(limited, Start.OLDEST) as reader:
        found = await reader.read(100)
    assert found[-1].id == wanted.id
    assert {event.account_id for event in found} == {mine}
    with pytest.raises(AccountNotAllowedError):
        async with log.open(limited, Start.NOW, account_id=uuid4()):
            pass


async def test_nothing_runs_where_nobody_waits(scene: Scene, log: EventLogService) -> None:
    async with log.open(scene.acme.principal, Start.NOW) as reader:
        await reader.read(1)
        await reader.wait(0.0)
        task = log._tails._task
        assert task is not None
    await asyncio.wait_for(task, PATIENCE)


async def delete_all(scene: Scene) -> None:
    tenant = scene.acme.organization.tenant
    await scene.database.transact(delete_events, tenant, NIL, LATER, 1000)
