"""The space of deleted rows goes back to the system: of real bloat, with and without nodes."""

import asyncio
from collections.abc import AsyncIterator
from uuid import UUID, uuid4

import asyncpg
import pytest

from connections import connected
from heliograph.platform.database import shrink as shrinking
from heliograph.platform.database.shrink import (
    NODES_RUN,
    Estimate,
    ShrinkError,
    Shrunk,
    estimate,
    shrink,
    sum_up,
)
from node_role import as_node
from schema_revisions import register_node

pytestmark = pytest.mark.one_server("looks at the files of one server")

MIB = 1024**2
FILL = """
INSERT INTO jobs (
    shard, organization_id, id, account_id, kind, status, safe_to_repeat, request, created_at,
    deadline
)
SELECT 0, $1, gen_random_uuid(), gen_random_uuid(), 'sync_contacts', 'completed', true,
    jsonb_build_object('a', repeat(md5(n::text), 30)), now(), now()
FROM generate_series(1, 20000) AS n
"""
LEAVE_SOME = "DELETE FROM jobs WHERE id < 'f0000000-0000-0000-0000-000000000000'"
COUNT = "SELECT count(*), md5(string_agg(j::text, '' ORDER BY id)) FROM jobs AS j"


@pytest.fixture
async def connection(own_database_url: str) -> AsyncIterator[asyncpg.Connection]:
    async with connected(own_database_url) as connection:
        yield connection


@pytest.fixture
async def bloated(connection: asyncpg.Connection) -> asyncpg.Connection:
    """A database whose jobs were deleted, but for a sixteenth from all over the table.

    On a slow machine the server's own vacuum would come in between, and hold the table.
    """
    await connection.execute("ALTER TABLE jobs SET (autovacuum_enabled = off)")
    await connection.execute(FILL, uuid4())
    await connection.execute(LEAVE_SOME)
    await connection.execute("VACUUM jobs")
    return connection


def named(parts: list[Shrunk] | list[Estimate], name: str) -> Shrunk | Estimate:
    [part] = [part for part in parts if part.name == name]
    return part


async def run(url: str, free: int | None = None) -> tuple[list[Shrunk], list[tuple[str, int]]]:
    shown: list[tuple[str, int]] = []
    found = await shrink(url, lambda name, done, _: shown.append((name, done)), lambda: free)
    return found, shown


async def size_of(connection: asyncpg.Connection) -> int:
    return int(await connection.fetchval("SELECT pg_total_relation_size('jobs')"))


async def test_a_table_is_written_anew_and_has_the_rows_it_had(
    own_database_url: str, bloated: asyncpg.Connection
) -> None:
    before, rows = await size_of(bloated), await bloated.fetchrow(COUNT)
    assert before > 20 * MIB

    estimated = named(await estimate(own_database_url), "public.jobs")
    assert isinstance(estimated, Estimate)
    assert estimated.left is None
    assert await size_of(bloated) == before

    found, shown = await run(own_database_url)

    done = named(found, "public.jobs")
    assert isinstance(done, Shrunk)
    assert (done.before, done.after, done.left) == (before, await size_of(bloated), None)
    assert done.after < before / 5
    assert estimated.spare == pytest.approx(done.before - done.after, rel=0.2)
    assert sum_up(found) >= done.before - done.after
    assert await bloated.fetchrow(COUNT) == rows
    assert ("public.jobs", 0) in shown
    again, _ = await run(own_database_url)
    assert again == [], "nothing is left to give back"


async def test_beside_nodes_a_small_table_is_written_anew_while_others_work_with_it(
    own_database_url: str, bloated: asyncpg.Connection
) -> None:
    await register_node(bloated)
    async with connected(own_database_url) as worker:
        working = asyncio.create_task(work_on(worker))

        found, _ = await run(own_database_url)

        working.cancel()
        await asyncio.gather(working, return_exceptions=True)
    done = named(found, "public.jobs")
    assert isinstance(done, Shrunk)
    assert done.left is None
    assert done.after < done.before / 5


