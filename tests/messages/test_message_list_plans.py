"""A page of messages costs the same however far it lies, and a filtered one or a search looks at a
bounded number of rows: of 300,000 messages, with statistics and without.

Each statement is explained with its real values, as it is planned for them and as it is planned for
any.
"""

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from uuid import UUID

import asyncpg
import pytest
import pytest_asyncio

from core_scene import Scene, playing
from databases import fresh_database
from each_case import for_each
from explained import ExplainingConnection, Plan
from heliograph.core.messages.lists.filters import EVERYTHING, MessageFilter
from heliograph.core.messages.lists.service import (
    MAX_SCANNED,
    MAX_SCANNED_WORDS,
    _BeforeMessage,
    _BeforeSeq,
)
from heliograph.core.pages import Page, encode_cursor
from large_tables import analyze

MESSAGES = 300_000
DEEP = MESSAGES - 100
"""Messages that are newer than those of the page far down."""
CONTACTS = 10_000
THREAD = UUID(int=7)
ODD = UUID(int=8)
BIG = ("messages", "message_words", "conversations", "contacts")

# An id for each millisecond. One in a thousand says something rare; the oldest fifth something that
# is common among them alone.
INSERT_MESSAGES = """
INSERT INTO messages (
    shard, organization_id, id, account_id, conversation_id, direction, status, message_type,
    chat_type, recipient, phone_number, content, chat_message_id, retry_count, connected_seconds,
    sent_at, created_at, updated_at
)
SELECT $1, $2, (lpad(to_hex(1700000000000 + n), 12, '0') || '70008000000000000000')::uuid, $3, $5,
    'inbound', CASE WHEN n = 1 THEN 'read' ELSE 'received' END, 'text', 'individual', 'x', '+1',
    '{"type": "text", "body": "x"}', n::text, 0, 0, now(), now(), now()
FROM generate_series(1, $4::int) AS n
"""
INSERT_WORDS = """
INSERT INTO message_words (shard, organization_id, message_id, account_id, words)
SELECT $1, $2, (lpad(to_hex(1700000000000 + n), 12, '0') || '70008000000000000000')::uuid, $3,
    (concat_ws(' ', $5::text || 'hello', $5 || 'w' || n % 5000,
        CASE WHEN n % 1000 = 0 THEN $5 || 'rare' END,
        CASE WHEN n < $4 / 5 THEN $5 || 'former' END))::tsvector
FROM generate_series(1, $4::int) AS n
"""
INSERT_CONVERSATION = """
INSERT INTO conversations (
    shard, organization_id, id, account_id, remote_jid, status, unread_count, is_group,
    agent_paused, last_message_at, pinned, created_at, updated_at
)
VALUES ($1, $2, $4, $3, 'x', 'open', 0, false, false, now(), false, now(), now())
"""
INSERT_CONTACTS = """
INSERT INTO contacts (
    shard, organization_id, id, phone_number, name, searched, created_at, updated_at
)
SELECT $1, $2, gen_random_uuid(), '+1777' || lpad(n::text, 7, '0'), 'Person ' || n,
    'person ' || n || E'\\n+1777' || lpad(n::text, 7, '0'), now(), now()
FROM generate_series(1, $3::int) AS n
"""

pytestmark = [
    pytest.mark.timeout(300),
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.one_server("explains plans, which are those of one server"),
]


@pytest.fixture(scope="module")
def url(postgres_url: str, template_database: str) -> Iterator[str]:
    """A database of which the server knows nothing from other tests."""
    with fresh_database(postgres_url, template_database) as url:
        yield url


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def scene(url: str) -> AsyncIterator[Scene]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("heliograph.platform.database.pool.PoolConnection", ExplainingConnection)
        async with playing(url) as scene:
            await fill(url, scene)
            # a connection remembers for a while how low the indexes of empty tables are
            await scene.database.pool.expire_connections()
            yield scene


async def fill(url: str, scene: Scene) -> None:
    tenant, account_id = scene.principal.tenant, scene.account.id
    key = tenant.organization_id.hex[-8:]
    connection = await asyncpg.connect(url)
    try:
        for table in BIG:
            await connection.execute(f"ALTER TABLE {table} SET (autovacuum_enabled = off)")
        await connection.execute(INSERT_CONVERSATION, *tenant, account_id, THREAD)
        await connection.execute(INSERT_MESSAGES, *tenant, account_id, MESSAGES, THREAD)
        await connection.execute(INSERT_WORDS, *tenant, account_id, MESSAGES, key)
        await connection.execute(INSERT_CONTACTS, *tenant, CONTACTS)
        await connection.execute("SELECT gin_clean_pending_list('contacts_searched')")
        await connection.execute("SELECT gin_clean_pending_list('message_words_words')")
    finally:
        await connection.close()


@pytest_asyncio.fixture(
    params=["never analyzed", "analyzed"], scope="module", loop_scope="module", autouse=True
)
async def analyzed(request: pytest.FixtureRequest, url: str, scene: Scene) -> None:
    """First as the server finds a new tenant, then as it knows it."""
    if request.param == "analyzed":
        await analyze(url)
        await scene.database.pool.expire_connections()


@contextmanager
def explaining() -> Iterator[list[Plan]]:
    plans: list[Plan] = []
    ExplainingConnection.plans = plans
    try:
        yield plans
    finally:
        ExplainingConnection.plans = None


