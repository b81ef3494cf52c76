"""A thousand endpoints, one in five of them dead: the others are served as if all were well."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path

import pytest

from chaos.conftest import Form
from chaos.endpoint import answering
from chaos.postgres import Queried
from chaos.rounds import Rounds
from chaos.webhook_load import Arrivals, Happenings, add_tenant, files_of, hostile_endpoints
from chaos.world import World, made_world, wait_until
from free_ports import free_port
from heliograph.app.node_process import raise_file_limit
from heliograph.core.services import Services
from heliograph.core.tenants.model import Principal
from heliograph.core.webhooks.model import Webhook
from process_memory import memory_of

pytestmark = pytest.mark.extra_fault

LIVING, MORTAL = 8, 2  # endpoints of one organization, each on an address of its own
DEATHS = ("hang", "500", "refused")
RATE = 20  # events a second, of one organization after the other: ten webhooks each
GROWTH = 256.0  # MiB: 110 KiB for the pool of each endpoint, and what 512 requests may hold
FILES = 4096  # that a node may open more: connections stay open for some seconds
PENDING = """
SELECT count(*) FROM delivery_queue AS q
JOIN webhooks AS w
  ON w.shard = q.shard AND w.organization_id = q.organization_id AND w.id = q.webhook_id
WHERE w.url LIKE '%/living/%'
"""


@dataclass
class Scene:
    """One node, and organizations whose endpoints are all alive at first."""

    world: World
    services: Services
    living: Arrivals
    mortal: Arrivals
    mortals: dict[Principal, list[Webhook]] = field(default_factory=dict)

    @property
    def node(self) -> int:
        [node] = self.world.machines[0].nodes()
        return node

    def happenings(self) -> Happenings:
        return Happenings(self.services, [mortal.tenant for mortal in self.mortals])

    async def kill(self, dead_urls: list[str]) -> None:
        dead = cycle(dead_urls)
        for principal, webhooks in self.mortals.items():
            for webhook in webhooks:
                await self.services.webhooks.update(principal, webhook.id, url=next(dead))

    async def revive(self) -> None:
        for principal, webhooks in self.mortals.items():
            for webhook in webhooks:
                await self.services.webhooks.update(principal, webhook.id, url=webhook.url)

    async def none_waits_for_the_living(self) -> bool:
        return bool((await self.world.database.fetch(PENDING))[0][0] == 0)


@asynccontextmanager
async def playing(folder: Path, given: Queried | None, organizations: int) -> AsyncIterator[Scene]:
    raise_file_limit()
    ports = {"living": free_port(), "mortal": free_port()}
    async with AsyncExitStack() as stack:
        world = await stack.enter_async_context(
            made_world(folder, database=given, nodes=1, tenants=0)
        )
        services = await stack.enter_async_context(world.services())
        scene = Scene(world, services, Arrivals(services), Arrivals(services))
        hosts = [f"127.1.{n // 250}.{n % 250 + 1}" for n in range(organizations * LIVING)]
        for kind, arrivals in (("living", scene.living), ("mortal", scene.mortal)):
            await stack.enter_async_context(answering(arrivals.note, hosts, ports[kind]))
        addresses = cycle(hosts)
        for number in range(organizations):
            kinds = ["living"] * LIVING + ["mortal"] * MORTAL
            urls = [
                f"http://{next(addresses)}:{ports[kind]}/{kind}/{number}/{place}"
                for place, kind in enumerate(kinds)
            ]
            principal = await add_tenant(services, f"Organization {number}", urls)
            webhooks = await services.webhooks.list(principal)
            scene.mortals[principal] = [
                webhook for webhook in webhooks if "/mortal/" in webhook.url
            ]
        yield scene


@pytest.mark.timeout(3600)
async def test_dead_endpoints_hold_up_no_living_one(
    folder: Path, given: Queried | None, form: Form
) -> None:
    organizations, pairs, seconds = form.pick(20, 100), form.pick(1, 10), form.pick(6, 20)
    rounds = Rounds()
    async with playing(folder, given, organizations) as scene, hostile_endpoints() as hostile:
        dead = [hostile.urls[death] for death in DEATHS]
        before = memory_of(scene.node)
        happenings = scene.happenings()
        made = await happenings.go_on(organizations / RATE * 2, per_second=RATE)
        await wait_until(scene.none_waits_for_the_living, 120)  # each has its connection pool
        await scene.living.take_p99()
        files = files_of(scene.node)
        for _ in range(pairs):
            made += await happenings.go_on(seconds, per_second=RATE)
            rounds.without.append(await scene.living.take_p99())
            await scene.kill(dead)
            made += await happenings.go_on(seconds, per_second=RATE)
            rounds.beside.append(await scene.living.take_p99())
            most, files = memory_of(scene.node), max(files, files_of(scene.node))
            assert "delivered" not in await statuses_of(scene, dead)
            await scene.revive()
        await wait_until(scene.none_waits_for_the_living, 60)

    form.record(
        "1,000 endpoints, one in five dead",
        times=organizations * MORTAL,
        webhooks=scene.living.count + scene.mortal.count,
        lost=made * LIVING - scene.living.count,
        endpoints=organizations * (LIVING + MORTAL),
        **rounds.counts(),
        MiB_before=round(before, 1),
        MiB_most=round(most, 1),
        open_files=files,
    )
    assert scene.living.count == made * LIVING
    assert scene.living.are_in_order
    assert most - before < GROWTH
    assert files < FILES


async def statuses_of(scene: Scene, urls: list[str]) -> set[str]:
    rows = await scene.world.database.fetch(
        "SELECT DISTINCT status FROM deliveries WHERE webhook_url = ANY($1)", urls
    )
    return {row["status"] for row in rows}
