"""Webhooks in the dashboard: added, tried, their secrets shown to those who may, and taken away."""

import re
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import uuid4

import pytest

from dashboard_scene import DashboardScene, Person, open_scene, path_of
from heliograph.core.members.model import MemberRole
from heliograph.core.tenants.model import Organization, operator
from heliograph.core.webhooks.model import Batching, Webhook, WebhookFilter

URL = "http://127.0.0.1:9/hook"
ACTIONS = ("secret", "rotate", "ping", "disable", "enable", "change", "delete")
SECRET = re.compile(r"whsec_[0-9A-Za-z+/=]{44}")


@pytest.fixture
async def scene(database_url: str, tmp_path: Path) -> AsyncIterator[DashboardScene]:
    async with open_scene(database_url, tmp_path) as scene:
        yield scene


async def list_webhooks(scene: DashboardScene, organization: Organization) -> list[Webhook]:
    return await scene.gateway.webhooks.list(operator(organization.tenant))


async def add(person: Person, organization: Organization, **form: str) -> str:
    """The path of the new webhook's page."""
    given = {"url": URL, "event": "message.*", "description": "Shop", **form}
    answer = await person.post(path_of(organization, "developers/webhooks"), **given)
    assert answer.status_code == 303
    page, said, _ = str(answer.headers["location"]).partition("?done=created")
    assert said
    return page


def is_shown_as(page: str, state: str) -> bool:
    """Whether the page has a badge with this word."""
    return re.search(rf'<span class="badge \w+"><svg [^\n]+</svg> {state}</span>', page) is not None


async def test_a_webhook_is_added_and_shown(scene: DashboardScene) -> None:
    acme = await scene.organization("Acme")
    ada = await scene.member("ada", acme, MemberRole.ADMIN)
    path = path_of(acme, "developers/webhooks")
    assert "Nothing is posted anywhere yet" in (await ada.get(path)).text

    page = (await ada.get(f"{await add(ada, acme)}?done=created")).text

    [webhook] = await list_webhooks(scene, acme)
    assert (webhook.url, webhook.events, webhook.description) == (URL, ("message.*",), "Shop")
    for text in (page, (await ada.get(path)).text):
        assert URL in text
        assert "message.*" in text
        assert is_shown_as(text, "enabled")
        assert not SECRET.search(text)
    assert 'role="status" aria-live="polite">' in page.partition("Created.")[0]
    [entry] = await scene.gateway.audit.list(operator(acme.tenant), limit=1)
    assert (entry.action, entry.actor) == ("webhook_created", f"user {ada.user.id}")


@pytest.mark.parametrize(
    "form",
    [
        {"url": ""},
        {"url": "ftp://example.com/"},
        {"url": "http://10.0.0.1/"},
        {"url": "https://example.com/\x00"},
        {"event": "message.nonsense"},
        {"event": ""},
        {"description": "x" * 201},
    ],
    ids=str,
)
async def test_bad_input_adds_and_changes_nothing(
    scene: DashboardScene, form: dict[str, str]
) -> None:
    acme = await scene.organization("Acme")
    ada = await scene.member("ada", acme, MemberRole.OWNER)
    page = await add(ada, acme)
    before = await list_webhooks(scene, acme)
    given = {"url": URL, "event": "*", "description": "Kept", **form}
    for path, form_id in (
        (path_of(acme, "developers/webhooks"), "new"),
        (f"{page}/change", "change"),
    ):
        answer = await ada.post(path, **given)
        assert answer.status_code == 422
        assert re.findall(r'<dialog id="(\w+)"[^>]* open>', answer.text) == [form_id]
        assert 'role="alert"' in answer.text
        assert f'value="{given["description"]}"' in answer.text, "what was written is there still"
    assert await list_webhooks(scene, acme) == before


