"""What only nodes of the release before need is taken away when none of them is left, and from then
on none can begin."""

import asyncio
import os
import shutil
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from uuid import uuid4

import asyncpg
import pytest
import structlog

from databases import SCHEMA_REVISION
from heliograph.core.cluster import sql as nodes
from heliograph.platform.crypto import generate_secret_key
from heliograph.platform.database import migrate
from heliograph.platform.database.migrate import MigrationError, Migrations
from heliograph.platform.database.pool import Database
from heliograph.platform.database.revisions import CORE, MigrationState, Revisions
from schema_revisions import BEFORE, CONTRACTED, DRIVERS, EXPANDED, migrate_to

# As nodes of the release before write it.
INSERT_EARLIER_NODE = """
INSERT INTO nodes (id, name, roles, version, admin_port, started_at, lease_expires_at)
VALUES ($1, $2, $3, $4, $5, now(), now() + make_interval(secs => $6))
ON CONFLICT (id) DO NOTHING
"""
EARLIER_NODE = (uuid4(), "earlier:17", ["api"], "0.1", 4711, 15.0)
EXPIRE_ALL = "UPDATE nodes SET lease_expires_at = now() - interval '1 second'"
NEEDED_BEFORE = """
SELECT count(*) FROM pg_class WHERE relname = ANY(ARRAY[
    'messages_queue', 'messages_backoff', 'messages_sending', 'messages_scheduled',
    'deliveries_first', 'deliveries_retry', 'deliveries_claimed'
])
"""
LOCK_AWAITED = """
SELECT count(*) FROM pg_locks WHERE relation = 'nodes'::regclass AND NOT granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""

HIGHER_INDEX = """
CREATE INDEX delivery_queue_first ON delivery_queue (shard, organization_id, webhook_id, seq)
    WHERE next_attempt_at IS NULL
"""

REVISION = """
revision, down_revision, branch_labels, depends_on = "{revision}", "{before}", None, None
{constant}


def upgrade() -> None:
    pass
"""


@pytest.fixture
def release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Migrations]:
    """Make another release of this one's revisions: without some, or with more."""

    def make(without: Sequence[str] = (), more: Sequence[tuple[str, str]] = ()) -> Migrations:
        folder = tmp_path / "migrations" / "versions"
        shutil.copytree(CORE.parent, folder.parent)
        for revision in without:
            next(folder.glob(f"{revision}_*.py")).unlink()
        before = CONTRACTED
        for revision, constant in more:
            text = REVISION.format(revision=revision, before=before, constant=constant)
            (folder / f"{revision}_more.py").write_text(text)
            before = revision
        for module in ("migrate", "revisions"):
            monkeypatch.setattr(f"heliograph.platform.database.{module}.CORE", folder)
        return Migrations(DRIVERS)

    return make


TAKES_AWAY = f"{int(EXPANDED) + 1:04}"


@pytest.fixture
def migrations(release: Callable[..., Migrations]) -> Migrations:
    """A release of the usual form: one revision that adds, and one that only takes away."""
    return release(without=numbers(int(TAKES_AWAY) + 1, int(CONTRACTED)))


def numbers(first: int, last: int) -> list[str]:
    return [f"{number:04}" for number in range(first, last + 1)]


@pytest.fixture
async def connection(
    empty_database_url: str,
) -> "AsyncIterator[asyncpg.Connection[asyncpg.Record]]":
    """A connection to a database as the release before has left it."""
    await migrate_to(empty_database_url, BEFORE)
    opened = await asyncpg.connect(empty_database_url)
    yield opened
    await opened.close()


async def core_revision(connection: "asyncpg.Connection[asyncpg.Record]") -> object:
    return await connection.fetchval(
        "SELECT version_num FROM alembic_version WHERE version_num NOT LIKE '%\\_%'"
    )


