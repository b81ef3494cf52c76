"""A shard that moves to another worker, and a worker that is killed, under load."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from chaos.citus_cluster import CitusCluster, citus_cluster
from chaos.conftest import Form
from chaos.counters import miscounted
from chaos.load import Load, Phones
from chaos.verdict import judge
from chaos.world import World, made_world

pytestmark = [
    pytest.mark.extra_fault,
    pytest.mark.own_postgres("kills its workers"),
    pytest.mark.timeout(3600),
]

AWAY = 5.0  # seconds that a worker is away: longer than a request waits for it

Fault = Callable[[CitusCluster, int], Awaitable[None]]


async def move_a_shard(cluster: CitusCluster, shard: int) -> None:
    await cluster.move(shard)


async def kill_a_worker(cluster: CitusCluster, shard: int) -> None:
    worker = await cluster.server_of(shard)
    await asyncio.to_thread(worker.kill)
    await asyncio.sleep(AWAY)
    await worker.start()


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("Citus: a shard moves to another worker", move_a_shard),
        ("Citus: kill -9 of a worker", kill_a_worker),
    ],
)
async def test_what_happens_to_workers_loses_and_doubles_nothing(
    folder: Path, form: Form, name: str, fault: Fault
) -> None:
    times, per_second = form.pick(2, 20), form.pick(20, 40)
    async with (
        citus_cluster(folder / "citus") as cluster,
        made_world(folder, nodes=2, tenants=4, accounts=1, database=cluster.database) as world,
    ):
        nodes, load = world.nodes(), Load(world, per_second=per_second)
        async with load.running(), Phones(world, per_second=per_second / 4).running():
            for _ in form.each(name, range(times)):
                await asyncio.sleep(random.uniform(1, 3))
                await fault(cluster, random.choice(shards(world)))
        outcomes, repeats = load.outcomes, world.in_flight(times)
        await judge(form, world, name, outcomes, times=times, repeats=repeats, nodes=nodes)
        assert await miscounted(world) == []


def shards(world: World) -> list[int]:
    return [tenant.organization.shard for tenant in world.tenants]
