"""What only nodes of the previous release need is removed when none of them is left, and from then
on none can start.

The releases are this one, and one to come with a revision that expands the schema and one that
contracts it.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import TypeAlias
from uuid import uuid4

import asyncpg
import pytest
import structlog

from connections import connected
from databases import SCHEMA_REVISION
from heliograph.core.cluster import sql as nodes
from heliograph.platform.crypto import generate_secret_key
from heliograph.platform.database import migrate
from heliograph.platform.database.migrate import Migrations
from heliograph.platform.database.revisions import MigrationError, MigrationState, Revisions
from installation import Installation
from schema_revisions import (
    ADDS,
    CONTRACTS,
    DRIVERS,
    EXPANDS,
    TAKEN_AWAY,
    Revision,
    ahead,
    become_release,
    migrate_to,
    register_node,
)
from waiting import until

EXPIRE_ALL = "UPDATE nodes SET lease_expires_at = now() - interval '1 second'"
HAS_WHAT_IS_NEEDED_HERE = f"SELECT to_regclass('{TAKEN_AWAY}') IS NOT NULL"
LOCK_AWAITED = """
SELECT count(*) FROM pg_locks WHERE relation = 'nodes'::regclass AND NOT granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""
EXPANDED, CONTRACTED = ahead(1), ahead(2)


Become: TypeAlias = Callable[..., Migrations]


@pytest.fixture
def release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Become:
    """Become a release with these revisions more."""

    def become(*revisions: Revision) -> Migrations:
        return become_release(tmp_path / f"release-{uuid4()}", monkeypatch, revisions)

    return become


Connection: TypeAlias = "asyncpg.Connection[asyncpg.Record]"


@pytest.fixture
async def connection(empty_database_url: str) -> AsyncIterator[Connection]:
    """A connection to a database as this release leaves it, without any driver."""
    await Migrations().upgrade(empty_database_url)
    async with connected(empty_database_url) as opened:
        yield opened


@pytest.fixture
def migrations(connection: Connection, release: Become) -> Migrations:
    """The next release, before that database."""
    return release(EXPANDS, CONTRACTS)


async def core_revision(connection: Connection) -> object:
    return await connection.fetchval(
        "SELECT version_num FROM alembic_version WHERE version_num NOT LIKE '%\\_%'"
    )


async def test_as_long_as_a_node_of_the_release_before_lives_all_that_it_needs_stays(
    empty_database_url: str, connection: Connection, migrations: Migrations
) -> None:
    await register_node(connection)

    for _ in range(2):
        with structlog.testing.capture_logs() as logged:
            status = await migrations.upgrade(empty_database_url)
        assert status.state is MigrationState.EXPANDED
        assert status.is_usable
        assert await core_revision(connection) == EXPANDED
        assert await connection.fetchval(HAS_WHAT_IS_NEEDED_HERE)
        [line] = [line for line in logged if line["log_level"] == "warning"]
        assert line["nodes"] == ["earlier:17"]
        assert "heliograph migrate" in line["event"]

    await connection.execute(EXPIRE_ALL)
    status = await migrations.upgrade(empty_database_url)

    assert status.state is MigrationState.CURRENT
    assert await core_revision(connection) == CONTRACTED
    assert not await connection.fetchval(HAS_WHAT_IS_NEEDED_HERE)


async def test_the_tables_of_drivers_are_there_before_the_schema_is_contracted(
    empty_database_url: str, connection: Connection, migrations: Migrations
) -> None:
    await register_node(connection)

    status = await migrations.upgrade(empty_database_url)

    assert status.heads - status.current == {CONTRACTED}


async def test_living_nodes_of_the_same_release_keep_nothing(
    empty_database_url: str, connection: Connection, migrations: Migrations
) -> None:
    await register_node(connection)
    await migrations.upgrade(empty_database_url)
    await connection.execute("DELETE FROM nodes")
    await register_node(connection, int(CONTRACTED))

    status = await migrations.upgrade(empty_database_url)

    assert status.state is MigrationState.CURRENT
    assert len(await nodes.list_alive_nodes(connection)) == 1


async def test_a_node_that_registers_at_the_same_moment_is_waited_for(
    empty_database_url: str, connection: Connection, release: Become
) -> None:
    await release(EXPANDS).upgrade(empty_database_url)
    migrations = release(EXPANDS, CONTRACTS)
    async with connected(empty_database_url) as looking, connection.transaction():
        await register_node(connection)
        upgrade = asyncio.create_task(migrations.upgrade(empty_database_url))
        await until(lambda: looking.fetchval(LOCK_AWAITED))

    assert (await upgrade).state is MigrationState.EXPANDED
    assert await connection.fetchval(HAS_WHAT_IS_NEEDED_HERE)


