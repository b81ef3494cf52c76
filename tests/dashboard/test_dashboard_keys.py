"""API keys in the dashboard: made, shown once, rotated, revoked, by those who may."""

import re
from datetime import UTC, datetime, timedelta

import pytest

from dashboard_scene import DashboardScene, Person, path_of
from heliograph.core.keys import sql as key_sql
from heliograph.core.keys.model import ApiKeyRecord
from heliograph.core.members.model import MemberRole
from heliograph.core.tenants.model import Organization, operator
from heliograph.core.tenants.scopes import SCOPES
from heliograph.errors import InvalidApiKeyError, RevokedApiKeyError
from heliograph.faces.dashboard.sessions.cookies import FIELD, csrf_token

KEY = re.compile(r"hg_[0-9A-Za-z]{22}_[0-9A-Za-z]{49}")


async def list_keys(scene: DashboardScene, organization: Organization) -> list[ApiKeyRecord]:
    return await scene.gateway.keys.list(operator(organization.tenant))


async def make(person: Person, organization: Organization, **form: str) -> str:
    """The whole key, as the answer shows it."""
    path = path_of(organization, "developers/keys")
    answer = await person.post(path, **{"name": "Shop", "scope": "messages:write", **form})
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"
    [key] = set(KEY.findall(answer.text))
    return str(key)


async def test_a_key_is_made_and_works_and_is_shown_this_once(scene: DashboardScene) -> None:
    acme, ada = await scene.acme(MemberRole.ADMIN)
    assert "There are no valid keys" in (await ada.get(path_of(acme, "developers/keys"))).text

    text = await make(ada, acme, days="30")

    principal = await scene.gateway.keys.authenticate_key(text)
    assert principal.organization_id == acme.id
    assert principal.scopes == {"messages:read", "messages:write"}
    [record] = await list_keys(scene, acme)
    assert record.expires_at is not None
    assert timedelta(days=29) < record.expires_at - datetime.now(UTC) <= timedelta(days=30)
    for rest in ("developers/keys", "audit", ""):
        page = (await ada.get(path_of(acme, rest))).text
        assert text not in page
        assert text[26:] not in page
    page = (await ada.get(path_of(acme, "developers/keys"))).text
    assert record.display_prefix in page
    assert "Shop" in page


async def test_full_access_is_given_to_those_alone_who_ask_for_it(scene: DashboardScene) -> None:
    acme, ada = await scene.acme(MemberRole.OWNER)
    path = path_of(acme, "developers/keys")
    for form in ({}, {"full": "yes", "scope": "messages:read"}):
        answer = await ada.post(path, name="Shop", **form)
        assert answer.status_code == 422
        assert 'value="Shop"' in answer.text, "what was written is there still"
    assert await list_keys(scene, acme) == []

    answer = await ada.post(path, name="All", full="yes")

    [text] = set(KEY.findall(answer.text))
    assert (await scene.gateway.keys.authenticate_key(text)).scopes == set(SCOPES)
    assert "full access" in (await ada.get(path)).text


async def test_a_key_has_every_scope_that_is_ticked(scene: DashboardScene) -> None:
    acme, ada = await scene.acme(MemberRole.OWNER)
    ticked = ["messages:write", "contacts:read", "webhooks:read"]
    form = {FIELD: csrf_token(ada.token), "name": "Shop", "scope": ticked}
    answer = await ada.browser.post(path_of(acme, "developers/keys"), data=form)
    assert answer.status_code == 200
    [record] = await list_keys(scene, acme)
    assert record.scopes == tuple(ticked)
    page = (await ada.get(path_of(acme, "developers/keys"))).text
    assert all(f'<code class="scope">{scope}</code>' in page for scope in ticked)


@pytest.mark.parametrize(
    "form",
    [
        {"name": " "},
        {"name": "x" * 101},
        {"name": "\x00"},
        {"scope": "messages:fly"},
        {"scope": "members:write"},
        {"days": "0"},
        {"days": "-1"},
        {"days": "1.5"},
        {"days": "٣"},
        {"days": "99999999"},
    ],
    ids=str,
)
async def test_bad_input_makes_no_key(scene: DashboardScene, form: dict[str, str]) -> None:
    acme, ada = await scene.acme(MemberRole.OWNER)
    given = {"name": "Shop", "scope": "messages:read", **form}
    answer = await ada.post(path_of(acme, "developers/keys"), **given)
    assert answer.status_code == 422
    assert 'role="alert"' in answer.text
    assert re.findall(r'<dialog id="(\S+)"[^>]* open>', answer.text) == ["new"]
    assert await list_keys(scene, acme) == []


