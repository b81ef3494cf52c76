"""What is too old goes, what is not over stays, and the counts are what they were."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest

from connections import connected
from core_scene import ADA, Scene, arrival
from core_scene import scene as scene
from heliograph.core.cluster.sql import CHORE_HELD_FOR, claim_chore
from heliograph.core.media.service import MediaService
from heliograph.core.messages.statistics.service import StatisticsRecord, StatisticsService
from heliograph.core.tenants.model import Principal, Tenant
from heliograph.core.tenants.plans import FREE, UNLIMITED
from heliograph.core.upkeep import retention as service
from heliograph.core.upkeep.retention import CleanUpProgress, RetentionService, last_due
from heliograph.core.webhooks.deliveries.service import DeliveryService
from heliograph.core.webhooks.model import DeliveryCount
from heliograph.errors import ConfigurationError
from heliograph.platform.database.clock import first_id
from heliograph.settings import RetentionSettings
from media_scene import media_of
from placing import place_organization

DAY = timedelta(days=1)
END_STATES = {"sent", "delivered", "read", "failed", "canceled"}
OPEN_STATES = {"scheduled", "queued", "sending"}

INSERT_MESSAGE = """
INSERT INTO messages (
    shard, organization_id, id, account_id, direction, status, message_type, chat_type, recipient,
    phone_number, content, chat_message_id, retry_count, connected_seconds, created_at, updated_at
)
VALUES ($1, $2, $3, $4, $5, $6, 'text', 'individual', '1@sandbox', '+1', '{}', 'x', 0, 0, $7, $8)
"""
INSERT_COUNT = """
INSERT INTO message_counts AS c (shard, organization_id, day, direction, status, stripe, n)
VALUES ($1, $2, $3, $4, $5, $6, 1)
ON CONFLICT (shard, organization_id, day, direction, status, stripe) DO UPDATE SET n = c.n + 1
"""
INSERT_EVENT = """
INSERT INTO events (shard, organization_id, id, type, payload, created_at)
VALUES ($1, $2, $3, 'message.sent', '{}', $4)
"""
INSERT_DELIVERY = """
INSERT INTO deliveries (
    shard, organization_id, id, seq, webhook_id, webhook_url, event_id, event_type, status,
    retry_count, attempt_count, created_at, updated_at
)
VALUES (
    $1, $2, $3, nextval('delivery_queue_seq_seq'), $4, '', $5, 'message.sent', $6, 0, 1, $7, $7
)
"""
QUEUE = """
INSERT INTO delivery_queue (
    shard, organization_id, id, seq, webhook_id, event_id, event_type, order_key, created_at,
    attempt_count, next_attempt_at, recorded
)
OVERRIDING SYSTEM VALUE
SELECT shard, organization_id, id, seq, webhook_id, event_id, event_type, id, created_at, 1,
    created_at, true
