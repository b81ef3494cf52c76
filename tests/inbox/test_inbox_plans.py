"""No page of the inbox reads more than it must: of 4,000 conversations, and of 15,000 messages in
one of them, with statistics and without.

Each statement is explained with its real values, as it is planned for them and as it is planned for
any. What no index serves, a filter or a search, looks at a stretch of the newest conversations.
"""

from collections.abc import AsyncIterator
from uuid import UUID

import pytest
import pytest_asyncio

from connections import connected
from each_case import for_each
from explained import ExplainingConnection, complaints, explaining, without_index
from explained import analyzed as analyzed
from explained import explained_url as explained_url
from heliograph.core.inbox import reading, service
from heliograph.core.inbox.model import EVERYTHING, ConversationStatus, InboxFilter
from heliograph.core.inbox.newest_sql import LIST_NEWEST
from heliograph.core.labels.model import Label
from heliograph.platform.database.pool import Database
from inbox_scene import NOBODY, Desk, jid_of, open_desk
from large_tables import INSERT_LABELS, INSERT_MESSAGES, analyze

PEOPLE, GROUPS, MESSAGES = 2_000, 2_000, 15_000
A_PAGE = 250
"""Rows that a step of a plan may look at: a page, the pinned ones, their names and labels."""
A_STRETCH = 1_000
BIG = ("contacts", "conversations", "chat_groups", "messages", "conversation_labels")
ANA = jid_of(1)

INSERT_PEOPLE = """
INSERT INTO contacts (
    shard, organization_id, id, phone_number, name, searched, created_at, updated_at
)
SELECT $1, $2, gen_random_uuid(), '+9' || n, 'Person ' || n, 'person ' || n || E'\\n+9' || n, now(),
    now()
FROM generate_series(1, $3::int) AS n
"""
INSERT_GROUPS = """
INSERT INTO chat_groups (
    shard, organization_id, id, account_id, remote_jid, subject, searched, created_at, updated_at
)
SELECT $1, $2, gen_random_uuid(), $4, n || '@g.sandbox', 'Group ' || n, 'group ' || n, now(), now()
FROM generate_series(1, $3::int) AS n
"""
INSERT_CONVERSATIONS = """
INSERT INTO conversations (
    shard, organization_id, id, account_id, remote_jid, status, unread_count, contact_id,
    chat_group_id, is_group, agent_paused, last_message_at, pinned, created_at, updated_at
)
SELECT $1, $2, gen_random_uuid(), $3, jid, 'open', 0, contact_id, chat_group_id,
    chat_group_id IS NOT NULL, false, now() - n * interval '1 minute', n % 500 = 0, now(), now()
FROM (
    SELECT *, row_number() OVER (ORDER BY jid) AS n FROM (
        SELECT phone_number || '@sandbox' AS jid, id AS contact_id, NULL::uuid AS chat_group_id
        FROM contacts WHERE organization_id = $2 AND phone_number LIKE '+9%'
        UNION ALL
        SELECT remote_jid, NULL, id FROM chat_groups WHERE organization_id = $2
    ) AS chats
) AS numbered
"""

pytestmark = [
    pytest.mark.timeout(300),
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.one_server("explains plans, which are those of one server"),
]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def desk(explained_url: str, analyzed: bool) -> AsyncIterator[Desk]:
    """One for all tests with statistics, and one for all without: to fill it takes a second."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("heliograph.platform.database.pool.PoolConnection", ExplainingConnection)
        # each statement is explained as well, and without an index reads all that there is
        patch.setattr(Database, "request_timeout", 120.0)
        patch.setattr(reading, "MAX_SCANNED", A_STRETCH)
        patch.setattr(service, "MAX_COUNTED", A_STRETCH)
        async with open_desk(explained_url) as desk:
            await fill(explained_url, desk)
            if analyzed:
                await analyze(explained_url)
            # a connection remembers for a while how low the indexes of empty tables are
            await desk.scene.database.pool.expire_connections()
            yield desk


async def fill(database_url: str, desk: Desk) -> None:
    """4,000 conversations with two labels each; one of them, Ana's, has 15,000 messages."""
    await desk.arrive(1)
    for name in ("VIP", "Late"):
        await desk.labels.create(desk.owner, name, "#ff0000")
    ana, tenant, account = await desk.id_of(ANA), desk.owner.tenant, desk.scene.account.id
    async with connected(database_url) as connection:
        for table in BIG:
            await connection.execute(f"ALTER TABLE {table} SET (autovacuum_enabled = off)")
        await connection.execute(INSERT_PEOPLE, *tenant, PEOPLE)
        await connection.execute(INSERT_GROUPS, *tenant, GROUPS, account)
        await connection.execute(INSERT_CONVERSATIONS, *tenant, account)
        await connection.execute(INSERT_MESSAGES, *tenant, MESSAGES, account, ana)
        await connection.execute(INSERT_LABELS, *tenant)