async def test_a_rotated_key_has_a_new_secret_and_the_old_for_a_while(
    scene: DashboardScene,
) -> None:
    acme, ada = await scene.acme(MemberRole.OWNER)
    first = await make(ada, acme)
    [record] = await list_keys(scene, acme)
    path = path_of(acme, f"developers/keys/{record.id}/rotate")

    [second] = set(KEY.findall((await ada.post(path, grace="24")).text))

    for text in (first, second):
        assert (await scene.gateway.keys.authenticate_key(text)).key_id == record.key_id
    page = (await ada.get(path_of(acme, "developers/keys"))).text
    assert "The old secret ends" in page
    assert second not in page
    [third] = set(KEY.findall((await ada.post(path, grace="0")).text))
    assert (await scene.gateway.keys.authenticate_key(third)).key_id == record.key_id
    with pytest.raises(InvalidApiKeyError):
        await scene.gateway.keys.authenticate_key(second)
    for grace in ("", "2", "-1", "999"):
        assert (await ada.post(path, grace=grace)).status_code == 422


async def test_a_revoked_key_is_refused_and_stays_listed(scene: DashboardScene) -> None:
    acme, ada = await scene.acme(MemberRole.OWNER)
    text = await make(ada, acme)
    [record] = await list_keys(scene, acme)
    path = path_of(acme, f"developers/keys/{record.id}")

    answer = await ada.post(f"{path}/revoke")

    assert answer.headers["location"] == path_of(acme, "developers/keys?done=revoked")
    with pytest.raises(RevokedApiKeyError):
        await scene.gateway.keys.authenticate_key(text)
    page = (await ada.get(path_of(acme, "developers/keys"))).text
    assert "Revoked and expired keys (1)" in page
    assert "/revoke" not in page
    assert (await ada.post(f"{path}/rotate", grace="0")).status_code == 404
    entries = await scene.gateway.audit.list(operator(acme.tenant), limit=2)
    assert [entry.action for entry in entries] == ["key_revoked", "key_created"]
    assert {entry.actor for entry in entries} == {f"user {ada.user.id}"}


async def test_of_keys_that_are_over_the_newest_are_listed(
    scene: DashboardScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(key_sql, "_OVER", 2)
    acme = await scene.organization("Acme")
    everything = operator(acme.tenant)
    for n in range(4):
        made = await scene.gateway.keys.mint(everything, f"Key {n}", scopes=["messages:read"])
        if n != 1:
            await scene.gateway.keys.revoke(everything, made.record.key_id)
    assert [key.name for key in await list_keys(scene, acme)] == ["Key 1", "Key 2", "Key 3"]


async def test_what_is_done_with_a_key_has_an_address(scene: DashboardScene) -> None:
    """For a browser without scripts, which opens no dialog."""
    acme, ada = await scene.acme(MemberRole.OWNER)
    await make(ada, acme)
    path = path_of(acme, "developers/keys")
    [record] = await list_keys(scene, acme)
    page = (await ada.get(path)).text
    assert not re.search(r"<dialog [^>]* open>", page)
    for form in ("new", f"rotate-{record.id}", f"revoke-{record.id}"):
        [query] = re.findall(rf'href="[^"?]*(\?open={form}[^"]*)" data-opens="{form}"', page)
        opened = (await ada.get(path + query)).text
        assert re.findall(r'<dialog id="(\S+)"[^>]* open>', opened) == [form]
    assert (await ada.get(path_of(acme, "developers"))).headers["location"].endswith("/keys")


async def test_an_expired_key_is_told_apart(scene: DashboardScene) -> None:
    acme, ada = await scene.acme(MemberRole.OWNER)
    await make(ada, acme, days="1")
    await scene.rows("UPDATE api_keys SET expires_at = now() - interval '1 minute'")
    page = (await ada.get(path_of(acme, "developers/keys"))).text
    assert "Revoked and expired keys (1)" in page
    assert "/rotate" not in page
