"""Machines: each is a `heliograph serve` with its own port and nodes, most of them on one database.

Which node has answered a request is told by its log line; what a node owns, by the database.
"""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit
from uuid import uuid4

import httpx
from pydantic import SecretStr

from acceptance.running_program import ANSWERED, CLI, STARTED, STOPPED, wait_for, whole_lines
from citus import fetch
from databases import PATIENT, fresh_database
from heliograph.app.bootstrap import open_gateway
from heliograph.core.accounts.model import Account
from heliograph.core.services import Services
from heliograph.core.tenants.model import Organization, operator
from heliograph.core.tenants.plans import UNLIMITED
from heliograph.platform.crypto import generate_secret_key
from heliograph.platform.embedded.server import resolve_settings
from heliograph.settings import DataSettings, ServerSettings, Settings
from processes import list_nodes

QUICK = {"pair_automatically": "true", "delivered_delay": "0", "read_delay": "0"}
"""An account of the sandbox that is connected as soon as it exists, and answers at once."""

PROBE = "/api/v1/messages/stats/summary"
MOST_CONNECTIONS = 200
T = TypeVar("T")


@dataclass
class Customer:
    """An organization, a key that may do everything, and its accounts."""

    organization: Organization
    key: str
    accounts: list[Account]

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.key}"}


@dataclass
class Machine:
    """One `heliograph serve`, asked as a client or an operator would."""

    process: "subprocess.Popen[bytes]"
    folder: Path
    port: int = 0

    @property
    def output(self) -> Path:
        return self.folder / "output"

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def lines(self) -> list[dict[str, Any]]:
        """Every log line so far, those of its nodes included."""
        return [json.loads(line) for line in whole_lines(self.output)]

    def find_line(self, event: str, **fields: str) -> dict[str, Any] | None:
        wanted = {"event": event, **fields}
        return next((line for line in self.lines() if wanted.items() <= line.items()), None)

    def nodes(self) -> set[int]:
        """The process ids of its nodes."""
        return set(list_nodes(self.process.pid))

    def client(self, customer: Customer) -> httpx.Client:
        """A client of one connection, which stays with the node that has taken it."""
        limits = httpx.Limits(max_connections=1, keepalive_expiry=60)
        return httpx.Client(
            base_url=self.base_url, headers=customer.headers, limits=limits, timeout=ANSWERED
        )

    def answered_by(self, answer: httpx.Response) -> int:
        """The process id of the node that gave this answer."""
        request_id = answer.headers["x-request-id"]
        line = wait_for(lambda: self.find_line("request", request_id=request_id))
        return int(line["node"].rpartition(":")[2])

    @contextlib.contextmanager
    def client_of_each_node(self, customer: Customer) -> Iterator[dict[int, httpx.Client]]:
        """A client that is connected to it, for each node of this machine."""
        wanted = self.nodes()
        found: dict[int, httpx.Client] = {}
        with contextlib.ExitStack() as stack:
            for _ in range(MOST_CONNECTIONS):
                client = stack.enter_context(self.client(customer))
                found.setdefault(self.answered_by(client.get(PROBE)), client)
                if found.keys() == wanted:
                    break
            assert found.keys() == wanted, "a node takes no connection"
            yield found

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(STOPPED) == 0

    def kill(self) -> None:
        """The supervisor and, with it, its nodes: by the kernel, with no chance to say goodbye."""
        self.process.kill()
        self.process.wait()


