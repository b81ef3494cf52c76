"""Providers that say odd things, change, hang, or say them too often: what people then see."""

import asyncio
import base64
import json
import ssl
from typing import Any
from urllib.parse import unquote_plus

import httpx
import httpx2
import pytest

from dashboard_scene import COOKIE, NO_CALLS, DashboardScene
from heliograph.core.members.model import MemberRole
from heliograph.core.tenants.model import operator
from heliograph.faces.dashboard.app import create_dashboard
from heliograph.faces.dashboard.sessions.cookies import FIELD, csrf_token
from heliograph.platform.oidc import cached, http, provider
from local_provider import query_of
from odd_provider import CALLBACK, LEFT_OUT, SECRET, START, OddProvider, sign_in, unsigned

DISCOVERY = "/.well-known/openid-configuration"


async def found_user(scene: DashboardScene) -> dict[str, Any]:
    [user] = await scene.rows("SELECT subject, email, name FROM users")
    return user


@pytest.mark.parametrize("verified", [True, "true", "True"])
async def test_an_address_counts_when_the_provider_vouches_for_it(
    browser: httpx.AsyncClient, scene: DashboardScene, odd: OddProvider, verified: object
) -> None:
    odd.claims = {"email": "ada@example.com", "email_verified": verified}
    assert (await sign_in(browser, odd)).status_code == 303
    assert (await found_user(scene))["email"] == "ada@example.com"


@pytest.mark.parametrize(
    "verified", [LEFT_OUT, None, False, "false", "", "yes", 1, "1", [], [True], {"a": 1}], ids=repr
)
async def test_an_address_that_nobody_vouches_for_counts_for_nothing(
    browser: httpx.AsyncClient, scene: DashboardScene, odd: OddProvider, verified: object
) -> None:
    odd.claims = {"email": "ada@example.com", "email_verified": verified, "name": "Ada"}
    assert (await sign_in(browser, odd)).status_code == 303
    assert await found_user(scene) == {"subject": "ada", "email": None, "name": "Ada"}
    page = " ".join((await browser.get("/dashboard")).text.split())
    assert "does not confirm your e-mail address, so an invitation needs a code" in page
    assert "Use another account" in page


async def test_an_invitation_says_why_it_does_not_fit(
    browser: httpx.AsyncClient, scene: DashboardScene, odd: OddProvider
) -> None:
    """Once it led to the sign-in, and from there back again."""
    acme = await scene.organization("Acme")
    owner = await scene.person("olga")
    members = scene.gateway.members
    await scene.join(owner, acme, MemberRole.OWNER)
    invitation = await members.invite(operator(acme.tenant), "ada@example.com", MemberRole.ADMIN)
    link = members.link(invitation)
    for claims, told in (
        ({"email": "ada@example.com"}, "does not confirm your e-mail address"),
        ({"email": "bob@example.com", "email_verified": True}, "is for another address"),
    ):
        odd.claims = claims
        await sign_in(browser, odd)
        page = (await browser.get(link)).text
        assert told in page
        assert "account=other" in page
        assert "Sign in to accept" not in page
    odd.claims = {"email": "Ada@example.com", "email_verified": True}
    await sign_in(browser, odd)
    assert "Accept" in (await browser.get(link)).text


ODD: list[Any] = [None, 0, 1.5, True, [], ["x"], {}, "", "\0", "a\0b", "\ud800", "x" * 50_000]


async def test_an_odd_subject_is_refused_with_a_page(
    browser: httpx.AsyncClient, scene: DashboardScene, odd: OddProvider
) -> None:
    for value in ODD:
        odd.claims = {"sub": value}
        answer = await sign_in(browser, odd)
        assert answer.status_code == 502, value
        assert "The log of the gateway says why" in answer.text
        assert COOKIE not in answer.cookies
    assert await scene.rows("SELECT 1 FROM users") == []


@pytest.mark.parametrize("name", ["email", "name", "preferred_username"])
async def test_other_odd_claims_count_as_if_they_were_not_there(
    browser: httpx.AsyncClient, scene: DashboardScene, odd: OddProvider, name: str
) -> None:
    for value in ODD:
        odd.claims = {"email_verified": True, name: value}
        assert (await sign_in(browser, odd)).status_code == 303, value
        user = await found_user(scene)
        assert (user["subject"], user["email"]) == ("ada", None), value
        assert 0 < len(user["name"]) <= 200, value


NOT_FOR_US: list[dict[str, Any]] = [
    *({name: value} for name in ("iss", "aud", "exp") for value in (*ODD, LEFT_OUT)),
    *({"iat": value} for value in (LEFT_OUT, None, [], {}, "", "0", float("nan"), 10**12)),
    {"nonce": LEFT_OUT},
    {"nonce": ["x"]},
    {"nonce": "another"},
    {"iss": "https://evil.example.com"},
    {"aud": "another"},
    {"aud": ["heliograph", "another"]},
    {"aud": ["heliograph", "another"], "azp": "another"},
    {"azp": "another"},
    {"azp": None},
    {"exp": 1},
    {"exp": float("inf")},
]


