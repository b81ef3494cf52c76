"""A database that can't write: its disk is full, or it takes no writes at all."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from acceptance.running_program import Program, running, wait_for
from chaos.conftest import Form
from chaos.load import Load, Phones
from chaos.small_disk import SmallDisk, small_disk
from chaos.stalls import Stalls
from chaos.trickle import SHOWN, STORED, Trickle, trickling
from chaos.verdict import judge
from chaos.world import World, made_world, wait_until
from heliograph.platform.database.failover import CONNECT_FAILURES
from heliograph.platform.embedded.postmaster import EmbeddedPostgresError

pytestmark = [pytest.mark.extra_fault, pytest.mark.own_postgres("leaves it no room, or no writes")]

MEGABYTES = 320
READ_ONLY = "ALTER SYSTEM SET default_transaction_read_only = on"
IS_READ_ONLY = "SELECT current_setting('default_transaction_read_only')::boolean"
WRITABLE = "ALTER SYSTEM RESET default_transaction_read_only"
UNREAD = "SELECT count(*) AS n FROM messages WHERE status <> 'read' AND direction = 'outbound'"


@pytest.mark.timeout(900)
@pytest.mark.parametrize("what", ["tables", "log"])
def test_a_full_disk_loses_nothing_and_needs_nobody(
    folder: Path, form: Form, stalls: Stalls, what: str
) -> None:
    """Where the log of the database does not fit, PostgreSQL ends itself."""
    with (
        small_disk(folder, MEGABYTES) as disk,
        running(disk.path / "data", nodes="2") as program,
        trickling(program) as trickle,
    ):
        nodes = program.working_nodes(2, program.rows)
        program.receipts_at_once()
        trickle.until_accepted(20)
        seconds = fill(program, trickle, disk, what, form.pick(10, 60))
        disk.make_room()
        trickle.until_accepted(20)
        trickle.end()
        # pauses between tries double: what was tried all the time waits as long again
        wait_for(lambda: program.rows(UNREAD)[0]["n"] == 0, 120 + 2 * seconds)
        slowest = max(attempt.seconds for attempt in trickle.tries)
        form.record(
            f"Disk full, no room for the {what}",
            times=1,
            accepted=len(trickle.accepted),
            slowest_s=slowest,
            answers_503=refusals(trickle),
            full_for_seconds=round(seconds, 1),
        )

        assert program.nodes() == nodes, "a node was started again"
        trickle.judge(program.rows, stalls)
        shown, stored = program.rows(SHOWN), program.rows(STORED)
        assert {row["text"] for row in shown} == {row["text"] for row in stored}


def fill(program: Program, trickle: Trickle, disk: SmallDisk, what: str, seconds: int) -> float:
    """Let the disk be full for so long after the first 503."""
    disk.fill()
    began = time.monotonic()
    if what == "log":
        end_the_log(program)
    until_refused(trickle, 120)
    wait_for(lambda: says_that_it_is_full(program), 120)
    time.sleep(seconds)
    until_refused(trickle, 120)
    return time.monotonic() - began


def says_that_it_is_full(program: Program) -> bool:
    """Whether `/readyz` does, of whichever node answers, ready or not."""
    with contextlib.suppress(httpx.TransportError):
        disk = program.ask("GET", "/readyz").json()["checks"]["disk"]
        return disk["status"] == "warning" and "What frees space" in disk["remedy"]
    return False


def until_refused(trickle: Trickle, seconds: float) -> None:
    """Until one more request has been answered that the database can't write."""
    before = refusals(trickle)
    wait_for(lambda: refusals(trickle) > before, seconds)


def refusals(trickle: Trickle) -> int:
    return sum(attempt.status == 503 for attempt in trickle.tries)


def end_the_log(program: Program) -> None:
    """Ask for new files of the log until there is no room for one, which ends the database.

    A node that writes may have asked for that file first: the database has ended before we look.
    """
    with contextlib.suppress(*CONNECT_FAILURES, EmbeddedPostgresError):
        for _ in range(100):
            program.rows("SELECT pg_switch_wal(), pg_logical_emit_message(true, 'x', 'y')")


@asynccontextmanager
async def refusing_writes(world: World) -> AsyncIterator[None]:
    """The server takes no writes, by its configuration."""
    await world.postgres.fetch(READ_ONLY)
    await world.postgres.fetch("SELECT pg_reload_conf()")

    async def has_heard() -> bool:
        return bool((await world.postgres.fetch(IS_READ_ONLY))[0][0])

    # a new connection knows once the server has told all others
    await wait_until(has_heard, 60)
    yield
    await world.postgres.fetch(WRITABLE)
    await world.postgres.fetch("SELECT pg_reload_conf()")


@asynccontextmanager
async def standing_by(world: World) -> AsyncIterator[None]:
    """The server is a standby, as one that others have taken over from."""
    async with world.postgres.as_standby():
        yield


@pytest.mark.timeout(900)
@pytest.mark.parametrize("without_writes", [refusing_writes, standing_by])
async def test_a_read_only_database_is_a_503(
    folder: Path,
    form: Form,
    without_writes: Callable[[World], "contextlib.AbstractAsyncContextManager[None]"],
) -> None:
    async with made_world(folder, nodes=2) as world:
        nodes, load = world.nodes(), Load(world)
        async with load.running(), Phones(world).running():
            await asyncio.sleep(3)
            async with without_writes(world):
                before, refused = set(world.ledger.answers), load.outcomes.statuses.get(503, 0)
                await asyncio.sleep(form.pick(20, 60))
                await wait_until(lambda: has_refused(load, refused), 60)
                accepted = world.ledger.answers.keys() - before
                # what was under way may have been stored before, and is answered so
                stored = {row["text"] for row in await world.postgres.fetch(STORED)}
            await asyncio.sleep(5)
        await judge(
            form,
            world,
            f"Database read-only: {without_writes.__name__.replace('_', ' ')}",
            load.outcomes,
            times=1,
            repeats=world.in_flight(1),
            nodes=nodes,
            accepted_meanwhile=len(accepted),
        )
        assert accepted <= stored


async def has_refused(load: Load, before: int) -> bool:
    return load.outcomes.statuses.get(503, 0) > before
