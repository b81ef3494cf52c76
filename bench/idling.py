"""Measure what accounts cost that nobody uses: their pings, and the questions that each node asks
once a second."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import uuid4

import asyncpg

from bench.costing import counting
from bench.figures import Cost, Finding
from bench.gateway import Gateway, private_gateway
from bench.memory import connect_accounts, make_organizations
from bench.processor import seconds_of
from bench.stage import Stage
from heliograph.core.cluster.due_sql import list_due_accounts, list_due_webhooks
from heliograph.core.cluster.model import Lease
from heliograph.core.cluster.sql import ACCOUNT_LEASES, list_holders
from heliograph.core.tenants.model import Tenant
from heliograph.platform.database.floors import START

_ACCOUNTS = 1000
_MINUTE = 60
"""Seconds in which each account is pinged once."""
_LEASES, _NODES, _SHARDS = 100_000, 16, 64
_LOOKED_FOR = 5_000
_TIMES = 10

_MAKE_LEASES = """
CREATE TEMP TABLE account_leases (LIKE account_leases INCLUDING ALL)
"""
_FILL_LEASES = """
INSERT INTO account_leases (shard, organization_id, account_id, node_id, epoch)
SELECT n % $2, gen_random_uuid(), gen_random_uuid(), ($3::uuid[])[1 + n % $4], 1
FROM generate_series(1, $1) AS n
"""


async def idle(stage: Stage) -> list[Finding]:
    """Count a quiet minute with one account and with 1,000; then ask what nodes ask, as if there
    were 100,000 leases."""
    async with private_gateway(1, SHARDS=str(_SHARDS)) as gateway:
        await gateway.furnish(stage.receiver.url, customers=1)
        here = stage.on(gateway)
        found: list[Finding] = [*await _ask(gateway)]
        found += await _quiet(here, "1 account")
        tenants = await make_organizations(gateway)
        accounts = stage.count(_ACCOUNTS)
        await connect_accounts(here, gateway, tenants, 1, accounts)
        found += await _quiet(here, f"{accounts:,} accounts")
    return found


async def _quiet(stage: Stage, title: str) -> list[Cost]:
    stage.track(f"idle with {title}", _MINUTE)
    await asyncio.sleep(10)
    async with counting(stage) as counted:
        await asyncio.sleep(_MINUTE)
    return counted.costs(f"idle with {title}, a second", counted.seconds)


async def _ask(gateway: Gateway) -> list[Cost]:
    """Ask in a connection whose own table of leases hides the installation's."""
    leases = [_new_lease(number) for number in range(_LOOKED_FOR)]
    looked_for = [(lease, START) for lease in leases]
    async with gateway.database() as connection:
        now = await connection.fetchval("SELECT now()")
        await connection.execute(_MAKE_LEASES)
        nodes = [uuid4() for _ in range(_NODES)]
        await connection.execute(_FILL_LEASES, _LEASES, _SHARDS, nodes, _NODES)
        await connection.execute("ANALYZE account_leases")
        questions: dict[str, tuple[int, Callable[[], Awaitable[Any]]]] = {
            "who holds how many, a lease": (
                _LEASES,
                lambda: list_holders(connection, ACCOUNT_LEASES),
            ),
            "which accounts have something to do, an account": (
                _LOOKED_FOR,
                lambda: list_due_accounts(connection, looked_for, now),
            ),
            "which webhooks have a delivery, a webhook": (
                _LOOKED_FOR,
                lambda: list_due_webhooks(connection, looked_for, now),
            ),
        }
        return [
            Cost(
                name=name,
                value=round(await _microseconds(connection, ask) / rows, 3),
                unit="us of PostgreSQL",
            )
            for name, (rows, ask) in questions.items()
        ]


def _new_lease(number: int) -> Lease:
    return Lease(Tenant(number % _SHARDS, uuid4()), uuid4(), uuid4(), 1)


async def _microseconds(
    connection: "asyncpg.Connection[Any]", ask: Callable[[], Awaitable[Any]]
) -> float:
    """Return the server process's time for one question, once its plan is made."""
    pid = await connection.fetchval("SELECT pg_backend_pid()")
    await ask()
    before = seconds_of(pid)
    for _ in range(_TIMES):
        await ask()
    return 1e6 * (seconds_of(pid) - before) / _TIMES
