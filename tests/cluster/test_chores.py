"""Chores that fail are recorded until they succeed, and told wherever somebody looks."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import uuid4

import asyncpg
import httpx
import pytest
from prometheus_client import generate_latest
from starlette.applications import Starlette

from core_scene import changes_of, register
from database_proxy import proxied
from databases import CONNECT_TIMEOUT
from each_case import for_each
from heliograph.core.cluster import chores as chores_module
from heliograph.core.cluster.backlog import BacklogService
from heliograph.core.cluster.chores import Chore, Chores
from heliograph.core.cluster.chores_sql import list_failing
from heliograph.core.cluster.sql import delete_node
from heliograph.core.health.chores import check_chores
from heliograph.core.health.database import ReadinessService
from heliograph.core.health.model import CheckStatus
from heliograph.core.upkeep.janitor import Janitor
from heliograph.errors import StorageUnavailableError
from heliograph.faces.api.monitoring import machine_metrics_routes
from heliograph.platform.database.notify import Notifications
from heliograph.platform.database.pool import Database
from heliograph.platform.database.revisions import Revisions
from heliograph.platform.telemetry.metrics import NODE, NodeReadings, Pool


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    database = await Database.open(database_url, connect_timeout=CONNECT_TIMEOUT)
    yield database
    await database.close()


async def chores_of(database: Database) -> Chores:
    node_id = await register(database, uuid4(), lease_timeout=600)
    return Chores(database, lambda: node_id)


async def fail() -> None:
    raise asyncpg.InsufficientPrivilegeError("permission denied for table counters")


async def succeed() -> None:
    pass


async def failing(database: Database) -> list[str]:
    return [each.chore for each in await database.read(list_failing)]


@for_each("chore", Chore)
async def test_each_chore_that_fails_is_told_until_it_succeeds(
    database: Database, chore: Chore
) -> None:
    chores = await chores_of(database)
    await chores.attempt(chore, fail)
    [found] = await chores.list_failing()
    assert (found.chore, found.failing_since) == (chore, found.failed_at)
    check = check_chores([found])
    assert check.status is CheckStatus.WARNING
    assert f"{chore} since" in check.detail
    assert "InsufficientPrivilegeError: permission denied for table counters" in check.detail
    counted = f'heliograph_chore_failures_total{{chore="{chore}"}}'
    assert counted in generate_latest(NODE).decode()
    await chores.attempt(chore, succeed)
    assert await failing(database) == []


async def test_since_when_it_fails_is_kept(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chores_module, "RECORD_INTERVAL", 0.0)
    chores = await chores_of(database)
    await chores.attempt(Chore.END_SNOOZES, fail)
    [first] = await database.read(list_failing)
    await chores.attempt(Chore.END_SNOOZES, fail)
    [second] = await database.read(list_failing)
    assert second.failing_since == first.failing_since
    assert second.failed_at > first.failed_at


async def test_the_success_of_another_node_hides_nothing_while_the_first_lives(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chores_module, "RECORD_INTERVAL", 0.0)
    broken_id = await register(database, uuid4(), lease_timeout=600)
    broken, sound = Chores(database, lambda: broken_id), await chores_of(database)
    await broken.attempt(Chore.FOLD_COUNTERS, fail)
    await sound.attempt(Chore.FOLD_COUNTERS, succeed)
    assert await failing(database) == ["counters"]
    await database.transact(delete_node, broken_id)
    await sound.attempt(Chore.FOLD_COUNTERS, succeed)
    assert await failing(database) == []


async def test_the_clean_up_of_one_node_is_the_clean_up_of_all(database: Database) -> None:
    broken, sound = await chores_of(database), await chores_of(database)
    await broken.attempt(Chore.CLEAN_UP, fail)
    await sound.attempt(Chore.CLEAN_UP, succeed)
    assert await failing(database) == []


async def test_a_database_that_is_away_holds_no_chore_up(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with proxied(database_url) as proxy:
        database = await Database.open(proxy.url)
        chores = await chores_of(database)
        proxy.freeze()
        await chores.attempt(Chore.KEEP_LEASES, fail)
        tried = counting_writes(chores, monkeypatch)
        for _ in range(5):
            await chores.attempt(Chore.KEEP_LEASES, fail)
        assert tried == []
        proxy.thaw()
        monkeypatch.setattr(chores, "_retry_at", {})
        await chores.attempt(Chore.KEEP_LEASES, fail)
        assert await failing(database) == ["leases"]
        await database.close()


def counting_writes(chores: Chores, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What is written from now on."""
    tried: list[object] = []
    transact = chores._database.transact

    def noting(work: object, *values: object) -> object:
        tried.append(work)
        return transact(work, *values)  # type: ignore[arg-type]  # passed through

    monkeypatch.setattr(chores._database, "transact", noting)
    return tried


async def test_chores_that_succeed_write_nothing_and_ask_once_for_all(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    chores = await chores_of(database)
    written, asked = counting_writes(chores, monkeypatch), 0
    read = chores._database.read

    def counting(*call: object) -> object:
        nonlocal asked
        asked += 1
        return read(*call)  # type: ignore[arg-type]  # passed through

    monkeypatch.setattr(chores._database, "read", counting)
    for _ in range(3):
        for chore in Chore:
            await chores.attempt(chore, succeed)
    assert (written, asked) == ([], 1)


async def test_an_answer_to_clients_is_told_by_its_cause(database: Database) -> None:
    async def store() -> None:
        raise StorageUnavailableError from OSError("the bucket is gone")

    chores = await chores_of(database)
    await chores.attempt(Chore.SWEEP_UPLOADS, store)
    [found] = await database.read(list_failing)
    assert found.failure == "OSError: the bucket is gone"


async def test_one_chore_that_fails_keeps_no_other_from_its_turn(database: Database) -> None:
    wanted = {Chore.LOOK_FOR_WORK, Chore.FORGET_KEYS, Chore.REDACT_EVENTS, Chore.FINISH_REMOVALS}
    all_had_their_turn = asyncio.Event()

    async def attempt(chore: str, _: object) -> None:
        """It fails, as each does that is not done."""
        wanted.discard(Chore(chore))
        if not wanted:
            all_had_their_turn.set()

    janitor = Janitor(
        database,
        NoNotifications(),  # type: ignore[arg-type]  # all that it asks
        changes_of(database, Notifications("postgresql://unused")),
        sweep_interval=0.0,
        attempt=attempt,
    )
    running = asyncio.create_task(janitor.run())
    await asyncio.wait_for(all_had_their_turn.wait(), 60)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


class NoNotifications:
    def subscribe(self, *_: object) -> object:
        return lambda: None


async def test_it_is_told_by_readyz_and_by_the_metrics(database: Database, tmp_path: Path) -> None:
    chores = await chores_of(database)
    await chores.attempt(Chore.START_SCHEDULED, fail)
    checks = await ReadinessService(database, Revisions()).check()
    [found] = [check for check in checks if check.name == "chores"]
    assert found.status is CheckStatus.WARNING
    assert "scheduled messages since" in found.detail
    node = NodeReadings(list, ["connected"], dict, lambda: Pool(1, 1, 1), int, bool)
    routes = machine_metrics_routes(
        node, list, BacklogService(database), None, tmp_path, chores=chores, is_open_here=True
    )
    transport = httpx.ASGITransport(Starlette(routes=routes), client=("127.0.0.1", 40000))
    async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
        text = (await client.get("/metrics")).text
    assert 'heliograph_chores_failing{chore="scheduled messages"} 1.0' in text
    assert 'heliograph_chores_failing{chore="clean-up"} 0.0' in text
