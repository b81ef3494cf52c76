"""kill -9 of nodes under load: nothing lost, nothing doubled."""

import asyncio
import random
from pathlib import Path

import pytest

from chaos.conftest import Form
from chaos.ledger import audit
from chaos.load import Load, Phones
from chaos.world import made_world

IN_FLIGHT = 16  # webhooks of one endpoint that can be under way when a node dies


@pytest.mark.timeout(3600)
async def test_nodes_killed_at_random_moments_lose_nothing(folder: Path, form: Form) -> None:
    kills = form.pick(5, 200)
    async with made_world(folder, machines=2, nodes=2) as world:
        load = Load(world)
        async with load.running(), Phones(world).running():
            for _ in range(kills):
                await asyncio.sleep(random.uniform(1, 5))
                machine, node = random.choice(world.nodes())
                machine.kill(node)
        await world.settle()

        assert load.outcomes.wrong == []
        assert audit(world.ledger, repeats=kills * IN_FLIGHT * len(world.tenants)) == []