async def work_on(connection: asyncpg.Connection) -> None:
    while True:
        await connection.execute("UPDATE jobs SET finished_at = now() WHERE id = $1", uuid4())
        await asyncio.sleep(0.01)


async def test_beside_nodes_a_large_table_waits_and_its_indexes_are_built_anew(
    own_database_url: str, bloated: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shrinking, "BRIEF", 1000)
    await register_node(bloated)
    await bloated.execute(FILL, uuid4())
    for _ in range(2):
        await bloated.execute("UPDATE jobs SET id = gen_random_uuid()")
    await bloated.execute(LEAVE_SOME)
    await bloated.execute("VACUUM jobs")
    rows = await bloated.fetchrow(COUNT)

    found, _ = await run(own_database_url)

    table, index = named(found, "public.jobs"), named(found, "public.jobs_pkey")
    assert isinstance(table, Shrunk)
    assert isinstance(index, Shrunk)
    assert table.left == NODES_RUN
    assert index.left is None
    assert index.after < index.before / 2
    assert await bloated.fetchrow(COUNT) == rows
    invalid = "SELECT count(*) FROM pg_index WHERE NOT indisvalid"
    assert await bloated.fetchval(invalid) == 0


async def test_what_others_hold_is_left_and_said_to_be(
    own_database_url: str, bloated: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shrinking, "LOCK_TIMEOUT", 0.1)
    monkeypatch.setattr(shrinking, "TRIES", 2)
    monkeypatch.setattr(shrinking, "PAUSE", 0.01)
    await register_node(bloated)
    async with bloated.transaction():
        await bloated.execute("LOCK TABLE jobs IN ACCESS SHARE MODE")
        found, _ = await run(own_database_url)
    done = named(found, "public.jobs")
    assert isinstance(done, Shrunk)
    assert (done.before, done.left) == (done.after, "others were using it all the time")


async def test_a_disk_that_is_too_full_is_told_of_before(
    own_database_url: str, bloated: asyncpg.Connection
) -> None:
    found, _ = await run(own_database_url, free=MIB)
    done = named(found, "public.jobs")
    assert isinstance(done, Shrunk)
    assert done.before == done.after
    assert "MiB of free space, and there are 1" in str(done.left)


async def test_no_node_begins_while_tables_are_written_anew(
    own_database_url: str, bloated: asyncpg.Connection
) -> None:
    beginning: list[asyncio.Task[UUID]] = []
    had_begun: list[bool] = []

    def show(_name: str, _done: int, _total: int | None) -> None:
        if not beginning:
            beginning.append(asyncio.create_task(register_node(bloated)))
        had_begun.append(beginning[0].done())

    await shrink(own_database_url, show, lambda: None)
    await beginning[0]
    assert had_begun
    assert not any(had_begun)


async def test_two_at_once_are_one_too_many(
    own_database_url: str, connection: asyncpg.Connection
) -> None:
    await connection.fetchval("SELECT pg_advisory_lock($1)", shrinking._LOCK)
    with pytest.raises(ShrinkError, match="Another process is shrinking"):
        await run(own_database_url)


async def test_what_was_cut_off_in_the_middle_of_an_index_is_taken_away(
    own_database_url: str, connection: asyncpg.Connection
) -> None:
    await connection.execute("CREATE INDEX jobs_pkey_ccnew ON jobs (id)")
    await connection.execute(
        "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'jobs_pkey_ccnew'::regclass"
    )
    await run(own_database_url)
    assert await connection.fetchval("SELECT to_regclass('jobs_pkey_ccnew')") is None


@pytest.mark.own_postgres("makes a role on it")
async def test_a_role_that_does_not_own_the_tables_is_told_so(own_database_url: str) -> None:
    url = await as_node(own_database_url)
    for work in (estimate(url), run(url)):
        with pytest.raises(ShrinkError, match="The role heliograph_node does not own"):
            await work


async def test_an_empty_database_is_told_of(empty_database_url: str) -> None:
    with pytest.raises(ShrinkError, match="no schema yet"):
        await run(empty_database_url)
