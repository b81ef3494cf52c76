"""A transaction that somebody leaves open on rows that are much in use."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import asyncpg
import httpx
import pytest

from chaos.conftest import Form
from chaos.ledger import Promise
from chaos.load import Load, Phones
from chaos.postgres import Queried
from chaos.stalls import Stalls
from chaos.verdict import judge
from chaos.world import TenantOfTest, World, made_world
from connections import connected

pytestmark = pytest.mark.extra_fault

BUSY = {
    "the organization": ("organizations", "id"),
    "its accounts": ("accounts", "id"),
    "the leases of its accounts": ("account_leases", "account_id"),
    "its counters": ("message_counts", "day, direction, status, stripe"),
    "its contacts": ("contacts", "id"),
    "its conversations": ("conversations", "id"),
    "its webhook": ("webhooks", "id"),
    "its webhook's lease": ("webhook_leases", "webhook_id"),
    "its deliveries": ("delivery_queue", "seq"),
}
"""Tables, and in which order the gateway itself locks their rows."""
IN_TIME = 8.0  # seconds that a lease of 15, renewed every 3, has left at the least
NO_HANG = 10.0

LEASES = """
SELECT (SELECT extract(epoch FROM min(lease_expires_at) - now())::float8 FROM nodes
    WHERE lease_expires_at > now() - interval '1 minute') AS left,
    (SELECT sum(epoch) FROM account_leases) + (SELECT sum(epoch) FROM webhook_leases) AS epochs
"""


@dataclass
class Leases:
    """What was seen of the leases from outside, five times a second."""

    seen: list[tuple[float, int]] = field(default_factory=list)

    @asynccontextmanager
    async def watched(self, world: World) -> AsyncIterator["Leases"]:
        async with connected(world.database.url) as connection:
            task = asyncio.create_task(self._watch(connection))
            try:
                yield self
            finally:
                task.cancel()
                await asyncio.wait([task])

    async def _watch(self, connection: "asyncpg.Connection[asyncpg.Record]") -> None:
        while True:
            left, epochs = (await connection.fetch(LEASES))[0]
            self.seen.append((left, epochs))
            await asyncio.sleep(0.2)

    @property
    def least_left(self) -> float:
        return min(left for left, _ in self.seen)

    @property
    def moved(self) -> int:
        """How many leases changed hands."""
        return int(self.seen[-1][1] - self.seen[0][1])


class TalliedLoad(Load):
    """Knows how often each tenant's clients were refused."""

    def __init__(self, world: World, *, clients: int, per_second: float) -> None:
        super().__init__(world, clients=clients, per_second=per_second)
        self.refusals: Counter[str] = Counter()

    async def _try(self, client: httpx.AsyncClient, promise: Promise) -> bool:
        accepted = await super()._try(client, promise)
        self.refusals[promise.tenant] += not accepted
        return accepted

    def refused(self, tenant: TenantOfTest) -> int:
        return self.refusals[tenant.id]


@asynccontextmanager
async def held(world: World, tenant: TenantOfTest, rows: list[str]) -> AsyncIterator[None]:
    """A transaction for each kind of rows that has locked those of the tenant."""
    async with AsyncExitStack() as stack:
        for name in rows:
            connection = await stack.enter_async_context(connected(world.database.url))
            await stack.enter_async_context(connection.transaction())
            (table, order), own = BUSY[name], tenant.organization.tenant
            column = "id" if table == "organizations" else "organization_id"
            await connection.fetch(
                f"SELECT 1 FROM {table} WHERE shard = $1 AND {column} = $2 "  # noqa: S608 - ours
                f"ORDER BY {order} FOR UPDATE",
                *own,
            )
        yield


def on_other_shards(world: World, victim: TenantOfTest) -> list[TenantOfTest]:
    """Those whose rows are never written in one batch with the victim's."""
    own = victim.organization.tenant.shard
    return [tenant for tenant in world.tenants if tenant.organization.tenant.shard != own]


@pytest.mark.timeout(3600)
async def test_a_transaction_left_open_costs_no_lease(
    folder: Path, given: Queried | None, form: Form, stalls: Stalls
) -> None:
    holds = [[name] for name in BUSY] if form.is_long else [list(BUSY)]
    async with made_world(folder, database=given, nodes=2, tenants=5, accounts=1) as world:
        victim = world.tenants[0]
        others = on_other_shards(world, victim)
        load, leases = TalliedLoad(world, clients=10, per_second=40), Leases()
        async with load.running(), Phones(world).running():
            await asyncio.sleep(5)  # until there are counters, contacts and conversations
            async with leases.watched(world):
                for rows in form.each("rows held", holds):
                    async with held(world, victim, rows):
                        await asyncio.sleep(form.pick(15, 60))
                    await asyncio.sleep(5)  # what waited comes right
        await judge(
            form,
            world,
            "A transaction left open",
            load.outcomes,
            times=len(holds),
            repeats=world.in_flight(len(holds)),
            least_seconds_of_a_lease=leases.least_left,
            leases_that_moved=leases.moved,
            refused=load.refused(victim),
            refused_on_other_shards=sum(map(load.refused, others)),
        )

        assert leases.moved == 0
        assert leases.least_left + stalls.worst > IN_TIME
        assert load.outcomes.slowest - stalls.worst < NO_HANG
        assert stalls.are_felt or sum(map(load.refused, others)) == 0
