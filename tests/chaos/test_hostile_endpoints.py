"""Endpoints that behave as badly as they can: nobody else notices, and neither does memory."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from chaos.conftest import Form
from chaos.endpoint import answering
from chaos.postgres import Queried
from chaos.rounds import Rounds
from chaos.stalls import Stalls
from chaos.webhook_load import Arrivals, Happenings, HostileEndpoints, add_tenant, hostile_endpoints
from chaos.world import World, made_world, wait_until
from delivery_tables import of_all
from heliograph.core.services import Services
from heliograph.core.tenants.model import Principal
from heliograph.platform.outbound_http.client import CALL_TIMEOUT
from process_memory import memory_of

pytestmark = pytest.mark.extra_fault

HEALTHY = 10
RATE, HOSTILE_RATE = 20, 2  # events a second, each for every endpoint of its kind
ANSWER_200 = {"endless body", "gzip bomb"}
"""These do say that they have it; what more they say is cut off, and stays packed."""
GROWTH = 64.0  # MiB that a node may grow by; all that hostile ones can fill is far less
SLACK = 3.0  # seconds past the deadline, on a machine that does much else
ATTEMPTS = of_all("""
SELECT d.webhook_url AS url, count(*) AS attempts, max(a.duration_ms) / 1000.0 AS slowest
FROM delivery_attempts AS a
JOIN deliveries AS d ON d.id = a.delivery_id AND d.organization_id = a.organization_id
GROUP BY 1
""")
STATUSES = """
SELECT webhook_url AS url, array_agg(DISTINCT status) AS statuses FROM deliveries
WHERE webhook_url = ANY($1) GROUP BY 1
"""


@dataclass
class Scene:
    """One node; an organization with `HEALTHY` endpoints, one with every hostile endpoint, and its
    double, whose endpoints behave and which has as many events."""

    world: World
    services: Services
    healthy: Happenings
    hostile: Happenings
    behaving: Happenings
    arrivals: Arrivals
    endpoints: HostileEndpoints
    sufferer: Principal

    @property
    def node(self) -> int:
        [node] = self.world.machines[0].nodes()
        return node

    async def go_on_beside(self, others: Happenings, seconds: float) -> int:
        """Events for the healthy endpoints and for others; how many for the healthy."""
        async with asyncio.TaskGroup() as group:
            group.create_task(others.go_on(seconds, per_second=HOSTILE_RATE))
            healthy = group.create_task(self.healthy.go_on(seconds, per_second=RATE))
        return healthy.result()

    async def enable_hostile(self) -> None:
        for webhook in await self.services.webhooks.list(self.sufferer):
            await self.services.webhooks.enable(self.sufferer, webhook.id)

    async def end_hostile(self) -> None:
        """Each has been attempted; then they are disabled, and no attempt is under way."""
        await wait_until(self._all_were_attempted, 120)
        for webhook in await self.services.webhooks.list(self.sufferer):
            await self.services.webhooks.disable(self.sufferer, webhook.id)
        await asyncio.sleep(CALL_TIMEOUT + SLACK)

    async def _all_were_attempted(self) -> bool:
        return set(self.endpoints.urls.values()) <= set(await self.attempts())

    async def came(self, count: int) -> bool:
        return self.arrivals.count == count

    async def attempts(self) -> dict[str, tuple[int, float]]:
        """Attempts and the slowest of them, in seconds, by URL."""
        rows = await self.world.database.fetch(ATTEMPTS)
        return {row["url"]: (row["attempts"], float(row["slowest"])) for row in rows}

    async def statuses(self) -> dict[str, set[str]]:
        """What the deliveries to each hostile endpoint have come to."""
        names = {url: name for name, url in self.endpoints.urls.items()}
        rows = await self.world.database.fetch(STATUSES, list(names))
        return {names[row["url"]]: set(row["statuses"]) for row in rows}


@asynccontextmanager
async def playing(folder: Path, given: Queried | None) -> AsyncIterator[Scene]:
    async with (
        made_world(folder, database=given, nodes=1, tenants=0) as world,
        world.services() as services,
        hostile_endpoints() as endpoints,
    ):
        arrivals = Arrivals(services)
        async with (
            answering(arrivals.note) as port,
            answering(Arrivals(services).note) as other_port,
        ):
            urls = [f"http://127.0.0.1:{port}/{number}" for number in range(HEALTHY)]
            lucky = await add_tenant(services, "Lucky", urls)
            sufferer = await add_tenant(services, "Sufferer", list(endpoints.urls.values()))
            doubles = [
                f"http://127.0.0.1:{other_port}/{name}" for name in range(len(endpoints.urls))
            ]
            double = await add_tenant(services, "Double", doubles)
            yield Scene(
                world,
                services,
                Happenings(services, [lucky.tenant]),
                Happenings(services, [sufferer.tenant]),
                Happenings(services, [double.tenant]),
                arrivals,
                endpoints,
                sufferer,
            )


@pytest.mark.timeout(3600)
async def test_hostile_endpoints_are_bounded_and_hold_up_nobody(
    folder: Path, given: Queried | None, form: Form, stalls: Stalls
) -> None:
    async with playing(folder, given) as scene:
        made = await scene.healthy.go_on(5, per_second=RATE)
        await scene.arrivals.take_p99()
        before = most = memory_of(scene.node)
        to_behaving, to_none = Rounds(), Rounds()
        rounds, seconds = form.pick(1, 12), form.pick(5, 20)
        for _ in range(rounds):
            made += await scene.healthy.go_on(seconds, per_second=RATE)
            to_none.without.append(await scene.arrivals.take_p99())
            made += await scene.go_on_beside(scene.behaving, seconds)
            to_behaving.without.append(await scene.arrivals.take_p99())
            await scene.enable_hostile()
            made += await scene.healthy.go_on(5, per_second=RATE)
            # all that had waited for the disabled ones came at once
            await scene.arrivals.take_p99()
            made += await scene.go_on_beside(scene.hostile, seconds)
            beside = await scene.arrivals.take_p99()
            to_none.beside.append(beside)
            to_behaving.beside.append(beside)
            most = max(most, memory_of(scene.node))
            await scene.end_hostile()
        await wait_until(lambda: scene.came(made * HEALTHY), 60)
        attempts, seen = await scene.attempts(), await scene.endpoints.seen()
        statuses = await scene.statuses()
        after = memory_of(scene.node)

    slowest = max(slowest for _, slowest in attempts.values())
    form.record(
        "hostile endpoints",
        times=sum(attempts[url][0] for url in scene.endpoints.urls.values()),
        webhooks=scene.arrivals.count,
        slowest_s=slowest,
        kinds=len(scene.endpoints.urls),
        **to_behaving.counts(),
        p99_alone_ms=to_none.counts()["p99_without_ms"],
        ratio_to_alone=to_none.counts()["ratio"],
        MiB_before=round(before, 1),
        MiB_most=round(most, 1),
        MiB_after=round(after, 1),
    )
    assert scene.arrivals.are_in_order
    assert slowest - stalls.worst < CALL_TIMEOUT + SLACK
    assert most - before < GROWTH
    redirects = attempts[scene.endpoints.urls["100 redirects"]][0]
    assert 0 < seen["100 redirects"]["requests"] <= redirects, "a redirect was followed"
    assert {name for name in statuses if "delivered" in statuses[name]} == ANSWER_200
