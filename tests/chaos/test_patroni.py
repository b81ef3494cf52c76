"""A cluster of Patroni fails over under load: killed, switched over, and cut in two."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import asyncpg
import pytest

from chaos.conftest import Form
from chaos.load import Load
from chaos.patroni import Cluster, Member, behind_haproxy, every_member_named, patroni_cluster
from chaos.stalls import Stalls
from chaos.verdict import judge
from chaos.world import made_world

pytestmark = [
    pytest.mark.extra_fault,
    pytest.mark.own_postgres("has Patroni start three of them"),
    pytest.mark.timeout(1800),
]

SETTLES = 10.0  # seconds after an election in which clients may feel it
REFUSED_BEYOND = 3.0  # seconds that an accept may be refused for after the election

Way = Callable[[Cluster], AbstractContextManager[str]]
Fault = Callable[[Cluster, Member], Awaitable[None]]


async def kill(_: Cluster, primary: Member) -> None:
    primary.kill()


async def switch_over(cluster: Cluster, primary: Member) -> None:
    await cluster.switch_over(primary)


async def cut_off(_: Cluster, primary: Member) -> None:
    primary.cut_off()


FAULTS: dict[str, Fault] = {"kill": kill, "switchover": switch_over, "partition": cut_off}
"""The last one in the long form alone."""


@dataclass(frozen=True, slots=True)
class At:
    """The cluster for the gateway by an address; what a test asks goes to the primary itself."""

    url: str
    cluster: Cluster

    async def fetch(self, statement: str, *values: object) -> list[asyncpg.Record]:
        return await self.cluster.fetch(statement, *values)


@dataclass(frozen=True, slots=True)
class Outage:
    """What clients felt of a fault, in seconds. `refused` is the longest time in which nothing was
    accepted, and `p99_after` begins so long after the election as it may be felt."""

    election: float
    refused: float
    p99_before: float
    p99_after: float

    def __str__(self) -> str:
        return (
            f"elected after {self.election:.1f} s, nothing accepted for {self.refused:.1f} s, "
            f"p99 {self.p99_before * 1000:.0f} ms before, {self.p99_after * 1000:.0f} ms after"
        )


class Outages:
    """Those of a load, by fault."""

    def __init__(self, load: Load) -> None:
        self._accepted = load.outcomes.accepted
        self.found: dict[str, Outage] = {}

    @asynccontextmanager
    async def around(self, fault: str, window: float) -> AsyncIterator[None]:
        """The block makes the fault, and ends when another member is the primary."""
        began = time.monotonic()
        yield
        elected = time.monotonic()
        await asyncio.sleep(SETTLES + window)
        self.found[fault] = Outage(
            election=elected - began,
            refused=self._longest_gap(began, elected + SETTLES),
            p99_before=self._p99(began - window, began),
            p99_after=self._p99(elected + SETTLES, time.monotonic()),
        )

    def _p99(self, begin: float, end: float) -> float:
        """Of those that were accepted between these moments; their requests may be older."""
        found = sorted(took for at, took in self._accepted if begin <= at < end)
        assert found, "nothing was accepted"
        return found[len(found) * 99 // 100]

    def _longest_gap(self, begin: float, end: float) -> float:
        inside = [at for at, _ in self._accepted if begin <= at <= end]
        return max(later - earlier for earlier, later in pairwise([begin, *inside, end]))


@pytest.mark.parametrize(
    "way", [pytest.param(every_member_named, marks=pytest.mark.chaos_alone), behind_haproxy]
)
async def test_a_cluster_that_fails_over_costs_nothing(
    folder: Path, form: Form, stalls: Stalls, way: Way
) -> None:
    per_second, window = form.pick(30, 100), form.pick(5, 20)
    made = dict(list(FAULTS.items())[: form.pick(2, len(FAULTS))])
    async with AsyncExitStack() as stack:
        cluster = await stack.enter_async_context(patroni_cluster(folder / "cluster"))
        database = At(stack.enter_context(way(cluster)), cluster)
        world = await stack.enter_async_context(made_world(folder, nodes=2, database=database))
        nodes = world.nodes()
        load = Load(world, clients=per_second // 2, per_second=per_second)
        outages = Outages(load)
        async with load.running():
            for name, make in form.each("faults", made.items()):
                await asyncio.sleep(window)
                await fail_over(cluster, outages, name, make, window)
        await judge(
            form,
            world,
            f"Patroni, {way.__name__.replace('_', ' ')}",
            load.outcomes,
            times=len(made),
            repeats=world.in_flight(len(made)),
            nodes=nodes,
            stalls_s=stalls.worst,
            **{name: str(outage) for name, outage in outages.found.items()},
        )
        for fault, outage in outages.found.items():
            assert outage.refused < outage.election + REFUSED_BEYOND + stalls.worst, fault


async def fail_over(
    cluster: Cluster, outages: Outages, name: str, make: Fault, window: float
) -> None:
    """Make the fault to the primary; afterwards the cluster is whole again."""
    primary = await cluster.primary()
    async with outages.around(name, window):
        await asyncio.gather(make(cluster, primary), cluster.elect_another(primary))
    primary.come_back()
    await cluster.primary()