async def test_a_start_does_not_wait_long_for_what_only_takes_away(
    empty_database_url: str,
    connection: Connection,
    migrations: Migrations,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(migrate, "CONTRACTION_TIMEOUT", 1)
    async with connection.transaction():
        await connection.fetch("SELECT 1 FROM messages")  # such as a backup
        with structlog.testing.capture_logs() as logged:
            status = await migrations.upgrade(empty_database_url)
    assert status.state is MigrationState.EXPANDED
    assert [line["event"] for line in logged if line["log_level"] == "warning"]

    status = await migrations.upgrade(empty_database_url)
    assert status.state is MigrationState.CURRENT
    assert not await connection.fetchval(HAS_WHAT_IS_NEEDED_HERE)


async def test_no_node_of_the_release_before_comes_back(
    empty_database_url: str, connection: Connection, migrations: Migrations
) -> None:
    await register_node(connection)
    await connection.execute(EXPIRE_ALL)  # it stands still
    await migrations.upgrade(empty_database_url)

    [(node_id,)] = await connection.fetch("SELECT id FROM nodes")
    assert not await nodes.renew_node(connection, node_id, 15.0)
    with pytest.raises(nodes.EarlierReleaseError, match="A later release migrated the database"):
        await register_node(connection)


async def test_a_node_of_this_release_says_why_it_cannot_begin_under_a_later_one(
    own_database_url: str, tmp_path: Path
) -> None:
    async with connected(own_database_url) as connection:
        await connection.execute(
            f"ALTER TABLE nodes ADD CONSTRAINT later CHECK (schema_revision > {SCHEMA_REVISION})"
        )

    keys = generate_secret_key()
    node = Installation(tmp_path / "data", database_url=own_database_url, secret_keys=keys)
    said = await asyncio.to_thread(node.refuse, "serve")

    assert "A later release migrated the database" in said
    assert "Traceback" not in said


# --- releases before and after one another --------------------------------------------------------


def test_this_release_works_with_what_was_expanded_and_refuses_what_was_contracted() -> None:
    here = Migrations(DRIVERS)
    drivers = {head for head in here.heads if head != ahead(0)}

    assert here.compare({EXPANDED, *drivers}).state is MigrationState.NEWER
    assert here.compare({CONTRACTED, *drivers}).state is MigrationState.TOO_NEW


async def test_a_release_is_not_begun_while_nodes_of_one_before_the_last_are_alive(
    empty_database_url: str, connection: Connection, release: Become
) -> None:
    await register_node(connection)

    with pytest.raises(MigrationError, match="earlier:17"):
        await release(EXPANDS, CONTRACTS, EXPANDS, CONTRACTS).upgrade(empty_database_url)

    assert await core_revision(connection) == EXPANDED


def test_before_contracting_revisions_there_is_one_that_expands() -> None:
    """Else the previous release would take the first for one that it works with."""
    contractions = Revisions(DRIVERS).contractions
    contracting = {each.revision for each in contractions}
    assert [each.revision for each in contractions[:1] if each.before in contracting] == []
    assert all(int(each.before) == each.number - 1 for each in contractions)


# --- revisions that have to wait and that their release can't do without --------------------------


async def test_a_release_is_not_begun_without_what_it_needs(
    empty_database_url: str, connection: Connection, release: Become
) -> None:
    await register_node(connection, name="a")
    migrations = release(EXPANDS, ADDS)

    for _ in range(2):
        with pytest.raises(MigrationError, match=rf"stays at {EXPANDED}.*: a\. Stop these nodes"):
            await migrations.upgrade(empty_database_url)
        assert await core_revision(connection) == EXPANDED
        status = await migrations.status(connection)
        assert (status.state, status.is_usable) == (MigrationState.BEHIND, False)

    await connection.execute(EXPIRE_ALL)
    assert (await migrations.upgrade(empty_database_url)).state is MigrationState.CURRENT


def test_only_what_takes_away_at_the_end_may_be_missing(release: Become) -> None:
    later = release(EXPANDS, CONTRACTS, ADDS, CONTRACTS)
    drivers = later.heads - {ahead(4)}
    states = {number: later.compare({ahead(number), *drivers}).state for number in (2, 3, 4)}
    assert states == {
        2: MigrationState.BEHIND,
        3: MigrationState.EXPANDED,
        4: MigrationState.CURRENT,
    }


LIST_WHAT_STATEMENTS_NAME = """
SELECT 'column ' || c.relname || '.' || a.attname
FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v')
  AND NOT a.attisdropped
UNION ALL
SELECT 'function ' || oid::regprocedure FROM pg_proc
WHERE pronamespace = 'public'::regnamespace
"""


async def list_silent(url: str) -> list[str]:
    """List the contracting revisions that add something and don't say so."""
    async with connected(url) as looking:

        async def look() -> set[str]:
            return {row[0] for row in await looking.fetch(LIST_WHAT_STATEMENTS_NAME)}

        silent = []
        for each in Revisions(DRIVERS).contractions:
            await migrate_to(url, each.before)
            before = await look()
            await migrate_to(url, each.revision)
            if await look() - before and not each.adds:
                silent.append(each.revision)
    return silent


async def test_a_revision_that_adds_says_so(empty_database_url: str) -> None:
    """Else nodes would be started without what it brings."""
    assert await list_silent(empty_database_url) == []


async def test_one_that_did_not_say_so_would_be_found(
    empty_database_url: str, release: Become
) -> None:
    release(EXPANDS, CONTRACTS, ADDS, CONTRACTS._replace(statement="CREATE TABLE more (id int)"))
    assert await list_silent(empty_database_url) == [ahead(4)]
