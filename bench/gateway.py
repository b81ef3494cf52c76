"""A private gateway for the benchmark: its own database, data directory and port."""

import asyncio
import os
import signal
import socket
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import asyncpg

from bench.client import Client, ask_all
from heliograph.bootstrap import Gateway as Services
from heliograph.bootstrap import open_gateway
from heliograph.model.organizations import UNLIMITED, Tenant
from heliograph.services.principals import operator
from heliograph.settings import DataSettings, Settings, WebhookSettings
from heliograph.store.embedded import resolve_settings

AT_ONCE = {"pair_automatically": "true", "delivered_delay": "0", "read_delay": "0"}


@dataclass(slots=True)
class Gateway:
    """The running program and what was made in it. `asleep_account_id` is never connected: what
    it is given to send is accepted, and waits."""

    data_dir: Path
    port: int
    nodes: int
    process: asyncio.subprocess.Process | None = None
    client: Client | None = None
    tenant: Tenant | None = None
    account_id: UUID | None = None
    asleep_account_id: UUID | None = None

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def settings(self) -> Settings:
        data = DataSettings(dir=self.data_dir)
        return Settings(data=data, webhook=WebhookSettings.model_validate(_ALLOW))

    async def start(self) -> float:
        """Start it; the seconds until `/readyz` answers 200."""
        began = time.monotonic()
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith("HELIOGRAPH_")
        }
        environment |= {
            "HELIOGRAPH_DATA_DIR": str(self.data_dir),
            "HELIOGRAPH_PORT": str(self.port),
            "HELIOGRAPH_NODES": str(self.nodes),
            "HELIOGRAPH_WEBHOOK_ALLOW_PRIVATE": "loopback",
            "HELIOGRAPH_LOG_LEVEL": "warning",
        }
        self.process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "heliograph", "serve", env=environment
        )
        while not await self._is_ready():
            if self.process.returncode is not None:
                raise RuntimeError("the gateway ended before it was ready")
            if time.monotonic() - began > 120:
                raise RuntimeError("the gateway was not ready within 120 s")
            await asyncio.sleep(0.02)
        return time.monotonic() - began

    async def _is_ready(self) -> bool:
        client = Client(self.base_url, "")
        try:
            async with client.connections(1) as connections:
                return (await connections[0].ask(client.get("/readyz"))).status == 200
        except OSError:
            return False

    async def stop(self) -> float:
        """Stop it as Ctrl-C does; the seconds that took."""
        began = time.monotonic()
        if self.process is not None and self.process.returncode is None:
            self.process.send_signal(signal.SIGINT)
            await self.process.wait()
        return time.monotonic() - began

    @asynccontextmanager
    async def services(self) -> AsyncIterator[Services]:
        """The services beside the running gateway, as the command line uses them."""
        async with open_gateway(resolve_settings(self.settings)) as services:
            yield services

    async def furnish(self, receiver_url: str) -> None:
        """An organization without limits, its accounts, its webhook and a key."""
        async with self.services() as services:
            organization = await services.organizations.create("Bench", plan=UNLIMITED)
            self.tenant = organization.tenant
            principal = operator(organization.tenant)
            minted = await services.keys.mint(principal, "bench", scopes=["admin:write"])
            self.client = Client(self.base_url, minted.text)
            account = await services.accounts.create(
                principal, "sandbox", "Bench", "bench", AT_ONCE
            )
            asleep = await services.accounts.create(principal, "sandbox", "Asleep", "asleep", {})
            self.account_id, self.asleep_account_id = account.id, asleep.id
            await services.webhooks.create(principal, receiver_url + "/hook", ["message.*"])
            await self._await_connected(services)

    async def _await_connected(self, services: Services) -> None:
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            status = await services.database.pool.fetchval(
                "SELECT status FROM accounts WHERE shard = $1 AND organization_id = $2 AND id = $3",
                *self.known_tenant,
                self.account_id,
            )
            if status == "connected":
                return
            await asyncio.sleep(0.05)
        raise RuntimeError("the benchmark's account was not connected within 30 s")

    @property
    def known_client(self) -> Client:
        assert self.client is not None
        return self.client

    @property
    def known_tenant(self) -> Tenant:
        assert self.tenant is not None
        return self.tenant

    async def postgres_version(self) -> str:
        url = resolve_settings(self.settings).database_url
        connection = await asyncpg.connect(url)
        try:
            return str(await connection.fetchval("SHOW server_version"))
        finally:
            await connection.close()

    async def read_all(self, paths: list[str]) -> list[bytes]:
        """The bodies that these paths answer."""
        client = self.known_client
        async with client.connections(1) as connections:
            answers = await ask_all(connections, [client.get(path) for path in paths])
        return [answer.body for answer in answers]


_ALLOW = {"allow_private": "loopback"}


@asynccontextmanager
async def private_gateway(nodes: int) -> AsyncIterator[Gateway]:
    """A gateway that is started, and gone with all it stored at the end."""
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(_reachable_folder())
        gateway = Gateway(folder / "data", _free_port(), nodes)
        stack.push_async_callback(gateway.stop)
        await gateway.start()
        yield gateway


@contextmanager
def _reachable_folder() -> Iterator[Path]:
    """A folder that the database's own user can pass through, too."""
    with tempfile.TemporaryDirectory(prefix="heliograph-bench-") as folder:
        path = Path(folder)
        path.chmod(0o755)
        yield path


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])
