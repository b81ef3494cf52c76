"""A commit succeeds and its answer is lost on the way: the write is repeated by its ids, and
everything is there, and counted, once.

The connection is cut by a proxy, after the server has said that it is done.
"""

from collections.abc import AsyncIterator, Sequence
from datetime import timedelta
from uuid import UUID

import pytest

from core_scene import (
    ADA,
    BOB,
    NETWORK,
    SECRET_BOX,
    Scene,
    ScriptedSession,
    arrival,
    playing,
    receipt,
    sent_to,
)
from database_proxy import DatabaseProxy, proxied
from delivery_tables import of_all
from heliograph.core.audit.refusals import RefusalAudit
from heliograph.core.ingest.model import MessageTaken
from heliograph.core.jobs.model import JobKind, NewJob
from heliograph.core.jobs.service import JobService
from heliograph.core.keys.service import KeyService
from heliograph.core.members.model import MemberRole
from heliograph.core.members.sessions import BrowserSessionService
from heliograph.core.members.sql import insert_member
from heliograph.core.messages import sql
from heliograph.core.messages.sql import list_stored_ids
from heliograph.core.organizations.service import OrganizationService
from heliograph.core.tenants.model import operator
from heliograph.core.tenants.rows import Shards
from heliograph.networks.port import AccountStatus, SessionState
from heliograph.platform.database.pool import Connection
from heliograph.platform.oidc.claims import Identity
from webhook_receiver import always, answer, receiving
from webhook_scene import playing as playing_webhooks

MessageKeys = Sequence[tuple[UUID, UUID]]


@pytest.fixture
async def proxy(database_url: str) -> AsyncIterator[DatabaseProxy]:
    async with proxied(database_url) as proxy:
        yield proxy
        assert proxy.lost, "no answer was lost"


@pytest.fixture
async def scene(proxy: DatabaseProxy) -> AsyncIterator[Scene]:
    async with playing(proxy.url) as scene:
        yield scene


async def as_many(scene: Scene, **wanted: int) -> None:
    """The tables have so many rows, and the counters say what the messages' table says."""
    assert {table: await scene.count(table) for table in wanted} == wanted
    assert await scene.counted() == await scene.recounted()


async def told(scene: Scene, *actions: str) -> None:
    """The audit log tells this, and each once."""
    rows = await scene.rows("SELECT action FROM audit_entries WHERE action <> 'account_created'")
    assert sorted(row["action"] for row in rows) == sorted(actions)


# --- messages ---


@pytest.mark.parametrize("key", [None, "once"])
async def test_a_message_is_accepted_once(
    scene: Scene, proxy: DatabaseProxy, key: str | None
) -> None:
    proxy.lose_commit_of("INSERT INTO messages")
    message_id = await scene.accept("Hello", key=key)
    assert (await scene.message(message_id)).status == "queued"
    await as_many(scene, messages=1, idempotency_keys=1 if key else 0)


async def test_a_batch_is_accepted_once_though_every_other_answer_is_lost(
    scene: Scene, proxy: DatabaseProxy
) -> None:
    proxy.lose_commit_of("INSERT INTO messages", times=3)
    ids = [await scene.accept(f"{number}", key=f"{number}") for number in range(6)]
    assert len(set(ids)) == 6
    await as_many(scene, messages=6, idempotency_keys=6)