async def test_a_token_that_is_not_for_us_is_refused_with_a_page(
    browser: httpx.AsyncClient, odd: OddProvider
) -> None:
    for claims in NOT_FOR_US:
        odd.claims = claims
        answer = await sign_in(browser, odd)
        assert answer.status_code == 502, claims
        assert COOKIE not in answer.cookies


async def test_what_is_no_token_is_refused_with_a_page(
    browser: httpx.AsyncClient, odd: OddProvider
) -> None:
    odd_tokens: list[Any] = [None, 1, [], "", "a.b.c", "..", "e30.e30.", "é", "x" * 2_000_000]
    for id_token in odd_tokens:
        odd.token = {"id_token": id_token}
        assert (await sign_in(browser, odd)).status_code in (502, 503), id_token


@pytest.mark.parametrize("algorithm", ["none", "HS256"])
async def test_a_token_that_anybody_could_sign_is_refused(
    browser: httpx.AsyncClient, odd: OddProvider, algorithm: str
) -> None:
    """Whatever the provider calls supported."""
    odd.metadata = {"id_token_signing_alg_values_supported": [algorithm, "RS256"]}
    odd.token = {"id_token": unsigned({"sub": "ada"}, algorithm)}
    assert (await sign_in(browser, odd)).status_code == 502


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"[]", b"{}", b"null", b"\xff", b"[" * 500_000, b" " * 2_000_000),
        b'{"issuer": 1, "jwks_uri": []}',
    ],
    ids=lambda body: repr(body[:20]),
)
@pytest.mark.parametrize("path", [DISCOVERY, "/jwks", "/token"])
async def test_an_odd_document_is_told_on_a_page(
    browser: httpx.AsyncClient, odd: OddProvider, path: str, body: bytes
) -> None:
    odd.raw[path] = body
    begun = await browser.get(START)
    if path == DISCOVERY:
        answer = begun
    else:
        sent = query_of(begun.headers["location"])
        odd.nonce = sent["nonce"]
        answer = await browser.get(CALLBACK, params={"code": "c", "state": sent["state"]})
    assert answer.status_code in (502, 503)
    assert 'role="alert"' in answer.text


async def test_what_only_the_userinfo_tells_is_taken_for_the_same_person(
    browser: httpx.AsyncClient, scene: DashboardScene, odd: OddProvider
) -> None:
    odd.userinfo = {"sub": "mallory", "email": "ada@example.com", "email_verified": True}
    await sign_in(browser, odd)
    assert (await found_user(scene))["email"] is None
    odd.userinfo["sub"] = "ada"
    await sign_in(browser, odd)
    assert (await found_user(scene))["email"] == "ada@example.com"


async def test_a_secret_with_reserved_characters_is_encoded(
    browser: httpx.AsyncClient, odd: OddProvider
) -> None:
    """RFC 6749, 2.3.1."""
    assert (await sign_in(browser, odd)).status_code == 303
    given = base64.b64decode(odd.headers[0]["Authorization"].removeprefix("Basic ")).decode()
    assert given.isascii()
    assert [unquote_plus(part) for part in given.split(":")] == ["heliograph", SECRET]


