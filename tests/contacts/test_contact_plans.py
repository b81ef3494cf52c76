"""No search of contacts reads more than it must: of 20,000 contacts of one organization beside as
many of another, with statistics and without."""

from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest

from api_scene import Scene, open_scene
from databases import fresh_database
from explained import ExplainingConnection, Plan
from heliograph.core.contacts import book
from heliograph.core.contacts.model import ContactFilter
from large_tables import analyze

ROWS = 20_000
A_PAGE, A_STRETCH, FOUND = 250, 1_000, 500
BIG = {"contacts", "contact_labels", "contact_addresses"}
INSERT_CONTACTS = """
INSERT INTO contacts (
    shard, organization_id, id, phone_number, name, searched, created_at, updated_at
)
SELECT $1, $2, gen_random_uuid(), number, name, lower(name) || E'\\n' || number, now(), now()
FROM generate_series(1, $3::int) AS n
CROSS JOIN LATERAL (
    SELECT '+1555' || lpad(n::text, 7, '0') AS number,
        (ARRAY['Ana', 'Bob', 'Carla'])[1 + n % 3] || ' Number ' || n AS name
) AS made
"""
INSERT_ADDRESSES = """
INSERT INTO contact_addresses (
    shard, organization_id, network, remote_jid, contact_id, created_at
)
SELECT shard, organization_id, 'sandbox', phone_number || '@sandbox', id, now() FROM contacts
"""
INSERT_LABELS = """
INSERT INTO contact_labels (shard, organization_id, contact_id, label_id)
SELECT c.shard, c.organization_id, c.id, l.id
FROM contacts AS c JOIN labels AS l ON l.organization_id = c.organization_id
"""

pytestmark = [
    pytest.mark.timeout(300),
    pytest.mark.one_server("explains plans, which are those of one server"),
]


@pytest.fixture(params=[True, False], ids=["analyzed", "never analyzed"])
def analyzed(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture
def url(postgres_url: str, template_database: str) -> Iterator[str]:
    """A database of which the server knows nothing from other tests."""
    with fresh_database(postgres_url, template_database) as url:
        yield url


async def fill(scene: Scene, url: str, rows: int = ROWS, *, analyzed: bool) -> str:
    """Contacts of both organizations, all of Acme's with one label, whose id is returned."""
    label = (await scene.as_acme("POST", "/api/v1/labels", json={"name": "VIP"})).json()["id"]
    connection = await asyncpg.connect(url)
    try:
        for table in BIG:
            await connection.execute(f"ALTER TABLE {table} SET (autovacuum_enabled = off)")
        for customer in (scene.acme, scene.globex):
            await connection.execute(INSERT_CONTACTS, *customer.organization.tenant, rows)
        await connection.execute(INSERT_ADDRESSES)
        await connection.execute(INSERT_LABELS)
    finally:
        await connection.close()
    if analyzed:
        await analyze(url)
    # a connection remembers for a while how low the indexes of empty tables are
    await scene.database.pool.expire_connections()
    return str(label)


async def test_no_page_reads_more_than_it_must(
    url: str, tmp_path: Path, analyzed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("heliograph.platform.database.pool.PoolConnection", ExplainingConnection)
    monkeypatch.setattr(book, "MAX_FOUND", FOUND)
    monkeypatch.setattr(book, "MAX_SCANNED", A_STRETCH)
    async with open_scene(url, tmp_path) as scene:
        label = await fill(scene, url, analyzed=analyzed)
        for query, count, allowed in (
            ("limit=50", 50, A_PAGE),
            ("search=number 1999", 11, A_PAGE),
            ("search=(555) 0019999", 1, A_PAGE),
            ("search=nobody at all", 0, A_PAGE),
            ("phone_number=15550000007", 1, A_PAGE),
            (f"label_id={label}", 50, A_STRETCH + A_PAGE),
            ("search=1", 50, A_STRETCH + A_PAGE),
        ):
            plans: list[Plan] = []
            ExplainingConnection.plans = plans
            try:
                page = (await scene.as_acme("GET", f"/api/v1/contacts?{query}")).json()
            finally:
                ExplainingConnection.plans = None
            assert len(page.get("contacts", ())) == count, (query, page)
            found = [
                str(plan)
                for plan in plans
                if plan.most_read() > allowed or plan.scanned_tables() & BIG
            ]
            assert not found, query + "\n" + "\n".join(found)


async def test_a_common_text_is_looked_for_among_the_newest(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(book, "MAX_FOUND", FOUND)
    async with open_scene(url, tmp_path) as scene:
        await fill(scene, url, FOUND * 4, analyzed=False)
        only = ContactFilter(text="ana")
        page = await scene.services.contact_book.list(scene.acme.principal, only)
        assert len(page.records) == 50
        assert {record["name"][:4] for record in page.records} == {"Ana "}
        ids = [record["id"] for record in page.records]
        assert ids == sorted(ids, reverse=True)