async def page_through(desk: Desk, only: InboxFilter = EVERYTHING) -> int:
    """Three pages; how many conversations they show."""
    shown, after = 0, None
    for _ in range(3):
        page = await desk.inbox.list(desk.owner, only, after)
        shown, after = shown + len(page.conversations), page.next
    return shown


async def read_thread(desk: Desk, ana: UUID) -> int:
    """Three pages; how many messages they show."""
    shown, before = 0, None
    for _ in range(3):
        page = await desk.inbox.thread(desk.owner, ana, before)
        shown, before = shown + len(page.messages), page.before
    return shown


async def work(desk: Desk, ana: UUID, label: Label) -> None:
    """What a person does with one conversation, and with labels."""
    inbox, owner = desk.inbox, desk.owner
    await inbox.mark_read(owner, ana)
    await inbox.pin(owner, ana)
    await inbox.remove_label(owner, ana, label.id)
    await inbox.add_label(owner, ana, label.id)
    await desk.labels.change(owner, label.id, "Old")
    new = await desk.labels.create(owner, "New", "#ff0000")
    await inbox.add_label(owner, ana, new.id)
    await desk.labels.delete(owner, new.id)


async def test_no_page_reads_more_than_it_must(desk: Desk) -> None:
    ana, label = await desk.id_of(ANA), (await desk.labels.list(desk.owner))[0]
    with explaining() as plans:
        assert await page_through(desk) == 90
        assert await read_thread(desk, ana) == 150
        await work(desk, ana, label)
    assert LIST_NEWEST in {plan.statement for plan in plans}
    assert len({plan.statement for plan in plans}) >= 20, "the statements were not seen"
    assert not (found := complaints(plans, BIG, A_PAGE)), found


async def test_a_filter_looks_at_a_stretch_of_the_newest(desk: Desk) -> None:
    label = (await desk.labels.list(desk.owner))[0]
    with explaining() as plans:
        for rare in (
            InboxFilter(account_id=NOBODY),
            InboxFilter(status=ConversationStatus.CLOSED),
            InboxFilter(label_id=NOBODY),
            InboxFilter(assignee_user_id=NOBODY),
            InboxFilter(text="nobody"),
        ):
            assert await page_through(desk, rare) == 0
        for common in (
            InboxFilter(account_id=desk.scene.account.id),
            InboxFilter(label_id=label.id),
            InboxFilter(unassigned=True),
            InboxFilter(text="o"),
        ):
            assert await page_through(desk, common) == 90
    assert not (found := complaints(plans, BIG, A_STRETCH + A_PAGE)), found


async def test_the_chats_with_a_person_are_looked_up(desk: Desk) -> None:
    [row] = await desk.scene.rows("SELECT contact_id FROM conversations WHERE remote_jid = $1", ANA)
    with explaining() as plans:
        for given in (
            {"contact_id": row["contact_id"]},
            {"phone_number": "+91500"},
            {"phone_number": "1500@g.sandbox"},
            {"phone_number": ANA},
        ):
            page = await desk.conversations.list(desk.owner, **given)
            assert len(page.records) == 1, given
    assert len({plan.statement for plan in plans}) >= 4, "the statements were not seen"
    assert not (found := complaints(plans, BIG, 10)), found


@for_each("index", ["conversations_recent", "conversations_pinned", "messages_thread"])
async def test_a_missing_index_is_noticed(desk: Desk, index: str) -> None:
    ana, label = await desk.id_of(ANA), (await desk.labels.list(desk.owner))[0]
    async with without_index(desk.scene, index):
        with explaining() as plans:
            await page_through(desk)
            await read_thread(desk, ana)
            await work(desk, ana, label)
    assert complaints(plans, BIG, A_PAGE)


async def test_what_was_closed_unread_is_counted_over_up_to_a_stretch(desk: Desk) -> None:
    change = "UPDATE conversations SET unread_count = $1, status = $2"
    await desk.scene.rows(change, 1, "closed")
    with explaining() as plans:
        assert await desk.inbox.count_unread(desk.owner) == 0
    await desk.scene.rows(change, 0, "open")
    with explaining() as few:
        assert await desk.inbox.count_unread(desk.owner) == 0
    assert not (found := complaints(plans, BIG, A_STRETCH)), found
    assert not (found := complaints(few, BIG, A_PAGE)), found
