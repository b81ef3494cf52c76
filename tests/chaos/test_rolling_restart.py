"""Machines restarted in turn, and updated in turn: clients notice connections that close."""

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import asyncpg
import pytest

from chaos.balancer import Balancer
from chaos.conftest import Form
from chaos.load import Load, Phones
from chaos.machine import Machine
from chaos.postgres import Queried
from chaos.releases import last_revision, make_release
from chaos.stalls import Stalls
from chaos.verdict import judge
from chaos.world import World, made_world, wait_until

pytestmark = pytest.mark.extra_fault

READ_FOR = 6.0  # seconds: longer than a request waits for the database


@asynccontextmanager
async def under_load(world: World) -> AsyncIterator[Load]:
    """Behind a balancer, until the block ends."""
    async with Balancer(world.machines).running() as balancer:
        load = Load(world, balancer=balancer)
        async with load.running(), Phones(world).running():
            yield load


async def work_side_by_side(world: World, load: Load) -> None:
    """Return when each machine has answered from now on."""
    before = Counter(load.outcomes.machines)

    async def all_have() -> bool:
        return all(
            load.outcomes.machines[machine] > before[machine] + 10 for machine in world.machines
        )

    await wait_until(all_have, 60)


@asynccontextmanager
async def reading_all(world: World) -> AsyncIterator[None]:
    """A transaction that has read the messages and stays open, such as a backup's."""
    connection = await asyncpg.connect(world.database.url, timeout=20)
    async with connection.transaction():
        await connection.fetch("SELECT 1 FROM messages LIMIT 1")
        yield
    await connection.close()


async def update(world: World, machine: Machine, release: Path) -> None:
    """Start the machine anew; if that migrates, somebody's long transaction is in its way."""
    assert await machine.stop() == 0
    machine.release = release
    async with reading_all(world):
        start = asyncio.create_task(machine.start())
        await asyncio.sleep(READ_FOR)
    await start


async def core_revision(world: World) -> object:
    rows = await world.database.fetch(
        "SELECT version_num FROM alembic_version WHERE version_num NOT LIKE '%\\_%'"
    )
    return rows[0][0]


async def judge_restarts(
    form: Form,
    world: World,
    load: Load,
    stalls: Stalls,
    fault: str,
    times: int,
    stops: int | None = None,
) -> None:
    """A node that stops waits for some seconds until the webhooks that are under way have been
    recorded, and a machine that stands still has none."""
    statuses = load.outcomes.statuses
    await judge(
        form,
        world,
        fault,
        load.outcomes,
        times=times,
        repeats=world.in_flight(stops or times) if stalls.are_felt else 0,
        connections_refused=load.outcomes.refused,
        answers_not_200=sum(n for status, n in statuses.items() if status != 200),
    )
    assert stalls.are_felt or set(statuses) == {200}


@pytest.mark.timeout(3600)
async def test_machines_restarted_in_turn_fail_no_request(
    folder: Path, given: Queried | None, form: Form, stalls: Stalls
) -> None:
    restarts = form.pick(2, 30)
    async with made_world(folder, database=given, machines=2, nodes=1) as world:
        async with under_load(world) as load:
            for number in range(restarts):
                machine = world.machines[number % 2]
                await asyncio.sleep(random.uniform(1, 3))
                assert await machine.stop() == 0
                await machine.start()
        await judge_restarts(form, world, load, stalls, "rolling restart under load", restarts)


@pytest.mark.timeout(3600)
async def test_an_update_machine_by_machine_fails_no_request(
    folder: Path, given: Queried | None, form: Form, stalls: Stalls
) -> None:
    updates = form.pick(1, 10)
    async with made_world(folder, database=given, machines=2, nodes=1) as world:
        async with under_load(world) as load:
            for number in range(1, updates + 1):
                release = make_release(folder, number)
                for machine in world.machines:
                    await update(world, machine, release)
                    await work_side_by_side(world, load)
                assert await core_revision(world) == last_revision(number)
        name = "rolling update, a migration in between"
        await judge_restarts(form, world, load, stalls, name, updates, stops=updates * 2)
