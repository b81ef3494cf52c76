"""Signing in with a real provider beside, the one that the gateway brings for its own machine."""

import re
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import httpx
import msgspec
import pytest

from dashboard_scene import COOKIE, PUBLIC_URL, DashboardScene, open_scene
from heliograph import __version__
from heliograph.core.demo import FILE, Demo
from heliograph.core.tenants.model import operator
from heliograph.faces.dashboard.sessions.cookies import Cookies
from heliograph.settings import SignInSettings
from local_provider import LocalProvider, path_of, query_of, running_local_provider

START = "/dashboard/sign-in/start"
CALLBACK = "/dashboard/callback"
STATE_COOKIE = f"{COOKIE}_sign_in"


@pytest.fixture(scope="module")
def provider(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalProvider]:
    with running_local_provider(tmp_path_factory.mktemp("provider")) as provider:
        yield provider


@pytest.fixture(scope="module")
def issuer(provider: LocalProvider) -> str:
    return provider.url


def provider_at(issuer: str) -> SignInSettings:
    return SignInSettings(issuer=issuer)


@pytest.fixture
async def scene(database_url: str, tmp_path: Path, issuer: str) -> AsyncIterator[DashboardScene]:
    async with open_scene(database_url, tmp_path, sign_in=provider_at(issuer)) as scene:
        yield scene


@pytest.fixture
def way(scene: DashboardScene, provider: LocalProvider) -> "Way":
    return Way(scene.browser(), provider)


@dataclass
class Way:
    """One browser on its way through the provider."""

    browser: httpx.AsyncClient
    provider: LocalProvider

    async def begin(self, wanted: str = "/dashboard", **more: str) -> str:
        """Where the gateway sends the browser."""
        answer = await self.browser.get(START, params={"next": wanted, **more})
        assert answer.status_code == 303, answer.text
        return str(answer.headers["location"])

    async def agree(self, url: str, name: str = "ada@example.com") -> str:
        """Tell the provider who we are; where it sends the browser back to."""
        answer = await self.provider.sign_in(url, name)
        assert answer.status_code == 303, answer.text
        return path_of(answer.headers["location"])

    async def sign_in(self, name: str = "ada@example.com") -> httpx.Response:
        return await self.browser.get(await self.agree(await self.begin(), name))

    def other(self, browser: httpx.AsyncClient) -> "Way":
        return Way(browser, self.provider)


async def test_a_session_that_has_ended_is_said_to_be_over(
    scene: DashboardScene, way: "Way"
) -> None:
    page = f"/dashboard/{uuid4()}/inbox"
    first = await way.browser.get(page, follow_redirects=True)
    assert "session has ended" not in first.text
    await way.sign_in()
    await scene.rows("UPDATE browser_sessions SET seen_at = now() - interval '13 hours'")
    later = await way.browser.get(page, follow_redirects=True)
    assert "Your session has ended. Sign in again to continue where you were" in later.text


async def test_somebody_signs_in_and_is_known_again(
    scene: DashboardScene, provider: LocalProvider
) -> None:
    for _ in range(2):
        way = Way(scene.browser(), provider)
        answer = await way.sign_in()
        assert (answer.status_code, answer.headers["location"]) == (303, "/dashboard")
        assert "ada@example.com" in (await way.browser.get("/dashboard")).text
    [user] = await scene.rows("SELECT issuer, subject, email FROM users")
    assert (user["subject"], user["email"]) == ("ada@example.com", "ada@example.com")
    assert user["issuer"] == scene.gateway.settings.sign_in.issuer
    assert len(await scene.rows("SELECT 1 FROM browser_sessions")) == 2


async def test_the_session_cookie_is_for_this_browser_and_site_alone(way: Way) -> None:
    answer = await way.sign_in()
    [cookie] = [
        header
        for header in answer.headers.get_list("set-cookie")
        if header.startswith(f"{COOKIE}=")
    ]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "Path=/" in cookie
    assert "Secure" not in cookie


