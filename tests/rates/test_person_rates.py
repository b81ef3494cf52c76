"""Pages are limited per person: not by browser, session or organization."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from dashboard_scene import DashboardScene, Person, open_scene, path_of
from heliograph.core.members.model import MemberRole
from heliograph.core.tenants.model import Organization
from heliograph.settings import RateLimitSettings

LIMIT = 4


@pytest.fixture
async def scene(database_url: str, tmp_path: Path) -> AsyncIterator[DashboardScene]:
    limits = RateLimitSettings(person=LIMIT)
    async with open_scene(database_url, tmp_path, rate_limit=limits) as scene:
        yield scene


@pytest.fixture
async def acme(scene: DashboardScene) -> Organization:
    return await scene.organization("Acme")


@pytest.fixture
async def ada(scene: DashboardScene, acme: Organization) -> Person:
    return await scene.member("ada", acme, MemberRole.OWNER)


async def use_up(person: Person, acme: Organization) -> None:
    for _ in range(LIMIT):
        assert (await person.get(path_of(acme, "members"))).status_code == 200


async def test_a_person_has_so_many_pages_a_minute_and_is_told_when_to_go_on(
    acme: Organization, ada: Person
) -> None:
    await use_up(ada, acme)
    refused = await ada.get(path_of(acme, "members"))
    wait = int(refused.headers["retry-after"])
    assert (refused.status_code, 1 <= wait <= 60) == (429, True)
    assert "You have sent too many requests within a minute" in refused.text
    assert f"try again in {wait} s." in refused.text
    assert f'<meta http-equiv="refresh" content="{wait}">' in refused.text
    assert (await ada.get("/dashboard")).status_code == 429


async def test_another_browser_or_organization_is_the_same_person_a_colleague_is_not(
    scene: DashboardScene, acme: Organization, ada: Person
) -> None:
    globex = await scene.organization("Globex")
    bob = await scene.member("bob", acme, MemberRole.VIEWER)
    elsewhere = await scene.person("ada")
    await scene.join(elsewhere, globex, MemberRole.OWNER)
    await use_up(ada, acme)
    assert (await elsewhere.get(path_of(globex, "inbox"))).status_code == 429
    assert (await bob.get(path_of(acme, "inbox"))).status_code == 200


async def test_a_form_beyond_the_limit_does_nothing_and_says_so(
    scene: DashboardScene, acme: Organization, ada: Person
) -> None:
    await use_up(ada, acme)
    invite = {"email": "eve@example.com", "role": "viewer"}
    refused = await ada.post(path_of(acme, "members/invite"), **invite)
    assert refused.status_code == 429
    assert "Nothing was done" in refused.text
    assert "http-equiv" not in refused.text, "a form is not sent again by itself"
    assert await scene.rows("SELECT 1 FROM invitations WHERE email = 'eve@example.com'") == []


async def test_a_live_page_is_told_to_wait_in_its_own_words(
    acme: Organization, ada: Person
) -> None:
    """An `EventSource` that is answered 429 is closed for good."""
    await use_up(ada, acme)
    accept = {"Accept": "text/event-stream"}
    refused = await ada.browser.get(path_of(acme, "live"), headers=accept)
    assert refused.status_code == 200
    [pause] = re.findall(r"retry: (\d+)", refused.text)
    assert int(pause) >= 1000