FROM deliveries WHERE id = $1
"""
INSERT_ATTEMPT = """
INSERT INTO delivery_attempts (
    shard, organization_id, delivery_id, number, started_at, duration_ms
) VALUES ($1, $2, $3, 1, $4, 5)
"""
INSERT_JOB = """
INSERT INTO jobs (
    shard, organization_id, id, account_id, kind, status, safe_to_repeat, request, created_at,
    deadline, finished_at
) VALUES ($1, $2, $3, $4, 'join_group', $5, true, '{}', $6, $6, $6)
"""


def service_of(scene: Scene, media: MediaService | None = None) -> RetentionService:
    me = uuid4()
    media = media or media_of(scene.database, "memory:///")
    return RetentionService(scene.database, RetentionSettings(), lambda: me, media)


class Past:
    """Puts rows into the tables as if they had been made so many days ago."""

    def __init__(self, scene: Scene, tenant: Tenant | None = None) -> None:
        self.scene = scene
        self.tenant = tenant or scene.principal.tenant

    def at(self, days: float) -> datetime:
        return self.scene.database.clock.now() - days * DAY

    def id(self, days: float) -> UUID:
        return UUID(int=first_id(self.at(days)).int | uuid4().int >> 60)

    async def message(self, days: float, status: str, *, changed: float | None = None) -> UUID:
        message_id, direction = self.id(days), "inbound" if status == "received" else "outbound"
        await self.scene.rows(
            INSERT_MESSAGE,
            *self.tenant,
            message_id,
            self.scene.account.id,
            direction,
            status,
            self.at(days),
            self.at(days if changed is None else changed),
        )
        day = self.at(days).date()
        await self.scene.rows(INSERT_COUNT, *self.tenant, day, direction, status, 0)
        return message_id

    async def delivery(self, event_days: float, days: float, status: str) -> tuple[UUID, UUID]:
        """An event and a delivery of it, with an attempt."""
        event_id, delivery_id = self.id(event_days), self.id(days)
        await self.scene.rows(INSERT_EVENT, *self.tenant, event_id, self.at(event_days))
        await self.scene.rows(
            INSERT_DELIVERY,
            *self.tenant,
            delivery_id,
            uuid4(),
            event_id,
            status,
            self.at(days),
        )
        await self.scene.rows(INSERT_ATTEMPT, *self.tenant, delivery_id, self.at(days))
        if status == "pending":
            await self.scene.rows(QUEUE, delivery_id)
        return event_id, delivery_id


async def ids(scene: Scene, table: str) -> set[UUID]:
    return {row["id"] for row in await scene.rows(f"SELECT id FROM {table}")}  # noqa: S608 - our own names


async def change_plan(scene: Scene, plan: str) -> None:
    await scene.rows("UPDATE organizations SET plan = $1", plan)


async def statistics(scene: Scene) -> StatisticsRecord:
    return await StatisticsService(scene.database).summary(scene.principal)


async def test_messages_go_that_are_over_and_older_than_the_plan_says(scene: Scene) -> None:
    await change_plan(scene, FREE)  # 30 days
    past = Past(scene)
    gone = [await past.message(31, status) for status in sorted({*END_STATES, "received"})]
    kept = {await past.message(31, status) for status in sorted(OPEN_STATES)}
    kept |= {await past.message(29, "read"), await past.message(31, "read", changed=29)}
    before = await statistics(scene)

    deleted = await service_of(scene).clean_up_now()

    assert deleted["messages"] == len(gone)
    assert await ids(scene, "messages") == kept
    assert await statistics(scene) == before


async def test_each_organization_has_the_days_of_its_plan(scene: Scene) -> None:
    await change_plan(scene, FREE)
    forever = await place_organization(scene.database, "Globex", 5, plan=UNLIMITED)
    await Past(scene).message(31, "read")
    kept = await Past(scene, forever.tenant).message(3000, "read")
    await service_of(scene).clean_up_now()
    assert await ids(scene, "messages") == {kept}


async def test_it_takes_as_many_batches_as_there_are(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "BATCH", 5)
    await change_plan(scene, FREE)
    past = Past(scene)
    kept = {await past.message(40, "queued") for _ in range(12)}
    for n in range(23):
        await past.message(31 + n / 10, "read")
    deleted = await service_of(scene).clean_up_now()
    assert deleted["messages"] == 23
    assert await ids(scene, "messages") == kept


@pytest.mark.parametrize(
    ("hurry_after", "rest", "hurried_rest"), [(3600.0, 0.0, 1e9), (-1.0, 1e9, 0.0)]
)
async def test_it_rests_long_at_first_and_less_when_it_has_taken_hours(
    scene: Scene,
    monkeypatch: pytest.MonkeyPatch,
    hurry_after: float,
    rest: float,
    hurried_rest: float,
) -> None:
    monkeypatch.setattr(service, "HURRY_AFTER", hurry_after)
    monkeypatch.setattr(service, "REST", rest)
    monkeypatch.setattr(service, "HURRIED_REST", hurried_rest)
    monkeypatch.setattr(service, "MAX_REST", 1e9)
    await change_plan(scene, FREE)
    await Past(scene).message(31, "read")
    async with asyncio.timeout(60):
        deleted = await service_of(scene).clean_up_now()
    assert deleted["messages"] == 1


async def test_no_rest_is_so_long_that_the_chore_is_lost(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert service.MAX_REST + service.EXTEND_INTERVAL <= CHORE_HELD_FOR / 2
    monkeypatch.setattr(service, "REST", 1e9)
    monkeypatch.setattr(service, "MAX_REST", 0.01)
    async with asyncio.timeout(60):
        assert await service_of(scene).clean_up_now() is not None


async def test_deliveries_go_with_their_attempts_and_events_that_nobody_waits_for(
    scene: Scene,
) -> None:
    past = Past(scene)
    for status in ("delivered", "failed", "canceled"):
        await past.delivery(31, 31, status)
    waiting = [await past.delivery(31, 31, status) for status in ("pending", "pending")]
    again = await past.delivery(31, 1, "delivered")
    young = await past.delivery(29, 29, "delivered")

    deleted = await service_of(scene).clean_up_now()

    assert (deleted["deliveries"], deleted["events"]) == (3, 4)
    assert await ids(scene, "events") == {young[0], *(event_id for event_id, _ in waiting)}
    kept = {young[1], again[1], *(delivery_id for _, delivery_id in waiting)}
    assert await ids(scene, "deliveries") == kept
    attempts = await scene.rows("SELECT delivery_id FROM delivery_attempts")
    assert {row["delivery_id"] for row in attempts} == kept


async def test_what_a_client_is_told_there_is_can_be_listed_to_its_end(scene: Scene) -> None:
    """Also where rows went that nobody counted."""
    past = Past(scene)
    for days in (31, 31, 31, 1, 1, 1, 1, 1):
        await past.delivery(days, days, "delivered")
    await scene.rows(
        "INSERT INTO delivery_counts (shard, organization_id, stripe, n) VALUES ($1, $2, 3, 8)",
        *past.tenant,
    )
    deliveries = DeliveryService(scene.database, scene.changes, scene.webhooks)
    assert await list_all(deliveries, scene.principal) == (8, 8)

    await service_of(scene).clean_up_now()

    assert (await deliveries.list_events(scene.principal, 2, 0))[1] == 5
    assert await list_all(deliveries, scene.principal) == (5, 5)
    assert await deliveries.count(scene.principal) == DeliveryCount(made=8, kept=5)
    await scene.rows("DELETE FROM deliveries WHERE id < $1", past.id(0.5))
    assert await list_all(deliveries, scene.principal) == (0, 0)


async def list_all(deliveries: DeliveryService, principal: Principal) -> tuple[int, int]:
    """How many a client finds that asks until it has as many as it is told there are; the total."""
    found, offset, total = 0, 0, 1
    while offset < total:
        assert offset < 100, "the loop does not end"
        page, total = await deliveries.list_events(principal, 2, offset)
        found, offset = found + len(page), offset + 2
    return found, total


async def test_jobs_go_when_they_are_over(scene: Scene) -> None:
    past = Past(scene)
    for status in ("completed", "failed", "unknown", "pending"):
        job_id = past.id(31)
        await scene.rows(INSERT_JOB, *past.tenant, job_id, scene.account.id, status, past.at(31))
    assert (await service_of(scene).clean_up_now())["jobs"] == 3
    assert await ids(scene, "jobs") == {job_id}


async def test_a_message_that_the_network_gives_again_is_known_for_30_days(scene: Scene) -> None:
    for name in ("young", "old"):
        await scene.report(arrival(name))
    for name, days in (("young", 29), ("old", 31)):
        await scene.rows(
            "UPDATE inbound_keys SET created_at = $2 WHERE chat_message_id = $1",
            name,
            Past(scene).at(days),
        )
    deleted = await service_of(scene).clean_up_now()
    assert deleted["inbound_keys"] == 1
    await scene.report(arrival("young"))
    assert await scene.count("messages") == 2


@pytest.mark.usefixtures("today")
async def test_counts_of_long_ago_become_one_row_a_state(scene: Scene) -> None:
    past = Past(scene)
    for days in (400, 100, 40, 32, 31, 7, 6, 0):
        await past.message(days, "read")
        for stripe in (3, 9):
            day = past.at(days).date()
            await scene.rows(INSERT_COUNT, *past.tenant, day, "outbound", "read", stripe)
    before = await statistics(scene)

    await service_of(scene).clean_up_now()

    assert await statistics(scene) == before
    rows = await scene.rows("SELECT day, n FROM message_counts ORDER BY day, stripe")
    assert (rows[0]["day"].year, rows[0]["n"]) == (1970, 12)
    assert len(rows) == 1 + 4 * 3

    await service_of(scene).clean_up_now()
    assert await statistics(scene) == before


async def test_sums_of_days_that_are_over_do_not_pile_up(scene: Scene) -> None:
    tenant = scene.principal.tenant
    for days in (0, 30, 61, 63, 400):
        await scene.rows(
            "INSERT INTO message_quotas VALUES ($1, $2, 'day', $3, 1)",
            *tenant,
            Past(scene).at(days).astimezone(UTC).date(),
        )
    await service_of(scene).clean_up_now()
    assert await scene.count("message_quotas") == 3


async def test_one_node_does_it_and_once_a_day(scene: Scene) -> None:
    outcomes = await asyncio.gather(*(service_of(scene).clean_up_when_due() for _ in range(5)))
    assert sum(outcome is not None for outcome in outcomes) == 1
    assert await service_of(scene).clean_up_when_due() is None
    await scene.rows("UPDATE chores SET done_at = done_at - interval '1 day'")
    assert await service_of(scene).clean_up_when_due() is not None


async def test_while_a_node_is_at_it_others_are_told_and_take_over_when_it_dies(
    scene: Scene,
) -> None:
    due = scene.database.clock.now()
    await scene.database.transact(claim_chore, service.CHORE, uuid4(), due)
    assert await service_of(scene).clean_up_when_due() is None
    with pytest.raises(ConfigurationError, match="Another process is cleaning up"):
        await service_of(scene).clean_up_now()
    await scene.rows("UPDATE chores SET held_until = now() - interval '1 s'")
    assert await service_of(scene).clean_up_when_due() is not None


async def test_who_has_lost_the_chore_stops(
    scene: Scene, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "EXTEND_INTERVAL", 0.0)
    monkeypatch.setattr(service, "BATCH", 1)
    await change_plan(scene, FREE)
    for _ in range(3):
        await Past(scene).message(31, "read")
    seen: list[CleanUpProgress] = []

    def lose(progress: CleanUpProgress) -> None:
        seen.append(progress)
        take_chore_away(database_url)

    await service_of(scene).clean_up_now(lose)
    assert await scene.count("messages") >= 1
    assert len(seen) == 1, "it did not come to its end"
    [row] = await scene.rows("SELECT done_at FROM chores")
    assert row["done_at"] is None


async def test_files_are_deleted_only_by_who_still_has_the_chore(
    scene: Scene, database_url: str
) -> None:
    """What says so is a commit that waits for the disk: messages don't come back without files."""
    media, tenant = media_of(scene.database, "memory:///"), scene.principal.tenant
    await media.store_file(tenant, b"sent by a stranger")
    await scene.rows("UPDATE plans SET retention_days = -1")  # what came today is too old

    await service_of(scene, media).clean_up_now(lambda _: take_chore_away(database_url))
    await scene.rows("UPDATE chores SET held_until = NULL")
    assert (await service_of(scene, media).clean_up_now())["files"] == 1