@pytest.mark.parametrize(
    ("public_url", "name", "is_secure"),
    [
        ("https://gateway.example.com", "__Host-heliograph", True),
        ("http://127.0.0.1:8000", "heliograph_loopback", False),
        ("http://localhost:8000", "heliograph_loopback", False),
    ],
)
def test_cookies_go_by_the_gateways_address(public_url: str, name: str, is_secure: bool) -> None:
    cookies = Cookies.find(public_url)
    assert cookies is not None
    assert (cookies.session.name, cookies.session.is_secure) == (name, is_secure)


@pytest.mark.parametrize("public_url", ["http://gateway.example.com", "http://192.168.0.9:8000"])
async def test_nobody_signs_in_where_the_session_could_be_overheard(
    database_url: str, tmp_path: Path, issuer: str, public_url: str
) -> None:
    async with open_scene(
        database_url, tmp_path, public_url=public_url, sign_in=provider_at(issuer)
    ) as scene:
        for path in ("/dashboard/sign-in", START, "/dashboard/callback?code=x&state=y"):
            answer = await scene.browser().get(path)
            assert "HELIOGRAPH_PUBLIC_URL" in answer.text
            assert "set-cookie" not in answer.headers


async def test_the_page_of_the_demos_provider_looks_like_the_dashboard(way: Way) -> None:
    """With its style sheets, and none of its own."""
    async with httpx.AsyncClient(timeout=60) as outside:
        page = await outside.get(await way.begin())
        addresses = re.findall(r'(?:src|href)="(/static/[^"]+)"', page.text)
        assert len(addresses) >= 4
        for address in addresses:
            file = await outside.get(f"{way.provider.url}{address}")
            shown = await way.browser.get(f"/dashboard/static/{__version__}/{address[8:]}")
            assert file.status_code == 200, address
            assert file.content == shown.content, address
    assert "unsafe-inline" not in page.headers["content-security-policy"]


async def test_the_flow_has_pkce_a_state_and_a_nonce_of_its_own(way: Way) -> None:
    first, second = query_of(await way.begin()), query_of(await way.begin())
    assert first["response_type"] == "code"
    assert first["code_challenge_method"] == "S256"
    assert "openid" in first["scope"].split()
    for name in ("state", "nonce", "code_challenge"):
        assert first[name] != second[name]


async def test_a_sign_in_of_another_browser_is_not_finished(
    way: Way, scene: DashboardScene
) -> None:
    """Else somebody could be signed in as somebody else without knowing it."""
    back = await way.agree(await way.begin(), "mallory@example.com")
    victim = way.other(scene.browser())
    await victim.begin()
    for browser in (victim.browser, scene.browser()):
        answer = await browser.get(back)
        assert answer.status_code == 400
        assert COOKIE not in answer.cookies


async def test_a_code_is_good_for_one_sign_in(way: Way, scene: DashboardScene) -> None:
    back = await way.agree(await way.begin())
    state = way.browser.cookies[STATE_COOKIE]
    assert (await way.browser.get(back)).status_code == 303
    again = scene.browser()
    again.cookies.set(STATE_COOKIE, state)
    answer = await again.get(back)
    assert answer.status_code == 502
    assert "Try again" in answer.text


@pytest.mark.parametrize("value", ["", "00", "nonsense", "é"])
async def test_a_cookie_that_we_did_not_write_means_nothing(
    way: Way, scene: DashboardScene, value: str
) -> None:
    back = await way.agree(await way.begin())
    stranger = scene.browser()
    headers = {"cookie": f"{STATE_COOKIE}={value}".encode()}
    assert (await stranger.get(back, headers=headers)).status_code == 400  # type: ignore[arg-type]


async def test_who_cancels_is_told_so(way: Way, scene: DashboardScene) -> None:
    state = query_of(await way.begin("/dashboard/wanted"))["state"]
    answer = await way.browser.get(CALLBACK, params={"error": "access_denied", "state": state})
    assert answer.status_code == 403
    assert "You are not signed in" in answer.text
    assert "next=%2Fdashboard%2Fwanted" in answer.text
    assert await scene.rows("SELECT 1 FROM browser_sessions") == []