async def test_as_long_as_a_node_of_the_release_before_lives_all_that_it_needs_stays(
    empty_database_url: str,
    connection: "asyncpg.Connection[asyncpg.Record]",
    migrations: Migrations,
) -> None:
    await connection.execute(INSERT_EARLIER_NODE, *EARLIER_NODE)

    for _ in range(2):
        with structlog.testing.capture_logs() as logged:
            status = await migrations.upgrade(empty_database_url)
        assert status.state is MigrationState.EXPANDED
        assert status.is_usable
        assert await core_revision(connection) == EXPANDED
        assert await connection.fetchval(NEEDED_BEFORE) == 7
        [line] = [line for line in logged if line["log_level"] == "warning"]
        assert line["nodes"] == ["earlier:17"]
        assert "heliograph migrate" in line["event"]

    await connection.execute(EXPIRE_ALL)
    status = await migrations.upgrade(empty_database_url)

    assert status.state is MigrationState.CURRENT
    assert await core_revision(connection) == TAKES_AWAY
    assert await connection.fetchval(NEEDED_BEFORE) == 0


async def test_the_tables_of_drivers_are_there_before_the_schema_is_contracted(
    empty_database_url: str,
    connection: "asyncpg.Connection[asyncpg.Record]",
    migrations: Migrations,
) -> None:
    await connection.execute(INSERT_EARLIER_NODE, *EARLIER_NODE)

    status = await migrations.upgrade(empty_database_url)

    assert status.heads - status.current == {TAKES_AWAY}


async def test_living_nodes_of_this_release_keep_nothing(
    empty_database_url: str,
    connection: "asyncpg.Connection[asyncpg.Record]",
    migrations: Migrations,
) -> None:
    await connection.execute(INSERT_EARLIER_NODE, *EARLIER_NODE)
    await migrations.upgrade(empty_database_url)
    database = await Database.open(empty_database_url)
    await register(database, SCHEMA_REVISION)
    await connection.execute("DELETE FROM nodes WHERE schema_revision = 0")

    status = await migrations.upgrade(empty_database_url)

    assert status.state is MigrationState.CURRENT
    assert len(await database.read(nodes.list_alive_nodes)) == 1
    await database.close()


async def register(database: Database, schema_revision: int) -> None:
    await database.transact(
        nodes.insert_node,
        uuid4(),
        name="a",
        roles=[],
        version="0",
        schema_revision=schema_revision,
        admin_port=None,
        lease_seconds=15,
    )


async def test_a_node_that_registers_at_the_same_moment_is_waited_for(
    empty_database_url: str,
    connection: "asyncpg.Connection[asyncpg.Record]",
    migrations: Migrations,
) -> None:
    await migrate_to(empty_database_url, EXPANDED)
    looking = await asyncpg.connect(empty_database_url)
    async with connection.transaction():
        await connection.execute(INSERT_EARLIER_NODE, *EARLIER_NODE)
        upgrade = asyncio.create_task(migrations.upgrade(empty_database_url))
        async with asyncio.timeout(60):
            while not await looking.fetchval(LOCK_AWAITED):  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0.05)
    await looking.close()

    assert (await upgrade).state is MigrationState.EXPANDED
    assert await connection.fetchval(NEEDED_BEFORE) == 7