async def test_a_webhook_is_changed(scene: DashboardScene) -> None:
    acme = await scene.organization("Acme")
    ada = await scene.member("ada", acme, MemberRole.OWNER)
    page = await add(ada, acme)
    answer = await ada.post(f"{page}/change", url=f"{URL}/2", event="device.*", description="")
    assert answer.headers["location"] == f"{page}?done=saved"
    [webhook] = await list_webhooks(scene, acme)
    assert (webhook.url, webhook.events, webhook.description) == (f"{URL}/2", ("device.*",), "")


async def test_the_secret_is_shown_to_who_asks_for_it_and_on_no_other_page(
    scene: DashboardScene,
) -> None:
    acme = await scene.organization("Acme")
    ada = await scene.member("ada", acme, MemberRole.OWNER)
    page = await add(ada, acme)
    [webhook] = await list_webhooks(scene, acme)
    stored = await scene.gateway.webhooks.show_secret(operator(acme.tenant), webhook.id)

    answer = await ada.post(f"{page}/secret")

    assert SECRET.findall(answer.text) == [stored]
    assert answer.headers["cache-control"] == "no-store"
    for path in (page, path_of(acme, "developers/webhooks"), path_of(acme, "audit")):
        assert "whsec_" not in (await ada.get(path)).text
    opened_again = await ada.get(f"{page}/secret")
    assert (opened_again.status_code, opened_again.headers["location"]) == (303, page)


@pytest.mark.parametrize(
    ("grace", "sentence"),
    [("0", "the old secret has expired"), ("1", "in 1 hour"), ("168", "in 7 days")],
    ids=["0", "1", "168"],
)
async def test_a_secret_is_rotated(scene: DashboardScene, grace: str, sentence: str) -> None:
    acme = await scene.organization("Acme")
    ada = await scene.member("ada", acme, MemberRole.OWNER)
    page = await add(ada, acme)
    [old] = SECRET.findall((await ada.post(f"{page}/secret")).text)
    answer = await ada.post(f"{page}/rotate", grace=grace)
    [new] = SECRET.findall(answer.text)
    assert new != old
    assert sentence in answer.text
    assert SECRET.findall((await ada.post(f"{page}/secret")).text) == [new]
    assert (await ada.post(f"{page}/rotate", grace="5")).status_code == 422
    assert SECRET.findall((await ada.post(f"{page}/secret")).text) == [new]


async def test_how_long_the_old_secret_signs_is_shown_until_it_has_ended(
    scene: DashboardScene,
) -> None:
    acme = await scene.organization("Acme")
    ada = await scene.member("ada", acme, MemberRole.OWNER)
    page = await add(ada, acme)
    assert "also signs until" not in (await ada.get(page)).text
    await ada.post(f"{page}/rotate", grace="24")
    [webhook] = await list_webhooks(scene, acme)
    [end] = webhook.old_secrets_expire_at
    ends = end.strftime("%Y-%m-%d %H:%M:%S UTC</time>")
    shown = (await ada.get(page)).text
    assert re.search(rf"The old one also signs until <time [^>]+>{ends}", shown)
    assert f'datetime="{end.isoformat()}"' in shown
    await scene.rows("UPDATE webhooks SET old_secrets_expire_at[1] = now() - interval '1 s'")
    assert "also signs until" not in (await ada.get(page)).text


async def test_a_ping_leads_to_its_delivery(scene: DashboardScene) -> None:
    acme = await scene.organization("Acme")
    ada = await scene.member("ada", acme, MemberRole.OWNER)
    page = await add(ada, acme)
    delivery = await ada.get((await ada.post(f"{page}/ping")).headers["location"])
    assert delivery.status_code == 200
    assert "webhook.ping" in delivery.text
    assert "It has not been posted yet" in delivery.text
    assert "webhook.ping" in (await ada.get(page)).text.partition("Latest deliveries")[2]


