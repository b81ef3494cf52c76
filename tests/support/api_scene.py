"""The cast of the API tests: two organizations, their keys, and no chat network behind the API.

Acme is a customer with a plan of its own; Globex is another one, without limits. What a session
would do with an account does not happen here: a job that is made waits, and is answered 504.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from uuid import UUID

import httpx
import pytest
from pydantic import SecretStr
from starlette.types import ASGIApp

from databases import PATIENT
from heliograph.app.bootstrap import open_gateway
from heliograph.core.accounts.model import Account
from heliograph.core.organizations.sql import put_plan
from heliograph.core.services import Services
from heliograph.core.tenants.model import Organization, Principal, operator
from heliograph.core.tenants.plans import UNLIMITED, Plan
from heliograph.faces.api.app import create_api
from heliograph.platform.crypto import generate_secret_key
from heliograph.platform.database.notify import Notifications
from heliograph.platform.database.pool import Database
from heliograph.settings import DataSettings, ServerSettings, Settings
from placing import place_organization

SHARDS = {"Acme": 2, "Globex": 3}
PLAN = Plan("acme", key_requests_per_minute=100_000)
"""Acme's, where a test does not say another one of this name."""
SECRET_KEY = generate_secret_key()
BUTTONS = "/api/v1/messages/send/interactive/buttons"
GROUPS = "/api/v1/conversations/groups"
JOIN = "/api/v1/groups/join"
SYNC = "/api/v1/contacts/sync"
DEVICES = "/api/v1/devices"
STATS = "/api/v1/messages/stats/summary"
EVENTS = "/api/v1/webhooks/subscriptions/events"

TABLES = ("messages", "jobs", "idempotency_keys", "message_counts", "conversations", "contacts")


def buttons(**changes: object) -> dict[str, object]:
    """A body for endpoint 2 that is as it should be, but for the changes."""
    body: dict[str, object] = {
        "phone_number": "+5511999990000",
        "body": "Is 20:00 right?",
        "buttons": [{"id": "yes", "title": "Yes"}, {"id": "no", "title": "No"}],
    }
    return body | changes


def group_of(account: Account, **changes: object) -> dict[str, object]:
    """A body that makes a group as it should be, but for the changes."""
    body: dict[str, object] = {
        "chat_account_id": str(account.id),
        "subject": "Trip",
        "participants": ["+5511999990000"],
    }
    return body | changes


def code(response: httpx.Response) -> tuple[int, str]:
    """The status and code of a refusal."""
    return response.status_code, response.json()["code"]


@dataclass
class Customer:
    """An organization with a key that may do everything, and one account."""

    organization: Organization
    key: str
    account: Account

    @property
    def principal(self) -> Principal:
        return operator(self.organization.tenant)


@dataclass
class Node:
    """One process of the gateway, as far as the API goes."""

    database: Database
    notifications: Notifications
    services: Services
    app: ASGIApp
    client: httpx.AsyncClient

    async def with_key(self, key: str, method: str, path: str, **request: object) -> httpx.Response:
        headers = {"Authorization": f"Bearer {key}"}
        headers |= request.pop("headers", {})  # type: ignore[call-overload]  # always a dict here
        return await self.client.request(method, path, headers=headers, **request)  # type: ignore[arg-type]  # passed through


@dataclass
class Scene(Node):
    acme: Customer
    globex: Customer

    async def mint(
        self,
        customer: Customer,
        *,
        scopes: Sequence[str] | None = None,
        expires_at: datetime | None = None,
    ) -> str:
        minted = await self.services.keys.mint(
            customer.principal, "test", scopes=scopes, expires_at=expires_at
        )
        return minted.text

    async def as_acme(self, method: str, path: str, **request: object) -> httpx.Response:
        return await self.with_key(self.acme.key, method, path, **request)

    async def as_globex(self, method: str, path: str, **request: object) -> httpx.Response:
        return await self.with_key(self.globex.key, method, path, **request)

    async def count_rows(self) -> dict[str, int]:
        """How many rows the tables have that requests write to."""
        queries = {table: f"SELECT count(*) FROM {table}" for table in TABLES}  # noqa: S608 - our own names
        return {table: await self.database.pool.fetchval(sql) for table, sql in queries.items()}

    async def add_account(self) -> Account:
        """Another one of Acme's."""
        accounts = self.services.accounts
        return await accounts.create(self.acme.principal, "sandbox", "Second", "second", {})

    async def set_connected(self, account: Account) -> None:
        await self.database.pool.execute(
            "UPDATE accounts SET status = 'connected' "
            "WHERE shard = $1 AND organization_id = $2 AND id = $3",
            *account.tenant,
            account.id,
        )


@asynccontextmanager
async def open_scene(
    database_url: str, folder: Path, *, plan: Plan = PLAN, network_timeout: float = 0.2
) -> AsyncIterator[Scene]:
    async with open_node(database_url, folder, network_timeout) as node:
        database, services = node.database, node.services
        await database.transact(put_plan, plan, database.clock.now())
        acme = await _customer(database, services, "Acme", PLAN.name)
        globex = await _customer(database, services, "Globex", UNLIMITED)
        yield Scene(**vars(node), acme=acme, globex=globex)


@cache
def _settings(network_timeout: float) -> Settings:
    """To read the environment takes longer than to copy what was read."""
    server = ServerSettings(network_timeout=network_timeout, public_url="http://test")
    return Settings(server=server)


@asynccontextmanager
async def open_node(
    database_url: str, folder: Path, network_timeout: float = 0.2
) -> AsyncIterator[Node]:
    settings = (
        _settings(network_timeout)
        .model_copy(update={"data": DataSettings(dir=folder), "database": PATIENT})
        .with_database(database_url, [SecretStr(SECRET_KEY)])
    )
    async with open_gateway(settings) as services:
        app = create_api(services)
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            yield Node(services.database, services.notifications, services, app, client)
        await services.keys.usage.flush()


async def _customer(database: Database, services: Services, name: str, plan: str) -> Customer:
    organization = await place_organization(database, name, SHARDS[name], plan=plan)
    principal = operator(organization.tenant)
    key = await services.keys.mint(principal, "everything", scopes=["admin:write"])
    account = await services.accounts.create(
        principal, "sandbox", f"{name}'s phone", name.lower(), {}
    )
    return Customer(organization, key.text, account)


def id_of(text: object) -> UUID:
    return UUID(str(text))


@pytest.fixture
async def scene(
    request: pytest.FixtureRequest, database_url: str, tmp_path: Path
) -> AsyncIterator[Scene]:
    """Acme has the plan `PLAN` of the test's module, if it has one."""
    plan = getattr(request.module, "PLAN", PLAN)
    async with open_scene(database_url, tmp_path, plan=plan) as scene:
        yield scene
