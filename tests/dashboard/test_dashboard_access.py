"""Who may see and do what in the dashboard: every page, with every role, and with a stranger."""

from collections.abc import AsyncIterator
from itertools import pairwise
from urllib.parse import urlencode
from uuid import uuid4

import pytest

from dashboard_scene import COOKIE, DashboardScene, path_of
from heliograph.core.members import service as member_service
from heliograph.core.members.model import ROLES, MemberRole, granted_scopes
from heliograph.faces.dashboard.app import PAGES
from heliograph.faces.dashboard.pages.navigation import NAVIGATION

pytestmark = pytest.mark.usefixtures("streams_end")


def test_each_role_may_what_the_next_may_and_more() -> None:
    roles = list(ROLES)
    assert roles == list(MemberRole)
    for more, less in pairwise(roles):
        assert granted_scopes(more) > granted_scopes(less)


def test_a_menu_leads_to_pages_that_open() -> None:
    scopes = {page.path: page.scope for page in PAGES if page.method == "GET"}
    for role, groups in NAVIGATION.items():
        paths = [place.path for group in groups for place in group.places]
        assert paths
        assert {scopes[path] for path in paths} <= granted_scopes(role)


async def test_pages_tell_the_browser_what_it_may_do(scene: DashboardScene) -> None:
    acme, owner = await scene.acme(MemberRole.OWNER)
    for path in (path_of(acme), "/dashboard/sign-in", "/dashboard/nowhere"):
        headers = (await owner.get(path)).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"


async def test_a_form_that_is_too_large_is_not_read(scene: DashboardScene) -> None:
    acme, owner = await scene.acme(MemberRole.OWNER)

    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(40):
            yield b"a" * 10_000

    form = {"content-type": "application/x-www-form-urlencoded"}
    path = path_of(acme, "members/invite")
    for content in (b"a" * 400_000, chunks()):
        answer = await owner.browser.post(path, content=content, headers=form)
        assert answer.status_code == 413


@pytest.mark.parametrize(
    ("status", "headers", "content"),
    [
        (413, {}, b"name=" + b"x" * 65_536),
        (400, {}, b"a=b&" * 1000),
        (415, {"Content-Type": "multipart/form-data; boundary=x"}, b"--x--\r\n"),
        (415, {"Content-Type": "application/json"}, b"{}"),
        (415, {"Content-Encoding": "gzip"}, b"name=x"),
    ],
)
async def test_a_form_that_no_browser_makes_of_ours(
    scene: DashboardScene, status: int, headers: dict[str, str], content: bytes
) -> None:
    acme, ada = await scene.acme(MemberRole.OWNER)
    headers = {"Content-Type": "application/x-www-form-urlencoded"} | headers
    for path in (path_of(acme, "devices/connect"), "/dashboard/sign-out"):
        answer = await ada.browser.post(path, content=content, headers=headers)
        assert answer.status_code == status
        assert answer.headers["content-type"].startswith("text/html")


async def test_what_people_write_is_shown_as_text(scene: DashboardScene) -> None:
    acme = await scene.organization("<script>alert(1)</script>")
    owner = await scene.member("ada", acme, MemberRole.OWNER)
    await owner.post(path_of(acme, "members/invite"), email='"><b>x@example.com', role="agent")
    for rest in ("", "members", "audit"):
        text = (await owner.get(path_of(acme, rest))).text
        assert "<script>alert" not in text
        assert "<b>x@" not in text
        assert "&lt;script&gt;alert(1)" in text


