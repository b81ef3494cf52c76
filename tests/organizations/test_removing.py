"""Organizations are called differently, and removed with all that was theirs."""

import io
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import httpx
import pytest
from PIL import Image
from starlette.applications import Starlette

from dashboard_scene import DashboardScene, open_scene, path_of
from dashboard_scene import scene as scene
from heliograph.core.health.model import CheckStatus
from heliograph.core.keys.model import MintedKey
from heliograph.core.media.model import Upload
from heliograph.core.members.model import MemberRole
from heliograph.core.removals.service import finish_removals
from heliograph.core.tenants.model import Organization, operator
from heliograph.core.upkeep.erasure_sql import DELETE_SOME, ERASE_AUDIT_ENTRIES, TABLES
from heliograph.core.upkeep.retention import CleanUpFailedError
from heliograph.errors import HeliographError, InvalidInputError, NotFoundError
from heliograph.faces.api.media import media_routes
from heliograph.networks.content import Text
from heliograph.networks.port import AccountStatus
from heliograph.platform.database.roles import NODE
from node_role import as_node

LATER = """
UPDATE organizations SET removed_at = removed_at - interval '1 hour' WHERE removed_at IS NOT NULL
"""
HELD_OF_TENANTS = """
SELECT c.table_name FROM information_schema.columns AS c
WHERE c.table_schema = 'public' AND c.column_name = 'organization_id'
"""


@pytest.fixture(params=[NODE, "of_an_operator"])
async def scene_of_nodes(
    own_database_url: str, tmp_path: Path, request: pytest.FixtureRequest
) -> AsyncIterator[DashboardScene]:
    """The same under the role that nodes have on the private PostgreSQL, and under one that only
    reads and writes rows of one's own."""
    async with open_scene(await as_node(own_database_url, request.param), tmp_path) as scene:
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
    await remove_and_erase(scene, tmp_path)


@pytest.mark.own_postgres("makes a role on it")
async def test_the_role_of_nodes_may_erase_it(
    scene_of_nodes: DashboardScene, tmp_path: Path
) -> None:
    await remove_and_erase(scene_of_nodes, tmp_path)


async def remove_and_erase(scene: DashboardScene, tmp_path: Path) -> None:
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
    principal, before = operator(acme.tenant), await rows_of(scene, acme)
    for add in (
        scene.device(acme),
        scene.gateway.webhooks.create(principal, "https://example.com/"),
        scene.gateway.keys.mint(principal, "late"),
    ):
        with pytest.raises(NotFoundError, match="This organization was removed"):
            await add
    assert await rows_of(scene, acme) == before == {"audit_entries": 1}


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


@pytest.mark.own_postgres("makes a role on it")
async def test_audit_entries_of_those_that_are_there_stay(scene_of_nodes: DashboardScene) -> None:
    acme = await scene_of_nodes.organization("Acme")
    await scene_of_nodes.gateway.labels.create(operator(acme.tenant), "VIP", "#ff0000")
    connections = scene_of_nodes.gateway.database.pool
    assert await connections.fetchval(ERASE_AUDIT_ENTRIES, *acme.tenant, 100) == 0
    for refused in ("DELETE FROM audit_entries", "UPDATE audit_entries SET actor = 'nobody'"):
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await connections.execute(refused)
    entries = await scene_of_nodes.gateway.audit.list(operator(acme.tenant))
    assert [entry.action for entry in entries] == ["label_created", "organization_created"]


async def a_text() -> AsyncIterator[bytes]:
    yield b"a text"


def jpeg() -> bytes:
    encoded = io.BytesIO()
    Image.new("RGB", (50, 50)).save(encoded, "JPEG")
    return encoded.getvalue()


async def linked(scene: DashboardScene, link: str) -> int:
    """The status of whoever follows a link to a file or a picture."""
    transport = httpx.ASGITransport(Starlette(routes=media_routes(scene.gateway.media)))
    async with httpx.AsyncClient(transport=transport) as client:
        return (await client.get(link)).status_code


async def list_links(scene: DashboardScene, organization: Organization) -> list[str]:
    """A link of each kind: to an upload, to a file that somebody has sent, to a picture."""
    services, tenant = scene.gateway, organization.tenant
    uploaded = await services.uploads.store(
        operator(tenant), Upload("text/plain", "a.txt", None), a_text()
    )
    picture = await services.media.store_picture(tenant, jpeg(), preview=True)
    return [
        services.media.link(uploaded.object_key),
        await services.media.store_file(tenant, b"a file"),
        services.media.link(picture),
    ]


