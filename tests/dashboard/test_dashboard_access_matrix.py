"""Every page of the dashboard, with every role, with a stranger, and from a page of another site.

One gateway serves all of these: each test has organizations and people of its own.
"""

import re
from collections.abc import AsyncIterator
from itertools import count
from uuid import uuid4

import pytest
import pytest_asyncio

from dashboard_scene import DashboardScene, open_scene, path_of
from each_case import for_each
from heliograph.core.members.model import MemberRole, granted_scopes
from heliograph.faces.dashboard import live
from heliograph.faces.dashboard.app import PAGES
from heliograph.faces.dashboard.pages.registry import Page
from heliograph.faces.dashboard.sessions.cookies import FIELD, csrf_token

NUMBERS = count()
"""Of organizations, which have names of their own."""
pytestmark = pytest.mark.asyncio(loop_scope="module")

EVERY_PAGE = for_each("page", PAGES, ids=lambda page: f"{page.method} {page.path}")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def scene(
    module_database_url: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[DashboardScene]:
    async with open_scene(module_database_url, tmp_path_factory.mktemp("data")) as scene:
        yield scene


def somewhere(page: Page) -> str:
    """The page's path with ids that name nothing."""
    return re.sub(r"\{\w+:uuid\}", str(uuid4()), page.path)


@pytest.fixture(autouse=True)
def _streams_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """httpx's ASGI transport waits for the end of an answer."""
    monkeypatch.setattr(live, "LONGEST", 0.0)


@EVERY_PAGE
async def test_every_page_is_for_the_roles_that_its_scope_names(
    scene: DashboardScene, page: Page
) -> None:
    acme = await scene.organization(f"Acme {next(NUMBERS)}")
    for role in MemberRole:
        person = await scene.member(role, acme, role)
        path = path_of(acme, somewhere(page))
        answer = await (person.get(path) if page.method == "GET" else person.post(path))
        if page.scope in granted_scopes(role):
            assert answer.status_code != 403, role
            assert answer.status_code < 500
        else:
            assert answer.status_code == 403, role
            assert "Your role" in answer.text


@EVERY_PAGE
async def test_every_page_is_closed_to_strangers(scene: DashboardScene, page: Page) -> None:
    acme, globex = (
        await scene.organization(f"Acme {next(NUMBERS)}"),
        await scene.organization(f"Globex {next(NUMBERS)}"),
    )
    stranger = await scene.member("mallory", globex, MemberRole.OWNER)
    path = path_of(acme, somewhere(page))
    for answer in (await stranger.get(path), await stranger.post(path)):
        if answer.status_code == 303:  # from the address of a form to its page
            assert page.method == "POST"
            answer = await stranger.get(answer.headers["location"])
        assert answer.status_code in (404, 405)
        assert "Acme" not in answer.text
    nobody = scene.browser()
    answer = await nobody.request(page.method, path)
    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/dashboard/sign-in?next=%2Fdashboard")


@for_each("page", [page for page in PAGES if page.method == "POST"], ids=lambda page: page.path)
async def test_no_form_of_another_site_does_anything(scene: DashboardScene, page: Page) -> None:
    acme = await scene.organization(f"Acme {next(NUMBERS)}")
    owner = await scene.member("ada", acme, MemberRole.OWNER)
    path = path_of(acme, somewhere(page))
    for answer in (
        await owner.browser.post(path, data={"csrf_token": "0" * 64}),
        await owner.browser.post(path),
        await owner.browser.post(path, data=form_of((await scene.person("eve")).token)),
    ):
        assert answer.status_code == 403
        assert "not come from one of our pages" in answer.text
    answer = await owner.browser.post(
        path, data=form_of(owner.token), headers={"sec-fetch-site": "cross-site"}
    )
    assert answer.status_code == 403


def form_of(token: str) -> dict[str, str]:
    return {FIELD: csrf_token(token)}