async def test_an_invitation_takes_the_place_of_an_earlier_one(
    scene: DashboardScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(member_service, "MAX_INVITATIONS", 2)
    acme, owner = await scene.acme(MemberRole.OWNER)
    path = path_of(acme, "members/invite")
    for role in ("agent", "viewer"):
        for name in ("bob", "cleo"):
            answer = await owner.post(path, email=f"{name}@example.com", role=role)
            assert answer.status_code == 303
    refused = await owner.post(path, email="dora@example.com", role="agent")
    assert refused.status_code == 422
    assert "2 invitations are open: revoke those that are not needed." in refused.text
    rows = await scene.rows("SELECT email, role FROM invitations ORDER BY email")
    expected = [("bob@example.com", "viewer"), ("cleo@example.com", "viewer")]
    assert [(row["email"], row["role"]) for row in rows] == expected
    await scene.rows("UPDATE invitations SET expires_at = now() - interval '1 second'")
    assert (await owner.post(path, email="dora@example.com", role="agent")).status_code == 303


async def test_a_long_query_is_not_repeated_for_every_dialog(scene: DashboardScene) -> None:
    acme, owner = await scene.acme(MemberRole.OWNER)
    path = path_of(acme, "inbox/labels")
    assert "?x=yyy&amp;open=new#new" in (await owner.get(f"{path}?x=yyy")).text
    long = (await owner.get(f"{path}?x={'y' * 2000}")).text
    assert "yyy" not in long
    assert 'href="?open=new#new"' in long or f'href="{path}?open=new#new"' in long


async def test_a_slash_too_many_leads_to_no_other_host(scene: DashboardScene) -> None:
    nobody = await scene.person("nobody")
    answer = await nobody.browser.get("/dashboard/", headers={"Host": "evil.example"})
    assert answer.status_code == 307
    assert answer.headers["location"] == "/dashboard"


async def test_a_person_who_belongs_nowhere_is_told_what_to_do(scene: DashboardScene) -> None:
    nobody = await scene.person("nobody")
    answer = await nobody.get("/dashboard")
    assert answer.status_code == 200
    assert "nobody@example.com" in answer.text
    assert "invitation" in answer.text


async def test_whoever_has_several_organizations_goes_from_one_to_the_other(
    scene: DashboardScene,
) -> None:
    acme, globex = await scene.organization("Acme"), await scene.organization("Globex")
    ada = await scene.member("ada", acme, MemberRole.OWNER)
    await scene.join(ada, globex, MemberRole.VIEWER)
    assert (await ada.get("/dashboard")).headers["location"] == path_of(acme)
    page = (await ada.get(path_of(acme))).text
    assert f'href="{path_of(globex)}"' in page
    assert "viewer of Globex" in (await ada.get(path_of(globex))).text


async def test_an_organization_is_found_among_a_thousand(scene: DashboardScene) -> None:
    acme, ada = await scene.acme(MemberRole.OWNER)
    names = ["Trattoria Łódź", "Zürich trattoria", *(f"Shop {number}" for number in range(20))]
    for name in names:
        await scene.join(ada, await scene.organization(name), MemberRole.VIEWER)

    page = (await ada.get(path_of(acme))).text
    assert page.count('<span class="quiet">viewer</span>') < len(names)
    assert 'action="/dashboard/organizations"' in page
    found = (await ada.get("/dashboard/organizations?q=lodz")).text
    assert "Trattoria Łódź" in found
    assert "Shop" not in found
    both = (await ada.get("/dashboard/organizations?q=TRATTORIA")).text
    assert both.index("Trattoria Łódź") < both.index("Zürich trattoria")
    assert "has this in its name" in (await ada.get("/dashboard/organizations?q=nothing")).text
    stranger = await scene.person("bob")
    assert "Shop" not in (await stranger.get("/dashboard/organizations")).text
    answer = await scene.browser().get("/dashboard/organizations")
    assert answer.headers["location"].startswith("/dashboard/sign-in")


async def test_signing_out_ends_the_session_and_not_the_cookie_alone(scene: DashboardScene) -> None:
    acme, ada = await scene.acme(MemberRole.OWNER)
    other = await scene.person("ada")
    answer = await ada.post("/dashboard/sign-out")
    assert answer.headers["location"] == "/dashboard/sign-in?account=other"
    ada.browser.cookies.set(COOKIE, ada.token)
    assert (await ada.get(path_of(acme))).status_code == 303
    assert (await other.get(path_of(acme))).status_code == 200, "a session of its own"


async def test_who_may_no_longer_do_it_is_told_that_nothing_is_lost(scene: DashboardScene) -> None:
    acme = await scene.organization("Acme")
    vera = await scene.member("vera", acme, MemberRole.VIEWER)
    answer = await vera.post(path_of(acme, f"inbox/{uuid4()}/answer"), text="Hello")
    assert answer.status_code == 403
    assert "It may have been changed since you opened the page." in answer.text
    assert "It may have been changed" not in (await vera.get(path_of(acme, "devices/connect"))).text


@pytest.mark.parametrize(
    ("column", "ago"), [("seen_at", "13 hours"), ("created_at", "8 days")], ids=str
)
async def test_a_session_ends_by_itself(scene: DashboardScene, column: str, ago: str) -> None:
    acme, ada = await scene.acme(MemberRole.OWNER)
    assert (await ada.get(path_of(acme))).status_code == 200
    await scene.rows(f"UPDATE browser_sessions SET {column} = now() - interval '{ago}'")  # noqa: S608 - ours
    assert (await ada.get(path_of(acme))).status_code == 303


async def test_who_signs_in_after_sending_a_form_is_led_to_its_page(scene: DashboardScene) -> None:
    acme = await scene.organization("Acme")
    path = path_of(acme, "inbox/0190a8c5-0000-7000-8000-000000000000")
    answer = await scene.browser().post(f"{path}/answer?status=any")
    wanted = {"next": f"{path}?status=any"}
    assert answer.headers["location"] == f"/dashboard/sign-in?{urlencode(wanted)}"


async def test_the_database_has_no_session_that_could_be_used(scene: DashboardScene) -> None:
    ada = await scene.person("ada")
    [row] = await scene.rows("SELECT * FROM browser_sessions")
    assert ada.token.encode() not in row["token_hash"]
    assert len(row["token_hash"]) == 32
