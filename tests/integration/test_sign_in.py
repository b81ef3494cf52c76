"""Signing in with a real provider beside, the one that the gateway brings for its own machine."""

import contextlib
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from dashboard_scene import COOKIE, DashboardScene, open_scene
from pydantic import SecretStr

from heliograph.dashboard.cookies import Cookies
from heliograph.settings import SignInSettings

START = "/dashboard/sign-in/start"
STATE_COOKIE = f"{COOKIE}_sign_in"


@pytest.fixture(scope="module")
def issuer() -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        command = [sys.executable, "-m", "heliograph.local_sign_in"]
        process = subprocess.Popen(
            [*command, str(listener.fileno())],
            pass_fds=[listener.fileno()],
            stderr=subprocess.DEVNULL,
        )
        try:
            await_provider(url)
            yield url
        finally:
            process.kill()
            process.wait()


def await_provider(url: str) -> None:
    deadline = time.monotonic() + 20
    while True:
        with contextlib.suppress(httpx.HTTPError):
            httpx.get(f"{url}/.well-known/openid-configuration").raise_for_status()
            return
        assert time.monotonic() < deadline, "the provider does not start"
        time.sleep(0.05)


def provider_at(issuer: str) -> SignInSettings:
    return SignInSettings(issuer=issuer, client_secret=SecretStr("local"))


@pytest.fixture
async def scene(database_url: str, tmp_path: Path, issuer: str) -> AsyncIterator[DashboardScene]:
    async with open_scene(database_url, tmp_path, sign_in=provider_at(issuer)) as scene:
        yield scene


@dataclass
class Way:
    """One browser on its way through the provider."""

    browser: httpx.AsyncClient

    async def begin(self, wanted: str = "/dashboard") -> str:
        """Where the gateway sends the browser."""
        answer = await self.browser.get(START, params={"next": wanted})
        assert answer.status_code == 303, answer.text
        return str(answer.headers["location"])

    async def agree(self, url: str, name: str = "ada@example.com", **form: str) -> str:
        """Tell the provider who we are; where it sends the browser back to."""
        async with httpx.AsyncClient() as outside:
            assert (await outside.get(url)).status_code == 200
            answer = await outside.post(url, data=form or {"sub": name})
        back = urlsplit(answer.headers["location"])
        return f"{back.path}?{back.query}"

    async def sign_in(self, name: str = "ada@example.com") -> httpx.Response:
        return await self.browser.get(await self.agree(await self.begin(), name))


def query_of(url: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}


async def test_somebody_signs_in_and_is_known_again(scene: DashboardScene) -> None:
    for _ in range(2):
        way = Way(scene.browser())
        answer = await way.sign_in()
        assert (answer.status_code, answer.headers["location"]) == (303, "/dashboard")
        assert "ada@example.com" in (await way.browser.get("/dashboard")).text
    [user] = await scene.rows("SELECT issuer, subject, email FROM users")
    assert (user["subject"], user["email"]) == ("ada@example.com", "ada@example.com")
    assert user["issuer"] == scene.gateway.settings.sign_in.issuer
    assert len(await scene.rows("SELECT 1 FROM browser_sessions")) == 2


async def test_the_session_cookie_is_for_this_browser_and_site_alone(scene: DashboardScene) -> None:
    answer = await Way(scene.browser()).sign_in()
    [cookie] = [
        each for each in answer.headers.get_list("set-cookie") if each.startswith(f"{COOKIE}=")
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
    cookies = Cookies.find(public_url, session=1, sign_in=1)
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


async def test_the_flow_has_pkce_a_state_and_a_nonce_of_its_own(scene: DashboardScene) -> None:
    first, second = (
        query_of(await Way(scene.browser()).begin()),
        query_of(await Way(scene.browser()).begin()),
    )
    assert first["response_type"] == "code"
    assert first["code_challenge_method"] == "S256"
    assert "openid" in first["scope"].split()
    for name in ("state", "nonce", "code_challenge"):
        assert first[name] != second[name]


async def test_a_sign_in_of_another_browser_is_not_finished(scene: DashboardScene) -> None:
    """Else somebody could be signed in as somebody else without knowing it."""
    back = await Way(scene.browser()).agree(await Way(scene.browser()).begin(), "mallory")
    victim = Way(scene.browser())
    await victim.begin()
    for browser in (victim.browser, scene.browser()):
        answer = await browser.get(back)
        assert answer.status_code == 400
        assert COOKIE not in answer.cookies


async def test_a_code_is_good_for_one_sign_in(scene: DashboardScene) -> None:
    way = Way(scene.browser())
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
    scene: DashboardScene, value: str
) -> None:
    way = Way(scene.browser())
    back = await way.agree(await way.begin())
    stranger = scene.browser()
    headers = {"cookie": f"{STATE_COOKIE}={value}".encode()}
    assert (await stranger.get(back, headers=headers)).status_code == 400  # type: ignore[arg-type]


async def test_who_cancels_is_told_so(scene: DashboardScene) -> None:
    way = Way(scene.browser())
    back = await way.agree(await way.begin(), action="deny")
    answer = await way.browser.get(back)
    assert answer.status_code == 403
    assert "did not let you in" in answer.text
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
    scene: DashboardScene, wanted: str, reached: str
) -> None:
    way = Way(scene.browser())
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
        assert answer.status_code == 502
        assert "did not work at the provider" in answer.text


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
    scene: DashboardScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    way = Way(scene.browser())
    back = await way.agree(await way.begin())
    now = time.time()
    monkeypatch.setattr("heliograph.dashboard.sign_in.time.time", lambda: now + 601)
    assert (await way.browser.get(back)).status_code == 400
