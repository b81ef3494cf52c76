"""A PostgreSQL that goes and comes back, and connections that break, under load."""

import asyncio
import random
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from chaos.conftest import Form
from chaos.load import Load, Phones
from chaos.postgres import Queried
from chaos.stalls import Stalls
from chaos.verdict import judge
from chaos.world import World, made_world
from connections import connected

pytestmark = pytest.mark.extra_fault

NO_HANG = 10.0  # seconds: 5 to know the key, 5 to store

TERMINATE = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND application_name LIKE 'heliograph%'
ORDER BY random() LIMIT 1
"""


@pytest.mark.own_postgres("restarts it")
@pytest.mark.timeout(3600)
async def test_a_database_that_restarts_loses_nothing(
    folder: Path, form: Form, stalls: Stalls
) -> None:
    restarts, slowest_pause = form.pick(3, 27), form.pick(6, 40)
    async with made_world(folder, machines=2, nodes=2) as world:
        nodes, load = world.nodes(), Load(world)
        async with load.running(), Phones(world).running():
            for number in form.each("restarts", range(restarts)):
                await asyncio.sleep(random.uniform(min(5, slowest_pause / 2), slowest_pause))
                how = (signal.SIGINT, signal.SIGQUIT, signal.SIGKILL)[number % 3]
                await world.postgres.restart(how, away=random.choice((0, 0, 1, 7)))
        repeats, name = world.in_flight(restarts), "PostgreSQL restarted"
        await judge(form, world, name, load.outcomes, times=restarts, repeats=repeats, nodes=nodes)
        assert load.outcomes.slowest - stalls.worst < NO_HANG


@pytest.mark.timeout(3600)
async def test_connections_that_break_lose_nothing(
    folder: Path, given: Queried | None, form: Form, stalls: Stalls
) -> None:
    terminations = form.pick(50, 1500)
    async with made_world(folder, database=given, machines=2, nodes=2) as world:
        nodes, load = world.nodes(), Load(world)
        async with load.running(), Phones(world).running():
            with form.progress("terminations", terminations) as advance:
                await terminate(world, terminations, advance)
        repeats, name = world.in_flight(terminations), "Backends terminated"
        await judge(
            form, world, name, load.outcomes, times=terminations, repeats=repeats, nodes=nodes
        )
        assert load.outcomes.slowest - stalls.worst < NO_HANG


async def terminate(world: World, times: int, advance: Callable[[float], None]) -> None:
    """Five times a second, one connection of the gateway, whatever it is at."""
    async with connected(world.database.url) as connection:
        for _ in range(times):
            await connection.execute(TERMINATE)
            advance(1)
            await asyncio.sleep(0.2)
