"""Who did what is written with what was done, once, and nothing takes it away."""

import re
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest

import heliograph
from api_scene import Scene
from api_scene import scene as scene
from core_scene import Scene as CoreScene
from core_scene import playing
from heliograph.core.audit.model import AuditEntry
from heliograph.core.audit.service import AuditService
from heliograph.core.tenants.model import Principal
from heliograph.core.tenants.plans import PRO
from heliograph.errors import InvalidInputError, MissingScopeError, NotFoundError
from heliograph.networks.port import AccountStatus, SessionState

SOURCE = Path(heliograph.__path__[0])


async def list_entries(scene: Scene | CoreScene, principal: Principal) -> list[AuditEntry]:
    """Oldest first."""
    return (await AuditService(scene.database).list(principal))[::-1]


async def actions(scene: Scene, since: int = 0) -> list[str]:
    return [entry.action.value for entry in await list_entries(scene, scene.acme.principal)][since:]


async def test_keys(scene: Scene) -> None:
    keys, caller = scene.services.keys, await scene.services.keys.authenticate_key(scene.acme.key)
    there = len(await actions(scene))
    minted = await keys.mint(caller, "backend", scopes=["messages:read"])
    await keys.rotate(caller, minted.record.key_id, grace=timedelta(hours=1))
    await keys.revoke(caller, minted.record.key_id)
    await keys.revoke(caller, minted.record.key_id)
    entries = (await list_entries(scene, caller))[there:]
    assert [entry.action for entry in entries] == ["key_created", "key_rotated", "key_revoked"]
    assert {entry.actor for entry in entries} == {f"key {caller.key_id}"}
    assert {entry.subject for entry in entries} == {minted.record.key_id}
    assert entries[0].details == {
        "name": "backend",
        "scopes": ["messages:read"],
        "expires_at": None,
    }
    secret = minted.text.rpartition("_")[2]
    assert secret not in repr(entries)


async def test_webhooks(scene: Scene) -> None:
    webhooks, owner = scene.services.webhooks, scene.acme.principal
    there = len(await actions(scene))
    created = await webhooks.create(owner, "https://hooks.example.com/a")
    webhook_id = created.webhook.id
    await webhooks.update(owner, webhook_id, url="https://hooks.example.com/b")
    await webhooks.update(owner, webhook_id, url="https://hooks.example.com/b")
    await webhooks.disable(owner, webhook_id)
    await webhooks.disable(owner, webhook_id)
    await webhooks.enable(owner, webhook_id)
    rotated = await webhooks.rotate_secret(owner, webhook_id)
    await webhooks.delete(owner, webhook_id)
    entries = (await list_entries(scene, owner))[there:]
    assert [entry.action.value.removeprefix("webhook_") for entry in entries] == [
        "created",
        "changed",
        "disabled",
        "enabled",
        "secret_rotated",
        "deleted",
    ]
    assert entries[1].details == entries[-1].details == {"url": "https://hooks.example.com/b"}
    assert {entry.actor for entry in entries} == {"operator"}
    assert created.secret not in repr(entries)
    assert rotated.secret not in repr(entries)


async def test_what_is_posted_by_hand_and_a_secret_that_is_looked_at(scene: Scene) -> None:
    webhooks, deliveries, owner = (
        scene.services.webhooks,
        scene.services.deliveries,
        scene.acme.principal,
    )
    created = await webhooks.create(owner, "https://hooks.example.com/a")
    webhook_id, there = created.webhook.id, len(await actions(scene))
    delivery_id = await webhooks.ping(owner, webhook_id)
    await deliveries.redeliver(owner, delivery_id)
    secret = await webhooks.show_secret(owner, webhook_id)
    entries = (await list_entries(scene, owner))[there:]
    assert [(entry.action, entry.subject) for entry in entries] == [
        ("webhook_pinged", str(webhook_id)),
        ("delivery_redelivered", str(delivery_id)),
        ("webhook_secret_shown", str(webhook_id)),
    ]
    assert entries[1].details == {"webhook_id": str(webhook_id), "event_type": "webhook.ping"}
    assert secret not in repr(entries)


async def test_what_is_refused_is_not_told(scene: Scene) -> None:
    before = await actions(scene)
    with pytest.raises(InvalidInputError):
        await scene.services.webhooks.create(scene.acme.principal, "ftp://nowhere")
    with pytest.raises(InvalidInputError):
        await scene.services.organizations.change_plan("Acme", "gold")
    for act in (scene.services.webhooks.ping, scene.services.webhooks.show_secret):
        with pytest.raises(NotFoundError):
            await act(scene.acme.principal, uuid4())
    with pytest.raises(NotFoundError):
        await scene.services.deliveries.redeliver(scene.acme.principal, uuid4())
    assert await actions(scene) == before


async def test_accounts_and_plans_and_no_other_organizations(scene: Scene) -> None:
    account = await scene.services.accounts.create(
        scene.acme.principal, "sandbox", "Second", "second", {}
    )
    await scene.services.organizations.change_plan("Acme", PRO)
    entries = (await list_entries(scene, scene.acme.principal))[-2:]
    assert [entry.action for entry in entries] == ["account_created", "plan_changed"]
    assert entries[0].subject == str(account.id)
    assert entries[1].details == {"plan": PRO, "before": scene.acme.organization.plan}
    theirs = await list_entries(scene, scene.globex.principal)
    assert not {entry.id for entry in entries} & {their.id for their in theirs}


async def test_pages_and_scope(scene: Scene) -> None:
    for number in range(5):
        await scene.mint(scene.acme, scopes=[("messages:read", "admin:read")[number % 2]])
    service, owner = AuditService(scene.database), scene.acme.principal
    first = await service.list(owner, limit=3)
    second = await service.list(owner, limit=3, before=first[-1].seq)
    everything = await service.list(owner)
    assert [*first, *second] == everything[:6]
    reader = Principal(owner.tenant, frozenset({"messages:read"}))
    with pytest.raises(MissingScopeError):
        await service.list(reader)
    for limit in (0, 1001):
        with pytest.raises(InvalidInputError):
            await service.list(owner, limit=limit)


async def test_pairing_and_logging_out_are_the_networks(database_url: str) -> None:
    async with playing(database_url) as scene:
        paired = SessionState(AccountStatus.CONNECTED, remote_jid="1@sandbox")
        await scene.report(paired)
        await scene.report(SessionState(AccountStatus.DISCONNECTED, reason="gone"))
        await scene.report(paired)
        await scene.report(SessionState(AccountStatus.LOGGED_OUT, reason="by the phone"))
        entries = (await list_entries(scene, scene.principal))[-2:]
    assert [(entry.actor, entry.action) for entry in entries] == [
        ("network", "account_paired"),
        ("network", "account_logged_out"),
    ]
    assert entries[1].details == {"remote_jid": "1@sandbox", "reason": "by the phone"}


def test_no_statement_changes_or_deletes_an_entry() -> None:
    changing = re.compile(r"(UPDATE|DELETE FROM|TRUNCATE)\s+audit_entries", re.IGNORECASE)
    found = [path for path in SOURCE.rglob("*.py") if changing.search(path.read_text())]
    assert not found
