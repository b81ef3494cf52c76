"""An owner that stands still for longer than its lease, and then goes on where it was."""

import asyncio
import os
import random
import signal
from contextlib import AsyncExitStack
from datetime import datetime
from pathlib import Path
from uuid import UUID

import httpx
import pytest

from chaos.conftest import Form
from chaos.kills import standing_still
from chaos.ledger import Promise
from chaos.load import Load, Phones
from chaos.machine import Machine
from chaos.postgres import Queried
from chaos.stalls import Stalls
from chaos.trace import Trace, Write
from chaos.verdict import judge
from chaos.world import World, made_world, wait_until

pytestmark = pytest.mark.extra_fault

TAKEN_OVER = 20.0  # seconds: an open transaction holds its row for 13, less than the lease's 15
MID_STATEMENT = "in mid-statement"
TRIES = 300  # to stop a node there
WITHOUT_ID = 2.0  # seconds: else a node that wakes has a new id after milliseconds

WITHOUT_LEASE = ("idempotency_keys", "message_counts", "account_message_counts", "chore_failures")
"""What an answered request writes, and that a chore failed, as its connection is gone: a node needs
no lease for that."""

OWNED = """
SELECT count(*) FROM (
    SELECT node_id FROM account_leases UNION ALL SELECT node_id FROM webhook_leases
) AS l JOIN nodes AS n ON n.id = l.node_id WHERE n.name LIKE '%:' || $1::text
"""
EPOCHS = """
SELECT account_id AS id, epoch FROM account_leases
UNION ALL SELECT webhook_id, epoch FROM webhook_leases
"""
BORN = "SELECT min(started_at) FROM nodes WHERE name LIKE '%:' || $1::text AND started_at > $2"


class ImpatientLoad(Load):
    """Its clients wait 3 seconds for an answer, and then ask again on another connection."""

    hung = 0

    async def _try(self, client: httpx.AsyncClient, promise: Promise) -> bool:
        try:
            async with asyncio.timeout(3):
                return await super()._try(client, promise)
        except TimeoutError:
            self.hung += 1
            return False


@pytest.mark.one_server("notes each write by a trigger")
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    "moment",
    [
        pytest.param("in a transaction", marks=pytest.mark.chaos_alone),  # as in mid-statement
        "in a commit, the whole machine",
        MID_STATEMENT,
    ],
)
async def test_a_stopped_owner_is_replaced_and_goes_on_with_nothing(
    folder: Path, given: Queried | None, form: Form, stalls: Stalls, moment: str
) -> None:
    pauses, seconds = form.pick(1, 4), form.pick(28, 60)
    async with made_world(folder, database=given, machines=1, nodes=1, tenants=3) as world:
        trace, load = Trace(world.database), ImpatientLoad(world, per_second=40)
        await trace.install()
        victim = world.new_machine(nodes=1, database_url=trace.url("victim"))
        await victim.start()
        wrong: list[Write] = []
        async with load.running(), Phones(world).running():
            for number in form.each("pauses", range(pauses)):
                await owns_something(world, victim)
                rows = await world.database.fetch(EPOCHS)
                before = {row["id"]: row["epoch"] for row in rows}
                begun, born = await stopped(
                    world, trace, victim, moment if number % 2 == 0 else "any", seconds, stalls
                )
                wrong += written_late(await trace.writes(), before, begun, born)
        await judge(
            form,
            world,
            f"SIGSTOP of an owner {moment}",
            load.outcomes,
            times=pauses,
            repeats=world.in_flight(pauses),
            written_after_waking=len(wrong),
            requests_that_hung=load.hung,
        )
        assert wrong == []