async def test_a_new_key_and_a_new_algorithm_are_looked_for_but_not_all_the_time(
    browser: httpx.AsyncClient, odd: OddProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (await sign_in(browser, odd)).status_code == 303
    odd.change_key()
    assert (await sign_in(browser, odd)).status_code == 303
    assert odd.asked["/jwks"] == 2
    odd.change_key("ES256")
    assert (await sign_in(browser, odd)).status_code == 502  # asked for a moment ago
    assert odd.asked["/jwks"] == 2
    monkeypatch.setattr(cached, "_MIN_AGE", 0.0)
    assert (await sign_in(browser, odd)).status_code == 303
    assert (odd.asked["/jwks"], odd.asked[DISCOVERY]) == (3, 3)


async def test_a_key_without_a_name_may_change_too(
    browser: httpx.AsyncClient, odd: OddProvider
) -> None:
    odd.has_kid = False
    assert (await sign_in(browser, odd)).status_code == 303
    odd.change_key()
    assert (await sign_in(browser, odd)).status_code == 303


async def test_starting_is_free(
    browser: httpx.AsyncClient, odd: OddProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One request to the provider, one TLS context, however many start."""
    contexts: list[ssl.SSLContext] = []
    make = httpx2.create_ssl_context

    def make_and_count() -> ssl.SSLContext:
        contexts.append(make())
        return contexts[-1]

    monkeypatch.setattr(httpx2, "create_ssl_context", make_and_count)
    answers = await asyncio.gather(*[browser.get(START) for _ in range(30)])
    for _ in range(30):
        answers.append(await browser.get(START))
    assert {answer.status_code for answer in answers} == {303}
    assert odd.asked == {DISCOVERY: 1}
    assert len(contexts) == 1


async def test_few_wait_for_a_provider_that_hangs_and_the_rest_is_told(
    scene: DashboardScene, odd: OddProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "EXCHANGE_TIMEOUT", 60.0)
    odd.is_open.clear()
    app = create_dashboard(scene.gateway, NO_CALLS)
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as many:
        asked = [asyncio.create_task(many.get(START)) for _ in range(200)]
        refused = await _done(asked, 168)
        assert {task.result().status_code for task in refused} == {503}
        assert "does not answer" in refused.pop().result().text
        assert (await many.get("/dashboard/sign-in")).status_code == 200
        odd.is_open.set()
        codes = [(await task).status_code for task in asked]
        assert (codes.count(303), codes.count(503)) == (32, 168)
    assert odd.asked == {DISCOVERY: 1}


async def _done(
    tasks: list[asyncio.Task[httpx.Response]], wanted: int
) -> set[asyncio.Task[httpx.Response]]:
    """Those that are done, once there are so many."""
    async with asyncio.timeout(60):
        while True:
            done = {task for task in tasks if task.done()}
            if len(done) >= wanted:
                return done
            await asyncio.sleep(0.01)


async def test_an_old_document_serves_while_the_provider_is_away(
    browser: httpx.AsyncClient, odd: OddProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cached, "LIFETIME", 0.0)
    assert (await browser.get(START)).status_code == 303
    odd.raw[DISCOVERY] = b"<h1>Down for maintenance</h1>"
    for _ in range(5):
        assert (await browser.get(START)).status_code == 303


async def test_what_the_provider_says_against_it_is_logged_in_one_line(
    browser: httpx.AsyncClient, odd: OddProvider, capsys: pytest.CaptureFixture[str]
) -> None:
    odd.raw["/token"] = json.dumps(
        {"error": "invalid_client", "error_description": "wrong\nsecret \x1b[31m" + "x" * 900}
    ).encode()
    odd.status["/token"] = 401
    answer = await sign_in(browser, odd)
    assert answer.status_code == 502
    assert "invalid_client" not in answer.text
    assert "does not accept the gateway" in answer.text
    await browser.get(CALLBACK, params={"error": "access_denied", "error_description": "go\n away"})
    told = capsys.readouterr().out
    assert "invalid_client" in told
    assert "HELIOGRAPH_OIDC_CLIENT_SECRET" in told
    assert "access_denied" in told
    assert "\x1b[31m" not in told.replace("\\x1b", "")
    assert max(len(line) for line in told.splitlines()) < 1000


async def test_signing_out_goes_on_to_the_provider(
    browser: httpx.AsyncClient, scene: DashboardScene, odd: OddProvider
) -> None:
    odd.metadata = {"end_session_endpoint": f"{odd.url}/end?x=1"}
    await sign_in(browser, odd)
    [kept] = await scene.rows("SELECT id_token FROM browser_sessions")
    assert b"eyJ" not in kept["id_token"]  # encrypted
    page = await sign_out(browser)
    assert page.status_code == 200
    [target] = [part for part in page.text.split('"') if part.startswith("0; url=")]
    sent = query_of(target.removeprefix("0; url=").replace("&amp;", "&"))
    assert sent["x"] == "1"
    assert sent["id_token_hint"].count(".") == 2
    assert sent["post_logout_redirect_uri"] == "http://127.0.0.1:8000/dashboard/sign-in"
    assert await scene.rows("SELECT 1 FROM browser_sessions") == []


async def test_where_nobody_can_sign_out_there_the_next_sign_in_asks_who_it_is(
    browser: httpx.AsyncClient, odd: OddProvider
) -> None:
    odd.metadata = {"prompt_values_supported": ["none", "login", "select_account"]}
    await sign_in(browser, odd)
    answer = await sign_out(browser)
    assert answer.headers["location"] == "/dashboard/sign-in?account=other"
    page = await browser.get(answer.headers["location"])
    [start] = [part for part in page.text.split('"') if part.startswith(START)]
    sent = query_of((await browser.get(start.replace("&amp;", "&"))).headers["location"])
    assert sent["prompt"] == "select_account"


async def sign_out(browser: httpx.AsyncClient) -> httpx.Response:
    token = csrf_token(browser.cookies[COOKIE])
    return await browser.post("/dashboard/sign-out", data={FIELD: token})


def test_challenges_are_those_of_the_specification() -> None:
    """RFC 7636, appendix B."""
    verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    assert provider.challenge(verifier) == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
