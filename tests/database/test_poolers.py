"""Behind a real PgBouncer: in session mode all is as without it, in the others nothing starts."""

import asyncio
from pathlib import Path

import pytest
from pydantic import SecretStr

from heliograph.core.health.doctor import examine
from heliograph.core.health.model import Check, CheckStatus
from heliograph.platform.crypto import generate_secret_key
from heliograph.platform.database.failover import Hosts
from heliograph.platform.database.migrate import Migrations
from heliograph.platform.database.notify import Notifications
from heliograph.platform.database.pool import Connection, Database
from heliograph.platform.database.pooler import Pooling, TransactionPoolingError, find_pooling
from heliograph.settings import DatabaseSettings, DataSettings, SecretSettings, Settings
from installation import Installation
from pgbouncer_server import running_pgbouncer

IGNORING = "ignore_startup_parameters = statement_timeout, idle_in_transaction_session_timeout"
LIMITS = """
SELECT current_setting('statement_timeout') AS statement,
    current_setting('idle_in_transaction_session_timeout') AS idle,
    current_setting('plan_cache_mode') AS plans, current_setting('timezone') AS zone
"""
MODES = {
    "session": Pooling.SESSION,
    "transaction": Pooling.TRANSACTION,
    "statement": Pooling.TRANSACTION,
}


async def limits(connection: Connection) -> tuple[str, ...]:
    row = await connection.fetchrow(LIMITS)
    assert row is not None
    return tuple(row)


def as_set(database: Database) -> tuple[str, ...]:
    plans = "auto" if database.is_distributed else "force_generic_plan"
    return "5s", "10s", plans, "UTC"


async def checks(url: str, folder: Path) -> dict[str, Check]:
    settings = Settings(
        data=DataSettings(dir=folder),
        database=DatabaseSettings(url=SecretStr(url)),
        secret=SecretSettings(keys=(SecretStr(generate_secret_key()),)),
    )
    return {check.name: check for check in await examine(settings)}


@pytest.mark.parametrize("more", ["", IGNORING])
async def test_in_session_mode_the_limits_are_in_force(database_url: str, more: str) -> None:
    with running_pgbouncer(database_url, "session", more=more) as url:
        database = await Database.open(url)
        apart = await database.open_apart()
        assert await database.read(limits) == await apart.read(limits) == as_set(database)
        await apart.close()
        await database.close()


async def test_a_session_that_another_had_before_has_its_limits_anew(database_url: str) -> None:
    with running_pgbouncer(database_url, "session", size=2) as url:
        for timeout in (3, 5):
            database = await Database.open(url, pool_size=1, statement_timeout=timeout)
            assert (await database.read(limits))[0] == f"{timeout}s"
            await database.close()


async def test_in_session_mode_notifications_arrive(database_url: str) -> None:
    with running_pgbouncer(database_url, "session") as url:
        here, there = Notifications(url), Notifications(url)
        await asyncio.gather(here.start(), there.start())
        heard = asyncio.Event()
        here.subscribe("topic", heard.set)
        there.notify("topic")
        await asyncio.wait_for(heard.wait(), 30)
        await asyncio.gather(here.stop(), there.stop())


@pytest.mark.parametrize("mode", MODES)
async def test_it_is_told_which_mode_a_pooler_has(database_url: str, mode: str) -> None:
    with running_pgbouncer(database_url, mode) as url:
        assert await find_pooling(Hosts(url).connect_plainly) is MODES[mode]


async def test_a_pooler_of_one_session_at_a_time_is_told_as_well(database_url: str) -> None:
    with running_pgbouncer(database_url, "transaction", size=1) as url:
        assert await find_pooling(Hosts(url).connect_plainly) is Pooling.TRANSACTION


async def test_without_a_pooler_there_is_none(database_url: str) -> None:
    assert await find_pooling(Hosts(database_url).connect_plainly) is Pooling.NONE


async def test_doctor_says_what_is_in_between(database_url: str, tmp_path: Path) -> None:
    assert (await checks(database_url, tmp_path))["pooler"].status is CheckStatus.OK
    with running_pgbouncer(database_url, "session") as url:
        found = (await checks(url, tmp_path))["pooler"]
        assert (found.status, "session mode" in found.detail) == (CheckStatus.OK, True)
    with running_pgbouncer(database_url, "transaction") as url:
        found = (await checks(url, tmp_path))["pooler"]
        assert (found.status, "pool_mode = session" in found.remedy) == (CheckStatus.FAILED, True)


async def test_migrations_go_through_a_session(empty_database_url: str) -> None:
    with running_pgbouncer(empty_database_url, "session") as url:
        assert (await Migrations().upgrade(url)).is_usable


async def test_in_transaction_mode_nothing_is_migrated(empty_database_url: str) -> None:
    with (
        running_pgbouncer(empty_database_url, "transaction") as url,
        pytest.raises(TransactionPoolingError, match="gives each transaction another"),
    ):
        await Migrations().upgrade(url)


def test_a_start_in_transaction_mode_says_what_helps(database_url: str, tmp_path: Path) -> None:
    with running_pgbouncer(database_url, "transaction") as url:
        keys = generate_secret_key()
        installation = Installation(tmp_path / "data", database_url=url, secret_keys=keys)
        said = installation.refuse("serve")
    assert "HELIOGRAPH_DATABASE_URL leads to a pooler" in said
    assert "pool_mode = session" in said
    assert "Traceback" not in said
