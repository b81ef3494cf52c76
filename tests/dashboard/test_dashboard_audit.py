"""The audit page: sentences with names, no ids, whatever was done."""

import re
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest

from dashboard_scene import DashboardScene, open_scene, path_of
from each_case import for_each
from heliograph.core.audit.model import AuditAction, AuditEntry
from heliograph.core.members.model import MemberRole
from heliograph.core.tenants.model import Tenant, operator
from heliograph.core.webhooks.model import WebhookFilter
from heliograph.faces.dashboard.organization.audit_lines import KnownNames, read_line

UUID_IN_TEXT = re.compile(r">[^<]*[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}[^<]*<")
SAID = re.compile(r"<[^>]+>")


@pytest.fixture
async def scene(database_url: str, tmp_path: Path) -> AsyncIterator[DashboardScene]:
    async with open_scene(database_url, tmp_path) as scene:
        yield scene


def said(page: str) -> str:
    """What somebody reads, with single blanks."""
    return " ".join(SAID.sub(" ", page).split())


async def test_who_has_left_is_named(scene: DashboardScene) -> None:
    acme = await scene.organization("Acme")
    ada = await scene.member("ada", acme, MemberRole.OWNER)
    bob = await scene.member("bob", acme, MemberRole.ADMIN)
    await bob.post(path_of(acme, f"members/{ada.user.id}/role"), role="owner")
    await scene.device(acme)
    await ada.post(path_of(acme, f"members/{bob.user.id}/remove"))
    text = said((await ada.get(path_of(acme, "audit"))).text)
    assert "Ada removed the member Bob (has left)" in text
    assert "somebody who has left" not in text.lower()


async def test_a_removed_device_keeps_its_name(scene: DashboardScene) -> None:
    acme = await scene.organization("Acme")
    ada = await scene.member("ada", acme, MemberRole.OWNER)
    device = await scene.device(acme, name="Old desk")
    path = path_of(acme, f"devices/{device.id}")
    await ada.post(f"{path}/settings", name="Old desk", send_rate="20")
    await scene.rows("UPDATE accounts SET status = 'logged_out' WHERE id = $1", device.id)
    await ada.post(f"{path}/remove", name="Old desk")
    text = said((await ada.get(path_of(acme, "audit"))).text)
    assert "Ada removed the device Old desk (removed)" in text
    assert "Ada changed the device Old desk (removed)" in text


async def test_a_deleted_webhook_keeps_its_address(scene: DashboardScene) -> None:
    acme = await scene.organization("Acme")
    ada = await scene.member("ada", acme, MemberRole.OWNER)
    webhooks, by = scene.gateway.webhooks, operator(acme.tenant)
    created = await webhooks.create(by, "https://hooks.example.com/a")
    await webhooks.ping(by, created.webhook.id)
    await webhooks.update(by, created.webhook.id, url="https://hooks.example.com/b")
    await ada.post(path_of(acme, f"developers/webhooks/{created.webhook.id}/delete"))
    text = said((await ada.get(path_of(acme, "audit"))).text)
    assert "Ada deleted the webhook https://hooks.example.com/b (deleted)" in text
    assert "The operator pinged the webhook https://hooks.example.com/b (deleted)" in text
    assert "The operator added the webhook https://hooks.example.com/a (deleted)" in text
    assert "disabled" not in text
    assert "that was deleted" not in text


async def test_a_revoked_invitation_says_whose_it_was(scene: DashboardScene) -> None:
    acme = await scene.organization("Acme")
    ada = await scene.member("ada", acme, MemberRole.OWNER)
    await ada.post(path_of(acme, "members/invite"), email="bob@example.com", role="agent")
    [invitation] = await scene.gateway.members.list_invitations(operator(acme.tenant))
    await ada.post(path_of(acme, f"members/invitations/{invitation.id}/revoke"))
    text = said((await ada.get(path_of(acme, "audit"))).text)
    assert "Ada revoked the invitation of bob@example.com" in text


