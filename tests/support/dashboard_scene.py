"""The dashboard over a real database, in this process, and people with browsers before it."""

import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID

import httpx
import pytest
from pydantic import SecretStr
from starlette.types import ASGIApp

from databases import PATIENT
from heliograph import __version__
from heliograph.app.bootstrap import build_loops, open_gateway
from heliograph.core.accounts.model import Account
from heliograph.core.members.model import MemberRole, User
from heliograph.core.messages.accepting.recipients import SendTo
from heliograph.core.messages.accepting.service import SendMessage
from heliograph.core.services import Services
from heliograph.core.tenants.model import Organization, Principal, operator
from heliograph.faces.api_calls import ApiCalls, Call, CallAnswer
from heliograph.faces.dashboard.app import create_dashboard
from heliograph.faces.dashboard.sessions.cookies import FIELD, csrf_token
from heliograph.networks.content import Content
from heliograph.networks.port import AccountStatus
from heliograph.platform.crypto import generate_secret_key
from heliograph.platform.oidc.claims import Identity
from heliograph.settings import (
    DataSettings,
    RateLimitSettings,
    ServerSettings,
    Settings,
    SignInSettings,
)
from waiting import seen_until

PUBLIC_URL = "http://127.0.0.1:8000"
COOKIE = "heliograph_loopback"
SECRET_KEY = generate_secret_key()
ISSUER = "https://login.example.com"
ADA = "+15550100001"
PATIENCE = 60.0
T = TypeVar("T")


async def _call_nothing(_principal: Principal, _call: Call) -> CallAnswer:
    raise AssertionError


NO_CALLS = ApiCalls((), _call_nothing)
"""For pages that call no operation of the API: to describe all of them takes a while."""


_DIRECTION = re.compile(rb' dir="(?:auto|ltr)"|</?bdi[^>]*>')


