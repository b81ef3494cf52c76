"""Migrations: to the heads from nothing, one at a time, and what a newer schema means."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.runtime.migration import MigrationInfo
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool
from structlog.testing import capture_logs

from connections import connected
from heliograph.platform.database import migrate, migration_progress
from heliograph.platform.database.migrate import Migrations
from heliograph.platform.database.revision_runner import make_config
from heliograph.platform.database.revisions import CORE, MigrationError, MigrationState, Revisions
from schema_revisions import DRIVERS

EXPAND = """
from alembic import op

revision, down_revision, branch_labels, depends_on = "expand_0001", None, ("expand",), None


def upgrade() -> None:
    op.execute("ALTER TABLE deliveries ADD COLUMN added text")
    op.execute("ALTER TABLE messages ADD COLUMN added text")
"""

ONE_BY_ONE = """
from alembic import op

revision, down_revision, branch_labels, depends_on = "expand_0001", None, ("expand",), None


def upgrade() -> None:
    with op.get_context().autocommit_block():
        op.execute("ALTER TABLE deliveries ADD COLUMN IF NOT EXISTS added text")
        op.execute("ALTER TABLE messages ADD COLUMN IF NOT EXISTS added text")
"""


async def _stamp(url: str, *revisions: str) -> None:
    async with connected(url) as connection:
        await connection.execute("DELETE FROM alembic_version")
        await connection.executemany(
            "INSERT INTO alembic_version (version_num) VALUES ($1)", [(name,) for name in revisions]
        )


def test_an_empty_database_is_behind_and_is_brought_to_the_heads(empty_database_url: str) -> None:
    assert migrate.status(empty_database_url, DRIVERS).state is MigrationState.BEHIND

    status = migrate.upgrade(empty_database_url, DRIVERS)

    assert status.state is MigrationState.CURRENT
    assert status.current == status.heads


async def test_nodes_that_migrate_at_the_same_time_do_not_collide(empty_database_url: str) -> None:

    statuses = await asyncio.gather(
        *(Migrations(DRIVERS).upgrade(empty_database_url) for _ in range(4))
    )

    assert {status.state for status in statuses} == {MigrationState.CURRENT}


async def test_the_schema_of_the_next_release_is_left_as_it_is(database_url: str) -> None:
    migrations = Migrations()
    (head,) = migrations.heads
    await _stamp(database_url, f"{int(head) + 1:04d}")

    status = await migrations.upgrade(database_url)

    assert status.state is MigrationState.NEWER
    assert status.is_usable


async def test_the_schema_of_a_release_after_the_next_is_refused(database_url: str) -> None:
    migrations = Migrations()
    (head,) = migrations.heads
    await _stamp(database_url, f"{int(head) + 2:04d}")

    with pytest.raises(MigrationError, match="later release"):
        await migrations.upgrade(database_url)


async def test_tables_of_a_driver_that_was_removed_do_no_harm(database_url: str) -> None:
    migrations = Migrations()
    await _stamp(database_url, *migrations.heads, "carrierpigeon_0007")

    status = await migrations.upgrade(database_url)

    assert status.state is MigrationState.CURRENT


@pytest.fixture
def revision_on_two_tables(tmp_path: Path) -> Path:
    """A folder with a revision of a branch of its own that changes two of the core's tables."""
    (tmp_path / "expand_0001.py").write_text(EXPAND)
    return tmp_path


async def _columns(connection: "asyncpg.Connection[asyncpg.Record]") -> int:
    return int(
        await connection.fetchval(
            "SELECT count(*) FROM information_schema.columns WHERE column_name = 'added'"
        )
    )


async def test_who_reads_while_a_migration_waits_does_not_wait_with_it(
    database_url: str, revision_on_two_tables: Path
) -> None:
    migrations = Migrations([*DRIVERS, revision_on_two_tables])
    async with connected(database_url) as reader:
        async with connected(database_url) as holder, holder.transaction():
            await holder.fetch("SELECT 1 FROM messages")  # such as a backup, which takes its time
            upgrade = asyncio.create_task(migrations.upgrade(database_url))
            for _ in range(30):
                await reader.fetch("SELECT 1 FROM messages", timeout=10)
                await asyncio.sleep(0.1)
            assert not upgrade.done()
            assert await _columns(reader) == 0
        assert (await upgrade).state is MigrationState.CURRENT
        assert await _columns(reader) == 2


async def test_in_a_deadlock_with_a_node_the_migration_yields(
    database_url: str, revision_on_two_tables: Path
) -> None:
    migrations = Migrations([*DRIVERS, revision_on_two_tables])
    async with connected(database_url) as node, node.transaction():
        await node.fetch("SELECT 1 FROM messages")
        upgrade = asyncio.create_task(migrations.upgrade(database_url))
        await asyncio.sleep(0.2)  # it has changed the table of deliveries and waits for messages
        await node.fetch("SELECT 1 FROM deliveries", timeout=60)
    assert (await upgrade).state is MigrationState.CURRENT


@asynccontextmanager
async def _busy_nodes(url: str) -> AsyncIterator[None]:
    """Transactions that go from messages to deliveries; there is always one between the two."""

    async def work(number: int) -> None:
        async with connected(url) as connection:
            await asyncio.sleep(number * 0.05)
            while not over.is_set():
                async with connection.transaction():
                    await connection.fetch("SELECT 1 FROM messages")
                    await asyncio.sleep(0.15)
                    await connection.fetch("SELECT 1 FROM deliveries")

    over = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        for number in range(6):
            group.create_task(work(number))
        yield
        over.set()