async def test_its_links_lead_nowhere_at_once(scene: DashboardScene) -> None:
    acme, globex = await scene.organization("Acme"), await scene.organization("Globex")
    links, others = await list_links(scene, acme), await list_links(scene, globex)
    assert [await linked(scene, link) for link in (*links, *others)] == [200] * 6
    await scene.gateway.organization_removals.remove("Acme")
    assert [await linked(scene, link) for link in links] == [404] * 3
    assert [await linked(scene, link) for link in others] == [200] * 3


BROKEN = """
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF OLD.organization_id = '{organization}' THEN RAISE 'this row can not be read'; END IF;
    RETURN OLD;
END $$;
CREATE TRIGGER refuse BEFORE DELETE ON labels FOR EACH ROW EXECUTE FUNCTION refuse()
"""


@pytest.mark.one_server("breaks a table by a trigger")
async def test_one_that_fails_keeps_no_other_from_being_erased_and_is_told(
    scene: DashboardScene,
) -> None:
    services = scene.gateway
    for name in ("Acme", "Globex"):
        organization = await scene.organization(name)
        await services.labels.create(operator(organization.tenant), "VIP", "#ff0000")
        await services.organization_removals.remove(name)
        if name == "Acme":
            acme = organization
    await scene.rows(LATER)
    await services.database.pool.execute(BROKEN.format(organization=acme.id))

    with pytest.raises(CleanUpFailedError, match=rf"1 of 2 organizations, such as {acme.id}: Rai"):
        await services.retention.clean_up_now()

    assert [row["name"] for row in await scene.rows("SELECT name FROM organizations")] == ["Acme"]
    [failing] = await services.chores.list_failing()
    assert failing.chore == "clean-up"
    assert "this row can not be read" in failing.failure
    [check] = [check for check in await services.readiness.check() if check.name == "chores"]
    assert check.status is CheckStatus.WARNING
    assert "clean-up since" in check.detail

    await services.database.pool.execute("DROP TRIGGER refuse ON labels")
    assert (await services.retention.clean_up_now())["organizations"] == 1
    assert await scene.rows("SELECT * FROM chore_failures") == []


async def _fail(*_: object) -> None:
    raise asyncpg.InterfaceError("the connection was lost")


def test_every_table_of_tenants_is_erased() -> None:
    assert len(TABLES) == len(set(TABLES)) > 30
    assert set(DELETE_SOME) == {*TABLES} - {"audit_entries"}
    assert TABLES[-1] == "deleted_events"


async def test_a_name_is_found_in_any_case(scene: DashboardScene) -> None:
    organizations = scene.gateway.organizations
    acme = await organizations.create("Acme")
    for name in ("Acme", "ACME", "acme"):
        assert (await organizations.get(name)).id == acme.id


async def test_no_two_have_one_name_whatever_the_case(scene: DashboardScene) -> None:
    organizations = scene.gateway.organizations
    acme = await organizations.create("Acme")
    globex = await organizations.create("Globex")
    with pytest.raises(InvalidInputError, match="There is already an organization 'Acme'"):
        await organizations.create("ACME")
    with pytest.raises(InvalidInputError, match="There is already an organization 'Acme'"):
        await organizations.rename("Globex", "acme")
    for alike in ("\uff21\uff23\uff2d\uff25", "\u00c1cme", "Acme\u200f", "Ac\u0301me"):
        with pytest.raises(InvalidInputError, match="There is already an organization 'Acme'"):
            await organizations.create(alike)
    with pytest.raises(InvalidInputError, match="A name has 1 to 200 characters"):
        await organizations.rename("Globex", " ")
    with pytest.raises(InvalidInputError, match="A name needs at least one visible character"):
        await organizations.rename("Globex", "\u200b")
    assert (await organizations.rename("Acme", "ACME")).name == "ACME"
    renamed = await organizations.rename(str(globex.id), "Initech")
    assert (await organizations.get("Initech")).id == renamed.id == globex.id
    entries = await scene.gateway.audit.list(operator(globex.tenant))
    assert [(entry.actor, entry.action, entry.details) for entry in entries] == [
        ("operator", "organization_renamed", {"name": "Initech", "before": "Globex"}),
        ("operator", "organization_created", {"name": "Globex", "plan": globex.plan}),
    ]
    assert acme.id != globex.id