async def test_a_start_does_not_wait_long_for_what_only_takes_away(
    empty_database_url: str,
    connection: "asyncpg.Connection[asyncpg.Record]",
    migrations: Migrations,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(migrate, "CONTRACTION_PATIENCE", 1)
    await migrate_to(empty_database_url, EXPANDED)
    async with connection.transaction():
        await connection.fetch("SELECT 1 FROM messages")  # such as a backup
        with structlog.testing.capture_logs() as logged:
            status = await migrations.upgrade(empty_database_url)
    assert status.state is MigrationState.EXPANDED
    assert [line["event"] for line in logged if line["log_level"] == "warning"]

    status = await migrations.upgrade(empty_database_url)
    assert status.state is MigrationState.CURRENT
    assert await connection.fetchval(NEEDED_BEFORE) == 0


async def test_no_node_of_the_release_before_comes_back(
    empty_database_url: str, connection: "asyncpg.Connection[asyncpg.Record]"
) -> None:
    await connection.execute(INSERT_EARLIER_NODE, *EARLIER_NODE)
    await connection.execute(EXPIRE_ALL)  # it stands still
    await Migrations(DRIVERS).upgrade(empty_database_url)

    renewed = await connection.execute(
        "UPDATE nodes SET lease_expires_at = now() + make_interval(secs => $2)"
        " WHERE id = $1 AND lease_expires_at > now()",
        EARLIER_NODE[0],
        15.0,
    )
    assert renewed == "UPDATE 0"
    with pytest.raises(asyncpg.CheckViolationError, match="node_knows_the_schema"):
        await connection.execute(INSERT_EARLIER_NODE, uuid4(), *EARLIER_NODE[1:])


async def test_a_node_of_this_release_says_why_it_cannot_begin_under_a_later_one(
    own_database_url: str, tmp_path: Path
) -> None:
    connection = await asyncpg.connect(own_database_url)
    await connection.execute(
        f"ALTER TABLE nodes ADD CONSTRAINT later CHECK (schema_revision > {SCHEMA_REVISION})"
    )
    await connection.close()

    code, said = await serve(own_database_url, tmp_path)

    assert code != 0
    assert "A later release migrated the database" in said
    assert "Traceback" not in said


async def serve(url: str, folder: Path) -> tuple[int | None, str]:
    """Start a gateway that can't go on; return its exit code and what it printed."""
    gateway = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "heliograph", "serve"),
        env=os.environ
        | {
            "HELIOGRAPH_DATABASE_URL": url,
            "HELIOGRAPH_SECRET_KEYS": generate_secret_key(),
            "HELIOGRAPH_DATA_DIR": str(folder),
            "HELIOGRAPH_PORT": "0",
        },
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    said, _ = await asyncio.wait_for(gateway.communicate(), 90)
    return gateway.returncode, said.decode()


# --- releases before and after this one -----------------------------------------------------------


def test_the_release_before_works_with_what_was_expanded_and_refuses_what_was_contracted(
    release: Callable[..., Migrations],
) -> None:
    before = release(without=numbers(int(EXPANDED), int(CONTRACTED)))
    drivers = before.heads - {BEFORE}

    assert before.compare({EXPANDED, *drivers}).state is MigrationState.NEWER
    assert before.compare({CONTRACTED, *drivers}).state is MigrationState.TOO_NEW


NEXT, NEXT_BUT_ONE = (f"{int(CONTRACTED) + more:04}" for more in (1, 2))
MORE = ((NEXT, ""), (NEXT_BUT_ONE, "contracts = True"))


async def test_the_next_release_waits_for_nodes_of_this_one(
    own_database_url: str, release: Callable[..., Migrations]
) -> None:
    database = await Database.open(own_database_url)
    await register(database, SCHEMA_REVISION)

    status = await release(more=MORE).upgrade(own_database_url)

    assert status.state is MigrationState.EXPANDED
    assert NEXT in status.current
    await register(database, SCHEMA_REVISION)
    await database.close()


async def test_a_release_is_not_begun_while_nodes_of_one_before_the_last_are_alive(
    empty_database_url: str,
    connection: "asyncpg.Connection[asyncpg.Record]",
    release: Callable[..., Migrations],
) -> None:
    await connection.execute(INSERT_EARLIER_NODE, *EARLIER_NODE)

    with pytest.raises(MigrationError, match="earlier:17"):
        await release(more=MORE).upgrade(empty_database_url)

    assert await core_revision(connection) == EXPANDED


def test_before_contracting_revisions_there_is_one_that_expands() -> None:
    """Else the release before would take the first for one that it works with."""
    contractions = Revisions(DRIVERS).contractions
    assert {"0001", contractions[0].before}.isdisjoint(each.revision for each in contractions)
    assert all(int(each.before) == each.number - 1 for each in contractions)


# --- revisions that have to wait and that this release can't do without ---------------------------


