"""Measure the memory that a connected account costs the node that holds it."""

import asyncio
import time

from bench.figures import Comparison, Finding
from bench.gateway import AT_ONCE, Gateway, private_gateway
from bench.processor import memory_kib, node_pids
from bench.stage import Stage
from heliograph.core.tenants.model import Tenant, operator
from heliograph.core.tenants.plans import UNLIMITED

_MOST = 100
_ORGANIZATIONS = 50
_AT_ONCE = 8
_QUIET_SECONDS = 3.0
_PATIENCE = 300.0


async def memory(stage: Stage) -> list[Finding]:
    """Run a gateway of one node with one account, then with 1,000, then with 5,000."""
    found: list[Finding] = []
    async with private_gateway(1) as gateway:
        await gateway.furnish(stage.receiver.url, customers=1)
        tenants = await make_organizations(gateway)
        alone, held = await _quiet_kib(gateway), 1
        for wanted in (stage.count(1000), stage.count(5000)):
            await connect_accounts(stage, gateway, tenants, held, wanted)
            held = wanted
            found.append(_compare(held, await _quiet_kib(gateway), alone))
    return found


async def make_organizations(gateway: Gateway) -> list[Tenant]:
    async with gateway.services() as services:
        return [
            (await services.organizations.create(f"Memory {number}", plan=UNLIMITED)).tenant
            for number in range(_ORGANIZATIONS)
        ]


async def connect_accounts(
    stage: Stage, gateway: Gateway, tenants: list[Tenant], held: int, wanted: int
) -> None:
    """Make accounts until there are so many, and wait until all are connected."""
    move = stage.track(f"connecting {wanted:,} accounts", wanted - held)
    numbers = iter(range(held, wanted))
    async with gateway.services() as services:

        async def make() -> None:
            for number in numbers:
                principal = operator(tenants[number % len(tenants)])
                name = f"memory-{number}"
                await services.accounts.create(principal, "sandbox", name, name, AT_ONCE)
                move(1)

        await asyncio.gather(*(make() for _ in range(_AT_ONCE)))
    await _await_connected(gateway, wanted)


async def _await_connected(gateway: Gateway, wanted: int) -> None:
    deadline = time.monotonic() + _PATIENCE
    async with gateway.database() as connection:
        while True:
            count = await connection.fetchval(
                "SELECT count(*) FROM accounts WHERE status = 'connected'"
            )
            if count >= wanted:
                return
            if time.monotonic() > deadline:
                raise RuntimeError(f"{count} of {wanted} accounts were connected in time")
            await asyncio.sleep(0.2)


async def _quiet_kib(gateway: Gateway) -> int:
    """Return the node's memory once it has stopped changing."""
    (pid,) = node_pids(gateway.pid)
    deadline = time.monotonic() + 30
    before, now = 0, memory_kib(pid)
    while abs(now - before) > now / 200 and time.monotonic() < deadline:
        await asyncio.sleep(_QUIET_SECONDS)
        before, now = now, memory_kib(pid)
    return now


def _compare(accounts: int, kib: int, alone: int) -> Comparison:
    per_account = (kib - alone) / (accounts - 1)
    return Comparison(
        name=f"memory, {accounts:,} accounts",
        value=round(kib / 1024, 1),
        unit="MiB",
        baseline=round(alone / 1024, 1),
        baseline_name="the same node with 1 account",
        ratio=round(kib / alone, 2),
        bar=f"<= {_MOST} KiB each",
        met=per_account <= _MOST,
        note=f"{per_account:.1f} KiB an account; connected and idle sandbox accounts of "
        f"{_ORGANIZATIONS} organizations on one node, its proportional memory (PSS)",
    )