def take_chore_away(database_url: str) -> None:
    """Another node has the chore from now on."""

    async def take_away() -> None:
        async with connected(database_url) as connection:
            await connection.execute("UPDATE chores SET node_id = NULL")

    with ThreadPoolExecutor() as aside:  # it has happened before the clean-up goes on
        aside.submit(asyncio.run, take_away()).result()


async def test_a_message_that_somebody_holds_is_left_and_nobody_waits(scene: Scene) -> None:
    await change_plan(scene, FREE)
    held, free = await Past(scene).message(31, "read"), await Past(scene).message(31, "read")
    async with scene.database.pool.acquire() as connection, connection.transaction():
        await connection.execute(
            "SELECT 1 FROM messages WHERE shard = $1 AND id = $2 FOR UPDATE",
            scene.principal.tenant.shard,
            held,
        )
        async with asyncio.timeout(60):
            await service_of(scene).clean_up_now()
    assert await ids(scene, "messages") == {held}
    assert free != held


async def test_a_conversation_goes_on_when_its_messages_are_gone(scene: Scene) -> None:
    await change_plan(scene, FREE)
    message = await scene.send("Hello", ADA)
    old = Past(scene).at(31)
    await scene.rows("UPDATE messages SET updated_at = $1", old)
    await scene.rows("UPDATE messages SET id = $1", Past(scene).id(31))
    await service_of(scene).clean_up_now()
    assert await scene.count("messages") == 0
    assert (await scene.send("Again", ADA)).conversation_id == message.conversation_id


@pytest.mark.parametrize(
    ("now", "hour", "due"),
    [
        ("2026-03-01T02:59:59", 3, "2026-02-28T03:00:00"),
        ("2026-03-01T03:00:00", 3, "2026-03-01T03:00:00"),
        ("2026-03-01T23:00:00", 0, "2026-03-01T00:00:00"),
    ],
)
def test_when_a_days_clean_up_was_due(now: str, hour: int, due: str) -> None:
    found = last_due(datetime.fromisoformat(now).replace(tzinfo=UTC), hour)
    assert found == datetime.fromisoformat(due).replace(tzinfo=UTC)