async def test_a_revision_that_changes_one_table_at_a_time_passes_busy_nodes(
    database_url: str, tmp_path: Path
) -> None:
    (tmp_path / "expand_0001.py").write_text(ONE_BY_ONE)
    migrations = Migrations([*DRIVERS, tmp_path])

    async with _busy_nodes(database_url):
        status = await asyncio.wait_for(migrations.upgrade(database_url), 90)

    assert status.state is MigrationState.CURRENT


HELD = """
SELECT relation::regclass::text FROM pg_locks
WHERE pid = pg_backend_pid() AND granted AND relation = ANY(:tables)
    AND mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
"""
TABLES = "SELECT oid FROM pg_class WHERE relkind = 'r' AND oid >= 16384"


async def test_no_revision_keeps_writers_from_two_tables_at_once(empty_database_url: str) -> None:
    """Nodes that use the two in the other order would meet it in one deadlock after another."""
    assert await _list_locking_two(empty_database_url) == {}


async def test_one_that_did_would_be_found(database_url: str, revision_on_two_tables: Path) -> None:
    found = await _list_locking_two(database_url, revision_on_two_tables)
    assert found == {"expand_0001": {"deliveries", "messages"}}


async def _list_locking_two(url: str, *more: Path) -> dict[str, set[str]]:
    """Migrate; list the revisions that have locked several tables that were there before them."""
    held: dict[str, set[str]] = {}
    engine = create_async_engine(
        "postgresql+asyncpg://", async_creator=lambda: asyncpg.connect(url), poolclass=NullPool
    )
    async with engine.connect() as connection:
        await connection.run_sync(_note_locks, [*DRIVERS, *more], held)
    await engine.dispose()
    assert held
    return {revision: tables for revision, tables in held.items() if len(tables) > 1}


def _note_locks(connection: Connection, folders: list[Path], held: dict[str, set[str]]) -> None:
    config: Config = make_config(folders)
    script = ScriptDirectory.from_config(config)
    before = [row[0] for row in connection.execute(text(TABLES))]
    connection.rollback()  # each revision has a transaction of its own

    def note(ctx: object, step: MigrationInfo, heads: object, run_args: object) -> None:
        rows = connection.execute(text(HELD), {"tables": before})
        held[str(step.up_revision_id)] = {row[0] for row in rows}
        before[:] = [row[0] for row in connection.execute(text(TABLES))]

    def revisions(current: Any, _context: Any) -> Any:
        return script._upgrade_revs("heads", current)

    with EnvironmentContext(config, script, fn=revisions) as environment:
        environment.configure(
            connection=connection, transaction_per_migration=True, on_version_apply=note
        )
        with environment.begin_transaction():
            environment.run_migrations()


async def test_a_migration_that_never_gets_its_locks_is_given_up(
    database_url: str, revision_on_two_tables: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrate, "MIGRATION_TIMEOUT", 1)
    migrations = Migrations([*DRIVERS, revision_on_two_tables])
    async with connected(database_url) as node, node.transaction():
        await node.fetch("SELECT 1 FROM messages")
        with pytest.raises(MigrationError, match="others hold locks"):
            await migrations.upgrade(database_url)


def test_the_revisions_are_read_as_alembic_reads_them() -> None:
    config = Config()
    config.set_main_option("script_location", str(CORE.parent))
    config.set_main_option("path_separator", "newline")
    config.set_main_option("version_locations", "\n".join(map(str, [CORE, *DRIVERS])))
    script = ScriptDirectory.from_config(config)
    revisions = Revisions(DRIVERS)
    assert revisions.heads == set(script.get_heads())
    for revision in script.walk_revisions():
        assert revisions.compare([*revisions.heads, revision.revision]).is_usable


SLOW = """
from alembic import op

revision = "slow_0001"
down_revision = None
branch_labels = ("slow",)
depends_on = None


def upgrade() -> None:
    op.execute("SELECT pg_sleep(1)")
"""


async def test_a_migration_that_lasts_is_told_in_the_log(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "slow_0001.py").write_text('"""Slow at something."""\n' + SLOW)
    monkeypatch.setattr(migration_progress, "FIRST_AFTER", 0.0)
    monkeypatch.setattr(migration_progress, "LINE_INTERVAL", 0.1)
    with capture_logs() as logged:
        await Migrations([*DRIVERS, tmp_path]).upgrade(database_url)
    *during, last = [line for line in logged if "migrated" in line["event"]]
    assert ("slow_0001 Slow at something.", 0, 1) in [
        (line["now"], line["done"], line["of"]) for line in during
    ]
    assert (last["event"], last["revisions"]) == ("the database is migrated", 1)


async def test_whoever_waits_is_shown_each_revision(empty_database_url: str) -> None:
    shown: list[tuple[str, int, int | None]] = []

    def show(step: str, done: int, total: int | None) -> None:
        shown.append((step, done, total))

    await Migrations(DRIVERS).upgrade(empty_database_url, show)

    total = shown[-1][2]
    assert ("0100 The first release, 0.1.0", total) in [
        (step.partition(":")[0], of) for step, _, of in shown
    ]
    assert shown[-1] == ("finishing", total, total)
    assert [done for _, done, _ in shown] == sorted(done for _, done, _ in shown)


async def test_a_revision_that_the_database_refuses_is_told_in_its_words(
    empty_database_url: str,
) -> None:
    async with connected(empty_database_url) as connection:
        await connection.execute("CREATE TABLE plans (of_somebody_else text)")

    with pytest.raises(MigrationError) as refused:
        await Migrations().upgrade(empty_database_url)

    assert (
        refused.value.problem == 'The database can\'t be migrated: relation "plans" already exists.'
    )