@pytest.mark.parametrize(
    ("wanted", "reached"),
    [
        ("/dashboard/x?y=1", "/dashboard/x?y=1"),
        ("https://evil.example.com", "/dashboard"),
        ("//evil.example.com", "/dashboard"),
        ("/dashboard\\@evil.example.com", "/dashboard"),
        ("/dashboardevil", "/dashboard"),
        ("/api/v1/devices", "/dashboard"),
    ],
)
async def test_people_come_to_where_they_wanted_within_the_dashboard(
    way: Way, wanted: str, reached: str
) -> None:
    back = await way.agree(await way.begin(wanted))
    assert (await way.browser.get(back)).headers["location"] == reached


async def test_another_name_of_the_same_host_goes_to_the_one_that_cookies_know(
    scene: DashboardScene,
) -> None:
    browser = scene.browser()
    answer = await browser.get(START, headers={"host": "localhost:8000"})
    assert answer.headers["location"].startswith("http://127.0.0.1:8000/dashboard/sign-in/start")


async def test_what_a_proxy_calls_us_makes_no_difference(
    database_url: str, tmp_path: Path, issuer: str
) -> None:
    async with open_scene(
        database_url,
        tmp_path,
        public_url="https://gateway.example.com",
        sign_in=provider_at(issuer),
    ) as scene:
        answer = await scene.browser().get(START, headers={"host": "upstream:8000"})
        assert answer.headers["location"].startswith(issuer)
        assert "__Host-heliograph_sign_in=" in answer.headers["set-cookie"]
        assert "Secure" in answer.headers["set-cookie"]


async def test_a_provider_that_is_gone_is_said(database_url: str, tmp_path: Path) -> None:
    gone = SignInSettings(issuer="http://127.0.0.1:1")
    async with open_scene(database_url, tmp_path, sign_in=gone) as scene:
        answer = await scene.browser().get(START)
        assert answer.status_code == 503
        assert "does not answer at the moment" in answer.text


async def test_a_provider_that_calls_itself_otherwise_is_not_believed(
    database_url: str, tmp_path: Path, issuer: str
) -> None:
    other = provider_at(issuer.replace("127.0.0.1", "localhost") + "/")
    async with open_scene(database_url, tmp_path, sign_in=other) as scene:
        answer = await scene.browser().get(START)
        assert answer.status_code == 502
        assert "not the one that is set up" in answer.text


async def test_without_a_provider_the_page_says_what_to_set(
    database_url: str, tmp_path: Path
) -> None:
    async with open_scene(database_url, tmp_path, sign_in=SignInSettings()) as scene:
        for path in ("/dashboard/sign-in", START, "/dashboard/callback"):
            assert "HELIOGRAPH_OIDC_ISSUER" in (await scene.browser().get(path)).text


async def test_a_sign_in_takes_ten_minutes_at_most(
    way: Way, monkeypatch: pytest.MonkeyPatch
) -> None:
    back = await way.agree(await way.begin())
    now = time.time()
    monkeypatch.setattr("heliograph.faces.dashboard.sessions.attempts.time.time", lambda: now + 601)
    assert (await way.browser.get(back)).status_code == 400


async def test_two_tabs_sign_in_at_once(way: Way) -> None:
    one, other = await way.begin("/dashboard/one"), await way.begin("/dashboard/other")
    for url, wanted in ((other, "/dashboard/other"), (one, "/dashboard/one")):
        answer = await way.browser.get(await way.agree(url))
        assert (answer.status_code, answer.headers["location"]) == (303, wanted)


async def test_a_callback_that_is_loaded_again_goes_on(way: Way, scene: DashboardScene) -> None:
    back = await way.agree(await way.begin("/dashboard/wanted"))
    for _ in range(3):
        answer = await way.browser.get(back)
        assert (answer.status_code, answer.headers["location"]) == (303, "/dashboard/wanted")
    assert len(await scene.rows("SELECT 1 FROM browser_sessions")) == 1


