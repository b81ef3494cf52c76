"""Claims begin behind what is gone, and pass over nothing: neither what is committed late, nor what
comes back with an old `seq`."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from uuid import UUID, uuid4

import pytest

import webhook_scene
from connections import connected
from core_scene import ADA, BOB, Scene, playing, sent_to
from heliograph.core.accounts.model import Restriction
from heliograph.core.cluster import due_sql
from heliograph.core.cluster.model import Lease
from heliograph.core.cluster.sql import WEBHOOK_LEASES, claim_leases, list_owned_leases
from heliograph.core.dispatch.claims import claim_messages, requeue_claimed
from heliograph.core.ingest.model import MessagePostponed, MessageTaken
from heliograph.core.messages.queue import sql as messages_queue
from heliograph.core.messages.queue.holds_sql import hold_new_conversations, release_held
from heliograph.core.upkeep.janitor import Janitor
from heliograph.core.webhooks.model import ClaimRequest
from heliograph.core.webhooks.queue import sql as deliveries_queue
from heliograph.core.webhooks.queue.sql import claim_deliveries
from heliograph.platform.database import floors
from heliograph.platform.database.floors import START, Floors
from heliograph.platform.database.horizon import Horizon, Numbering
from heliograph.platform.database.pool import Connection, Database

pytestmark = pytest.mark.one_server("floors are of one server")

MESSAGE = """
INSERT INTO messages (
    shard, organization_id, id, account_id, direction, status, message_type, chat_type, recipient,
    phone_number, content, chat_message_id, retry_count, connected_seconds, queued_at, created_at,
    updated_at
)
SELECT shard, organization_id, gen_random_uuid(), account_id, direction, 'queued', message_type,
    chat_type, recipient, phone_number, content, gen_random_uuid(), 0, 0, now(), now(), now()
FROM messages LIMIT 1
RETURNING *
"""
LATE_MESSAGE = f"""
WITH new AS ({MESSAGE})
INSERT INTO message_queue (
    shard, organization_id, account_id, seq, message_id, queued_at, recipient, fresh
)
SELECT shard, organization_id, account_id, seq, id, queued_at, recipient, true FROM new
RETURNING message_id
"""  # noqa: S608 - our own text
LATE_DELIVERY = """
INSERT INTO delivery_queue (
    shard, organization_id, id, webhook_id, event_id, event_type, order_key, created_at
)
SELECT shard, organization_id, gen_random_uuid(), $1, id, type, gen_random_uuid(), now()
FROM events ORDER BY seq LIMIT 1
RETURNING id
"""


@dataclass
class Sending:
    """An account's queue and the floors of the node that has it."""

    scene: Scene
    floors: Floors[Lease] = field(init=False)

    def __post_init__(self) -> None:
        self.floors = Floors(self.scene.database.read, messages_queue.QUEUED)

    @property
    def lease(self) -> Lease:
        return self.scene.lease

    async def look(self) -> bool:
        now = self.scene.database.clock.now()
        find = partial(due_sql.list_due_accounts, now=now)
        return self.lease in await self.floors.look([self.lease], find)

    async def claim(self) -> list[UUID]:
        now, floor = self.scene.database.clock.now(), self.floors.of(self.lease)
        claim, _ = await self.scene.database.transact(claim_messages, self.lease, 100, now, floor)
        return [message.id for message in claim.messages] if claim else []

    async def seq_of(self, message_id: UUID) -> int:
        [row] = await self.scene.rows("SELECT seq FROM messages WHERE id = $1", message_id)
        return int(row["seq"])

    async def send(self, *texts: str) -> list[UUID]:
        """Messages that have been taken, with the floor behind them."""
        sent = [await self.scene.accept(text, BOB) for text in texts]
        assert await self.claim() == sent
        await self.scene.report(*(MessageTaken(id_, sent_to(BOB)) for id_ in sent))
        await self.look()
        assert self.floors.of(self.lease).seq > await self.seq_of(sent[-1])
        return sent


@pytest.fixture
async def sending(database_url: str) -> AsyncIterator[Sending]:
    async with playing(database_url) as scene:
        yield Sending(scene)


@asynccontextmanager
async def committed_late(
    database_url: str, statement: str, *values: object
) -> AsyncIterator[Callable[[], Awaitable[UUID]]]:
    """What the statement inserts, as soon as it is asked for."""
    async with connected(database_url) as connection:
        transaction = connection.transaction()
        await transaction.start()
        [row] = await connection.fetch(statement, *values)

        async def commit() -> UUID:
            await transaction.commit()
            found: UUID = row[0]
            return found

        yield commit


async def test_a_message_that_is_committed_late_is_not_passed_over(
    sending: Sending, database_url: str
) -> None:
    await sending.send("before")
    async with committed_late(database_url, LATE_MESSAGE) as commit:
        overtaking = await sending.scene.accept("overtaking")
        for _ in range(3):
            await sending.look()
        assert await sending.claim() == [overtaking]
        await sending.look()
        late = await commit()
        assert await sending.seq_of(late) < await sending.seq_of(overtaking)
        assert await sending.look()
        assert await sending.claim() == [late]
    await sending.look()
    assert sending.floors.of(sending.lease).seq > await sending.seq_of(overtaking)


