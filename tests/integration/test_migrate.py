"""Migrations: to the heads from nothing, one at a time, and what a newer schema means."""

import asyncio

import asyncpg
import pytest

from heliograph.store import migrate
from heliograph.store.migrate import MigrationError, Migrations, MigrationState
from heliograph.supervisor import list_migration_folders


async def _stamp(url: str, *revisions: str) -> None:
    connection = await asyncpg.connect(url)
    await connection.execute("DELETE FROM alembic_version")
    await connection.executemany(
        "INSERT INTO alembic_version (version_num) VALUES ($1)", [(name,) for name in revisions]
    )
    await connection.close()


def test_an_empty_database_is_behind_and_is_brought_to_the_heads(empty_database_url: str) -> None:
    folders = list_migration_folders()
    assert migrate.status(empty_database_url, folders).state is MigrationState.BEHIND

    status = migrate.upgrade(empty_database_url, folders)

    assert status.state is MigrationState.CURRENT
    assert status.current == status.heads
    assert "0001" in status.current or len(status.current) > 1


async def test_nodes_that_migrate_at_the_same_time_do_not_collide(empty_database_url: str) -> None:
    folders = list_migration_folders()

    statuses = await asyncio.gather(
        *(Migrations(folders).upgrade(empty_database_url) for _ in range(4))
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
