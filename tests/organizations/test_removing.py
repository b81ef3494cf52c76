"""Organizations are called differently, and removed with all that was theirs."""

from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import pytest

from dashboard_scene import DashboardScene, open_scene, path_of
from heliograph.core.keys.service import MintedKey
from heliograph.core.members.model import MemberRole
from heliograph.core.removals.service import finish_removals
from heliograph.core.tenants.model import Organization, operator
from heliograph.core.upkeep.erasure_sql import TABLES
from heliograph.errors import HeliographError, InvalidInputError, NotFoundError
from heliograph.networks.content import Text
from heliograph.networks.port import AccountStatus

LATER = """
UPDATE organizations SET removed_at = removed_at - interval '1 hour' WHERE removed_at IS NOT NULL
"""
HELD_OF_TENANTS = """
SELECT c.table_name FROM information_schema.columns AS c
WHERE c.table_schema = 'public' AND c.column_name = 'organization_id'
"""


@pytest.fixture
async def scene(database_url: str, tmp_path: Path) -> AsyncIterator[DashboardScene]:
    async with open_scene(database_url, tmp_path) as scene:
        yield scene


async def furnish(scene: DashboardScene, name: str) -> tuple[Organization, MintedKey]:
    """An organization that has done a bit of everything."""
    organization = await scene.organization(name)
    principal = operator(organization.tenant)
    services = scene.gateway
    key = await services.keys.mint(principal, "backend", scopes=["messages:write"])
    await services.webhooks.create(principal, "http://127.0.0.1:9/")
    await services.labels.create(principal, "VIP", "#ff0000")
    account = await scene.connected(await scene.device(organization))
    await scene.send(account, Text(f"Hello from {name}"))

    async def statuses() -> list[str]:
        rows = await scene.rows(
            "SELECT status FROM messages WHERE organization_id = $1", organization.id
        )
        return [row["status"] for row in rows]

    await scene.until(statuses, lambda found: found == ["read"])
    await services.media.store_file(organization.tenant, b"a file")
    return organization, key


async def rows_of(scene: DashboardScene, organization: Organization) -> dict[str, int]:
    """How many rows each table has of it, without those that have none."""
    found = {}
    for row in await scene.rows(HELD_OF_TENANTS):
        table = row["table_name"]
        [count] = await scene.rows(
            f"SELECT count(*) AS n FROM {table} WHERE organization_id = $1",  # noqa: S608 - ours
            organization.id,
        )
        found[table] = count["n"]
    return {table: n for table, n in found.items() if n}


def files_of(tmp_path: Path, organization: Organization) -> list[Path]:
    found = [path for path in tmp_path.rglob("*") if str(organization.id) in str(path)]
    return [path for path in found if path.is_file()]


async def test_all_that_was_its_own_is_deleted_and_nothing_of_others(
    scene: DashboardScene, tmp_path: Path
) -> None:
    services = scene.gateway
    async with scene.at_work():
        acme, key = await furnish(scene, "Acme")
        globex, other_key = await furnish(scene, "Globex")
        ada = await scene.member("ada", acme, MemberRole.OWNER)
        [account] = await services.accounts.list(operator(acme.tenant))
        with pytest.raises(InvalidInputError, match="still connected: 'Front desk'"):
            await services.organization_removals.remove("Acme")
        assert (await ada.get(path_of(acme))).status_code == 200
        await services.account_maintenance.log_out(operator(acme.tenant), account.id)
        await scene.until_status(account, AccountStatus.LOGGED_OUT)

        await services.organization_removals.remove("Acme")

        with pytest.raises(HeliographError):
            await services.keys.authenticate_key(key.text)
        assert (await ada.get(path_of(acme))).status_code == 404
        assert [each.name for each in await services.organizations.list()] == ["Globex"]
        with pytest.raises(NotFoundError, match="There is no organization 'Acme'"):
            await services.organizations.get("Acme")
        assert "messages" in await rows_of(scene, acme), "the clean-up does that"
        assert "organizations" not in await services.retention.clean_up_now(), "it is too early"
        again = await services.organizations.create("Acme")
        await scene.rows("UPDATE removed_accounts SET removed_at = now() - interval '1 hour'")
        await scene.rows(LATER)
        assert not (await services.retention.clean_up_now())["organizations"], (
            "its networks know it"
        )
        await finish_removals(services.database, services.notifications, services.networks)
    others = await rows_of(scene, globex)
    assert (await services.retention.clean_up_now())["organizations"] == 1
    assert await rows_of(scene, acme) == {}
    assert files_of(tmp_path, acme) == []
    assert await scene.rows("SELECT 1 FROM organizations WHERE id = $1", acme.id) == []
    assert await rows_of(scene, globex) == others
    assert files_of(tmp_path, globex)
    await services.keys.authenticate_key(other_key.text)
    assert {each.id for each in await services.organizations.list()} == {globex.id, again.id}


