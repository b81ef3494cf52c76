"""A private gateway for the benchmark, with its own database, data directory and port."""

import asyncio
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import asyncpg
from pydantic import SecretStr

from bench.client import Client, ask_all
from bench.programs import free_port, launch, stop
from heliograph.app.bootstrap import open_gateway
from heliograph.core.events.payload_sql import unpack
from heliograph.core.organizations.sql import insert_organization
from heliograph.core.services import Services
from heliograph.core.tenants.model import Organization, Tenant, operator
from heliograph.core.tenants.plans import UNLIMITED
from heliograph.core.webhooks.model import Batching
from heliograph.platform.database.clock import Clock
from heliograph.platform.embedded.record import find_record
from heliograph.platform.embedded.server import find_owner_url, resolve_settings
from heliograph.settings import DataSettings, Settings, WebhookSettings

AT_ONCE = {"pair_automatically": "true", "delivered_delay": "0", "read_delay": "0"}
UNFOLDED = AT_ONCE | {"delivered_delay": "0.5", "read_delay": "0.5"}
"""So far apart that each status is written by itself. At once, one update makes a message delivered
and read."""

CUSTOMERS = 4
UNHEARD = ("device.*",)
"""Events that no message causes: a webhook for them is posted nothing."""
_AT_ONCE = 8
_ALLOW = {"allow_private": "loopback"}
_PATIENCE = 60.0


@dataclass(frozen=True, slots=True)
class Customer:
    """An organization without limits, with a key, a connected account and a webhook."""

    tenant: Tenant
    client: Client
    account_id: UUID
    webhook_id: UUID


