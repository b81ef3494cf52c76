"""Every page of the dashboard: with every role, with a stranger, from a page of another site."""

import re
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import uuid4

import httpx
import pytest

from dashboard_scene import DashboardScene, Person, open_scene, path_of
from heliograph.core.members.model import MemberRole, granted_scopes
from heliograph.core.tenants.model import Organization
from heliograph.faces.dashboard import live
from heliograph.faces.dashboard.app import PAGES
from heliograph.faces.dashboard.pages.registry import DashboardPage
from heliograph.faces.dashboard.sessions.cookies import FIELD, csrf_token


@pytest.fixture
async def scene(database_url: str, tmp_path: Path) -> AsyncIterator[DashboardScene]:
    async with open_scene(database_url, tmp_path) as scene:
        yield scene


@pytest.fixture
async def acme(scene: DashboardScene) -> Organization:
    return await scene.organization("Acme")


@pytest.fixture(autouse=True)
def _streams_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """httpx's ASGI transport waits for the end of an answer."""
    monkeypatch.setattr(live, "STREAM_TIMEOUT", 0.0)


def somewhere(page: DashboardPage) -> str:
    """The page's path with ids that name nothing."""
    return re.sub(r"\{\w+:uuid\}", str(uuid4()), page.path)


async def ask(person: Person, page: DashboardPage, organization: Organization) -> httpx.Response:
    path = path_of(organization, somewhere(page))
    return await (person.get(path) if page.method == "GET" else person.post(path))


async def test_every_page_is_for_the_roles_that_its_scope_names(
    scene: DashboardScene, acme: Organization
) -> None:
    people = {role: await scene.member(role, acme, role) for role in MemberRole}
    wrong = []
    for page in sorted(PAGES, key=lambda page: page.path == "members/leave"):  # it last
        for role, person in people.items():
            answer = await ask(person, page, acme)
            if page.scope in granted_scopes(role):
                is_right = answer.status_code not in (403, 429) and answer.status_code < 500
            else:
                is_right = answer.status_code == 403 and "Your role" in answer.text
            if not is_right:
                wrong.append((page.method, page.path, role, answer.status_code))
    assert wrong == []


async def test_every_page_is_closed_to_strangers(scene: DashboardScene, acme: Organization) -> None:
    globex = await scene.organization("Globex")
    stranger = await scene.member("mallory", globex, MemberRole.OWNER)
    nobody = scene.browser()
    wrong = []
    for page in PAGES:
        path = path_of(acme, somewhere(page))
        for answer in (await stranger.get(path), await stranger.post(path)):
            if page.method == "POST" and answer.status_code == 303:
                # from the address of a form to its page
                answer = await stranger.get(answer.headers["location"])
            if answer.status_code not in (404, 405) or "Acme" in answer.text:
                wrong.append((page.method, page.path, answer.status_code))
        answer = await nobody.request(page.method, path)
        leads = answer.headers.get("location", "")
        if answer.status_code != 303 or not leads.startswith(
            "/dashboard/sign-in?next=%2Fdashboard"
        ):
            wrong.append((page.method, page.path, leads or answer.status_code))
    assert wrong == []


async def test_no_form_of_another_site_does_anything(
    scene: DashboardScene, acme: Organization
) -> None:
    owner = await scene.member("ada", acme, MemberRole.OWNER)
    eve = await scene.person("eve")
    forms = [page for page in PAGES if page.method == "POST"]
    assert forms
    wrong: list[tuple[str, object, int]] = []
    for page in forms:
        path = path_of(acme, somewhere(page))
        for form in ({FIELD: "0" * 64}, None, form_of(eve)):
            answer = await owner.browser.post(path, data=form)
            if answer.status_code != 403 or "not come from one of our pages" not in answer.text:
                wrong.append((page.path, form, answer.status_code))
        answer = await owner.browser.post(
            path, data=form_of(owner), headers={"sec-fetch-site": "cross-site"}
        )
        if answer.status_code != 403:
            wrong.append((page.path, "cross-site", answer.status_code))
    assert wrong == []


def form_of(person: Person) -> dict[str, str]:
    return {FIELD: csrf_token(person.token)}