async def test_a_disabled_webhook_says_why_and_is_enabled_again(scene: DashboardScene) -> None:
    acme = await scene.organization("Acme")
    ada = await scene.member("ada", acme, MemberRole.OWNER)
    page = await add(ada, acme)
    assert (await ada.post(f"{page}/disable")).headers["location"] == f"{page}?done=disabled"
    await scene.rows("UPDATE webhooks SET disabled_reason = 'It <b>answered</b> 410.'")
    for path in (page, path_of(acme, "developers/webhooks")):
        text = (await ada.get(path)).text
        assert "It &lt;b&gt;answered&lt;/b&gt; 410." in text
        assert is_shown_as(text, "disabled")
        assert re.search(r"<time [^>]+>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC</time>: It", text)
    answer = await ada.post(f"{page}/ping")
    assert (answer.status_code, "enable it first" in answer.text) == (409, True)
    await ada.post(f"{page}/enable")
    [webhook] = await list_webhooks(scene, acme)
    assert webhook.enabled


async def test_a_webhook_is_deleted(scene: DashboardScene) -> None:
    acme = await scene.organization("Acme")
    ada = await scene.member("ada", acme, MemberRole.OWNER)
    page = await add(ada, acme)
    delivery = (await ada.post(f"{page}/ping")).headers["location"]
    answer = await ada.post(f"{page}/delete")
    assert answer.headers["location"] == path_of(acme, "developers/webhooks?done=deleted")
    assert await list_webhooks(scene, acme) == []
    assert (await ada.get(page)).status_code == 404
    text = (await ada.get(delivery)).text
    assert "this webhook has been deleted" in text
    assert is_shown_as(text, "canceled")


async def test_who_may_only_see_gets_neither_buttons_nor_secrets(scene: DashboardScene) -> None:
    acme = await scene.organization("Acme")
    page = await add(await scene.member("ada", acme, MemberRole.OWNER), acme)
    bob = await scene.member("bob", acme, MemberRole.VIEWER)
    for path in (page, path_of(acme, "developers/webhooks")):
        text = (await bob.get(path)).text
        assert URL in text
        assert 'name="url"' not in text
        assert "/secret" not in text
    for action in ACTIONS:
        answer = await bob.post(f"{page}/{action}", grace="0")
        assert answer.status_code == 403, action
        assert not SECRET.search(answer.text)


async def test_a_webhook_of_another_organization_is_out_of_reach(scene: DashboardScene) -> None:
    acme, globex = await scene.organization("Acme"), await scene.organization("Globex")
    await add(await scene.member("ada", acme, MemberRole.OWNER), acme)
    before = await list_webhooks(scene, acme)
    secret = await scene.gateway.webhooks.show_secret(operator(acme.tenant), before[0].id)
    eve = await scene.member("eve", globex, MemberRole.OWNER)
    form = {"grace": "0", "url": f"{URL}/eve", "event": "*"}
    for webhook_id, statuses in ((before[0].id, (403, 404)), (uuid4(), (404,))):
        page = path_of(globex, f"developers/webhooks/{webhook_id}")
        for answer in (
            await eve.get(page),
            *[await eve.post(f"{page}/{action}", **form) for action in ACTIONS],
        ):
            assert answer.status_code in statuses
            assert URL not in answer.text
            assert "whsec_" not in answer.text
    assert await list_webhooks(scene, acme) == before
    assert await scene.gateway.webhooks.show_secret(operator(acme.tenant), before[0].id) == secret


async def test_a_webhooks_headers_filter_and_batches_are_shown(scene: DashboardScene) -> None:
    acme = await scene.organization("Acme")
    ada = await scene.member("ada", acme, MemberRole.ADMIN)
    created = await scene.gateway.webhooks.create(
        operator(acme.tenant),
        URL,
        headers={"X-Token": "s3cret"},
        filter_=WebhookFilter(chat_type="group"),
        batch=Batching(max_events=50, max_wait_ms=200),
    )
    page = await ada.get(path_of(acme, f"developers/webhooks/{created.webhook.id}"))
    for shown in ("X-Token", "in groups", "Up to 50 events"):
        assert shown in page.text
    assert "s3cret" not in page.text
