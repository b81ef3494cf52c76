"""`/help`: what the gateway answers where the documentation is, and where it was not built."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from each_case import for_each
from heliograph.faces.help.app import create_help
from heliograph.settings import RateLimitSettings, Settings
from live_gateway import StartGateway

pytest_plugins = ("built_site", "live_fixtures")


def browser(public_path: str, site: Path) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(create_help(public_path, site, checkout=site / "none"))
    return httpx.AsyncClient(transport=transport, base_url="http://somewhere.example")


@pytest.fixture
async def client(site: Path) -> AsyncIterator[httpx.AsyncClient]:
    async with browser("", site) as opened:
        yield opened


@pytest.mark.parametrize(
    ("path", "status"),
    [("/help/", 200), ("/help/search.json", 200), ("/help/nothing", 404), ("/help", 307)],
)
async def test_every_answer_forbids_what_is_not_ours(
    client: httpx.AsyncClient, path: str, status: int
) -> None:
    answer = await client.get(path)
    assert answer.status_code == status
    policy = dict(
        part.partition(" ")[::2] for part in answer.headers["content-security-policy"].split("; ")
    )
    assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert policy["script-src"] == "'self'"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["x-frame-options"] == "DENY"


async def test_a_page_is_asked_for_again_and_what_it_loads_is_kept(
    client: httpx.AsyncClient,
) -> None:
    page = await client.get("/help/api/")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert page.headers["cache-control"] == "no-cache"
    style = await client.get("/help/look/heliograph.css")
    assert style.headers["cache-control"] == "max-age=3600"


async def test_what_has_not_changed_is_not_sent_again(client: httpx.AsyncClient) -> None:
    first = await client.get("/help/api/")
    tag = first.headers["etag"]
    again = await client.get("/help/api/", headers={"If-None-Match": tag})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    assert again.headers["content-security-policy"]
    other = await client.get("/help/api/", headers={"If-None-Match": '"other"'})
    assert (other.status_code, other.content) == (200, first.content)


async def test_head_tells_what_get_would(client: httpx.AsyncClient) -> None:
    page, head = await client.get("/help/api/"), await client.head("/help/api/")
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == page.headers["content-length"]


@for_each("path", ["/help", "/help/", "/help/api/"])
@for_each("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
async def test_nothing_can_be_done_but_reading(
    client: httpx.AsyncClient, method: str, path: str
) -> None:
    answer = await client.request(method, path)
    assert answer.status_code == 405
    assert set(answer.headers["allow"].split(", ")) == {"GET", "HEAD"}


@for_each(
    "path",
    [
        "/help/../app.py",
        "/help/%2e%2e/app.py",
        "/help/%2e%2e%2fapp.py",
        "/help/api/../../app.py",
        "/help/..%5capp.py",
        "/help//etc/passwd",
        "/help/%2fetc/passwd",
        "/help/%00",
        "/help/api%00/",
        "/help/" + "a" * 5000,
        "/help/assets",
        "/help/nothing/",
    ],
)
async def test_nothing_is_found_outside_the_site(client: httpx.AsyncClient, path: str) -> None:
    answer = await client.get(path)
    assert answer.status_code == 404
    assert "There is no such page" in answer.text
    assert "root:" not in answer.text


@pytest.mark.parametrize("public_path", ["", "/gateway"])
async def test_redirects_stay_below_the_path_of_a_proxy(site: Path, public_path: str) -> None:
    async with browser(public_path, site) as client:
        start, page = await client.get("/help"), await client.get("/help/api")
        hostile = await client.get("/help//evil.example/%0d%0a/..//api")
    assert (start.status_code, start.headers["location"]) == (307, f"{public_path}/help/")
    assert (page.status_code, page.headers["location"]) == (307, f"{public_path}/help/api/")
    assert hostile.headers.get("location", f"{public_path}/help/").startswith(
        f"{public_path}/help/"
    )


async def test_the_page_for_what_is_not_found_is_whole_below_the_path_of_a_proxy(
    site: Path,
) -> None:
    async with browser("/gateway", site) as client:
        page = await client.get("/help/networks/nothing")
    assert page.status_code == 404
    assert page.text.count("/gateway/help/") >= 10
    assert page.text.count("/help/") == page.text.count("/gateway/help/")


@pytest.mark.parametrize("path", ["/help", "/help/", "/help/api/"])
async def test_where_it_was_not_built_a_page_says_how(tmp_path: Path, path: str) -> None:
    async with browser("/gateway", tmp_path / "site") as client:
        answer = await client.get(path)
    assert answer.status_code == 404
    assert "make docs" in answer.text
    assert 'href="/gateway/dashboard"' in answer.text
    assert answer.headers["content-security-policy"]


def test_the_gateway_serves_it_without_a_key_and_counts_by_address(
    start_gateway: StartGateway,
) -> None:
    """This machine may ask ten times as often as others."""
    gateway = start_gateway(Settings(rate_limit=RateLimitSettings(address=1)))
    with httpx.Client(base_url=gateway.base_url) as client:
        answers = [client.get("/help/api/") for _ in range(11)]
    assert answers[0].headers["x-request-id"]
    assert answers[0].headers["content-security-policy"]
    assert 429 not in [answer.status_code for answer in answers[:10]]
    assert (answers[10].status_code, answers[10].json()["code"]) == (429, "rate_limited")