@dataclass(slots=True)
class Gateway:
    """The running program and what was made in it. The first customer's `asleep_account_id` is
    never connected: messages for it are accepted, and wait. `postmasters` are the servers of a
    database of one's own, as far as they run on this machine."""

    data_dir: Path
    port: int
    nodes: int
    process: asyncio.subprocess.Process | None = None
    customers: list[Customer] = field(default_factory=list)
    asleep_account_id: UUID | None = None
    more_settings: dict[str, str] = field(default_factory=dict)
    before: Sequence[str] = ()
    postmasters: Sequence[int] = ()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def settings(self) -> Settings:
        """Return the settings with the database's URL, while the gateway runs."""
        return resolve_settings(self._given)

    @property
    def _given(self) -> Settings:
        """Return what the program was started with, as far as it matters here."""
        given = Settings(
            data=DataSettings(dir=self.data_dir), webhook=WebhookSettings.model_validate(_ALLOW)
        )
        url = self.more_settings.get("HELIOGRAPH_DATABASE_URL")
        if url is None:
            return given
        return given.with_database(url, [SecretStr(self.more_settings["HELIOGRAPH_SECRET_KEYS"])])

    @property
    def owner_url(self) -> str:
        """Of the database, for who makes tables in it."""
        return find_owner_url(self._given)

    @property
    def pid(self) -> int:
        """Return the supervisor's process id."""
        assert self.process is not None
        return self.process.pid

    @property
    def shards(self) -> int:
        return int(self.more_settings.get("HELIOGRAPH_SHARDS", "1"))

    @property
    def customer(self) -> Customer:
        """Return the first customer, whom most measures are about."""
        return self.customers[0]

    async def start(self) -> float:
        """Start it; return the seconds until `/readyz` answers 200."""
        began = time.monotonic()
        self.process = await launch(
            "heliograph",
            "serve",
            port=self.port,
            environment={
                "HELIOGRAPH_DATA_DIR": str(self.data_dir),
                "HELIOGRAPH_NODES": str(self.nodes),
                "HELIOGRAPH_WEBHOOK_ALLOW_PRIVATE": "loopback",
                **self.more_settings,
            },
            before=self.before,
        )
        return time.monotonic() - began

    async def stop(self) -> float:
        """Stop it as Ctrl-C does; return the seconds that this took."""
        began = time.monotonic()
        if self.process is not None:
            await stop(self.process)
        return time.monotonic() - began

    async def run_nodes(self, nodes: int) -> None:
        """Start it again if it has another number of nodes; return when these share accounts and
        webhooks evenly."""
        if nodes == self.nodes:
            return
        await self.stop()
        self.nodes = nodes
        await self.start()
        await self.await_connected()
        await self._await_spread()

    @asynccontextmanager
    async def services(self) -> AsyncIterator[Services]:
        """Open the services beside the running gateway, as the command line does."""
        async with open_gateway(self.settings) as services:
            yield services

    @asynccontextmanager
    async def database(self) -> AsyncIterator["asyncpg.Connection[Any]"]:
        connection = await asyncpg.connect(self.owner_url)
        try:
            yield connection
        finally:
            await connection.close()

    async def checkpoint(self) -> None:
        """Let the database write what it has in memory, which only its superuser may."""
        record = find_record(self.data_dir)
        connection = await asyncpg.connect(
            self.owner_url if record is None else record.superuser_url()
        )
        try:
            await connection.execute("CHECKPOINT")
        finally:
            await connection.close()

    async def furnish(self, receiver_url: str, customers: int = CUSTOMERS) -> None:
        """Make the customers, and the account that is never connected."""
        await self.add_customers(receiver_url, customers)
        await self.renew_asleep()

    async def renew_asleep(self) -> None:
        """Have another account that is never connected, for which nothing waits."""
        async with self.services() as services:
            asleep = await services.accounts.create(
                operator(self.customer.tenant), "sandbox", "Asleep", f"asleep-{uuid4().hex}", {}
            )
            self.asleep_account_id = asleep.id

    async def add_customers(
        self,
        receiver_url: str,
        count: int,
        *,
        network: Mapping[str, str] = AT_ONCE,
        batch: Batching | None = None,
        events: Sequence[str] = ("message.*",),
    ) -> list[Customer]:
        """Make so many more, spread evenly over the shards. `network` is how the sandbox treats
        their accounts, `batch` how events are posted to them, and `events` are these."""
        tenants = await self._place_organizations(count)
        made: dict[Tenant, Customer] = {}
        waiting = iter(tenants)
        async with self.services() as services:

            async def make() -> None:
                for tenant in waiting:
                    made[tenant] = await self._equip(
                        services, tenant, receiver_url, network=network, batch=batch, events=events
                    )

            await asyncio.gather(*(make() for _ in range(_AT_ONCE)))
        added = [made[tenant] for tenant in tenants]
        self.customers += added
        await self.await_connected()
        return added

    async def _place_organizations(self, count: int) -> list[Tenant]:
        """Make organizations on one shard after another; the service goes by their ids."""
        clock, first = Clock(), len(self.customers)
        made = [
            Organization(
                clock.new_id(), number % self.shards, f"Bench {number}", UNLIMITED, clock.now()
            )
            for number in range(first, first + count)
        ]
        async with self.database() as connection:
            for organization in made:
                await insert_organization(connection, organization)
        return [organization.tenant for organization in made]

    async def _equip(
        self,
        services: Services,
        tenant: Tenant,
        receiver_url: str,
        *,
        network: Mapping[str, str],
        batch: Batching | None,
        events: Sequence[str],
    ) -> Customer:
        principal = operator(tenant)
        minted = await services.keys.mint(principal, "bench", scopes=["admin:write"])
        account = await services.accounts.create(principal, "sandbox", "Bench", "bench", network)
        created = await services.webhooks.create(
            principal, receiver_url + "/hook", list(events), batch=batch
        )
        return Customer(tenant, Client(self.base_url, minted.text), account.id, created.webhook.id)

    async def await_connected(self) -> None:
        """Wait until the customers' accounts are connected."""
        await self._await(
            "SELECT count(*) FILTER (WHERE status = 'connected') >= $1 FROM accounts",
            len(self.customers),
        )

    async def _await_spread(self) -> None:
        """Wait until each node has had the time to take its share."""
        await self._await(
            """
            SELECT (SELECT count(DISTINCT node_id) FROM account_leases) >= $1
               AND (SELECT count(DISTINCT node_id) FROM webhook_leases) >= $1
            """,
            min(self.nodes, len(self.customers)),
        )

    async def _await(self, question: str, argument: int) -> None:
        deadline = time.monotonic() + _PATIENCE
        async with self.database() as connection:
            while not await connection.fetchval(question, argument):
                if time.monotonic() > deadline:
                    raise RuntimeError("the accounts were not connected and shared in time")
                await asyncio.sleep(0.05)

    async def postgres_version(self) -> str:
        async with self.database() as connection:
            return str(await connection.fetchval("SHOW server_version"))

    async def sample_payload(self) -> bytes:
        """Return a webhook's body, as the gateway has posted it to the first customer."""
        async with self.database() as connection:
            return unpack(
                await connection.fetchval(
                    """
                    SELECT payload FROM events
                    WHERE shard = $1 AND organization_id = $2 AND type = 'message.delivered'
                    LIMIT 1
                    """,
                    *self.customer.tenant,
                )
            )

    async def read_all(self, paths: list[str]) -> list[bytes]:
        """Return the bodies with which these paths are answered."""
        client = self.customer.client
        async with client.connections(1) as connections:
            answers = await ask_all(connections, [client.get(path) for path in paths])
        return [answer.body for answer in answers]


@asynccontextmanager
async def private_gateway(
    nodes: int, *, before: Sequence[str] = (), **settings: str
) -> AsyncIterator[Gateway]:
    """Start a gateway, and remove it with all that it stored at the end. `settings` are further
    HELIOGRAPH_… variables, and `before` is a command that becomes the program it is given."""
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(_reachable_folder())
        gateway = Gateway(folder / "data", free_port(), nodes, before=before)
        gateway.more_settings = {f"HELIOGRAPH_{name}": text for name, text in settings.items()}
        stack.push_async_callback(gateway.stop)
        await gateway.start()
        yield gateway


@contextmanager
def _reachable_folder() -> Iterator[Path]:
    """Make a folder that the database's own user can pass through, too."""
    with tempfile.TemporaryDirectory(prefix="heliograph-bench-") as folder:
        path = Path(folder)
        path.chmod(0o755)
        yield path
