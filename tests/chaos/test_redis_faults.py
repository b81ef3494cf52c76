"""A Redis that is killed, started again and frozen, while nodes count requests in it under load."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from chaos.conftest import Form
from chaos.load import HANG, Load, Phones
from chaos.machine import Machine
from chaos.postgres import Queried
from chaos.verdict import judge
from chaos.world import World, made_world, wait_until
from heliograph.core.tenants.model import operator
from redis_server import RedisServer, running_redis

pytestmark = pytest.mark.extra_fault

COUNTED, SMALL, QUOTA = "counted", "small", 10
PROBE = "/api/v1/messages/stats/summary"
NOTICED_WITHIN = 60.0  # seconds


class Customers:
    """Customers whose key may make `QUOTA` requests a minute; each of them asks each machine once,
    a few times more often than that."""

    def __init__(self, world: World, client: httpx.AsyncClient) -> None:
        self._world = world
        self._client = client
        self._made = 0

    async def allowed(self) -> list[int]:
        """How many requests of a new customer each machine answers, one after the other."""
        key = await self._new_key()
        return [await self._answered(machine, key) for machine in self._world.machines]

    async def are_limited_together(self) -> bool:
        return await self._checks() == {"ok"} and await self.allowed() == [QUOTA, 0]

    async def are_counted_apart(self) -> bool:
        """Whether every node says that it counts in its own memory."""
        return await self._checks() == {"warning"}

    async def _new_key(self) -> str:
        self._made += 1
        async with self._world.services() as services:
            made = await services.organizations.create(f"Small {self._made}", plan=SMALL)
            return (await services.keys.mint(operator(made.tenant), "small")).text

    async def _answered(self, machine: Machine, key: str) -> int:
        headers = {"Authorization": f"Bearer {key}"}
        answers = [await self._get(machine, PROBE, headers) for _ in range(QUOTA + 3)]
        assert {answer.status_code for answer in answers} <= {200, 429}
        return [answer.status_code for answer in answers].count(200)

    async def _checks(self) -> set[str]:
        answers = [await self._get(machine, "/readyz", {}) for machine in self._world.machines]
        assert {answer.status_code for answer in answers} == {200}
        return {answer.json()["checks"]["rates"]["status"] for answer in answers}

    async def _get(self, machine: Machine, path: str, headers: dict[str, str]) -> httpx.Response:
        return await self._client.get(machine.base_url + path, headers=headers)


def kill(redis: RedisServer) -> Callable[[], None]:
    redis.stop()
    return redis.start


def freeze(redis: RedisServer) -> Callable[[], None]:
    redis.freeze()
    return redis.thaw


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("take_away", [kill, freeze])
async def test_without_redis_requests_go_on_and_its_limits_hold_again_when_it_is_back(
    folder: Path,
    given: Queried | None,
    form: Form,
    take_away: Callable[[RedisServer], Callable[[], None]],
) -> None:
    times, pause = form.pick(2, 20), form.pick(2, 5)
    with running_redis() as redis:
        async with (
            made_world(
                folder, database=given, machines=2, nodes=1, set_to={"rate_limit_url": redis.url}
            ) as world,
            httpx.AsyncClient(timeout=HANG) as client,
        ):
            customers = await counted_customers(world, client)
            nodes, load = world.nodes(), Load(world)
            alone = []
            async with load.running(), Phones(world).running():
                await wait_until(customers.are_limited_together, NOTICED_WITHIN)
                for _ in range(times):
                    bring_back = take_away(redis)
                    await wait_until(customers.are_counted_apart, NOTICED_WITHIN)
                    alone.append(await customers.allowed())
                    await asyncio.sleep(pause)
                    await asyncio.to_thread(bring_back)
                    await wait_until(customers.are_limited_together, NOTICED_WITHIN)
            name = f"Redis: {take_away.__name__}"
            await judge(form, world, name, load.outcomes, times=times, nodes=nodes)
            assert load.outcomes.statuses.keys() == {200}
            assert alone == [[QUOTA, QUOTA]] * times


async def counted_customers(world: World, client: httpx.AsyncClient) -> Customers:
    """The world's tenants get a plan whose requests are counted, too, and which is never used
    up."""
    async with world.services() as services:
        await services.plans.put(SMALL, {"key_requests_per_minute": QUOTA})
        await services.plans.put(COUNTED, {"key_requests_per_minute": 100_000})
        for tenant in world.tenants:
            await services.organizations.change_plan(tenant.id, COUNTED)
    return Customers(world, client)