@pytest.mark.timeout(3600)
async def test_a_stopped_owner_loses_and_doubles_nothing(
    folder: Path, given: Queried | None, form: Form
) -> None:
    """At any moment, and seen from outside alone: so it holds where tables have no triggers."""
    pauses, seconds = form.pick(1, 4), form.pick(28, 60)
    async with made_world(folder, database=given, machines=1, nodes=1, tenants=3) as world:
        load = ImpatientLoad(world, per_second=15)
        victim = world.new_machine(nodes=1)
        await victim.start()
        async with load.running(), Phones(world).running():
            for _ in form.each("pauses", range(pauses)):
                await owns_something(world, victim)
                await asyncio.sleep(random.uniform(0, 1))
                with standing_still(victim.nodes()):
                    await asyncio.sleep(seconds)
                    freed = await _is_free(world, victim.nodes()[0])
                assert freed, "its work was not taken over"
        await judge(
            form,
            world,
            "SIGSTOP of an owner at any moment, without triggers",
            load.outcomes,
            times=pauses,
            repeats=world.in_flight(pauses),
            requests_that_hung=load.hung,
        )


async def owns_something(world: World, machine: Machine) -> None:
    """Until the machine's node has accounts and a webhook of its own."""
    (node,) = machine.nodes()

    async def holds() -> bool:
        return bool((await world.database.fetch(OWNED, str(node)))[0][0] >= 3)

    await wait_until(holds, 60)


async def stopped(
    world: World, trace: Trace, machine: Machine, moment: str, seconds: float, stalls: Stalls
) -> tuple[datetime, datetime]:
    """Stop the machine's node at that moment, for so long; when it went on, and when it began
    again under another id, by the database's clock."""
    (node,) = machine.nodes()
    if moment == "any":
        await asyncio.sleep(random.uniform(0, 1))
    elif moment == MID_STATEMENT:
        await come_upon_mid_statement(trace, node)
    else:
        await trace.trap("victim", at_commit="commit" in moment)
    processes = [node, machine.process_id] if "machine" in moment else [node]
    async with AsyncExitStack() as waking:
        with standing_still(processes):
            began = asyncio.get_running_loop().time()
            await trace.open_trap()
            opened = asyncio.get_running_loop().time()
            await wait_until(lambda: _is_free(world, node), TAKEN_OVER * 3)
            taken = asyncio.get_running_loop().time()
            assert taken - opened - stalls.worst < TAKEN_OVER
            await asyncio.sleep(began + seconds - taken)
            await waking.enter_async_context(trace.births_held())
            woken = await trace.now()
        await asyncio.sleep(WITHOUT_ID)
    born: list[datetime] = []

    async def is_born() -> bool:
        born[:] = [(await world.database.fetch(BORN, str(node), woken))[0][0]]
        return born[0] is not None

    await wait_until(is_born, 60)
    assert machine.nodes() == [node], "the node was started again"
    return woken, born[0]


async def come_upon_mid_statement(trace: Trace, node: int) -> None:
    """Return just after the node has been stopped between two messages of one statement, in a
    transaction that holds a lease."""
    for _ in range(TRIES):
        await trace.end_connections()
        await asyncio.sleep(random.uniform(0.05, 0.3))
        os.kill(node, signal.SIGSTOP)
        await asyncio.sleep(0.1)
        if await trace.holds_in_mid_statement():
            return
        os.kill(node, signal.SIGCONT)
        await asyncio.sleep(0.2)
    pytest.fail(f"In {TRIES} tries the node was never stopped in mid-statement.")


async def _is_free(world: World, node: int) -> bool:
    return bool((await world.database.fetch(OWNED, str(node)))[0][0] == 0)


def written_late(
    writes: list[Write], before: dict[UUID, int], woken: datetime, born: datetime
) -> list[Write]:
    """What the victim wrote after it woke: anything before it had a new id, or what it claimed
    under an epoch from before."""
    own = [write for write in writes if write.machine == "victim" and write.at > woken]
    early = [write for write in own if write.at < born and not needs_no_lease(write)]
    late = [write for write in own if write.at >= born and is_claim_under(write, before)]
    return early + late


def needs_no_lease(write: Write) -> bool:
    is_new = write.table in ("messages", "message_queue") and write.kind == "INSERT"
    return write.table in WITHOUT_LEASE or (is_new and write.row.get("direction") != "inbound")


def is_claim_under(write: Write, before: dict[UUID, int]) -> bool:
    is_claim = write.row.get("status") == "sending" and "claim_epoch" in write.row
    if not is_claim or write.resource_id is None:  # what is counted has a status, too
        return False
    return bool(write.row["claim_epoch"] <= before[write.resource_id])
