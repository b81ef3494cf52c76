"""What is refused is in the audit log, and can't fill it."""

from uuid import UUID

import pytest

from dashboard_scene import DashboardScene, path_of
from dashboard_scene import scene as scene
from heliograph.core.audit import refusals
from heliograph.core.audit.model import AuditAction, AuditEntry
from heliograph.core.audit.refusals import AuditedRefusal, RefusalAudit
from heliograph.core.members.model import MemberRole
from heliograph.core.tenants.model import Organization, operator
from heliograph.errors import InvalidApiKeyError, UnauthorizedError
from heliograph.platform.crypto import mint_api_key
from moved_clock import MovedClock


async def entries_of(scene: DashboardScene, organization: Organization) -> list[AuditEntry]:
    """What was told since the organization was created, newest first."""
    *told, created = await scene.gateway.audit.list(operator(organization.tenant), limit=1000)
    assert created.action == "organization_created"
    return told


async def test_a_refused_key_is_told_with_its_reason_and_addresses(scene: DashboardScene) -> None:
    acme = await scene.organization("Acme")
    keys, principal = scene.gateway.keys, operator(acme.tenant)
    key = await keys.mint(principal, "Backend")
    forged = mint_api_key(key.record.key_id)
    for address in ("203.0.113.7", "203.0.113.8", "203.0.113.7"):
        with pytest.raises(UnauthorizedError):
            await keys.authenticate_key(forged.text, address)
    await keys.revoke(principal, key.record.key_id)
    with pytest.raises(UnauthorizedError):
        await keys.authenticate_key(key.text, None)
    with pytest.raises(UnauthorizedError):  # nobody's
        await keys.authenticate_key(mint_api_key().text, "203.0.113.7")
    await scene.gateway.refusals.flush()
    told = [each for each in await entries_of(scene, acme) if each.action == "key_refused"]
    assert {each.subject for each in told} == {key.record.key_id}
    assert {each.actor for each in told} == {"stranger"}
    assert sorted((each.details for each in told), key=str) == [
        {"reason": "revoked", "times": 1, "addresses": []},
        {"reason": "wrong secret", "times": 3, "addresses": ["203.0.113.7", "203.0.113.8"]},
    ]
    ada = await scene.member("ada", acme, MemberRole.OWNER)
    page = " ".join((await ada.get(path_of(acme, "audit"))).text.split())
    assert "<strong>Somebody</strong> was refused with the API key" in page
    assert "times: 3;" in page
    assert "addresses: 203.0.113.7, 203.0.113.8" in page


async def test_a_mistyped_secret_is_a_wrong_one_of_the_key_that_it_names(
    scene: DashboardScene,
) -> None:
    acme = await scene.organization("Acme")
    keys = scene.gateway.keys
    key = await keys.mint(operator(acme.tenant), "Backend")
    unknown = mint_api_key().text
    mistyped = (key.text[:-3] + "000", key.text[:-20], key.text + "é\0", f"hg_{key.record.key_id}_")
    elsewhere = (unknown[:-3] + "000", key.text[1:], f"hg_{key.record.key_id}", "", "hg_")
    for text in (*mistyped, *elsewhere):
        with pytest.raises(InvalidApiKeyError):
            await keys.authenticate_key(text, "203.0.113.7")
    await scene.gateway.refusals.flush()
    [told] = [each for each in await entries_of(scene, acme) if each.action == "key_refused"]
    assert told.subject == key.record.key_id
    assert told.details["times"] == len(mistyped)
    assert told.details["reason"] == "wrong secret"
    assert key.text[-20:] not in repr(told)


async def test_whoever_goes_on_for_hours_gets_an_entry_an_hour(scene: DashboardScene) -> None:
    acme, clock = await scene.organization("Acme"), MovedClock()
    audit = RefusalAudit(scene.gateway.database, clock)
    refusal = AuditedRefusal(acme.tenant, AuditAction.KEY_REFUSED, "k", "expired")
    for clock.now in range(0, 7200, 10):
        for number in range(100):
            audit.note(refusal, f"203.0.113.{number}")
        await audit.flush()
    clock.now = 20_000
    await audit.flush()
    told = [each.details for each in await entries_of(scene, acme)]
    assert sum(each["times"] for each in told) == 100 * 720
    assert len(told) == 3
    assert all(len(each["addresses"]) == 5 for each in told)
    clock.now = 30_000
    await audit.flush()
    assert audit._tallies == {}


async def test_there_are_few_kinds_in_memory(
    scene: DashboardScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refusals, "MAX_KINDS", 3)
    acme = await scene.organization("Acme")
    audit = RefusalAudit(scene.gateway.database)
    for number in range(50):
        audit.note(
            AuditedRefusal(acme.tenant, AuditAction.KEY_REFUSED, f"k{number}", "expired"), None
        )
    await audit.flush()
    assert len(await entries_of(scene, acme)) == 3


async def test_a_failed_sign_in_is_told_to_the_organization_whose_page_was_wanted(
    scene: DashboardScene,
) -> None:
    acme = await scene.organization("Acme")
    sessions = scene.gateway.browser_sessions
    await sessions.note_failure(None, "the provider refused it", "203.0.113.7")
    globex = await scene.organization("Globex")
    await sessions.note_failure(globex.id, "the provider did not answer", "203.0.113.8")
    await sessions.note_failure(None, "the provider refused it", "203.0.113.9")
    await sessions.note_failure(UUID(int=0), "the provider refused it", "203.0.113.9")
    await scene.gateway.refusals.flush()
    [told] = await entries_of(scene, acme)
    assert (told.action, told.details["addresses"]) == ("sign_in_failed", ["203.0.113.7"])
    [told] = await entries_of(scene, globex)
    assert told.details["reason"] == "the provider did not answer"
    assert told.details["addresses"] == ["203.0.113.8"]
