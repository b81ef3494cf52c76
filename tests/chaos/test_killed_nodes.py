"""kill -9 of nodes and of whole machines under load: nothing lost, nothing doubled."""

import asyncio
import random
import signal
from pathlib import Path

import httpx
import pytest

from chaos.conftest import Form
from chaos.counters import miscounted
from chaos.kills import Kills, whole_machine
from chaos.load import HANG, Load, Phones
from chaos.machine import Machine
from chaos.postgres import Queried
from chaos.verdict import judge
from chaos.world import World, made_world
from heliograph.core.webhooks.posting.queue import MAX_UNRECORDED

NODES = 2
EVERY_WHICH_A_MACHINE = 3
BURST = 40
AT_WORK = 0.1  # seconds after a burst in which the nodes are at work on it


@pytest.mark.timeout(3600)
async def test_nodes_killed_at_random_moments_lose_nothing(
    folder: Path, given: Queried | None, form: Form
) -> None:
    fault = "kill -9 of nodes under load"
    await kill_under_load(folder, given, form, fault, times=form.pick(3, 200))


@pytest.mark.extra_fault
@pytest.mark.timeout(3600)
async def test_nodes_whose_work_is_taken_over_at_once_lose_nothing(
    folder: Path, given: Queried | None, form: Form
) -> None:
    """While the last that they sent is still on its way."""
    fault = "kill -9 of nodes under load, taken over at once"
    times = form.pick(3, 50)
    await kill_under_load(folder, given, form, fault, times=times, stops_supervisors=False)


async def kill_under_load(
    folder: Path,
    given: Queried | None,
    form: Form,
    fault: str,
    *,
    times: int,
    stops_supervisors: bool = True,
) -> None:
    machines = form.pick(2, 3)
    async with made_world(
        folder, database=given, machines=machines, nodes=NODES, tenants=3
    ) as world:
        load, kills = Load(world), Kills(world, stops_supervisors)
        async with load.running(), Phones(world).running(), asyncio.TaskGroup() as aside:
            for number in form.each("kills", range(1, times + 1)):
                await kill_one(aside, load, kills, number)
        await judge(
            form,
            world,
            fault,
            load.outcomes,
            times=times,
            repeats=kills.allowed,
            nodes_killed=kills.nodes,
            kills_that_cut_off_sends_or_webhooks=kills.at_work,
            webhooks_in_doubt=kills.in_doubt.total(),
            uncounted=kills.uncounted,
            most_of_one_endpoint=kills.widest,
        )
        assert not kills.unexplained
        assert kills.widest <= MAX_UNRECORDED
        assert await miscounted(world) == []


async def kill_one(aside: asyncio.TaskGroup, load: Load, kills: Kills, number: int) -> None:
    """A node at any moment, or, every other time, just after much was sent; every so often it is
    the supervisor of a machine, and all of its nodes with it."""
    await asyncio.sleep(random.uniform(0.5, 3))
    machine = await whole_machine(load.world, nodes=NODES)
    is_machine = number % EVERY_WHICH_A_MACHINE == 0
    nodes = machine.nodes()
    victims = [machine.process_id, *nodes] if is_machine else [random.choice(nodes)]
    if number % 2:
        aside.create_task(burst(load, number))
    await kills.kill(victims, after=random.uniform(0, AT_WORK))
    if is_machine:
        load.world.machines.remove(machine)
        aside.create_task(start_again(load.world, machine))


async def burst(load: Load, number: int) -> None:
    """As many clients as that send a message each at one moment."""
    async with httpx.AsyncClient(timeout=HANG) as client:
        await asyncio.gather(*(burst_message(load, client, number, n) for n in range(BURST)))


async def burst_message(load: Load, client: httpx.AsyncClient, number: int, phone: int) -> None:
    accounts = load.world.accounts
    tenant, account = accounts[phone % len(accounts)]
    tag = f"burst {number}, {phone}"
    promise = tenant.promise(account, tag, f"+1555040{phone:04}", number)
    await load.send(client, promise)


async def start_again(world: World, machine: Machine) -> None:
    await machine.stop(signal.SIGKILL)
    await asyncio.sleep(random.uniform(0, 2))
    try:
        await machine.start()
    finally:
        world.machines.append(machine)