async def test_a_release_is_not_begun_without_what_it_needs(
    empty_database_url: str, connection: "asyncpg.Connection[asyncpg.Record]"
) -> None:
    await migrate_to(empty_database_url, "0027")
    database = await Database.open(empty_database_url)
    await register(database, 27)  # as `name` "a"
    await database.close()
    migrations = Migrations(DRIVERS)

    for _ in range(2):
        with pytest.raises(MigrationError, match=r"stays at 0027.*: a\. Stop these nodes"):
            await migrations.upgrade(empty_database_url)
        assert await core_revision(connection) == "0027"
        status = await migrations.status(connection)
        assert (status.state, status.is_usable) == (MigrationState.BEHIND, False)

    await connection.execute(EXPIRE_ALL)
    assert (await migrations.upgrade(empty_database_url)).state is MigrationState.CURRENT


async def test_serve_says_which_nodes_have_to_stop_first(
    empty_database_url: str,
    connection: "asyncpg.Connection[asyncpg.Record]",
    tmp_path: Path,
) -> None:
    await connection.execute(INSERT_EARLIER_NODE, *EARLIER_NODE[:-1], 3600.0)

    code, said = await serve(empty_database_url, tmp_path)

    assert code == 1
    assert "earlier:17. Stop these nodes" in said
    assert "Traceback" not in said


def test_only_what_takes_away_at_the_end_may_be_missing(release: Callable[..., Migrations]) -> None:
    adds, takes_away = f"{int(NEXT_BUT_ONE) + 1:04}", f"{int(NEXT_BUT_ONE) + 2:04}"
    later = release(
        more=(
            *MORE,
            (adds, "contracts, adds = True, True"),
            (takes_away, "contracts = True"),
        )
    )
    drivers = later.heads - {takes_away}
    states = {at: later.compare({at, *drivers}).state for at in (NEXT_BUT_ONE, adds, takes_away)}
    assert states == {
        NEXT_BUT_ONE: MigrationState.BEHIND,
        adds: MigrationState.EXPANDED,
        takes_away: MigrationState.CURRENT,
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


async def test_a_revision_that_adds_says_so(empty_database_url: str) -> None:
    """Else nodes would be started without what it brings."""
    looking = await asyncpg.connect(empty_database_url)

    async def look() -> set[str]:
        return {row[0] for row in await looking.fetch(LIST_WHAT_STATEMENTS_NAME)}

    silent = []
    for each in Revisions(DRIVERS).contractions:
        await migrate_to(empty_database_url, each.before)
        before = await look()
        await migrate_to(empty_database_url, each.revision)
        if await look() - before and not each.adds:
            silent.append(each.revision)
    await looking.close()
    assert silent == []


async def test_a_contraction_that_is_followed_by_another_is_finished_later(
    empty_database_url: str, connection: "asyncpg.Connection[asyncpg.Record]"
) -> None:
    migrations = Migrations(DRIVERS)
    await migrations.upgrade(empty_database_url)
    # which came to 0021 later
    await connection.execute("DROP TABLE account_totals")
    await connection.execute("ALTER TABLE messages DROP COLUMN trace_context")
    await connection.execute("ALTER TABLE delivery_queue DROP COLUMN trace_context")
    await connection.execute("DROP INDEX delivery_queue_first")
    await connection.execute(HIGHER_INDEX)
    await connection.execute(
        "UPDATE alembic_version SET version_num = '0022' WHERE version_num = $1",
        CONTRACTED,
    )
    assert (await migrations.status(connection)).state is MigrationState.BEHIND

    await migrations.upgrade(empty_database_url)

    assert (await migrations.status(connection)).state is MigrationState.CURRENT
    assert await connection.fetchval("SELECT count(*) FROM account_totals") == 0
    for table in ("messages", "delivery_queue"):
        assert await connection.fetchval(f"SELECT count(trace_context) FROM {table}") == 0  # noqa: S608 - ours
    columns = "SELECT pg_get_indexdef('delivery_queue_first'::regclass)"
    assert "(webhook_id, seq)" in await connection.fetchval(columns)
