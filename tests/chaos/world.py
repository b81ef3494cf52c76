"""A world to break: a PostgreSQL, machines of the gateway, tenants with accounts, endpoints."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import asyncpg
from pydantic import SecretStr

from chaos.chat_side import ChatSide, SandboxSide
from chaos.commit_gate import CommitGate, commit_gate
from chaos.endpoint import Endpoints, serving_endpoints
from chaos.ledger import Ledger, Promise, Stored
from chaos.machine import Machine
from chaos.postgres import Postgres, Queried, running_postgres
from heliograph.app.bootstrap import open_gateway
from heliograph.core.accounts.model import Account
from heliograph.core.services import Services
from heliograph.core.tenants.model import Organization, Principal, operator
from heliograph.core.tenants.plans import UNLIMITED
from heliograph.core.webhooks.posting.queue import MAX_UNRECORDED
from heliograph.platform.crypto import generate_secret_key
from heliograph.settings import (
    DatabaseSettings,
    DataSettings,
    ServerSettings,
    Settings,
    WebhookSettings,
)
from processes import LIVING_NODES, are_working

MESSAGES = "message.*"
QUIET_AFTER = 180.0  # seconds until all that was accepted must have come to its end


@dataclass(frozen=True, slots=True)
class TenantOfTest:
    """An organization with a key that may do all, its accounts, and its webhook."""

    organization: Organization
    principal: Principal
    api_key: str
    accounts: list[Account]
    webhook_id: str

    @property
    def id(self) -> str:
        return str(self.organization.id)

    def promise(self, account: Account, tag: str, phone: str, place: int = 0) -> Promise:
        return Promise(tag, self.id, str(account.id), phone, place)


@dataclass(slots=True)
class World:
    """`settings` lead to the database as a command beside the gateway has them."""

    folder: Path
    database: Queried
    endpoints: Endpoints
    settings: Settings
    side: ChatSide
    machines: list[Machine] = field(default_factory=list)
    tenants: list[TenantOfTest] = field(default_factory=list)
    ledger: Ledger = field(default_factory=Ledger)
    gate: CommitGate | None = None

    @property
    def postgres(self) -> Postgres:
        """The server of this world's own, to hurt it."""
        assert isinstance(self.database, Postgres)
        return self.database

    def tenant(self, tenant_id: str) -> TenantOfTest:
        return next(tenant for tenant in self.tenants if tenant.id == tenant_id)

    def in_flight(self, faults: int) -> int:
        """How many webhooks so many faults can cut off before they are recorded: such a webhook is
        posted again, as the same."""
        return faults * MAX_UNRECORDED * len(self.tenants)

    @property
    def accounts(self) -> list[tuple[TenantOfTest, Account]]:
        return [(tenant, account) for tenant in self.tenants for account in tenant.accounts]

    def nodes(self) -> list[tuple[Machine, int]]:
        """Every node that runs now: its machine and process id."""
        return [
            (machine, node)
            for machine in self.machines
            if machine.is_running
            for node in machine.nodes()
        ]

    def new_machine(self, *, nodes: int = 1, **settings: str) -> Machine:
        """Another machine on the same database, not yet started."""
        machine = Machine(
            self.folder,
            **{
                "database_url": self.gate.url if self.gate else self.settings.database_url,
                "secret_keys": ",".join(k.get_secret_value() for k in self.settings.secret.keys),
                "objects_url": (self.folder / "objects").as_uri(),
                "shards": str(self.settings.server.shards),
                "nodes": str(nodes),
                "webhook_allow_private": "loopback",
                "log_format": "json",
            }
            | settings,
        )
        self.machines.append(machine)
        return machine

    @asynccontextmanager
    async def services(self) -> AsyncIterator[Services]:
        """The services beside the running gateway, as the command line has them."""
        async with open_gateway(self.settings) as services:
            yield services

    async def connected(self, within: float = 60) -> None:
        """Until all accounts are."""
        await wait_until(self._all_are_connected, within)

    async def _all_are_connected(self) -> bool:
        rows = await self.database.fetch("SELECT count(*) FROM accounts WHERE status = 'connected'")
        return bool(rows[0][0] == len(self.accounts))

    async def sent(self) -> None:
        """Until nothing waits to be sent any more."""
        await wait_until(self._all_are_sent, QUIET_AFTER)

    async def _all_are_sent(self) -> bool:
        rows = await self.database.fetch(
            "SELECT count(*) FROM messages WHERE status IN ('queued', 'sending')"
        )
        return bool(rows[0][0] == 0)

    async def settle(self) -> None:
        """Until all that was accepted and heard has come to its end, or the time for that is up:
        the audit then says what has not."""
        with suppress(AssertionError):
            await wait_until(self.is_quiet, QUIET_AFTER)
        await self.observe()

    async def is_quiet(self) -> bool:
        """The network first: what the gateway has taken from it since then is among the rows."""
        if await self.side.waiting():
            return False
        rows = await self.database.fetch(
            """
            SELECT (SELECT count(*) FROM messages WHERE direction = 'outbound'
                      AND status NOT IN ('read', 'failed', 'canceled'))
                 + (SELECT count(*) FROM delivery_queue)
            """
        )
        return bool(rows[0][0] == 0)

    async def observe(self) -> None:
        """Bring into the ledger what the network and the gateway have now, and what was posted."""
        ledger = self.ledger
        ledger.shown, ledger.heard = await self.side.seen([account for _, account in self.accounts])
        ledger.stored = [_stored(row) for row in await self.database.fetch(ROWS)]
        ledger.posted = list(self.endpoints.posted)


