"""Nodes that have nothing to do leave the database alone.

Twenty nodes of all roles, with accounts and webhooks on each of 64 shards, run in this process over
a proxy that counts every statement.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import asyncpg
import pytest
from pydantic import SecretStr

from connections import connected
from database_proxy import DatabaseProxy, proxied
from heliograph import __version__
from heliograph.app.bootstrap import build_loops, open_gateway
from heliograph.app.loops import NodeLoops
from heliograph.core.organizations.sql import insert_organization
from heliograph.core.services import Services
from heliograph.core.tenants.model import Organization, operator
from heliograph.networks.port import AccountStatus
from heliograph.platform.crypto import generate_secret_key
from heliograph.settings import DatabaseSettings, DataSettings, ServerSettings, Settings

NODES, SHARDS, SECONDS, MOST_PER_SECOND = 20, 64, 10, 200

pytestmark = [pytest.mark.extra_fault, pytest.mark.timeout(240)]


@pytest.fixture
async def proxy(database_url: str) -> AsyncIterator[DatabaseProxy]:
    async with proxied(database_url) as proxy:
        yield proxy


@asynccontextmanager
async def running_nodes(proxy: DatabaseProxy, folder: Path) -> AsyncIterator[list[NodeLoops]]:
    """The nodes, each with a pool of its own, until the block ends."""
    settings = Settings(
        server=ServerSettings(shards=SHARDS),
        data=DataSettings(dir=folder),
        database=DatabaseSettings(pool_size=3),
    ).with_database(proxy.url, [SecretStr(generate_secret_key())])
    async with AsyncExitStack() as stack:
        gateways = [await stack.enter_async_context(open_gateway(settings)) for _ in range(NODES)]
        await people_the_shards(gateways[0])
        nodes = [
            build_loops(gateway, name=f"{number}", version=__version__, admin_port=0)
            for number, gateway in enumerate(gateways)
        ]
        await asyncio.gather(*[node.start() for node in nodes])
        try:
            yield nodes
        finally:
            await asyncio.gather(*[node.stop() for node in nodes])


async def people_the_shards(gateway: Services) -> None:
    """An organization on each shard, with an account that pairs by itself and three webhooks."""
    clock = gateway.database.clock
    for shard in range(SHARDS):
        organization = Organization(clock.new_id(), shard, f"{shard}", "unlimited", clock.now())
        await gateway.database.transact(
            lambda connection, new=organization: insert_organization(connection, new)  # type: ignore[misc]  # mypy infers no lambda with a default
        )
        principal = operator(organization.tenant)
        form = {"pair_automatically": "true"}
        await gateway.accounts.create(principal, "sandbox", "Phone", "phone", form)
        for number in range(3):
            url = f"https://hooks-{number}.example/"
            await gateway.webhooks.create(principal, url, events=["message.failed"])


async def until_at_work(nodes: list[NodeLoops]) -> None:
    """Return when all accounts are connected and shared out, and what that caused has passed."""

    def all_are() -> bool:
        statuses = Counter(status for node in nodes for status in node.session_statuses())
        shares = [len(node.session_statuses()) for node in nodes]
        return statuses == {AccountStatus.CONNECTED: SHARDS} and max(shares) - min(shares) < 2

    async with asyncio.timeout(120):
        while not all_are():  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.2)
    await asyncio.sleep(5)


async def list_leases(database_url: str) -> list[asyncpg.Record]:
    """List who holds which account and webhook, and since which takeover."""
    async with connected(database_url) as connection:
        return await connection.fetch(
            "SELECT account_id, node_id, epoch FROM account_leases UNION ALL"
            " SELECT webhook_id, node_id, epoch FROM webhook_leases ORDER BY 1"
        )


async def count_statements(
    nodes: list[NodeLoops], proxy: DatabaseProxy, database_url: str
) -> Counter[str]:
    """Count them while nothing changes hands: where the machine holds a node up, others take over
    what it held, which is work."""
    while True:
        await until_at_work(nodes)
        held = await list_leases(database_url)
        proxy.said.clear()
        await asyncio.sleep(SECONDS)
        said = Counter(proxy.said)
        if await list_leases(database_url) == held:
            return said


def as_table(said: Counter[str]) -> str:
    lines = [
        f"{n / SECONDS:7.1f}  {' '.join(text.split())[:110]}" for text, n in said.most_common()
    ]
    return "\n".join(lines)


async def test_twenty_idle_nodes_ask_for_less_than_200_statements_a_second(
    proxy: DatabaseProxy, database_url: str, tmp_path: Path
) -> None:
    async with running_nodes(proxy, tmp_path) as nodes:
        said = await count_statements(nodes, proxy, database_url)
        assert all(node.is_running() for node in nodes)
    print(f"{said.total() / SECONDS:.0f} statements a second\n{as_table(said)}")  # noqa: T201 - pytest shows it when this fails
    assert said.total() > NODES, "the nodes do look for themselves"
    assert said.total() < MOST_PER_SECOND * SECONDS