@dataclass
class Installation:
    """A database that machines share, and what it takes to start one on it.

    Without a URL, the one machine there is brings its own.
    """

    database_url: str
    folder: Path
    settings: dict[str, str] = field(default_factory=dict)
    secret_key: str = field(default_factory=generate_secret_key)

    @contextlib.contextmanager
    def machine(self, *options: str, **settings: str) -> Iterator[Machine]:
        """`serve` with these options until the block ends; `settings` are HELIOGRAPH_… variables.

        It is ready when the block begins.
        """
        folder = self.folder / uuid4().hex
        folder.mkdir()
        with (folder / "output").open("wb") as stream:
            process = subprocess.Popen(
                [*CLI, "serve", *options],
                env=self._environment(**{"DATA_DIR": str(folder / "data")} | settings),
                stdout=stream,
                stderr=stream,
            )
        machine = Machine(process, folder)
        try:
            ready = wait_for(lambda: _ready(machine), STARTED)
            machine.port = int(urlsplit(ready["url"]).port or 0)
            yield machine
        except BaseException:
            sys.stderr.write(machine.output.read_text()[-20_000:])
            raise
        finally:
            process.terminate()
            process.wait(STOPPED)

    def _environment(self, **settings: str) -> dict[str, str]:
        outside = {name: text for name, text in os.environ.items() if "HELIOGRAPH" not in name}
        ours = {
            "DATABASE_URL": self.database_url,
            "SECRET_KEYS": self.secret_key,
            "OBJECTS_URL": (self.folder / "objects").as_uri(),
            "WEBHOOK_ALLOW_PRIVATE": "loopback",
            "PORT": "0",
            **self.settings,
            **{name.upper(): text for name, text in settings.items()},
        }
        return outside | {f"HELIOGRAPH_{name}": text for name, text in ours.items()}

    def with_services(self, work: Callable[[Services], Awaitable[T]]) -> T:
        """What `work` returns, done beside the machines as a command does it."""

        async def run() -> T:
            settings = Settings(
                server=ServerSettings(shards=int(self.settings.get("SHARDS", "1"))),
                data=DataSettings(dir=self.folder / "command"),
                database=PATIENT,
            ).with_database(self.database_url, [SecretStr(self.secret_key)])
            async with open_gateway(settings) as gateway:
                return await work(gateway)

        return asyncio.run(run())

    def customer(self, name: str, accounts: int = 1, *, plan: str = UNLIMITED) -> Customer:
        """An organization with so many accounts on the sandbox."""
        return self.with_services(lambda gateway: make_customer(gateway, name, accounts, plan))

    def rows(self, statement: str, *values: object) -> list[dict[str, Any]]:
        return [dict(row) for row in asyncio.run(fetch(self.database_url, statement, *values))]

    def held(self, kind: str = "account") -> dict[int, int]:
        """How many accounts, or webhooks, each living node owns, by its process id."""
        rows = self.rows(
            f"SELECT n.name, count(*) AS held FROM {kind}_leases AS l "  # noqa: S608 - ours
            "JOIN nodes AS n ON n.id = l.node_id "
            "WHERE n.lease_expires_at > now() GROUP BY n.name"
        )
        return {int(row["name"].rpartition(":")[2]): row["held"] for row in rows}

    def is_owned_without(self, node: int) -> bool:
        """Whether living nodes own every account, and this one owns none."""
        [row] = self.rows("SELECT count(*) AS total FROM account_leases")
        held = self.held()
        return node not in held and sum(held.values()) == row["total"]

    def admin_ports(self) -> dict[int, int]:
        """Of each living node, by process id."""
        rows = self.rows("SELECT name, admin_port FROM nodes WHERE lease_expires_at > now()")
        return {int(row["name"].rpartition(":")[2]): row["admin_port"] for row in rows}

    def metrics(self, machine: Machine) -> list[str]:
        """What each node of a machine tells of itself: `/metrics` on its admin port."""
        ports = self.admin_ports()
        return [
            httpx.get(f"http://127.0.0.1:{ports[node]}/metrics", timeout=ANSWERED)
            .raise_for_status()
            .text
            for node in machine.nodes()
        ]

    def wait_until_shared(self, *machines: Machine, seconds: float = 30) -> None:
        """Until the nodes of these machines own every account, none two more than another."""
        wanted = {node for machine in machines for node in machine.nodes()}
        [row] = self.rows("SELECT count(*) AS total FROM account_leases")

        def is_shared() -> bool:
            held = self.held()
            if held.keys() != wanted or sum(held.values()) != row["total"]:
                return False
            return max(held.values()) - min(held.values()) <= 1

        wait_for(is_shared, seconds)

    def wait_until_connected(self, seconds: float = 30) -> None:
        """Until every account is: whoever owns one has then paired it."""

        def are_connected() -> bool:
            [row] = self.rows("SELECT count(*) AS left FROM accounts WHERE status <> 'connected'")
            return bool(row["left"] == 0)

        wait_for(are_connected, seconds)


async def make_customer(gateway: Services, name: str, accounts: int, plan: str) -> Customer:
    return await furnish(gateway, await gateway.organizations.create(name, plan=plan), accounts)


async def furnish(gateway: Services, organization: Organization, accounts: int = 1) -> Customer:
    """Accounts and a key for an organization that has none yet."""
    principal = operator(organization.tenant)
    made = [
        await gateway.accounts.create(principal, "sandbox", f"Phone {n}", f"phone-{n}", QUICK)
        for n in range(accounts)
    ]
    minted = await gateway.keys.mint(principal, "everything")
    return Customer(organization, minted.text, made)


def _ready(machine: Machine) -> dict[str, Any] | None:
    assert machine.process.poll() is None, "the machine ended"
    return machine.find_line("ready")


@contextlib.contextmanager
def installation(
    postgres_url: str, template: str, folder: Path, **settings: str
) -> Iterator[Installation]:
    """A migrated database of its own, without any machine yet."""
    with fresh_database(postgres_url, template) as url:
        yield Installation(url, folder, settings)


@contextlib.contextmanager
def embedded_installation(folder: Path, *options: str) -> Iterator[tuple[Installation, Machine]]:
    """One machine with its private PostgreSQL, started as `serve` with these options."""
    made = Installation("", folder, secret_key="")
    with made.machine(*options) as machine:
        settings = resolve_settings(Settings(data=DataSettings(dir=machine.folder / "data")))
        made.database_url = settings.database_url
        made.secret_key = settings.secret.keys[0].get_secret_value()
        yield made, machine