async def test_a_claim_begins_behind_what_is_gone(sending: Sending) -> None:
    await sending.send("1", "2", "3")
    waiting = await sending.scene.accept("4")
    await sending.look()
    await sending.look()
    assert sending.floors.of(sending.lease).seq == await sending.seq_of(waiting)


# --- how messages come back with an old `seq` -----------------------------------------------------


async def put_back(scene: Scene, message_id: UUID) -> None:
    await scene.report(MessagePostponed(message_id, None, None, is_attempt=False))


async def retry(scene: Scene, message_id: UUID) -> None:
    before = scene.database.clock.now() - timedelta(seconds=1)
    await scene.report(MessagePostponed(message_id, before, "Busy.", is_attempt=True))


async def lose_the_outcome(scene: Scene, message_id: UUID) -> None:
    await scene.database.transact(requeue_claimed, scene.lease)


WAYS_BACK = [put_back, retry, lose_the_outcome]


@pytest.mark.parametrize("come_back", WAYS_BACK)
async def test_what_comes_back_is_claimed_wherever_the_floor_is(
    sending: Sending, come_back: Callable[[Scene, UUID], Awaitable[None]]
) -> None:
    old = await sending.scene.accept("old")
    assert await sending.claim() == [old]
    await sending.send("1", "2")
    assert sending.floors.of(sending.lease).seq > await sending.seq_of(old)
    newer = await sending.scene.accept("newer")
    await come_back(sending.scene, old)
    assert await sending.look()
    assert await sending.claim() == [old, newer]


async def test_what_was_scheduled_is_claimed_wherever_the_floor_is(sending: Sending) -> None:
    scheduled = await sending.scene.accept("scheduled")
    await sending.scene.schedule_all()
    await sending.send("1", "2")
    assert sending.floors.of(sending.lease).seq > await sending.seq_of(scheduled)
    await Janitor(
        sending.scene.database, sending.scene.notifications, sending.scene.changes
    ).start_scheduled()
    assert await sending.look()
    assert await sending.claim() == [scheduled]


async def test_what_is_held_lets_the_floor_pass_and_is_claimed_when_it_is_released(
    sending: Sending,
) -> None:
    scene, tenant = sending.scene, sending.scene.principal.tenant
    held, now = await scene.accept("held", ADA), scene.database.clock.now()
    restriction = Restriction("new_conversations", now + timedelta(days=1), "Slow.")
    of = (tenant, scene.account.id)
    await scene.database.transact(hold_new_conversations, *of, restriction, "sandbox", now)
    await sending.send("1", "2")
    assert sending.floors.of(sending.lease).seq > await sending.seq_of(held)
    assert not await sending.look()
    await scene.database.transact(release_held, *of, restriction.until, now)
    assert await sending.look()
    assert await sending.claim() == [held]


# --- where floors mean nothing --------------------------------------------------------------------


async def test_a_floor_means_nothing_on_another_server(sending: Sending) -> None:
    await sending.send("1")
    waiting = await sending.scene.accept("waiting")
    another = sending.floors.of(sending.lease)._replace(
        seq=1_000_000, server=datetime.now(UTC) - timedelta(days=1)
    )
    now = sending.scene.database.clock.now()
    transact = sending.scene.database.transact
    claim, _ = await transact(claim_messages, sending.lease, 9, now, another)
    assert claim is not None
    assert [message.id for message in claim.messages] == [waiting]


async def test_a_lease_begins_at_the_start(sending: Sending) -> None:
    await sending.send("1")
    assert sending.floors.of(await sending.scene.take_over()) == START


async def test_where_the_database_is_distributed_there_are_no_floors(sending: Sending) -> None:
    await sending.send("1")
    database = sending.scene.database
    sending.floors = Floors(database.read, messages_queue.QUEUED, are_known=False)
    await sending.look()
    assert sending.floors.of(sending.lease) == START


async def test_a_look_at_all_that_took_long_is_not_repeated_soon(sending: Sending) -> None:
    """It walks over all that has gone, which may be millions of rows."""

    async def find(_: object, __: object) -> dict[Lease, int | None]:
        await asyncio.sleep(0.1)
        return {}

    slow = Floors[Lease](sending.scene.database.read, messages_queue.QUEUED)
    await slow.look([sending.lease], find)
    assert slow._known[sending.lease].until > time.monotonic() + floors.RESTART_INTERVAL + 30


async def test_what_is_forgotten_during_a_look_stays_forgotten(sending: Sending) -> None:
    """A connection is lost while it runs, and rows may have come back."""
    known = Floors[Lease](sending.scene.database.read, messages_queue.QUEUED)

    async def find(_: object, __: object) -> dict[Lease, int | None]:
        return {}

    async def find_after_a_crash(_: object, __: object) -> dict[Lease, int | None]:
        known.forget()
        return {}

    await sending.send("1")
    await known.look([sending.lease], find)
    assert known.of(sending.lease) != START
    await known.look([sending.lease], find_after_a_crash)
    assert known.of(sending.lease) == START


