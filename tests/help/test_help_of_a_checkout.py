"""`/help` of a checkout where the site was not built: the same pages, at the same addresses."""

import re
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urljoin

import httpx
import pytest

from each_case import for_each
from heliograph.faces.dashboard.pages.navigation import NAVIGATION
from heliograph.faces.help.app import create_help

START = "/gateway/help/"


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    app = create_help("/gateway", tmp_path / "site-that-was-not-built")
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(
        transport=transport, base_url="http://somewhere.example"
    ) as opened:
        yield opened


async def read(client: httpx.AsyncClient, address: str) -> httpx.Response:
    """What is at an address as a browser sees it, behind a proxy that takes the path away."""
    return await client.get(address.removeprefix("/gateway"))


async def test_every_link_on_every_page_leads_to_a_page_and_a_heading(
    client: httpx.AsyncClient,
) -> None:
    found: dict[str, str] = {}
    links: list[tuple[str, str]] = []
    waiting, seen = [START], {START}
    while waiting:
        address = waiting.pop()
        answer = await read(client, address)
        assert answer.status_code == 200, address
        if "text/html" not in answer.headers["content-type"]:
            continue
        found[address] = answer.text
        for target in re.findall(r'(?:href|src|srcset)="([^"]+)"', answer.text):
            link = urljoin(address, target)
            if link.startswith("/"):
                links.append((address, link))
                path = link.partition("#")[0]
                if path not in seen:
                    seen.add(path)
                    waiting.append(path)
    assert len(found) > 100
    for address, link in links:
        path, _, anchor = link.partition("#")
        if anchor:
            assert f'id="{anchor}"' in found[path], (address, link)


async def test_the_dashboards_links_lead_there(client: httpx.AsyncClient) -> None:
    for groups in NAVIGATION.values():
        for place in (place for group in groups for place in group.places):
            path, _, anchor = place.help.partition("#")
            answer = await read(client, START + path)
            assert answer.status_code == 200, place
            assert not anchor or f'id="{anchor}"' in answer.text, place


async def test_a_page_looks_like_one(client: httpx.AsyncClient) -> None:
    page = (await read(client, f"{START}webhooks/")).text
    assert "<title>Webhooks · Heliograph</title>" in page
    assert "<table>" in page
    assert 'aria-current="page">Webhooks</a>' in page
    assert "<script" not in page


@for_each(
    "path",
    ["nothing/", "../../pyproject.toml", "pictures/../../pyproject.toml", "pictures/", "api.md"],
)
async def test_nothing_else_of_the_checkout_is_shown(client: httpx.AsyncClient, path: str) -> None:
    app_path = f"/help/{path}".replace("..", "%2e%2e")
    answer = await client.get(app_path)
    assert answer.status_code == 404
    assert answer.headers["content-security-policy"]


async def test_an_address_without_its_slash_leads_on(client: httpx.AsyncClient) -> None:
    answer = await client.get("/help/webhooks")
    assert answer.status_code == 307
    assert answer.headers["location"] == f"{START}webhooks/"
