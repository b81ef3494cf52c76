"""Where somebody is signed in is shown to them, and ended by them."""

import re

from dashboard_scene import COOKIE, ISSUER, DashboardScene, Person, path_of
from dashboard_scene import scene as scene
from each_case import for_each
from heliograph.core.members.model import MemberRole, SignInClient
from heliograph.core.tenants.model import operator
from heliograph.faces.dashboard.sessions.browsers import name_browser
from heliograph.platform.oidc.claims import Identity

SESSIONS = "/dashboard/sessions"
FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0"
EVIL = "<script>alert(1)</script>"


async def signed_in(scene: DashboardScene, name: str, agent: str, address: str) -> Person:
    """Another browser of somebody's."""
    identity = Identity(ISSUER, name, f"{name}@example.com", name.title())
    client = SignInClient(address, agent)
    user, token = await scene.gateway.browser_sessions.begin(identity, client=client)
    browser = scene.browser()
    browser.cookies.set(COOKIE, token)
    return Person(user, token, browser)


async def test_each_browser_is_listed_and_ended_by_its_owner_alone(scene: DashboardScene) -> None:
    acme, ada = await scene.acme(MemberRole.OWNER)
    away = await signed_in(scene, "ada", FIREFOX, "203.0.113.9")
    odd = await signed_in(scene, "ada", EVIL, "2001:db8::1")
    eve = await signed_in(scene, "eve", FIREFOX, "198.51.100.1")
    page = (await ada.get(SESSIONS)).text
    assert "Firefox on Windows" in page
    assert "203.0.113.9" in page
    assert "2001:db8::1" in page
    assert EVIL not in page
    assert "198.51.100.1" not in page
    assert page.count("this browser") == 1
    ends = re.findall(rf'action="({SESSIONS}/[0-9a-f-]{{36}}/end)"', page)
    assert len(ends) == 2
    assert f'href="{SESSIONS}"' in (await ada.get(path_of(acme))).text

    for path in ends:
        await eve.post(path)
        await ada.browser.post(path, data={})
    assert (await away.get(SESSIONS)).status_code == 200
    await ada.post(ends[0])
    codes = {(await each.get(SESSIONS)).status_code for each in (away, odd)}
    assert codes == {200, 303}
    await ada.post(f"{SESSIONS}/others/end")
    assert [(await each.get(SESSIONS)).status_code for each in (ada, away, odd, eve)] == [
        *(200, 303, 303),
        200,
    ]
    entries = await scene.gateway.audit.list(operator(acme.tenant))
    ended = [entry.details for entry in entries if entry.action == "sessions_ended"]
    assert ended == [{"count": 1}, {"count": 1}]


async def test_sessions_that_are_over_are_not_listed(scene: DashboardScene) -> None:
    ada = await scene.person("ada")
    await signed_in(scene, "ada", FIREFOX, "203.0.113.9")
    await scene.rows(
        "UPDATE browser_sessions SET seen_at = now() - interval '13 hours' "
        "WHERE address IS NOT NULL"
    )
    assert "203.0.113.9" not in (await ada.get(SESSIONS)).text


async def test_a_sign_in_is_in_the_audit_log_of_each_organization(scene: DashboardScene) -> None:
    acme, globex = await scene.organization("Acme"), await scene.organization("Globex")
    ada = await scene.member("ada", acme, MemberRole.OWNER)
    await scene.join(ada, globex, MemberRole.VIEWER)
    await signed_in(scene, "ada", FIREFOX, "203.0.113.9")
    for organization in (acme, globex):
        entry = (await scene.gateway.audit.list(operator(organization.tenant)))[0]
        assert (entry.action, entry.actor) == ("signed_in", f"user {ada.user.id}")
        assert entry.details == {"address": "203.0.113.9"}
    page = (await ada.get(path_of(acme, "audit"))).text
    assert "signed in" in page
    assert "address: 203.0.113.9" in page


@for_each(
    ("agent", "name"),
    [
        (FIREFOX, "Firefox on Windows"),
        (
            "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0",
            "Edge on Windows",
        ),
        (
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15) AppleWebKit/605 Version/18 Safari/605",
            "Safari on Mac",
        ),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) CriOS/140 Safari/604",
            "Chrome on iPhone",
        ),
        (
            "Mozilla/5.0 (Linux; Android 15; Pixel 9) Chrome/140 Mobile Safari/537.36",
            "Chrome on Android",
        ),
        ("curl/8.0", "curl/8.0"),
        ("", "Unknown browser"),
        (None, "Unknown browser"),
    ],
)
def test_browsers_have_names_that_people_know(agent: str | None, name: str) -> None:
    assert name_browser(agent) == name
