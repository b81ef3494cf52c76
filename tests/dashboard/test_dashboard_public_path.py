"""The dashboard under a path of a proxy's, which takes it off."""

import html
import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import httpx
import pytest
from starlette.types import ASGIApp, Receive, Scope, Send

from api_description import api_description
from dashboard_scene import COOKIE, DashboardScene, Person, open_scene
from heliograph.core.members.model import MemberRole
from heliograph.core.tenants.model import operator
from heliograph.faces.api.app import create_operations
from heliograph.faces.api.calling import offer_calls
from heliograph.faces.dashboard.app import create_dashboard

PUBLIC_PATH = "/heliograph"
PUBLIC_URL = f"http://127.0.0.1:8000{PUBLIC_PATH}"
ADDRESS = re.compile(r'\s(href|src|action|hx-get|hx-post|sse-connect)="([^"]*)"')
FETCHED = {"href", "hx-get"}
WITHOUT_END = "/live"
BESIDE_THE_DASHBOARD = (f"{PUBLIC_PATH}/docs", f"{PUBLIC_PATH}/help/")
DESCRIPTION = api_description()


class TakesThePathOff:
    """A proxy that has the gateway under a path, and nothing else."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        inside = scope["path"].removeprefix(PUBLIC_PATH)
        assert inside != scope["path"], f"{scope['path']} is not the gateway's"
        await self._app({**scope, "path": inside, "raw_path": inside.encode()}, receive, send)


@pytest.fixture
async def scene(database_url: str, tmp_path: Path) -> AsyncIterator[DashboardScene]:
    async with open_scene(database_url, tmp_path, public_url=PUBLIC_URL) as opened:
        yield opened


def browse(scene: DashboardScene, person: Person | None = None) -> httpx.AsyncClient:
    calls = offer_calls(create_operations(scene.gateway), DESCRIPTION, network_timeout=30)
    proxy = TakesThePathOff(create_dashboard(scene.gateway, calls))
    browser = httpx.AsyncClient(transport=httpx.ASGITransport(proxy), follow_redirects=True)
    scene.browsers.append(browser)
    if person is not None:
        browser.cookies.set(COOKIE, person.token)
    return browser


def addresses(page: httpx.Response) -> Iterator[tuple[str, str]]:
    for kind, address in ADDRESS.findall(page.text):
        yield kind, urljoin(str(page.url), html.unescape(address))


async def walk(browser: httpx.AsyncClient, start: str) -> dict[str, httpx.Response]:
    """Every page that leads on from there, by its address without a query."""
    found: dict[str, httpx.Response] = {}
    ahead = [start]
    while ahead:
        url = ahead.pop()
        path = urlsplit(url).path
        if path in found or path.endswith(WITHOUT_END) or path.startswith(BESIDE_THE_DASHBOARD):
            continue
        found[path] = await browser.get(url)
        ahead += [address for kind, address in addresses(found[path]) if kind in FETCHED]
    return found


async def test_every_page_leads_to_pages_under_the_path(scene: DashboardScene) -> None:
    acme = await scene.organization("Acme")
    owner = await scene.member("ada", acme, MemberRole.OWNER)
    await scene.gateway.webhooks.create(operator(acme.tenant), "https://example.com/hook")
    async with scene.at_work():
        await scene.connected(await scene.device(acme))
        pages = await walk(browse(scene, owner), f"{PUBLIC_URL}/dashboard")
    assert {page.status_code for page in pages.values()} == {200}
    assert {"inbox", "devices", "members", "keys", "webhooks", "deliveries"} <= {
        path.rpartition("/")[2] for path in pages
    }
    for page in pages.values():
        for _, address in addresses(page):
            assert address.startswith(f"{PUBLIC_URL}/"), page.url


async def test_a_form_leads_back_under_the_path(scene: DashboardScene) -> None:
    acme = await scene.organization("Acme")
    owner = await scene.member("ada", acme, MemberRole.OWNER)
    owner.browser = browse(scene, owner)
    page = await owner.post(
        f"{PUBLIC_URL}/dashboard/{acme.id}/inbox/labels/create", name="VIP", color="#ff0000"
    )
    assert page.status_code == 200
    assert page.history[0].headers["location"].startswith(f"{PUBLIC_PATH}/dashboard/{acme.id}/")


async def test_a_stranger_is_led_to_the_sign_in_and_back(scene: DashboardScene) -> None:
    acme = await scene.organization("Acme")
    wanted = f"/dashboard/{acme.id}/inbox"
    page = await browse(scene).get(PUBLIC_URL + wanted)
    assert page.url.path == f"{PUBLIC_PATH}/dashboard/sign-in"
    assert page.url.params["next"] == wanted
    starts = [address for kind, address in addresses(page) if "/sign-in/start" in address]
    assert starts
    assert all(urlsplit(start).path.startswith(PUBLIC_PATH) for start in starts)
    owner = await scene.member("ada", acme, MemberRole.OWNER)
    signed_in = await browse(scene, owner).get(str(page.url))
    assert str(signed_in.url) == PUBLIC_URL + wanted


async def test_an_invitation_is_accepted_under_the_path(scene: DashboardScene) -> None:
    acme = await scene.organization("Acme")
    bob = await scene.person("bob")
    bob.browser = browse(scene, bob)
    members = scene.gateway.members
    invited = await members.invite(operator(acme.tenant), "bob@example.com", MemberRole.AGENT)
    page = await bob.get(members.link(invited))
    [form] = [
        address for kind, address in addresses(page) if kind == "action" and "invit" in address
    ]
    accepted = await bob.post(form)
    assert accepted.url.path == f"{PUBLIC_PATH}/dashboard/{acme.id}/inbox"