def most_read(plans: Sequence[Plan]) -> int:
    assert plans, "the statements were not seen"
    return max(plan.most_read() for plan in plans)


def most_read_of_tables(plans: Sequence[Plan]) -> float:
    """Without what an index of words names: it has no order, and is small."""
    steps = [step for plan in plans for step in plan.steps()]
    return max(
        float(step["Actual Rows"]) * float(step["Actual Loops"])
        for step in steps
        if step["Node Type"] != "Bitmap Index Scan"
    )


def said(plans: Sequence[Plan]) -> str:
    return "\n".join(map(str, plans))


async def page_of(
    scene: Scene, only: MessageFilter = EVERYTHING, cursor: str | None = None
) -> tuple[Page, list[Plan]]:
    service = scene.lists
    with explaining() as plans:
        page = await service.list(scene.principal, only, limit=50, cursor=cursor)
    return page, plans


async def place_of(scene: Scene, depth: int) -> tuple[UUID, int]:
    """The id and the place in its conversation of the message with so many newer ones."""
    [row] = await scene.rows(
        "SELECT id, seq FROM messages ORDER BY id DESC OFFSET $1 LIMIT 1", depth
    )
    return row["id"], row["seq"]


async def test_a_page_far_down_costs_what_the_first_one_does(scene: Scene) -> None:
    id_, _ = await place_of(scene, DEEP)
    first, of_first = await page_of(scene)
    deep, of_deep = await page_of(scene, cursor=encode_cursor(_BeforeMessage(id_)))
    assert len(first.records) == len(deep.records) == 50
    assert most_read(of_first) == most_read(of_deep) <= 51, said(of_deep)


async def test_a_message_is_looked_up_by_the_id_that_others_know(scene: Scene) -> None:
    page, plans = await page_of(scene, MessageFilter(chat_message_id="4242"))
    assert [record["chat_message_id"] for record in page.records] == ["4242"]
    assert most_read(plans) <= 1, said(plans)
    page, plans = await page_of(scene, MessageFilter(run_id="run_4242"))
    assert page.records == []
    assert most_read(plans) <= 1, said(plans)


async def test_so_it_is_in_a_conversation(scene: Scene) -> None:
    only, (_, seq) = MessageFilter(conversation_id=THREAD), await place_of(scene, DEEP)
    first, of_first = await page_of(scene, only)
    deep, of_deep = await page_of(scene, only, encode_cursor(_BeforeSeq(seq)))
    assert len(first.records) == len(deep.records) == 50
    assert most_read(of_first) == most_read(of_deep) <= 51, said(of_deep)


async def test_a_person_among_many_is_found_by_the_index(scene: Scene) -> None:
    page, plans = await page_of(scene, MessageFilter(person="Person 4242"))
    assert (page.records, page.next_cursor is None) == ([], False)
    assert most_read(plans) <= MAX_SCANNED, said(plans)
    steps = [step for plan in plans for step in plan.steps()]
    of_contacts = [step for step in steps if step.get("Relation Name") == "contacts"]
    assert of_contacts
    assert all(step["Actual Rows"] <= 20 for step in of_contacts), said(plans)


async def test_so_it_is_with_as_many_as_may_match(scene: Scene) -> None:
    page, plans = await page_of(scene, MessageFilter(person="Person 12"))
    assert (page.records, page.next_cursor is None) == ([], False)
    assert most_read(plans) <= MAX_SCANNED, said(plans)


@for_each(
    "only",
    [
        MessageFilter(status="read"),
        MessageFilter(chat_account_id=ODD),
        MessageFilter(message_type="image", direction="outbound", batch_id=ODD),
        MessageFilter(conversation_id=THREAD, status="read"),
        MessageFilter(phone_number="+15550100001"),
        MessageFilter(phone_number="12345@g.sandbox"),
    ],
    ids=["status", "account", "several", "thread", "number", "group"],
)
async def test_a_filter_that_nothing_fits_looks_at_a_stretch(
    scene: Scene, only: MessageFilter
) -> None:
    page, plans = await page_of(scene, only)
    assert page.records == []
    assert page.next_cursor is not None
    assert most_read(plans) <= MAX_SCANNED, said(plans)


async def test_a_rare_word_is_found_wherever_it_is(scene: Scene) -> None:
    for word, number in (("rare", 50), ("w4242", 50), ("nowhere", 0)):
        page, plans = await page_of(scene, MessageFilter(search=word))
        assert len(page.records) == number
        assert most_read(plans) <= MAX_SCANNED, said(plans)


async def test_a_common_word_is_found_among_the_newest(scene: Scene) -> None:
    for word in ("hello", "he", "w4"):
        page, plans = await page_of(scene, MessageFilter(search=word))
        assert len(page.records) == 50
        assert most_read(plans) <= MAX_SCANNED_WORDS, said(plans)


async def test_a_word_that_was_common_once_is_looked_for_further_and_further_back(
    scene: Scene,
) -> None:
    page, plans = await page_of(scene, MessageFilter(search="former"))
    assert (page.records, page.next_cursor is None) == ([], False)
    assert most_read_of_tables(plans) <= MAX_SCANNED, said(plans)


async def test_a_search_in_a_conversation_looks_at_a_stretch(scene: Scene) -> None:
    only = MessageFilter(conversation_id=THREAD, search="former")
    page, plans = await page_of(scene, only)
    assert (page.records, page.next_cursor is None) == ([], False)
    assert most_read(plans) <= MAX_SCANNED_WORDS, said(plans)