async def test_a_browser_does_not_collect_cookies(way: Way) -> None:
    for _ in range(20):
        await way.begin()
        await way.sign_in()
        way.browser.cookies.delete(COOKIE)
    [cookie] = [found for found in way.browser.cookies.jar if found.name == STATE_COOKIE]
    assert len(str(cookie.value)) < 200


async def test_who_is_signed_in_already_goes_on_but_may_become_somebody_else(way: Way) -> None:
    await way.sign_in("ada@example.com")
    assert await way.begin("/dashboard/wanted") == "/dashboard/wanted"
    url = await way.begin("/dashboard/wanted", account="other")
    assert query_of(url)["prompt"] == "login"
    await way.browser.get(await way.agree(url, "bob@example.com"))
    assert "bob@example.com" in (await way.browser.get("/dashboard")).text


@pytest.mark.parametrize("said", ["https://evil.example.com", None])
async def test_an_answer_of_another_issuer_is_not_taken(way: Way, said: str | None) -> None:
    """RFC 9207; the provider says that it always tells."""
    back = await way.agree(await way.begin())
    query = {name: value for name, value in query_of(back).items() if name != "iss"}
    answer = await way.browser.get(CALLBACK, params=query | ({"iss": said} if said else {}))
    assert answer.status_code == 502
    assert "not the one that is set up" in answer.text
    assert (await way.browser.get(back)).status_code == 303


async def test_an_issuer_on_this_machine_is_no_demo(way: Way, issuer: str) -> None:
    """An operator's Keycloak beside the gateway is a provider like any other."""
    page = await way.browser.get("/dashboard/sign-in")
    assert f"Sign in with {issuer.removeprefix('http://')}" in page.text
    assert "on this machine" not in page.text


async def test_the_demo_is_owned_by_who_has_its_code_and_by_no_stranger(
    database_url: str, tmp_path: Path, provider: LocalProvider
) -> None:
    async with open_scene(database_url, tmp_path) as scene:
        organization = await scene.organization("Demo")
    demo = Demo(PUBLIC_URL, "hg_x", str(organization.id), "x", "demo", "+1", "sandbox")
    (tmp_path / FILE).write_bytes(msgspec.json.encode(demo))
    async with open_scene(database_url, tmp_path, sign_in=provider_at(provider.url)) as scene:
        assert (await Way(scene.browser(), provider).sign_in("mallory@example.com")).is_redirect
        assert await scene.rows("SELECT 1 FROM members") == []
    async with open_scene(database_url, tmp_path, local_sign_in=provider.url) as scene:
        assert (await Way(scene.browser(), provider).sign_in("ada@example.com")).is_redirect
        assert len(await scene.rows("SELECT 1 FROM members WHERE role = 'owner'")) == 1
        assert (await Way(scene.browser(), provider).sign_in("ada@example.com")).is_redirect
        entries = await scene.gateway.audit.list(operator(organization.tenant))
        assert [entry.action for entry in entries] == [
            *("signed_in", "member_added", "signed_in", "organization_created")
        ]
        assert entries[0].actor == entries[2].actor
        assert entries[0].details == entries[2].details


async def test_odd_requests_are_refused_and_not_failed(way: Way) -> None:
    await way.begin()
    for query in (
        "state=%00&code=%00",
        "state=%F0%9F%92%A9&code=x",
        "state=&code=",
        "error=%00&error_description=%0D%0Aset-cookie:x",
        "error=" + "x" * 3000,
        "code=1&code=2&state=3&state=4",
        "iss=x",
    ):
        answer = await way.browser.get(f"{CALLBACK}?{query}")
        assert answer.status_code in (400, 403), query
    for query in ("next=" + "/dashboard/" * 300, "login_hint=" + "x" * 3000, "next=%00"):
        answer = await way.browser.get(f"{START}?{query}")
        assert answer.status_code == 303
        assert len(answer.headers["location"]) < 2000