ROWS = """
SELECT coalesce(content->>'body', content->>'caption') AS tag, organization_id, account_id,
    phone_number, id, chat_message_id, direction, status
FROM messages ORDER BY seq
"""


def _stored(row: asyncpg.Record) -> Stored:
    return Stored(
        tag=row["tag"],
        tenant=str(row["organization_id"]),
        account_id=str(row["account_id"]),
        phone=row["phone_number"],
        message_id=str(row["id"]),
        chat_message_id=row["chat_message_id"],
        direction=row["direction"],
        status=row["status"],
    )


@asynccontextmanager
async def made_world(
    folder: Path,
    *,
    machines: int = 1,
    nodes: int = 2,
    tenants: int = 2,
    accounts: int = 2,
    gated: bool = False,
    database: Queried | None = None,
    set_to: Mapping[str, str] | None = None,
    side: Callable[[Queried], ChatSide] = SandboxSide,
) -> AsyncIterator[World]:
    """Machines with so many nodes each, tenants with so many accounts each, all connected to
    the network of `side`. When it is `gated`, the nodes' way to the database leads through
    `world.gate`. Without a `database` there is a PostgreSQL of its own. `set_to` has settings of
    the machines, as `Machine` takes them."""
    async with AsyncExitStack() as stack:
        if database is None:
            database = await stack.enter_async_context(running_postgres(folder / "postgres"))
        endpoints = await stack.enter_async_context(serving_endpoints())
        settings = Settings(
            server=ServerSettings(shards=4),
            data=DataSettings(dir=folder / "tests"),
            database=DatabaseSettings(connect_timeout=20),
            webhook=WebhookSettings.model_validate({"allow_private": "loopback"}),
        ).with_database(database.url, [SecretStr(generate_secret_key())])
        world = World(folder, database, endpoints, settings, side(database))
        if gated:
            world.gate = await stack.enter_async_context(commit_gate(database.url))
        stack.push_async_callback(_stop_machines, world)
        started = [world.new_machine(nodes=nodes, **(set_to or {})) for _ in range(machines)]
        await asyncio.gather(*[machine.start() for machine in started])
        async with world.services() as services:
            for number in range(tenants):
                world.tenants.append(await _settle_tenant(world, services, number, accounts))
        await world.connected()

        async def all_nodes_work() -> bool:
            living = await database.fetch(LIVING_NODES)
            return all(are_working(machine.nodes(), living, nodes) for machine in started)

        await wait_until(all_nodes_work, 60)
        yield world


async def _stop_machines(world: World) -> None:
    await asyncio.gather(*[machine.stop() for machine in world.machines if machine.is_running])


async def _settle_tenant(
    world: World, services: Services, number: int, accounts: int
) -> TenantOfTest:
    organization = await services.organizations.create(f"Tenant {number}", plan=UNLIMITED)
    principal = operator(organization.tenant)
    minted = await services.keys.mint(principal, "chaos", scopes=["admin:write"])
    made = [await _connect(world.side, services, principal, nth) for nth in range(accounts)]
    url = world.endpoints.url(str(organization.id))
    webhook = await services.webhooks.create(principal, url, [MESSAGES])
    return TenantOfTest(organization, principal, minted.text, made, str(webhook.webhook.id))


async def _connect(
    side: ChatSide, services: Services, principal: Principal, number: int
) -> Account:
    device = await side.new_device()
    name, session_name = f"Account {number}", f"a{number}"
    return await services.accounts.create(
        principal, device.network, name, session_name, device.settings
    )


async def wait_until(holds: Callable[[], Awaitable[bool]], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not await holds():
        assert time.monotonic() < deadline, f"{holds.__qualname__}: not within {seconds:g} s"
        await asyncio.sleep(0.1)