async def test_what_an_earlier_try_commits_late_is_accepted_once(
    scene: Scene, proxy: DatabaseProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The repeated transaction looks for it a moment too early."""
    looks = []

    async def list_stored(connection: Connection, shards: Shards, keys: MessageKeys) -> set[UUID]:
        looks.append(keys)
        return await list_stored_ids(connection, shards, keys if len(looks) > 1 else [])

    monkeypatch.setattr(sql, "list_stored_ids", list_stored)
    proxy.lose_commit_of("INSERT INTO messages")
    message_id = await scene.accept("Hello")
    assert len(looks) == 2
    assert (await scene.message(message_id)).status == "queued"
    await as_many(scene, messages=1, message_queue=1)


async def test_what_was_claimed_is_sent_once(scene: Scene, proxy: DatabaseProxy) -> None:
    for number in range(5):
        await scene.accept(f"{number}")
    proxy.lose_commit_of("SET status = 'sending'")
    session = ScriptedSession()
    scene.outbound(session)
    await scene.until_statuses({f"{number}": "sent" for number in range(5)})
    assert session.taken == [f"{number}" for number in range(5)]
    await as_many(scene, messages=5)


async def test_what_was_sent_is_reported_once(scene: Scene, proxy: DatabaseProxy) -> None:
    await scene.webhooks.create(scene.principal, "http://127.0.0.1:9/hook")
    message_id = await scene.accept("Hello")
    await scene.claim()
    proxy.lose_commit_of("INSERT INTO delivery_queue")
    await scene.report(MessageTaken(message_id, sent_to(ADA)))
    assert await scene.event_types() == ["message.sent"]
    await as_many(scene, messages=1, conversations=1, contacts=1, events=1, delivery_queue=1)
    assert [tuple(row) for row in await scene.rows(TOTALS)] == [(1, 0, 0, 1)]


async def test_what_arrived_is_counted_once(scene: Scene, proxy: DatabaseProxy) -> None:
    await scene.webhooks.create(scene.principal, "http://127.0.0.1:9/hook")
    proxy.lose_commit_of("INSERT INTO inbound_keys", times=2)
    await scene.report(arrival("A1"), arrival("A2", BOB))
    await scene.report(arrival("A3"))
    assert await scene.event_types() == ["message.received"] * 3
    await as_many(scene, messages=3, conversations=2, contacts=2, events=3, delivery_queue=3)
    assert [tuple(row) for row in await scene.rows(TOTALS)] == [(0, 3, 3, 3)]


async def test_receipts_are_told_once(scene: Scene, proxy: DatabaseProxy) -> None:
    message = await scene.send("Hello")
    proxy.lose_commit_of("SET status = k.status", times=2)
    await scene.report(receipt(message, "delivered"))
    await scene.report(receipt(message, "read"))
    assert await scene.event_types() == ["message.sent", "message.delivered", "message.read"]
    await as_many(scene, messages=1)


async def test_a_state_is_told_once(scene: Scene, proxy: DatabaseProxy) -> None:
    proxy.lose_commit_of("UPDATE accounts")
    await scene.report(SessionState(AccountStatus.CONNECTED, secrets={"token": "t"}))
    assert await scene.event_types() == ["device.connected"]


async def test_messages_start_on_time_once(scene: Scene, proxy: DatabaseProxy) -> None:
    message_id = await scene.accept("Later")
    await scene.schedule_all()
    await scene.rows("UPDATE message_counts SET status = 'scheduled'")
    proxy.lose_commit_of("DELETE FROM message_schedule")
    janitor = scene.janitor
    await janitor.start_scheduled()
    assert (await scene.message(message_id)).status == "queued"
    await as_many(scene, messages=1)


TOTALS = """
SELECT t.sent, t.received,
    (SELECT sum(unread_count)::int FROM conversations),
    (SELECT sum(n)::int FROM delivery_counts)
FROM account_totals AS t
"""


# --- what is asked for ---


async def test_a_job_is_made_once(scene: Scene, proxy: DatabaseProxy) -> None:
    jobs = JobService(
        scene.database, scene.notifications, scene.changes, scene.idempotency, timeout=30
    )
    plan = NewJob(scene.account.id, JobKind.CREATE_GROUP, {"subject": "S"})
    proxy.lose_commit_of("INSERT INTO jobs")
    job = await jobs.start(scene.principal, plan)
    assert [row["id"] for row in await scene.rows("SELECT id FROM jobs")] == [job.id]


async def test_an_organization_is_made_once(scene: Scene, proxy: DatabaseProxy) -> None:
    proxy.lose_commit_of("INSERT INTO organizations")
    made = await OrganizationService(scene.database, scene.changes, shards=1).create("Other")
    named = await scene.rows("SELECT id FROM organizations WHERE name = 'Other'")
    assert [row["id"] for row in named] == [made.id]
    await told(scene, "organization_created")


async def test_an_account_is_made_once(scene: Scene, proxy: DatabaseProxy) -> None:
    proxy.lose_commit_of("INSERT INTO accounts")
    made = await scene.accounts.create(scene.principal, NETWORK, "Second", "second", {})
    assert not made.is_primary
    await as_many(scene, accounts=2, account_leases=2)


async def test_the_first_account_stays_the_primary_one(scene: Scene, proxy: DatabaseProxy) -> None:
    other = operator(
        (await OrganizationService(scene.database, scene.changes, shards=1).create("B")).tenant
    )
    proxy.lose_commit_of("INSERT INTO accounts")
    assert (await scene.accounts.create(other, NETWORK, "First", "first", {})).is_primary


async def test_a_webhook_is_made_once(scene: Scene, proxy: DatabaseProxy) -> None:
    proxy.lose_commit_of("INSERT INTO webhooks")
    made = await scene.webhooks.create(scene.principal, "http://127.0.0.1:9/hook")
    assert await scene.webhooks.show_secret(scene.principal, made.webhook.id) == made.secret
    await as_many(scene, webhooks=1, webhook_leases=1)
    await told(scene, "webhook_created", "webhook_secret_shown")


async def test_a_webhook_is_deleted_once(scene: Scene, proxy: DatabaseProxy) -> None:
    made = await scene.webhooks.create(scene.principal, "http://127.0.0.1:9/hook")
    proxy.lose_commit_of("DELETE FROM webhooks")
    await scene.webhooks.delete(scene.principal, made.webhook.id)
    await as_many(scene, webhooks=0, webhook_leases=0)
    await told(scene, "webhook_created", "webhook_deleted")


async def test_a_rotated_secret_leaves_the_one_before_for_the_grace_time(
    scene: Scene, proxy: DatabaseProxy
) -> None:
    made = await scene.webhooks.create(scene.principal, "http://127.0.0.1:9/hook")
    [before] = await scene.rows("SELECT secret FROM webhooks")
    proxy.lose_commit_of("SET secret =")
    new = await scene.webhooks.rotate_secret(scene.principal, made.webhook.id)
    [after] = await scene.rows("SELECT old_secrets FROM webhooks")
    assert after["old_secrets"] == [before["secret"]]
    assert await scene.webhooks.show_secret(scene.principal, made.webhook.id) == new.secret
    await told(scene, "webhook_created", "webhook_secret_rotated", "webhook_secret_shown")


async def test_a_ping_is_posted_once(scene: Scene, proxy: DatabaseProxy) -> None:
    made = await scene.webhooks.create(scene.principal, "http://127.0.0.1:9/hook")
    proxy.lose_commit_of("INSERT INTO delivery_queue")
    await scene.webhooks.ping(scene.principal, made.webhook.id)
    await as_many(scene, events=1, delivery_queue=1)
    assert [row["n"] for row in await scene.rows("SELECT n FROM delivery_counts")] == [1]
    await told(scene, "webhook_created", "webhook_pinged")


async def test_a_key_is_minted_and_rotated_once(scene: Scene, proxy: DatabaseProxy) -> None:
    keys = KeyService(scene.database, scene.notifications, scene.changes)
    proxy.lose_commit_of("INSERT INTO api_keys")
    minted = await keys.mint(scene.principal, "Backend")
    proxy.lose_commit_of("SET secret_hash =")
    rotated = await keys.rotate(scene.principal, minted.record.key_id, grace=timedelta(hours=1))
    known = [await keys.authenticate_key(text) for text in (minted.text, rotated.text)]
    assert {key.organization_id for key in known} == {scene.principal.organization_id}
    await as_many(scene, api_keys=1)
    await told(scene, "key_created", "key_rotated")


async def test_a_device_is_removed_once_with_what_waits(scene: Scene, proxy: DatabaseProxy) -> None:
    await scene.accept("Hello")
    proxy.lose_commit_of("DELETE FROM accounts")
    await scene.remove_account()
    await as_many(scene, accounts=0, removed_accounts=1, message_queue=0)
    await told(scene, "account_removed")


async def test_somebody_is_signed_in_once(scene: Scene, proxy: DatabaseProxy) -> None:
    sessions = BrowserSessionService(scene.database, SECRET_BOX, RefusalAudit(scene.database))
    identity = Identity("https://id.example", "ada", "ada@example.com", "Ada")
    ada, _ = await sessions.begin(identity)
    now = scene.database.clock.now()
    await scene.database.transact(
        insert_member, scene.principal.tenant, ada.id, MemberRole.OWNER, now
    )
    proxy.lose_commit_of("INSERT INTO browser_sessions")
    user, token = await sessions.begin(identity)
    assert await sessions.find_user(token) == user
    await as_many(scene, browser_sessions=2)
    await told(scene, "signed_in")


# --- deliveries ---


@pytest.mark.parametrize(
    "words", ["DELETE FROM delivery_queue", "INSERT INTO deliveries", "SET node_id = $2"]
)
async def test_a_delivery_is_attempted_and_recorded_once(proxy: DatabaseProxy, words: str) -> None:
    async with playing_webhooks(proxy.url) as scene, receiving() as receiver, scene.node():
        proxy.lose_commit_of(words)
        await scene.webhooks.create(scene.principal, receiver.url())
        await scene.emit(scene.event(), scene.event())
        await scene.until_statuses("delivered", "delivered")
        attempts = await scene.rows(of_all("SELECT number FROM delivery_attempts"))
    assert len(receiver.received) == 2
    assert [row["number"] for row in attempts] == [1, 1]


async def test_a_failed_attempt_is_recorded_once(proxy: DatabaseProxy) -> None:
    async with (
        playing_webhooks(proxy.url) as scene,
        receiving(always(answer(500))) as receiver,
        scene.node(),
    ):
        proxy.lose_commit_of("INSERT INTO deliveries")
        await scene.webhooks.create(scene.principal, receiver.url())
        await scene.emit(scene.event())
        await scene.until_attempted()
        [row] = await scene.rows("SELECT attempt_count, retry_count, status FROM deliveries")
    assert tuple(row) == (1, 0, "pending")


async def test_a_redelivery_is_posted_once(proxy: DatabaseProxy) -> None:
    async with playing_webhooks(proxy.url) as scene, receiving() as receiver, scene.node():
        await scene.webhooks.create(scene.principal, receiver.url())
        await scene.emit(scene.event())
        await scene.until_statuses("delivered")
        [delivery] = await scene.deliveries.list(scene.principal)
        proxy.lose_commit_of("INSERT INTO delivery_queue")
        await scene.deliveries.redeliver(scene.principal, delivery.id)
        await scene.until_statuses("delivered", "delivered")
    assert len(receiver.received) == 2
    assert len(set(receiver.ids)) == 1