async def test_labels_canned_replies_and_exports_are_recorded(scene: DashboardScene) -> None:
    acme = await scene.organization("Acme")
    ada = await scene.member("ada", acme, MemberRole.OWNER)
    device = await scene.device(acme)
    await ada.post(path_of(acme, "inbox/labels/create"), name="VIP", color="#C0392B")
    [label] = await scene.gateway.labels.list(operator(acme.tenant))
    labels = path_of(acme, f"inbox/labels/{label.id}")
    for _ in range(2):  # the other changes nothing
        await ada.post(f"{labels}/rename", name="Important", color="#c0392b")
    await ada.post(f"{labels}/delete")
    await ada.post(path_of(acme, "inbox/canned/create"), shortcut="hours", body="From nine")
    [reply] = await scene.gateway.canned_replies.list(operator(acme.tenant))
    canned = path_of(acme, f"inbox/canned/{reply.id}")
    await ada.post(f"{canned}/change", shortcut="open", body="From ten")
    for _ in range(2):
        await ada.post(f"{canned}/delete")
    query = f"?format=csv&status=failed&since=2026-01-01&device={device.id}&person=Ana"
    assert (await ada.get(path_of(acme, f"messages/export{query}"))).status_code == 200
    assert (await ada.get(path_of(acme, "messages/export?status=never"))).status_code == 422

    text = said((await ada.get(path_of(acme, "audit"))).text)

    for sentence in (
        "Ada created the label VIP",
        "Ada changed the label Important",
        "Ada deleted the label Important",
        "Ada wrote the canned reply /hours",
        "Ada changed the canned reply /open",
        "Ada deleted the canned reply /open",
        "Ada exported messages",
    ):
        assert text.count(sentence) == 1, sentence
    export = text.partition("Ada exported messages")[2].partition("Ada ")[0]
    for filter_ in (
        "format: csv",
        "devices: Front desk",
        "status: failed",
        "from: 2026-01-01",
        "person: Ana",
    ):
        assert filter_ in export, filter_


async def test_entries_are_sentences_that_lead_to_what_they_are_about(
    scene: DashboardScene,
) -> None:
    acme = await scene.organization("Acme")
    ada = await scene.member("ada", acme, MemberRole.OWNER)
    device = await scene.device(acme)
    everything = operator(acme.tenant)
    only = WebhookFilter(chat_account_ids=(device.id,))
    created = await scene.gateway.webhooks.create(everything, "https://example.com/hook", ["*"])
    await scene.gateway.webhooks.update(everything, created.webhook.id, filter_=only)
    await scene.gateway.keys.mint(
        everything, "Shop", scopes=["messages:write"], account_ids=[device.id]
    )
    await ada.post(
        path_of(acme, f"devices/{device.id}/settings"), name="Front desk", send_rate="20"
    )

    page = (await ada.get(path_of(acme, "audit"))).text

    assert f'<a href="{path_of(acme, f"devices/{device.id}")}">Front desk</a>' in page
    text = said(page)
    assert "Ada changed the device Front desk" in text
    assert "messages a minute: 20" in text
    assert "The operator created the API key Shop" in text
    assert "scopes: messages:write; expires: never; devices: Front desk" in text
    assert "The operator added the webhook https://example.com/hook" in text
    assert "events: everything" in text
    assert "Ada accepted the invitation of" in text
    main = page[page.index('<ol class="feed">') :]
    assert UUID_IN_TEXT.search(main) is None
    assert "{&#39;" not in main


@for_each("action", list(AuditAction))
def test_every_deed_has_a_sentence(action: AuditAction) -> None:
    line = read_line(entry_of(action), KnownNames([], {}, [], [], [], []))
    assert line.who == "The operator"
    assert line.did
    assert all(label and value for label, value in line.particulars)


def entry_of(action: AuditAction) -> AuditEntry:
    details = {
        "since": "2026-11-27T10:00:00Z",
        "grace_seconds": 86_400,
        "send_rate": None,
        "events": ["*"],
        "filter": {"chat_type": "group"},
        "account_ids": [str(uuid4())],
        "is_primary": True,
    }
    return AuditEntry(
        tenant=Tenant(0, uuid4()),
        id=uuid4(),
        actor="operator",
        action=action,
        subject=str(uuid4()),
        details=details,
        created_at=datetime.now(UTC),
    )


def test_a_grace_period_and_a_time_are_told_as_such() -> None:
    line = read_line(entry_of(AuditAction.KEY_ROTATED), KnownNames([], {}, [], [], [], []))
    found = dict(line.particulars)
    assert found["the old secret ends"] == "in 1 day"
    assert found["from"] == datetime(2026, 11, 27, 10, tzinfo=UTC)
    assert found["messages a minute"] == "no limit"
    assert found["devices"] == "a removed device"
    assert found["primary"] == "yes"


async def test_older_entries_are_a_page_away(scene: DashboardScene) -> None:
    acme = await scene.organization("Acme")
    ada = await scene.member("ada", acme, MemberRole.OWNER)
    everything = operator(acme.tenant)
    created = await scene.gateway.webhooks.create(everything, "https://example.com/hook")
    for _ in range(51):
        await scene.gateway.webhooks.show_secret(everything, created.webhook.id)
    first = (await ada.get(path_of(acme, "audit"))).text
    older = re.search(r'href="(\?before=\d+)" rel="next"', first)
    assert older is not None
    assert first.count("viewed the secret") == 50
    last = (await ada.get(path_of(acme, "audit") + older[1])).text
    assert last.count("viewed the secret") == 1
    assert "accepted the invitation" in last