async def test_a_floor_that_was_too_high_falls_within_a_minute(
    sending: Sending, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It never is; this is the precaution against what nobody has thought of."""
    monkeypatch.setattr(floors, "RESTART_INTERVAL", 0.0)
    monkeypatch.setattr(floors, "ALL_SELDOM", 0.0)
    await sending.send("1")
    passed_over = await sending.scene.accept("passed over")
    known = sending.floors._known[sending.lease]
    too_high = known._replace(floor=known.floor._replace(seq=1_000_000))
    sending.floors._known[sending.lease] = too_high
    assert await sending.claim() == []
    assert await sending.look()
    assert await sending.claim() == [passed_over]


@pytest.mark.parametrize("numbering", [messages_queue.QUEUED, deliveries_queue.QUEUED])
async def test_the_sequences_give_numbers_one_by_one(
    sending: Sending, numbering: Numbering
) -> None:
    """A session that took several in advance would use one below the horizon later."""
    [row] = await sending.scene.rows(
        "SELECT seqcache FROM pg_sequence WHERE seqrelid = $1::text::regclass", numbering.sequence
    )
    assert row["seqcache"] == 1
    columns = await sending.scene.rows(
        "SELECT objid FROM pg_depend WHERE refobjid = $1::text::regclass", numbering.sequence
    )
    assert len(columns) <= len(numbering.tables)
    await sending.scene.database.read(Horizon(numbering).update)


# --- deliveries -----------------------------------------------------------------------------------


@dataclass
class Delivering:
    scene: webhook_scene.Scene
    lease: Lease
    floors: Floors[Lease]

    async def look(self) -> bool:
        find = partial(due_sql.list_due_webhooks, now=self.scene.database.clock.now())
        return self.lease in await self.floors.look([self.lease], find)

    async def claim(self) -> list[UUID]:
        asked = ClaimRequest(self.lease, 100, floor=self.floors.of(self.lease))
        now = self.scene.database.clock.now()
        claimed = await self.scene.database.read(
            claim_deliveries, self.lease.tenant.shard, [asked], now
        )
        return [delivery.id for delivery in claimed]

    async def end(self, ids: Iterable[UUID]) -> None:
        await self.scene.rows("DELETE FROM delivery_queue WHERE id = ANY($1)", list(ids))


@pytest.fixture
async def delivering(database_url: str) -> AsyncIterator[Delivering]:
    async with webhook_scene.playing(database_url) as scene:
        created = await scene.webhooks.create(scene.principal, "http://127.0.0.1:9/")
        await scene.emit(scene.event())
        lease = await own_webhook(scene.database, created.webhook.id)
        yield Delivering(scene, lease, Floors(scene.database.read, deliveries_queue.QUEUED))


async def own_webhook(database: Database, webhook_id: UUID) -> Lease:
    async def own(connection: Connection) -> Sequence[Lease]:
        node_id = uuid4()
        await claim_leases(connection, WEBHOOK_LEASES, webhook_scene.SHARD, node_id, [], 9)
        return await list_owned_leases(connection, WEBHOOK_LEASES, node_id)

    [lease] = await database.transact(own)
    assert lease.resource_id == webhook_id
    return lease


async def test_a_delivery_that_is_committed_late_is_not_passed_over(
    delivering: Delivering, database_url: str
) -> None:
    await delivering.end(await delivering.claim())
    await delivering.look()
    late_one = committed_late(database_url, LATE_DELIVERY, delivering.lease.resource_id)
    async with late_one as commit:
        await delivering.scene.emit(delivering.scene.event())
        for _ in range(3):
            await delivering.look()
        overtaking = await delivering.claim()
        assert len(overtaking) == 1
        await delivering.end(overtaking)
        await delivering.look()
        late = await commit()
        assert await delivering.look()
        assert await delivering.claim() == [late]
    await delivering.end([late])
    assert not await delivering.look()


async def test_a_delivery_that_is_held_in_memory_keeps_the_floor(delivering: Delivering) -> None:
    """What a node holds, and forgets, is in the table: the next claim finds it."""
    [held] = await delivering.claim()
    for _ in range(3):
        await delivering.scene.emit(delivering.scene.event())
        await delivering.end(set(await delivering.claim()) - {held})
        await delivering.look()
    assert await delivering.claim() == [held]


async def test_a_delivery_that_failed_is_claimed_again_wherever_the_floor_is(
    delivering: Delivering,
) -> None:
    [failed] = await delivering.claim()
    await delivering.scene.rows(
        "UPDATE delivery_queue SET attempt_count = 1, next_attempt_at = now() - interval '1 second'"
    )
    await delivering.scene.emit(delivering.scene.event())
    await delivering.end(set(await delivering.claim()) - {failed})
    await delivering.look()
    [row] = await delivering.scene.rows("SELECT seq FROM delivery_queue")
    assert delivering.floors.of(delivering.lease).seq > row["seq"]
    assert await delivering.claim() == [failed]
