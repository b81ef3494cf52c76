"""Signing in with a provider that nobody here wrote: npm's `oidc-provider`, as people use it."""

import contextlib
import json
import re
import subprocess
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path

import httpx
import pytest
from pydantic import SecretStr

from dashboard_scene import COOKIE, PUBLIC_URL, DashboardScene, open_scene
from free_ports import free_port
from heliograph.faces.dashboard.sessions.cookies import FIELD, csrf_token
from heliograph.platform.oidc.suitability import find_shortcomings
from heliograph.settings import SignInSettings
from local_provider import path_of, query_of
from node_packages import need_packages

SIGN_IN, CALLBACK = "/dashboard/sign-in", "/dashboard/callback"
START = f"{SIGN_IN}/start"
CLIENT_ID = "heliograph"
SECRET = "a:b c+d%/?#&=" + "x" * 32
PEOPLE: dict[str, dict[str, object]] = {
    "ada": {"email": "ada@example.com", "email_verified": True, "name": "Ada Abara"},
    "ted": {"email": "ted@example.com", "email_verified": "true", "name": "Ted"},
    "eve": {"email": "eve@example.com", "email_verified": False, "name": "Eve"},
    "tom": {"email": "tom@example.com", "name": "Tom"},
}


@contextlib.contextmanager
def running_provider(
    port: int = 0, algorithm: str = "RS256", *, signs_out: bool = True, strict: bool = False
) -> Iterator[str]:
    """Its issuer, while it runs."""
    folder = need_packages("oidc-provider")
    client = {
        "client_id": CLIENT_ID,
        "client_secret": SECRET,
        "redirect_uris": [PUBLIC_URL + CALLBACK],
        "post_logout_redirect_uris": [PUBLIC_URL + SIGN_IN],
    }
    more = {"signsOut": signs_out, "strict": strict}
    options = {"port": port, "algorithm": algorithm, "client": client, "people": PEOPLE}
    process = subprocess.Popen(
        ["node", str(folder / "provider.mjs"), json.dumps(options | more)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout is not None
        issuer = process.stdout.readline().strip()
        assert issuer.startswith("http://"), "the provider does not start"
        yield issuer
    finally:
        process.kill()
        process.wait()


@pytest.fixture(scope="module")
def issuer() -> Iterator[str]:
    with running_provider() as issuer:
        yield issuer


@contextlib.asynccontextmanager
async def scene_at(issuer: str, database_url: str, folder: Path) -> AsyncIterator[DashboardScene]:
    settings = SignInSettings(issuer=issuer, client_id=CLIENT_ID, client_secret=SecretStr(SECRET))
    async with open_scene(database_url, folder, sign_in=settings) as scene:
        yield scene


@pytest.fixture
async def scene(database_url: str, tmp_path: Path, issuer: str) -> AsyncIterator[DashboardScene]:
    async with scene_at(issuer, database_url, tmp_path) as scene:
        yield scene


@dataclass
class Somebody:
    """A browser: `here` at the gateway, `there` at the provider, which remembers who it was."""

    here: httpx.AsyncClient
    there: httpx.AsyncClient = field(default_factory=httpx.AsyncClient)

    async def begin(self, **query: str) -> str:
        answer = await self.here.get(START, params=query)
        assert answer.status_code == 303, answer.text
        return str(answer.headers["location"])

    async def agree(self, url: str, login: str | None = None) -> str:
        """Where the provider leads back to; without `login`, it must know who it is."""
        while not url.startswith(PUBLIC_URL):
            answer = await self.there.get(url)
            if "<form" in answer.text:  # it forgets who it was, and goes on
                answer = await self.submit(answer)
            elif not answer.is_redirect:
                assert login is not None, f"{url} asks {answer.text}"
                answer = await self.there.post(answer.url, data={"login": login})
            url = str(answer.url.join(answer.headers["location"]))
        return path_of(url)

    async def submit(self, page: httpx.Response, **more: str) -> httpx.Response:
        """The form that the provider shows, as it is."""
        [action] = re.findall(r'<form[^>]* action="([^"]*)"', page.text)
        fields = dict(re.findall(r'name="([^"]*)" value="([^"]*)"', page.text))
        return await self.there.post(unescape(action), data=fields | more)

    async def sign_in(self, login: str | None, **query: str) -> httpx.Response:
        return await self.here.get(await self.agree(await self.begin(**query), login))

    async def sign_out(self) -> httpx.Response:
        token = csrf_token(self.here.cookies[COOKIE])
        return await self.here.post("/dashboard/sign-out", data={FIELD: token})


@pytest.fixture
async def somebody(scene: DashboardScene) -> AsyncIterator[Somebody]:
    found = Somebody(scene.browser())
    yield found
    await found.there.aclose()


async def test_people_sign_in_where_requests_are_pushed_and_the_userinfo_is_signed(
    database_url: str, tmp_path: Path
) -> None:
    with running_provider(strict=True) as issuer:
        settings = SignInSettings(issuer=issuer, client_secret=SecretStr(SECRET))
        assert await find_shortcomings(settings) == []
        async with scene_at(issuer, database_url, tmp_path) as scene:
            somebody = Somebody(scene.browser())
            url = await somebody.begin()
            assert set(query_of(url)) == {"client_id", "request_uri"}
            answer = await somebody.here.get(await somebody.agree(url, "ada"))
            assert answer.status_code == 303
            [user] = await scene.rows("SELECT subject, email FROM users")
            assert user == {"subject": "ada", "email": "ada@example.com"}
            await somebody.there.aclose()


async def test_the_provider_can_be_used(issuer: str) -> None:
    settings = SignInSettings(issuer=issuer, client_secret=SecretStr(SECRET))
    assert await find_shortcomings(settings) == []
    [found] = await find_shortcomings(SignInSettings(issuer=f"{issuer}/"))
    assert "is not the issuer" in found.problem


@pytest.mark.parametrize(
    ("login", "email"),
    [("ada", "ada@example.com"), ("ted", "ted@example.com"), ("eve", None), ("tom", None)],
)
async def test_people_sign_in_with_the_address_that_was_verified(
    somebody: Somebody, scene: DashboardScene, login: str, email: str | None
) -> None:
    """With a secret of reserved characters, and an address that only the userinfo tells."""
    answer = await somebody.sign_in(login)
    assert (answer.status_code, answer.headers["location"]) == (303, "/dashboard")
    [user] = await scene.rows("SELECT subject, email, name FROM users")
    assert user == {"subject": login, "email": email, "name": PEOPLE[login]["name"]}
    page = (await somebody.here.get("/dashboard")).text
    assert ("does not confirm your e-mail address" in page) is (email is None)


async def test_another_account_can_be_taken_where_the_first_does_not_fit(
    somebody: Somebody, scene: DashboardScene
) -> None:
    """The provider remembers Eve, and yet asks."""
    await somebody.sign_in("eve")
    page = unescape((await somebody.here.get("/dashboard")).text)
    [link] = re.findall(r'href="([^"]*account=other)"', page)
    back = await somebody.agree(str((await somebody.here.get(link)).headers["location"]), "ada")
    await somebody.here.get(back)
    assert "ada@example.com" in (await somebody.here.get("/dashboard")).text


async def test_who_is_known_at_the_provider_is_not_asked_again(somebody: Somebody) -> None:
    await somebody.sign_in("ada")
    somebody.here.cookies.delete(COOKIE)
    assert (await somebody.sign_in(None)).status_code == 303


async def test_who_declines_is_told_and_the_reason_is_logged(
    somebody: Somebody, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = await somebody.sign_in("", next="/dashboard/wanted")
    assert answer.status_code == 403
    assert "You are not signed in" in answer.text
    assert "next=%2Fdashboard%2Fwanted" in answer.text
    assert "somebody changed their mind" in capsys.readouterr().out


async def test_two_tabs_and_pages_that_are_loaded_again(
    somebody: Somebody, scene: DashboardScene
) -> None:
    one, other = (
        await somebody.begin(next="/dashboard/a"),
        await somebody.begin(next="/dashboard/b"),
    )
    back = await somebody.agree(one, "ada"), await somebody.agree(other)
    for path, wanted in zip(back * 2, ("/dashboard/a", "/dashboard/b") * 2, strict=True):
        answer = await somebody.here.get(path)
        assert (answer.status_code, answer.headers["location"]) == (303, wanted)
    assert len(await scene.rows("SELECT 1 FROM browser_sessions")) == 2


async def test_an_answer_without_the_issuer_is_not_taken(somebody: Somebody, issuer: str) -> None:
    back = await somebody.agree(await somebody.begin(), "ada")
    query = query_of(back)
    assert query.pop("iss") == issuer
    assert (await somebody.here.get(CALLBACK, params=query)).status_code == 502
    assert (await somebody.here.get(back)).status_code == 303


async def test_signing_out_signs_out_at_the_provider(somebody: Somebody) -> None:
    await somebody.sign_in("ada")
    page = unescape((await somebody.sign_out()).text)
    [url] = re.findall(r'content="0; url=([^"]*)"', page)
    asked = await somebody.there.get(url)
    assert asked.status_code == 200, asked.text
    left = await somebody.submit(asked, logout="yes")
    assert left.headers["location"].startswith(PUBLIC_URL + SIGN_IN)
    assert "Sign in with" in (await somebody.here.get(path_of(left.headers["location"]))).text
    with pytest.raises(AssertionError, match="Who are you"):
        await somebody.sign_in(None)


async def test_where_the_provider_has_no_sign_out_the_next_sign_in_asks(
    database_url: str, tmp_path: Path
) -> None:
    with running_provider(signs_out=False) as issuer:
        async with scene_at(issuer, database_url, tmp_path) as scene:
            somebody = Somebody(scene.browser())
            await somebody.sign_in("ada")
            answer = await somebody.sign_out()
            assert answer.headers["location"] == f"{SIGN_IN}?account=other"
            page = unescape((await somebody.here.get(answer.headers["location"])).text)
            [link] = re.findall(r'href="([^"]*account=other)"', page)
            url = str((await somebody.here.get(link)).headers["location"])
            with pytest.raises(AssertionError, match="Who are you"):
                await somebody.agree(url)
            await somebody.here.get(await somebody.agree(url, "ted"))
            assert "ted@example.com" in (await somebody.here.get("/dashboard")).text
            await somebody.there.aclose()


async def test_a_provider_that_comes_back_with_other_keys_and_another_algorithm(
    database_url: str, tmp_path: Path
) -> None:
    with contextlib.ExitStack() as before:
        issuer = before.enter_context(running_provider(free_port()))
        async with scene_at(issuer, database_url, tmp_path) as scene:
            somebody = Somebody(scene.browser())
            assert (await somebody.sign_in("ada")).status_code == 303
            before.close()
            with running_provider(int(issuer.rpartition(":")[2]), "ES256") as again:
                assert again == issuer
                assert (await somebody.sign_in("ted", account="other")).status_code == 303
                assert "ted@example.com" in (await somebody.here.get("/dashboard")).text
            await somebody.there.aclose()