async def test_nothing_is_added_to_a_removed_one(scene: DashboardScene) -> None:
    acme = await scene.organization("Acme")
    await scene.gateway.organization_removals.remove("Acme")
    principal = operator(acme.tenant)
    for add in (
        scene.device(acme),
        scene.gateway.webhooks.create(principal, "https://example.com/"),
        scene.gateway.keys.mint(principal, "late"),
    ):
        with pytest.raises(NotFoundError, match="This organization was removed"):
            await add
    assert await rows_of(scene, acme) == {}


async def test_a_removal_that_was_cut_short_goes_on_when_repeated(
    scene: DashboardScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    acme = await scene.organization("Acme")
    await scene.gateway.webhooks.create(operator(acme.tenant), "https://example.com/")
    await scene.device(acme)
    removals = scene.gateway.organization_removals
    monkeypatch.setattr(removals._removals, "remove", _fail)
    with pytest.raises(asyncpg.InterfaceError):
        await removals.remove("Acme")
    assert [each.name for each in await scene.gateway.organizations.list()] == ["Acme"]
    monkeypatch.undo()
    await removals.remove("Acme")
    assert await scene.gateway.organizations.list() == []


async def _fail(*_: object) -> None:
    raise asyncpg.InterfaceError("the connection was lost")


def test_every_table_of_tenants_is_erased() -> None:
    assert len(TABLES) == len(set(TABLES)) > 30
    assert TABLES[-1] == "deleted_events"


async def test_a_name_is_found_in_any_case(scene: DashboardScene) -> None:
    organizations = scene.gateway.organizations
    acme = await organizations.create("Acme")
    for name in ("Acme", "ACME", "acme"):
        assert (await organizations.get(name)).id == acme.id
    older = await organizations.create("Globex")
    await scene.rows("UPDATE organizations SET name = 'acme' WHERE id = $1", older.id)
    assert (await organizations.get("Acme")).id == acme.id
    assert (await organizations.get("acme")).id == older.id
    with pytest.raises(InvalidInputError, match="Several organizations are called 'ACME'"):
        await organizations.get("ACME")


async def test_no_two_have_one_name_whatever_the_case(scene: DashboardScene) -> None:
    organizations = scene.gateway.organizations
    acme = await organizations.create("Acme")
    globex = await organizations.create("Globex")
    with pytest.raises(InvalidInputError, match="There is already an organization 'Acme'"):
        await organizations.create("ACME")
    with pytest.raises(InvalidInputError, match="There is already an organization 'Acme'"):
        await organizations.rename("Globex", "acme")
    with pytest.raises(InvalidInputError, match="A name has 1 to 200 characters"):
        await organizations.rename("Globex", " ")
    with pytest.raises(InvalidInputError, match="A name needs at least one visible character"):
        await organizations.rename("Globex", "\u200b")
    assert (await organizations.rename("Acme", "ACME")).name == "ACME"
    renamed = await organizations.rename(str(globex.id), "Initech")
    assert (await organizations.get("Initech")).id == renamed.id == globex.id
    [entry] = await scene.gateway.audit.list(operator(globex.tenant))
    assert (entry.action, entry.details) == (
        "organization_renamed",
        {"name": "Initech", "before": "Globex"},
    )
    assert acme.id != globex.id