class _Reader(httpx.ASGITransport):
    """Shows pages as they are read: which way a text runs is a test of its own."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        response = await super().handle_async_request(request)
        is_page = response.headers.get("content-type", "").startswith("text/html")
        if not is_page or "content-length" not in response.headers:
            return response
        page = _DIRECTION.sub(b"", await response.aread())
        headers = [pair for pair in response.headers.raw if pair[0].lower() != b"content-length"]
        return httpx.Response(response.status_code, headers=headers, content=page)


@dataclass
class Person:
    """Somebody with a browser, who has signed in."""

    user: User
    token: str
    browser: httpx.AsyncClient

    async def get(self, path: str) -> httpx.Response:
        return await self.browser.get(path)

    async def post(self, path: str, **form: str) -> httpx.Response:
        """A form of ours."""
        return await self.browser.post(path, data={FIELD: csrf_token(self.token), **form})

    async def upload(self, path: str, file: tuple[str, bytes, str], **form: str) -> httpx.Response:
        """A form of ours with a file: its name, its bytes, and what the browser takes it for."""
        data = {FIELD: csrf_token(self.token), **form}
        return await self.browser.post(path, data=data, files={"file": file})


@dataclass
class DashboardScene:
    gateway: Services
    browsers: list[httpx.AsyncClient] = field(default_factory=list)
    calls: ApiCalls = NO_CALLS

    @cached_property
    def app(self) -> ASGIApp:
        return create_dashboard(self.gateway, self.calls)

    def browser(self) -> httpx.AsyncClient:
        base_url = self.gateway.settings.public_url
        made = httpx.AsyncClient(transport=_Reader(self.app), base_url=base_url)
        self.browsers.append(made)
        return made

    async def person(self, name: str) -> Person:
        """Somebody of whom the provider says that this is their name and address."""
        identity = Identity(ISSUER, name, f"{name}@example.com", name.title())
        user, token = await self.gateway.browser_sessions.begin(identity)
        browser = self.browser()
        browser.cookies.set(COOKIE, token)
        return Person(user, token, browser)

    async def organization(self, name: str) -> Organization:
        return await self.gateway.organizations.create(name)

    async def join(self, person: Person, organization: Organization, role: MemberRole) -> None:
        members = self.gateway.members
        assert person.user.email is not None
        invited = await members.invite(operator(organization.tenant), person.user.email, role)
        await members.accept(person.user, invited)

    async def member(self, name: str, organization: Organization, role: MemberRole) -> Person:
        person = await self.person(name)
        await self.join(person, organization, role)
        return person

    async def acme(self, role: MemberRole) -> tuple[Organization, Person]:
        """The organization Acme, and Ada, who is this in it."""
        acme = await self.organization("Acme")
        return acme, await self.member("ada", acme, role)

    async def actions(self, organization: Organization) -> list[str]:
        """What the audit log has, newest first."""
        entries = await self.gateway.audit.list(operator(organization.tenant))
        return [str(entry.action) for entry in entries]

    async def rows(self, statement: str, *values: object) -> list[dict[str, Any]]:
        rows = await self.gateway.database.pool.fetch(statement, *values)
        return [dict(row) for row in rows]

    @asynccontextmanager
    async def at_work(self) -> AsyncIterator[None]:
        """With the loops of a node: accounts pair, messages are sent."""
        loops = build_loops(self.gateway, name="test", version=__version__, admin_port=0)
        await loops.start()
        try:
            yield
        finally:
            await loops.stop()

    async def device(
        self, organization: Organization, name: str = "Front desk", **settings: str
    ) -> Account:
        """An account on the sandbox that is connected once the loops are at work."""
        session_name = name.lower().replace(" ", "-")
        return await self.gateway.accounts.create(
            operator(organization.tenant),
            "sandbox",
            name,
            session_name,
            {"pair_automatically": "true", **settings},
        )

    async def account(self, account: Account) -> Account:
        """The account as it is now."""
        return await self.gateway.accounts.get(operator(account.tenant), account.id)

    async def connected(self, account: Account) -> Account:
        return await self.until_status(account, AccountStatus.CONNECTED)

    async def until_status(self, account: Account, status: AccountStatus) -> Account:
        return await self.until(
            lambda: self.account(account), lambda account: account.status is status
        )

    async def until(self, look: Callable[[], Awaitable[T]], is_it: Callable[[T], object]) -> T:
        """What is seen once it is as it should be."""
        return await seen_until(look, is_it, PATIENCE)

    async def send(self, account: Account, content: Content, to: str = ADA) -> None:
        request = SendMessage(SendTo(to), content, "run_x", account.id)
        await self.gateway.messages.send(operator(account.tenant), request, None)


def path_of(organization: Organization | UUID, rest: str = "") -> str:
    organization_id = organization if isinstance(organization, UUID) else organization.id
    return f"/dashboard/{organization_id}/{rest}".removesuffix("/")


@asynccontextmanager
async def open_scene(
    database_url: str,
    data_dir: Path,
    *,
    public_url: str = PUBLIC_URL,
    sign_in: SignInSettings | None = None,
    local_sign_in: str | None = None,
    rate_limit: RateLimitSettings | None = None,
) -> AsyncIterator[DashboardScene]:
    settings = Settings(
        server=ServerSettings(public_url=public_url),
        data=DataSettings(dir=data_dir),
        database=PATIENT,
        sign_in=sign_in or SignInSettings(issuer=ISSUER),
        rate_limit=rate_limit or RateLimitSettings(),
    ).with_database(database_url, [SecretStr(SECRET_KEY)])
    if local_sign_in is not None:
        settings = settings.with_local_sign_in(local_sign_in)
    async with open_gateway(settings) as gateway:
        scene = DashboardScene(gateway)
        try:
            yield scene
        finally:
            for browser in scene.browsers:
                await browser.aclose()


@pytest.fixture
async def scene(database_url: str, tmp_path: Path) -> AsyncIterator[DashboardScene]:
    async with open_scene(database_url, tmp_path) as scene:
        yield scene
